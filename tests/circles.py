#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
#
# usage: tests/circles.py FOLDER
#
# Fails if files below FOLDER include each other in a circle. A source file and the header of its name
# count as one: the source file has the functions that its header declares.

import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def unit_of(path):
    return path.with_suffix("") if path.suffix in (".c", ".h") else path


def read_units(folder):
    """Of each unit those that its files include."""
    units = {}
    for path in sorted(folder.rglob("*.[ch]")) + sorted(folder.rglob("*.def")):
        uses = units.setdefault(unit_of(path), set())
        for name in INCLUDE.findall(path.read_text()):
            if (folder / name).exists():
                uses.add(unit_of(folder / name))
        uses.discard(unit_of(path))
    return units


def find_circle(units):
    """The units of a circle, or None."""
    done, way = set(), []

    def walk(unit):
        if unit in way:
            return way[way.index(unit):]
        if unit in done:
            return None
        way.append(unit)
        for used in sorted(units.get(unit, ())):
            circle = walk(used)
            if circle:
                return circle
        way.pop()
        done.add(unit)
        return None

    for unit in units:
        circle = walk(unit)
        if circle:
            return circle
    return None


def main():
    folder = Path(sys.argv[1])
    units = read_units(folder)
    if len(units) < 10:
        sys.exit(f"only {len(units)} files below {folder}: is it the right folder?")
    circle = find_circle(units)
    if circle:
        sys.exit("a circle of includes: " + " -> ".join(str(u) for u in circle + circle[:1]))


if __name__ == "__main__":
    main()
