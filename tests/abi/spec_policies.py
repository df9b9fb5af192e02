#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""
Holds what tests/vm/policies.c printed in a guest against uapi/kverbs.yaml: each command's policy
lets in exactly the attributes that the spec has in its request, with their types and ranges. Prints TAP.

usage: tests/abi/spec_policies.py FILE
"""

import sys

from spec import Spec
from tap import Tap

TYPE_MAX = {"u32": 2**32 - 1, "u64": 2**64 - 1}


def read_policies(path):
    """({(command, "do"): policy}, {policy: {attribute: {"type": …, "min": …, …}}})"""
    ops = {}
    policies = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words[0] == "op":
                ops[int(words[1]), words[2]] = int(words[3])
            elif words[0] == "attr":
                fields = {"type": words[3]}
                fields.update((key, int(value)) for key, value in zip(words[4::2], words[5::2]))
                policies.setdefault(int(words[1]), {})[int(words[2])] = fields
    return ops, policies


def wanted(attribute):
    """The fields of a policy that lets in what the spec says."""
    fields = {"type": attribute.type}
    if attribute.type in TYPE_MAX and attribute.mask is not None:
        fields["mask"] = attribute.mask
    elif attribute.type in TYPE_MAX:
        fields["min"] = attribute.min or 0
        fields["max"] = TYPE_MAX[attribute.type] if attribute.max is None else attribute.max
    elif attribute.type in ("string", "binary"):
        if attribute.min_len is not None:
            fields["min-len"] = attribute.min_len
        if attribute.max_len is not None:
            fields["max-len"] = attribute.max_len
    return fields


def compare(where, policy, names, group, spec, policies):
    """Complaints about a policy that is to let in the attributes of these C names."""
    complaints = []
    numbers = {attribute.number: name for name, attribute in group.attributes.items()}
    complaints += [f"{where}: {numbers.get(number, number)} is let in, but the spec has it in no request"
                   for number in policy if numbers.get(number) not in names]
    for name in sorted(names):
        attribute = group.attributes[name]
        fields = dict(policy.get(attribute.number, {}))
        if not fields:
            complaints.append(f"{where}: {name} is not let in, but the spec has it in a request")
            continue
        inner = fields.pop("policy", None)
        if fields != wanted(attribute):
            complaints.append(f"{where}: {name}: the kernel has {fields}, the spec {wanted(attribute)}")
        if attribute.nest:
            nest = spec.sets[attribute.nest]
            complaints += compare(f"{where}, in {name}", policies.get(inner, {}), set(nest.attributes),
                                  nest, spec, policies)
    return complaints


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    spec = Spec()
    ops, policies = read_policies(sys.argv[1])
    tap = Tap()

    # A command and its list have one policy: before Linux 6.2 generic netlink has no other.
    missing, complaints = [], {}
    for name, command in spec.commands.items():
        if not command.requests:
            continue
        names = {attribute for request in command.requests.values() for attribute in request}
        for kind in command.requests:
            index = ops.pop((command.number, kind), None)
            if index is None:
                missing.append(f"{name}: the kernel tells of no {kind} policy")
            else:
                complaints.setdefault(command.set.name, []).extend(
                    compare(name, policies.get(index, {}), names, command.set, spec, policies))
    missing += [f"command {number}: the spec has no such {kind}" for number, kind in ops]
    tap.result("every command has a policy, and is in the spec", missing)
    for name, said in complaints.items():
        tap.result(f"{name}: each command takes exactly what the spec says", said)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
