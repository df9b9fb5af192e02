#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT
"""
Has gnuplot draw the scripts that tests have kept in a guest in place of images (tests/vm/43-plot.sh),
and looks whether the image has every series of the document beside it. Prints TAP.

usage: tests/abi/plots.py FOLDER
"""

import json
import struct
import subprocess
import sys
from functools import reduce
from html import unescape
from pathlib import Path
from re import findall

from tap import Tap


def scale_series(document):
    """The series of each panel for which there is a figure."""
    panels = {"set-up of a QP": ("setup", "wall_ns", "value"), "memory of a QP": ("setup", "memory_bytes", "value"),
              "requests per second": ("requests_per_second",), "p99": ("p99_ns",)}
    for what, path in panels.items():
        for op in document["spec"]["ops"]:
            for series in document["spec"]["series"]:
                values = [reduce(lambda value, key: (value or {}).get(key), path, point.get(series["name"]))
                          for point in document["points"] if point["op"] == op]
                if any(value is not None for value in values):
                    yield f"{op}, {series['name']}: {what}"


def series_of(document):
    """How the titles end that a figure must have."""
    if document["schema"] == "kverbs.conn-rate":
        return ["until the step was seen, p50", "until the step was seen, p90", "in the verb, p50"]
    if document["schema"] == "kverbs.scale":
        return list(scale_series(document))
    if "point" in document:
        point = document["point"]
        return [f"from {point['space']} space" if "op" in point else f"null loop in {point['space']} space"]
    if "rates" in document["spec"]:
        return [f", {name}, {key}" for point in document["points"] if "offered_per_second" in point
                for name in ("kernel", "user") if name in point
                if point[name]["p50_ns"] is not None
                for key in ("p50", *(["knee"] if point[name]["knee"] else []))]
    return [f"{op}, {series['name']}" for op in dict.fromkeys(point["op"] for point in document["points"])
            for series in document["spec"]["series"]]


def svg_complaints(image, titles):
    """The parts that an SVG lacks."""
    texts = [unescape(text) for text in findall(r"<text>(.*?)</text>", image.decode())]
    if not image.rstrip().endswith(b"</svg>"):
        yield "it is not complete"
    for title in titles:
        if not any(text.endswith(title) for text in texts):
            yield f"there is no series '{title}'"


def png_complaints(image, titles):
    """The faults of a PNG, which has no texts to look for: @titles are ignored."""
    del titles
    if image[:8] != b"\x89PNG\r\n\x1a\n" or image[-8:-4] != b"IEND":
        yield "it is no whole PNG"
    elif 0 in struct.unpack(">II", image[16:24]):
        yield "it has no size"
    elif len(set(image)) < 64:
        yield "it is empty"


def main():
    tap = Tap()
    for script in sorted(Path(sys.argv[1]).glob("*.[sp][vn]g")):
        titles = series_of(json.loads(script.with_name(script.name + ".json").read_text(encoding="utf-8")))
        look = svg_complaints if script.suffix == ".svg" else png_complaints
        drawn = subprocess.run(["gnuplot", "-d"], input=script.read_bytes(), capture_output=True, check=False)
        complaints = drawn.stderr.decode().splitlines()
        if drawn.returncode:
            complaints.append(f"gnuplot's exit status is {drawn.returncode}")
        tap.result(f"{script.name}: gnuplot draws every series", complaints + list(look(drawn.stdout, titles)))
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
