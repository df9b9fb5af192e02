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
from html import unescape
from pathlib import Path
from re import findall

from tap import Tap


def series_of(document):
    """How the titles end that a figure must have."""
    if "cell" in document:
        cell = document["cell"]
        return [f"from {cell['space']} space" if "op" in cell else f"null loop in {cell['space']} space"]
    return [f"{op}, {side['name']}" for op in document["spec"]["ops"] for side in document["spec"]["sides"]]


def svg_complaints(image, titles):
    """What an SVG lacks."""
    texts = [unescape(text) for text in findall(r"<text>(.*?)</text>", image.decode())]
    if not image.rstrip().endswith(b"</svg>"):
        yield "it is not complete"
    for title in titles:
        if not any(text.endswith(title) for text in texts):
            yield f"there is no series '{title}'"


def png_complaints(image, titles):
    """What is wrong with a PNG, which has no texts to look for: @titles are not looked at."""
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
        titles = series_of(json.loads(script.with_suffix(".json").read_text(encoding="utf-8")))
        look = svg_complaints if script.suffix == ".svg" else png_complaints
        drawn = subprocess.run(["gnuplot", "-d"], input=script.read_bytes(), capture_output=True, check=False)
        complaints = drawn.stderr.decode().splitlines()
        if drawn.returncode:
            complaints.append(f"gnuplot's exit status is {drawn.returncode}")
        tap.result(f"{script.name}: gnuplot draws every series", complaints + list(look(drawn.stdout, titles)))
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
