# SPDX-License-Identifier: MIT
"""The content of uapi/kverbs.yaml."""

import os

import yaml

from header import FOLDER

PATH = os.path.join(FOLDER, "kverbs.yaml")

# The limits that a spec can name without defining them.
TYPE_LIMITS = {"u8-max": 2**8 - 1, "u16-max": 2**16 - 1, "u32-max": 2**32 - 1, "s16-max": 2**15 - 1,
               "s32-max": 2**31 - 1, "s64-max": 2**63 - 1, "u64-max": 2**64 - 1}


def c_name(name):
    return name.replace("-", "_").upper()


class Definition:
    """
    An enum, flags, a constant or a struct; values: {C name: value}, in their order
    partial: flags of which another definition has all
    """

    def __init__(self, raw):
        self.name = raw["name"]
        self.type = raw["type"]
        self.enum = raw.get("enum-name", "").replace("-", "_")
        self.has_max = raw.get("render-max", False)
        self.partial = self.type == "flags" and "header" in raw
        self.prefix = c_name(raw.get("name-prefix", f"kverbs-{self.name}-"))
        self.members = [(member["name"], member["type"]) for member in raw.get("members", [])]
        self.values = {}
        if self.type == "const":
            self.values[c_name(f"kverbs-{self.name}")] = raw["value"]
        number = raw.get("value-start", 0)
        for entry in raw.get("entries", []):
            if isinstance(entry, str):
                entry = {"name": entry}
            number = entry.get("value", number)
            self.values[self.prefix + c_name(entry["name"])] = 1 << number if self.type == "flags" else number
            number += 1


class Attribute:
    """
    name, number, type: as the spec has them
    definition: the Definition of its values, or None
    nest: name of the set that is in it, or None
    min, max, min_len, max_len: what values it takes; None where nothing is said
    mask: the bits that it takes, or None
    """

    def __init__(self, raw, number, spec):
        checks = {name: spec.limit(value) for name, value in raw.get("checks", {}).items()}
        exact = checks.get("exact-len")
        self.name = raw["name"]
        self.number = number
        self.type = raw["type"]
        self.nest = raw.get("nested-attributes")
        self.definition = spec.definitions.get(raw.get("enum") or raw.get("struct"))
        self.min = checks.get("min")
        self.max = checks.get("max")
        self.min_len = checks.get("min-len", exact)
        self.max_len = checks.get("max-len", exact)
        self.mask = None
        if self.definition and self.definition.type == "flags":
            self.mask = sum(self.definition.values.values())
        elif self.definition and self.definition.type == "enum" and self.max is None:
            self.max = max(self.definition.values.values())


class Set:
    """An attribute set; attributes: {C name: Attribute}, in their order"""

    def __init__(self, raw, spec):
        self.name = raw["name"]
        self.enum = raw["enum-name"].replace("-", "_")
        self.ends = {c_name(raw["attr-cnt-name"]), c_name(raw["attr-max-name"])}
        self.attributes = {}
        number = 1
        for attribute in raw["attributes"]:
            number = attribute.get("value", number)
            self.attributes[c_name(raw["name-prefix"] + attribute["name"])] = Attribute(attribute, number, spec)
            number += 1

    def c_name_of(self, name):
        """The C name of the attribute that the spec calls so, or None."""
        return next((c for c, attribute in self.attributes.items() if attribute.name == name), None)


class Command:
    """
    requests, replies: {"do": [C name of an attribute, …], "dump": …}; an event is a reply to "event"
    unknown: names among them that the set does not have
    """

    def __init__(self, raw, number, spec):
        self.name = raw["name"]
        self.number = raw.get("value", number)
        self.set = spec.sets[raw["attribute-set"]]
        self.requests = {}
        self.replies = {}
        self.unknown = []
        for kind in ("do", "dump"):
            if kind in raw:
                sub = raw[kind] or {}
                self.requests[kind] = self._c_names(sub.get("request"))
                self.replies[kind] = self._c_names(sub.get("reply"))
        if "event" in raw:
            self.replies["event"] = self._c_names(raw["event"])

    def _c_names(self, message):
        names = []
        for name in (message or {}).get("attributes", []):
            c = self.set.c_name_of(name)
            if c:
                names.append(c)
            else:
                self.unknown.append(name)
        return names


class Spec:
    """
    definitions: {name: Definition}
    sets: {name: Set}
    commands: {C name: Command}, in their order
    """

    def __init__(self):
        with open(PATH, encoding="utf-8") as file:
            self.raw = yaml.safe_load(file)
        self.definitions = {raw["name"]: Definition(raw) for raw in self.raw["definitions"]}
        self.sets = {raw["name"]: Set(raw, self) for raw in self.raw["attribute-sets"]}
        self.commands = {}
        prefix = self.raw["operations"]["name-prefix"]
        number = 1
        for raw in self.raw["operations"]["list"]:
            command = Command(raw, number, self)
            self.commands[c_name(prefix + raw["name"])] = command
            number = command.number + 1

    def limit(self, value):
        """A number, or the name of one."""
        if not isinstance(value, str):
            return value
        if value in TYPE_LIMITS:
            return TYPE_LIMITS[value]
        return next(iter(self.definitions[value].values.values()))
