# SPDX-License-Identifier: MIT
"""Reads 10,806 colour emoji of 32x32 pixels on white. The classes are the five styles in which they are drawn.

styles32.webp holds the pictures side by side; styles.tsv has one row per picture: style, code points, name.  The base of a sequence is its
first code point. The base decides the split, so all styles, skin tones and combinations of an emoji are in the same part. A tenth of the
base code points is held out; another 2 % are for validation during training.
"""
import hashlib
import os
import re
import sys

import numpy as np

import data
from common.needed import require

FILES = ("styles32.webp", "styles.tsv")
SIZE = 32
STYLES = ("noto-2023", "noto-2018", "noto-blob", "emojitwo", "fxemoji")
MARK = FILES[0]
CLASSES = ["Noto 2023", "Noto 2018", "Noto Blob 2017", "EmojiTwo", "FxEmoji"]
HELD_OUT, VALIDATION = 0.10, 0.02        # sizes of the two parts, as fractions of the base code points
DEFAULT_DIR = os.path.join(data.ROOT, "data", "emoji")


def split_of(codes):
    """Maps code point sequences ("1f44b-1f3fd") to "train" | "validation" | "test", by the order of the base code points' SHA-256."""
    bases = [code.split("-")[0] for code in codes]
    ordered = sorted(set(bases), key=lambda base: hashlib.sha256(base.encode()).hexdigest())
    test, rest = round(HELD_OUT * len(ordered)), round((HELD_OUT + VALIDATION) * len(ordered))
    part = {base: "test" if i < test else "validation" if i < rest else "train" for i, base in enumerate(ordered)}
    return np.array([part[base] for base in bases])


# Code points of drawings that must not be mirrored: letters, digits, notes, or the hands of a clock.
WRITING = ((0x23, 0x39), (0xA9, 0xAE), (0x203C, 0x2049), (0x2122, 0x2139), (0x231A, 0x231B), (0x23F0, 0x23F2), (0x24C2, 0x24C2), (0x2753, 0x2757),
           (0x3297, 0x3299), (0x1F100, 0x1F2FF), (0x1F3A6, 0x1F3A6), (0x1F3AB, 0x1F3AB), (0x1F3B0, 0x1F3B1), (0x1F3B5, 0x1F3B6), (0x1F3BC, 0x1F3BC),
           (0x1F3E5, 0x1F3E7), (0x1F3F3, 0x1F3F4), (0x1F4A4, 0x1F4A4), (0x1F4AF, 0x1F4B9), (0x1F4C5, 0x1F4C6), (0x1F4F0, 0x1F4F0),
           (0x1F519, 0x1F524), (0x1F550, 0x1F567), (0x1F570, 0x1F570), (0x1F5D3, 0x1F5D3), (0x1F5DE, 0x1F5DE), (0x1F6BE, 0x1F6BE), (0x1F6D1, 0x1F6D1))


def has_writing(codes):
    """Returns, for each code point sequence, whether it begins with a code point of WRITING. For names that are not code points
    (logos) the result is also true, because the pictures may contain letters."""
    found = [re.fullmatch(r"[0-9a-fA-F]+", code.split("-")[0]) for code in codes]
    bases = np.array([int(m.group(), 16) if m else -1 for m in found])
    return (bases < 0) | np.any([(low <= bases) & (bases <= high) for low, high in WRITING], 0)


def writing(directory, split):
    """Returns which pictures of a split, in the order of `load`, must not be mirrored."""
    codes = [row[1] for row in read_index(directory)]
    return has_writing(codes)[split_of(codes) == split]


def read_index(directory):
    """Reads the rows (style, code points, name) of the pictures."""
    with open(os.path.join(directory, FILES[1]), encoding="utf-8") as f:
        return [line.split("\t") for line in f.read().splitlines()]


def read_pictures(directory, split, evaluation=False):
    """Reads the pictures of one split.  Only this function opens the mosaic; it discards the pixels of other splits."""
    if split not in ("train", "validation"):
        data.check_evaluation(evaluation, "split %r" % split)
    path = os.path.join(directory, FILES[0])
    if not os.path.exists(path):
        data.missing("emoji", path)
    require("PIL")
    from PIL import Image
    Image.MAX_IMAGE_PIXELS = None
    rows = read_index(directory)
    mosaic = np.asarray(Image.open(path).convert("RGB"))
    h, w = mosaic.shape[0] // SIZE, mosaic.shape[1] // SIZE
    tiles = mosaic.reshape(h, SIZE, w, SIZE, 3).transpose(0, 2, 1, 3, 4)
    pick = np.flatnonzero(split_of([row[1] for row in rows]) == split)
    return tiles[pick // w, pick % w], np.array([STYLES.index(rows[i][0]) for i in pick], np.uint8)


def load(directory, split):
    """Loads the split "train" or "validation"."""
    return read_pictures(directory, split)


def load_test_for_evaluation(directory):
    """Returns the held-out pictures; only evaluation may call this function (evaluate.py, golden.py)."""
    return read_pictures(directory, "test", evaluation=True)
