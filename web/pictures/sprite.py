# SPDX-License-Identifier: MIT
"""Writes a strip of pictures for a page: NAME.png with the pictures side by side, and NAME.json with an entry for each (pictures.js reads
both)."""
import hashlib
import json
import os

import numpy as np
from PIL import Image

HERE = os.path.dirname(os.path.abspath(__file__))


def save(name, pictures, columns, entries):
    """pictures is a uint8 array of shape (n, size, size, 3), where n is a multiple of columns; entries is a list of n dictionaries for
    NAME.json."""
    n, size = pictures.shape[:2]
    assert n == len(entries) and n % columns == 0, n
    sprite = pictures.reshape(-1, columns, size, size, 3).transpose(0, 2, 1, 3, 4).reshape(-1, columns * size, 3)
    png, index = (os.path.join(HERE, name + kind) for kind in (".png", ".json"))
    Image.fromarray(np.ascontiguousarray(sprite)).save(png, optimize=True)
    lines = ",\n".join("    " + json.dumps(entry) for entry in entries)
    with open(index, "w", encoding="utf-8") as f:
        f.write('{\n  "size": %d,\n  "columns": %d,\n  "pictures": [\n%s\n  ]\n}\n' % (size, columns, lines))
    for path in (png, index):
        with open(path, "rb") as f:
            content = f.read()
        print("%s: %d bytes, sha256 %s" % (os.path.basename(path), len(content), hashlib.sha256(content).hexdigest()))
