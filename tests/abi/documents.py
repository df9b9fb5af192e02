#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""
Holds the documents that tests have kept in a guest against docs/schema/kverbs.json, and runs the
examples of docs/json.md on them; what --csv printed beside a document must be its figures. Prints
TAP.

usage: tests/abi/documents.py FOLDER
"""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
from tap import Tap

SCHEMA = Path("docs/schema/kverbs.json")
EXAMPLES = Path("docs/json.md")


def kind_of(document):
    """The definition that a document claims to follow."""
    if isinstance(document, list):
        return {"type": "array", "items": {"$ref": "#/definitions/command"}}
    if "schema" in document:
        name = document["schema"].removeprefix("kverbs.")
    else:
        name = "command" if "command" in document else "event"
    return {"$ref": f"#/definitions/{name}"}


def complaints_about(document, definitions):
    """The faults of one document, the place first."""
    rules = {**kind_of(document), "definitions": definitions}
    for error in list(jsonschema.Draft7Validator(rules).iter_errors(document))[:10]:
        yield f"{'/'.join(map(str, error.path)) or 'document'}: {error.message[:200]}"


def rows_of(document):
    """The objects that --csv prints: a row each."""
    if "point" in document:
        return [document["point"]]
    return document.get("points") or document["result"]["steps"]


def flat(obj, before=""):
    """The words and numbers of an object by their path."""
    values = {}
    for key, value in obj.items():
        if isinstance(value, dict):
            values |= flat(value, f"{before}{key}.")
        elif not isinstance(value, list):
            values[before + key] = value
    return values


def csv_complaints(path):
    """How the table in a file differs from the document beside it."""
    want = [flat(row) for row in rows_of(json.loads(path.with_suffix(".json").read_text(encoding="utf-8")))]
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    if len(rows) != len(want):
        yield f"{len(rows)} rows for {len(want)}"
    for number, (row, values) in enumerate(zip(rows, want), 1):
        if None in row or not values.keys() <= row.keys():
            yield f"row {number} has other columns than titles, or lacks some"
        for title, text in row.items():
            value = values.get(title)
            same = (json.loads(text) == value) if isinstance(value, (int, float, bool)) and text else text == (value or "")
            if not same:
                yield f"row {number}, {title}: {text!r} for {value!r}"


def examples():
    """The fenced blocks of docs/json.md as programs of sh or of Python."""
    for block in re.findall(r"^```\n(.*?)^```", EXAMPLES.read_text(encoding="utf-8"), re.M | re.S):
        yield block, ["sh", "-c"] if block.startswith("jq ") else [sys.executable, "-c"]


def run_example(block, program, folder):
    """Complaints about an example that fails or prints nothing."""
    block = block.replace("results/latest/", "")
    done = subprocess.run([*program, block], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode or not done.stdout.strip():
        return [*block.splitlines(), f"status {done.returncode}", *done.stderr.splitlines()]
    return []


def main():
    folder = Path(sys.argv[1])
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    tap = Tap()
    jsonschema.Draft7Validator.check_schema(schema)
    for path in sorted(folder.glob("*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        tap.result(f"{path.stem}.json is what {SCHEMA} says",
                   list(complaints_about(document, schema["definitions"])))
    for path in sorted(folder.glob("*.csv")):
        tap.result(f"{path.name} has the figures of {path.stem}.json", list(csv_complaints(path)))
    for block, program in examples():
        name = f"an example of {EXAMPLES} works: {block.splitlines()[0][:40]}"
        wanted = re.search(r"\w+\.json", block).group()
        if (folder / wanted).exists():
            tap.result(name, run_example(block, program, folder))
        else:
            tap.skip(name, f"no {wanted} was kept in this guest")
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
