#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
#
# usage: tests/knot.py FOLDER
#
# Reads with nm which of the module's object files uses a symbol, function or data, that another one
# defines, and fails if files use each other in a circle. The files in KNOT may: a QP completes into CQs,
# and a CQ gives completions to the requests of QPs.

import subprocess
import sys
from pathlib import Path

KNOT = {"cq", "qp", "post", "wr"}


def read_symbols(path):
    """The global symbols that an object file defines, and those that it uses."""
    defined, used = set(), set()
    text = subprocess.run(["nm", "--format=posix", path], check=True, capture_output=True, text=True).stdout
    for line in text.splitlines():
        name, kind = line.split()[:2]
        if kind == "U":
            used.add(name)
        elif kind.isupper():
            defined.add(name)
    return defined, used


def read_uses(folder):
    """For each file, for each file that it uses: the symbols."""
    files = {}
    for path in sorted(folder.glob("kmod/**/*.o")):
        files[str(path.relative_to(folder / "kmod").with_suffix(""))] = read_symbols(path)
    owner = {name: file for file, (defined, _) in files.items() for name in defined}
    uses = {file: {} for file in files}
    for file, (_, used) in files.items():
        for name in sorted(used):
            other = owner.get(name)
            if other and other != file:
                uses[file].setdefault(other, []).append(name)
    return uses


def reach(uses, start):
    """All files that a file uses, directly or by way of others."""
    seen, todo = set(), [start]
    while todo:
        for other in uses[todo.pop()]:
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return seen


def find_knots(uses):
    """Sets of files of which each reaches all others."""
    reached = {file: reach(uses, file) for file in uses}
    knots = []
    for file in uses:
        knot = {other for other in reached[file] if file in reached[other]}
        if knot and knot not in knots:
            knots.append(knot)
    return knots


def print_uses(uses, knot, stray):
    """The ties of these files to the others of their knot, the weakest ties first."""
    ties = [(uses[file][other], file, other) for file in stray for other in uses[file] if other in knot]
    for names, file, other in sorted(ties, key=lambda tie: (len(tie[0]), tie)):
        more = " …" if len(names) > 4 else ""
        print(f"  {file} uses {' '.join(names[:4])}{more} of {other}")


def main():
    uses = read_uses(Path(sys.argv[1]))
    if not uses:
        sys.exit(f"no object files in {sys.argv[1]}/kmod")
    bad = False
    for knot in find_knots(uses):
        stray = sorted(knot - KNOT)
        bad = bad or bool(stray)
        print(f"{len(knot)} of {len(uses)} files use each other: {' '.join(sorted(knot))}")
        print_uses(uses, knot, stray)
    sys.exit(bad)


main()
