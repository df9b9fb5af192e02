#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""
Holds the numbers that uapi/kverbs.h compiles to against those in tests/abi/numbers: a program that
was built with an older header must find them where they were. Prints TAP.

usage: tests/abi/frozen.py          compare
       tests/abi/frozen.py --add    freeze what is new
"""

import os
import sys

from header import NOT_INTERFACE, Header, evaluate
from tap import Tap

NUMBERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "numbers")


def read_frozen():
    with open(NUMBERS, encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line in file if not line.startswith("#")]
    return dict(line.rsplit(" ", 1) for line in lines)


def read_current(header):
    """The header's numbers now, without masks and ends, which grow."""
    names = sum(header.enums.values(), [])
    names += [name for name in header.macros if name not in NOT_INTERFACE and not name.endswith("__ALL")]
    current = {name: str(header.values[name]) for name in names}
    layout = list(header.layout())
    current.update(zip(layout, map(str, evaluate(layout))))
    return current


def main():
    if sys.argv[1:] not in ([], ["--add"]):
        sys.exit(__doc__.strip())
    frozen = read_frozen()
    current = read_current(Header())
    new = {name: value for name, value in current.items() if name not in frozen}
    if sys.argv[1:]:
        with open(NUMBERS, "a", encoding="utf-8") as file:
            file.writelines(f"{name} {value}\n" for name, value in new.items())
        print(f"{len(new)} added to {os.path.relpath(NUMBERS)}")
        return 0

    tap = Tap()
    tap.result("no frozen name is gone from uapi/kverbs.h", [
        f"{name} was {value}: programs use it; put it back" for name, value in frozen.items()
        if name not in current])
    tap.result("no frozen number has changed", [
        f"{name} was {value}, is {current[name]}: new ones are added at the end, and nothing moves"
        for name, value in frozen.items() if current.get(name, value) != value])
    tap.result("every number is frozen", [
        f"{name} {value} is not frozen yet: once it is what it is to be, tests/abi/frozen.py --add"
        for name, value in new.items()])
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
