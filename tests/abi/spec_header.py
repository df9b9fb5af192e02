#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""
Holds uapi/kverbs.yaml against uapi/kverbs.h, in both directions: names, numbers, and the types and
ranges that the header's comments tell. Prints TAP.

usage: tests/abi/spec_header.py
"""

import os
import re
import subprocess
import sys

import yaml

from header import NOT_INTERFACE, TOP, Header
from spec import Spec, c_name
from tap import Tap

UNITS_NS = {"ns": 1, "ms": 10**6, "s": 10**9, "min": 60 * 10**9, "h": 3600 * 10**9}


def schema():
    """The kernel's schema for the spec, or None and why there is none."""
    made = subprocess.run([os.path.join(TOP, "scripts/kernel"), "--source", "6.12"],
                          capture_output=True, text=True, check=False)
    if made.returncode:
        return None, "no kernel source: " + made.stderr.strip().split("\n")[-1]
    path = os.path.join(made.stdout.strip(), "Documentation/netlink/genetlink-legacy.yaml")
    if not os.path.exists(path):
        return None, "the kernel source in the cache has no schema"
    with open(path, encoding="utf-8") as file:
        return yaml.safe_load(file), None


def validate(tap, spec):
    name = "valid by the kernel's schema"
    try:
        import jsonschema
    except ImportError:
        tap.skip(name, "no python3-jsonschema")
        return
    rules, why = schema()
    if why:
        tap.skip(name, why)
        return
    errors = jsonschema.Draft7Validator(rules).iter_errors(spec.raw)
    tap.result(name, [f"{error.json_path}: {error.message}" for error in errors])


def same(what, header, spec):
    """Complaints about names and numbers: {name: number} of the two."""
    complaints = [f"{what}: {name} is not in the spec" for name in header if name not in spec]
    complaints += [f"{what}: {name} is not in the header" for name in spec if name not in header]
    complaints += [f"{what}: {name} is {header[name]} in the header, {number} in the spec"
                   for name, number in spec.items() if header.get(name, number) != number]
    return complaints


# The head comment tells of these once and for all: ids, names of devices, what the verbs take as int.
ID = re.compile(r"KVERBS_A_(?!DEV_)[A-Z]+_(\w+_)?(ID|PD|CQ|BUF|MR|SRQ|AH|QP|CONN|LISTENER|RUN)$")
NAME = re.compile(r"KVERBS_A_(\w+_DEV|DEV_NAME|EVENT_OLD_NAME)$")
NAME_BYTES = 63
INT_MAX = 2**31 - 1


class Documented:
    """
    What a comment in the header tells of an attribute: "u32, enum kverbs_op, up to CMP_SWP". Fields
    as those of spec.Attribute; enum: tag of the C enum that is named, or the prefix of flags.
    """

    def __init__(self, name, text, values):
        self.values = values
        self.type = re.match(r"\w+", text)[0]
        self.nest = self.enum = self.mask = None
        self.min = self.max = self.min_len = self.max_len = None
        nest = re.match(r"nest of enum kverbs_a_(\w+)", text)
        if nest:
            self.nest = nest[1].replace("_", "-")
            return
        enum = re.search(r"^\w+, enum (kverbs_\w+)(?:, up to (\w+))?", text)
        flags = re.search(r"^\w+, (KVERBS_\w+_)\*(?:[^;]*?, but (\w+))?", text)
        array = re.search(r"array of struct (kverbs_\w+)", text)
        if enum:
            self.enum = enum[1]
            self.limit_enum(enum[2])
        elif flags:
            self.enum = flags[1]
            self.mask = values[flags[1] + "_ALL"] & ~(values[flags[1] + flags[2]] if flags[2] else 0)
        elif array:
            self.enum = array[1]
        elif self.type == "binary":
            self.read_length(text)
        else:
            self.read_range(text)
            if self.type == "u32" and ID.match(name):
                self.min = 1
            if self.type == "string" and NAME.match(name):
                self.max_len = NAME_BYTES

    def limit_enum(self, last):
        stem = self.enum.upper() + "_"
        if last:
            self.max = self.values[stem + last]

    def read_length(self, text):
        exact = re.search(r"\b(\d+) bytes", text)
        span = re.search(r"(\d+) \.\. (\w+) bytes", text)
        most = re.search(r"at most (\w+) bytes", text)
        if most:
            self.max_len = self.number(most[1])
        elif span:
            self.min_len, self.max_len = int(span[1]), self.number(span[2])
        elif exact:
            self.min_len = self.max_len = int(exact[1])

    def read_range(self, text):
        spans = re.findall(r"(\d+(?: (?:ns|ms|s|min|h)\b)?) \.\. (2\^\d+ - 1|\d+ (?:ns|ms|s|min|h)\b|the device's|\w+)", text)
        listed = re.search(r": (\d+(?:, \d+)+)", text)
        bits = re.search(r"\b(\d+) bits", text)
        if spans:
            # Several commands, several ranges: the loosest one.
            lows = [self.number(low) for low, _ in spans]
            highs = [self.number(high) for _, high in spans]
            self.min = min(lows)
            self.max = None if None in highs else max(highs)
        elif listed:
            numbers = [int(number) for number in listed[1].split(", ")]
            self.min, self.max = min(numbers), max(numbers)
        elif bits:
            self.max = 2**int(bits[1]) - 1
        elif re.search(r"\b0 or 1\b", text):
            self.max = 1
        elif "from 1 on" in text:
            self.min = 1
        if self.min == 0:
            self.min = None

    def number(self, text):
        """The value of a bound; None: it depends on a device or an object."""
        # MAX_WR and the like: as the attribute of that name, which follows the device.
        if self.type == "u32" and (text == "the device's" or text.isupper() and text not in self.values):
            return INT_MAX
        power = re.fullmatch(r"2\^(\d+) - 1", text)
        time = re.fullmatch(r"(\d+) (\w+)", text)
        if power:
            return 2**int(power[1]) - 1
        if time:
            return int(time[1]) * UNITS_NS[time[2]]
        return int(text) if text.isdigit() else self.values.get(text)


def compare_attribute(name, attribute, documented):
    complaints = []
    for field in ("type", "nest", "min", "max", "min_len", "max_len", "mask"):
        told, said = getattr(documented, field), getattr(attribute, field)
        if field == "max" and documented.enum and told is None:
            continue
        if told != said:
            complaints.append(f"{name}: {field.replace('_', ' ')}: {told} in the header's comment, {said} in the spec")
    definition = attribute.definition
    said = None
    if definition:
        said = definition.prefix if definition.type == "flags" else definition.enum or f"kverbs_{definition.name}"
    if documented.enum != said:
        complaints.append(f"{name}: its values: {documented.enum} in the header's comment, {said} in the spec")
    return complaints


def compare_sets(tap, header, spec):
    tags = {tag for tag in header.enums if tag.startswith("kverbs_a_")}
    known = {group.enum for group in spec.sets.values()}
    tap.result("every attribute set is in both", [f"{tag} is in one of them only" for tag in tags ^ known])
    for group in spec.sets.values():
        names = header.enums.get(group.enum, [])[1:]
        numbers = {name: attribute.number for name, attribute in group.attributes.items()}
        complaints = same(group.enum, {name: header.values[name] for name in names}, numbers)
        complaints += [f"{end} is not in the header" for end in group.ends if end not in header.ends]
        tap.result(f"{group.name}: every attribute, with its number", complaints)
        complaints = []
        for name, attribute in group.attributes.items():
            if name in header.doc:
                complaints += compare_attribute(name, attribute, Documented(name, header.doc[name], header.values))
            else:
                complaints.append(f"{name}: the header's comment does not tell its type")
        tap.result(f"{group.name}: every attribute's type and range", complaints)


def compare_definitions(tap, header, spec):
    enums = {d.enum: d for d in spec.definitions.values() if d.type == "enum"}
    tags = {tag for tag in header.enums if tag != "kverbs_cmd" and not tag.startswith("kverbs_a_")}
    complaints = [f"enum {tag} is in one of them only" for tag in tags ^ enums.keys()]
    for tag in tags & enums.keys():
        complaints += same(f"enum {tag}", {name: header.values[name] for name in header.enums[tag]},
                           enums[tag].values)
        if (enums[tag].prefix + "MAX" in header.ends) != enums[tag].has_max:
            complaints.append(f"enum {tag}: {enums[tag].prefix}MAX is in one of them only")
    tap.result("every enum, with its values", complaints)

    macros = {name: header.values[name] for name in header.macros if name not in NOT_INTERFACE}
    said = {c_name(spec.raw["c-family-name"]): spec.raw["name"],
            c_name(spec.raw["c-version-name"]): spec.raw.get("version", 1)}
    for group in spec.raw["mcast-groups"]["list"]:
        said[c_name(group["c-define-name"])] = group["name"]
    for definition in spec.definitions.values():
        if definition.type in ("const", "flags"):
            said.update(definition.values)
        if definition.type == "flags" and not definition.partial:
            said[definition.prefix + "_ALL"] = sum(definition.values.values())
    tap.result("every constant and flag", same("macros", macros, said))

    structs = {f"kverbs_{d.name}": [name for name, _ in d.members]
               for d in spec.definitions.values() if d.type == "struct"}
    tap.result("every struct, with its members", same("structs", header.structs, structs))


def told_requests(header):
    """{command: (attributes that the head comment names in its request, whether it leaves some open)}"""
    told = {}
    text = re.sub(r"\n {13,}", " ", header.head)
    for names, line in re.findall(r"^  ((?:[A-Z_]+_[A-Z]+|FLUSH)(?:, [A-Z_]+)*)(?: +|$)(.*?)(?:->|$)", text, re.M):
        for name in names.split(", "):
            told[f"KVERBS_CMD_{name}"] = (re.findall(r"\b[A-Z][A-Z_]+\b", line),
                                          bool(re.search(r"[a-z]{3}|\.\.\.", line)))
    return told


def compare_commands(tap, header, spec):
    names = header.enums["kverbs_cmd"][1:]
    numbers = {name: command.number for name, command in spec.commands.items()}
    complaints = same("commands", {name: header.values[name] for name in names}, numbers)
    for key in ("cmd-cnt-name", "cmd-max-name"):
        if c_name(spec.raw[key]) not in header.ends:
            complaints.append(f"{key}: {spec.raw[key]} is not in the header")
    tap.result("every command, with its number", complaints)

    complaints = []
    told = told_requests(header)
    for name, command in spec.commands.items():
        complaints += [f"{command.name}: its set has no attribute {unknown}" for unknown in command.unknown]
        if name not in told or "do" not in command.requests:
            continue
        attributes, fuzzy = told[name]
        stem = command.set.enum.upper() + "_"
        told_names = {stem + attribute for attribute in attributes if stem + attribute in command.set.attributes}
        said = set(command.requests["do"])
        complaints += [f"{command.name}: the header's head comment has {missing}, the spec not"
                       for missing in told_names - said]
        if not fuzzy:
            complaints += [f"{command.name}: the spec has {surplus}, the header's head comment not"
                           for surplus in said - told_names]
    tap.result("every command's attributes", complaints)
    used = {name for command in spec.commands.values()
            for lists in (command.requests, command.replies) for names in lists.values() for name in names}
    nested = {attribute.nest for group in spec.sets.values() for attribute in group.attributes.values()}
    tap.result("every attribute is some command's", [
        f"{name} is in no request, reply or event" for group in spec.sets.values() if group.name not in nested
        for name in group.attributes if name not in used])


def main():
    header = Header()
    spec = Spec()
    tap = Tap()
    validate(tap, spec)
    compare_definitions(tap, header, spec)
    compare_sets(tap, header, spec)
    compare_commands(tap, header, spec)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
