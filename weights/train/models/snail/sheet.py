#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes web/pages/snail/signs.bin, the held-out characters that the SNAIL page shows: python3 weights/train/models/snail/sheet.py

The file contains ten characters from each of six evaluation alphabets, with four drawings of each character. A drawing has 28 x 28 grey
values of 4 bits; the first of two pixels is in the high half of the byte.
"""
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../.."))

from data import omniglot

ALPHABETS = ("Glagolitic", "Tibetan", "Gurmukhi", "Ge_ez", "Avesta", "Mongolian")
SIGNS, DRAWINGS = 10, 4


def main():
    drawings, alphabets = omniglot.load_test_for_evaluation(omniglot.DEFAULT_DIR)
    parts = []
    for alphabet in ALPHABETS:
        mine = [i for i, name in enumerate(alphabets) if name == alphabet]
        parts.append(drawings[mine[1:2 * SIGNS:2], :4 * DRAWINGS:4])         # takes every other character and every fourth drawer
    grey = (np.stack(parts).astype(np.int64) * 15 + 127) // 255
    packed = (grey[..., ::2] << 4 | grey[..., 1::2]).astype(np.uint8)
    out = os.path.join(HERE, "../../../../web/pages/snail/signs.bin")
    with open(out, "wb") as f:
        f.write(packed.tobytes())
    print("%s: %d bytes, %s" % (os.path.relpath(out), packed.size, grey.shape))


if __name__ == "__main__":
    main()
