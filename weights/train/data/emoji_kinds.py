# SPDX-License-Identifier: MIT
"""Reads emoji that show one closed shape. There are eight kinds: faces, people's heads, animals' heads, hands, hearts, clocks, fruit,
flags.

The training part consists of drawings of these kinds from eight sets (drawings.py), reduced but otherwise unchanged. The validation and
held-out pictures are from the emoji data set (emoji.py). A kind is a set of code points; sequences (couples, professions) are left out.
"""
import re

import numpy as np

from data import drawings, emoji

MARK, DEFAULT_DIR, ORIGINALS = emoji.MARK, emoji.DEFAULT_DIR, "emoji"
CLASSES = ["face", "person", "animal", "hand", "heart", "clock", "fruit", "flag"]
span = lambda *ranges: {c for a, b in ranges for c in range(a, b + 1)}
KINDS = (
    span((0x1F600, 0x1F637), (0x1F641, 0x1F644), (0x1F910, 0x1F915), (0x1F917, 0x1F917), (0x1F920, 0x1F925), (0x1F927, 0x1F92F), (0x1F970, 0x1F976),
         (0x1F978, 0x1F97A), (0x1F9D0, 0x1F9D0), (0x263A, 0x263A), (0x2639, 0x2639), (0x1F47F, 0x1F47F), (0x1FAE0, 0x1FAE5)),
    span((0x1F466, 0x1F469), (0x1F471, 0x1F478), (0x1F46E, 0x1F46E), (0x1F934, 0x1F934), (0x1F9D1, 0x1F9D5), (0x1F482, 0x1F482)),
    span((0x1F428, 0x1F428), (0x1F42D, 0x1F43C), (0x1F638, 0x1F640), (0x1F981, 0x1F981), (0x1F984, 0x1F984), (0x1F98A, 0x1F98A), (0x1F993, 0x1F993), (0x1F99D, 0x1F99D)),
    span((0x1F446, 0x1F450), (0x1F91A, 0x1F91F), (0x270A, 0x270C), (0x261D, 0x261D), (0x1F590, 0x1F590), (0x1F596, 0x1F596), (0x1F90C, 0x1F90C), (0x1F90F, 0x1F90F)),
    span((0x1F493, 0x1F49F), (0x1F5A4, 0x1F5A4), (0x1F90D, 0x1F90E), (0x1F9E1, 0x1F9E1), (0x2764, 0x2764), (0x2763, 0x2763)),
    span((0x1F550, 0x1F567), (0x23F0, 0x23F2), (0x1F570, 0x1F570)),
    span((0x1F345, 0x1F353), (0x1F951, 0x1F951), (0x1F95D, 0x1F95D), (0x1F965, 0x1F965), (0x1F96D, 0x1F96D), (0x1FAD0, 0x1FAD0)),
    set(),                               # a flag has no single code point: it consists of two code points, the letters of the country code
)
FLAG = CLASSES.index("flag")
# a mirrored clock would show another time, and a mirrored flag might be the flag of another country
MIRRORED = tuple(name not in ("clock", "flag") for name in CLASSES)


def kind_of(codes):
    """Returns the index of the kind of a code point sequence, or -1."""
    parts = [p for p in codes.split("-") if p != "fe0f"]
    if re.fullmatch("1f1(e[6-9a-f]|f[0-9a-f])-1f1(e[6-9a-f]|f[0-9a-f])", "-".join(parts)):
        return FLAG
    if not re.fullmatch("[0-9a-f]+", parts[0]) or len(parts) > 2 or len(parts) == 2 and not re.fullmatch("1f3f[b-f]", parts[1]):
        return -1
    return next((k for k, kind in enumerate(KINDS) if int(parts[0], 16) in kind), -1)


def read(directory, split, evaluation=False):
    """Returns pictures of the data set and their kinds."""
    images, _ = emoji.read_pictures(directory, split, evaluation)
    codes = [row[1] for row in emoji.read_index(directory)]
    kinds = np.array([kind_of(codes[i]) for i in np.flatnonzero(emoji.split_of(codes) == split)])
    return images[kinds >= 0], kinds[kinds >= 0].astype(np.uint8)


def drawn(directory):
    """Returns the drawings that may be used for training, reduced to pictures: images (N, 32, 32, 3), their kinds (N,), and a row (set,
    code points, name, licence) for each."""
    given = drawings.Drawings.beside(directory)
    kinds = np.array([kind_of(row[1]) for row in given.rows])
    mine = np.flatnonzero(kinds >= 0)
    return given.plain(mine, emoji.SIZE), kinds[mine].astype(np.uint8), [given.rows[i] for i in mine]


def load(directory, split):
    """Loads the split "train" or "validation"."""
    return drawn(directory)[:2] if split == "train" else read(directory, split)


def load_test_for_evaluation(directory):
    """Returns the held-out pictures; only evaluation may call this function."""
    return read(directory, "test", evaluation=True)
