#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""
Prints, from uapi/kverbs.yaml, each command with each attribute of its set that it does not take, for
tests/vm/policies.c to try in a guest:

  COMMAND do|dump TYPE BYTES|- TEXT

TYPE is the attribute's number, with NLA_F_NESTED if it is a nest; BYTES are its value, in hex; TEXT is
a part of what the refusal must say.

usage: tests/abi/spec_untaken.py
"""

import struct

from spec import Spec

NLA_F_NESTED = 0x8000


def value_of(attribute):
    """A value that the attribute takes where it is taken."""
    if attribute.type in ("u32", "s32"):
        return struct.pack("=I", attribute.min or 0)
    if attribute.type == "u64":
        return struct.pack("=Q", attribute.min or 0)
    if attribute.type == "string":
        return b"x\0"
    if attribute.type == "binary":
        return bytes(attribute.min_len or 0)
    return b""


def text_of(name, attribute, stem, takers, kind, takes):
    if kind == "dump" and name in takes:
        return "a list takes no attributes"
    # Netlink looks at the flag before it looks at the policy.
    if attribute.nest:
        return "NLA_F_NESTED"
    return f"this command takes no {name[len(stem):]}" if name in takers else "only replies have it"


def main():
    spec = Spec()
    takers = {name for command in spec.commands.values()
              for names in command.requests.values() for name in names}
    for command in spec.commands.values():
        stem = command.set.enum.upper() + "_"
        for kind, names in command.requests.items():
            for name, attribute in command.set.attributes.items():
                if name in names:
                    continue
                print(command.number, kind, attribute.number | (NLA_F_NESTED if attribute.nest else 0),
                      value_of(attribute).hex() or "-",
                      text_of(name, attribute, stem, takers, kind, command.requests["do"]))


if __name__ == "__main__":
    main()
