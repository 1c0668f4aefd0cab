# SPDX-License-Identifier: MIT
"""Compresses the file of J. S. Bach's chorales in sixteenths, which is otherwise unchanged."""
import json
import os

from data import chorales
from data.originals import Original, reading, write_xz

DATASET = "chorales"
ABOUT = "JSB Chorales: 382 chorales of J. S. Bach in four voices, every sixteenth (Boulanger-Lewandowski et al. 2012, Huang et al. 2017)"
LICENCE = "none stated; Bach is in the public domain"
FILES = (Original("jsb-chorales-16th.json",
                  "https://raw.githubusercontent.com/czhuang/JSB-Chorales-dataset/9a7f733ddb4ed91f48da64ac7f0f621c34aadd4d/jsb-chorales-16th.json", 1741172),)
WRITTEN = {chorales.FILE: "8730aca7b64e7d29493733d1cf19fad4a5b351d8f1845e57dac27728104fd39f"}


def write(found, directory):
    path = found[FILES[0].name]
    with reading(path), open(path, "rb") as f:
        packed = f.read()
        if not all(json.loads(packed)[part] for part in ("train", "valid", "test")):
            raise ValueError("a part is empty")
    write_xz(os.path.join(directory, chorales.FILE), packed)
