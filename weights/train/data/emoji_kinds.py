# SPDX-License-Identifier: MIT
"""Those of the emoji (emoji.py) that are one closed thing, by kind: faces, people's heads, hearts, clocks.

Files, splits and what is held out are those of the whole set.  A kind is a set of code points; sequences (couples, professions) are left out.
"""
import re

import numpy as np

from data import emoji

MARK, DEFAULT_DIR, ORIGINALS = emoji.MARK, emoji.DEFAULT_DIR, "emoji"
CLASSES = ["face", "person", "heart", "clock"]
span = lambda *ranges: {c for a, b in ranges for c in range(a, b + 1)}
KINDS = (
    span((0x1F600, 0x1F637), (0x1F641, 0x1F644), (0x1F910, 0x1F915), (0x1F917, 0x1F917), (0x1F920, 0x1F925), (0x1F927, 0x1F92F), (0x1F970, 0x1F976),
         (0x1F978, 0x1F97A), (0x1F9D0, 0x1F9D0), (0x263A, 0x263A), (0x2639, 0x2639), (0x1F47F, 0x1F47F), (0x1FAE0, 0x1FAE5)),
    span((0x1F466, 0x1F469), (0x1F471, 0x1F478), (0x1F46E, 0x1F46E), (0x1F934, 0x1F934), (0x1F9D1, 0x1F9D5), (0x1F482, 0x1F482)),
    span((0x1F493, 0x1F49F), (0x1F5A4, 0x1F5A4), (0x1F90D, 0x1F90E), (0x1F9E1, 0x1F9E1), (0x2764, 0x2764), (0x2763, 0x2763)),
    span((0x1F550, 0x1F567), (0x23F0, 0x23F2), (0x1F570, 0x1F570)),
)
MIRRORED = (True, True, True, False)     # a clock would tell another time


def kind_of(codes):
    """A code point sequence -> index of its kind, or -1."""
    parts = [p for p in codes.split("-") if p != "fe0f"]
    if not re.fullmatch("[0-9a-f]+", parts[0]) or len(parts) > 2 or len(parts) == 2 and not re.fullmatch("1f3f[b-f]", parts[1]):
        return -1
    return next((k for k, kind in enumerate(KINDS) if int(parts[0], 16) in kind), -1)


def read(directory, split, evaluation=False):
    images, _ = emoji.read_pictures(directory, split, evaluation)
    codes = [row[1] for row in emoji.read_index(directory)]
    kinds = np.array([kind_of(codes[i]) for i in np.flatnonzero(emoji.split_of(codes) == split)])
    return images[kinds >= 0], kinds[kinds >= 0].astype(np.uint8)


def load(directory, split):
    """split "train" or "validation"."""
    return read(directory, split)


def load_test_for_evaluation(directory):
    """The evaluation entry point: the held-out pictures."""
    return read(directory, "test", evaluation=True)
