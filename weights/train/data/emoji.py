"""10,806 colour emoji, 32x32 on white, drawn in five styles (the classes).

styles32.webp holds the pictures side by side, styles.tsv a row for each: style, code points, name.  The split is by base
code point, the first of a sequence, so that all styles, skin tones and combinations of an emoji stay together:
a tenth of the base code points is held out, 2 % more are for validation during training.
"""
import hashlib
import os
import sys

import numpy as np

import data

FILES = ("styles32.webp", "styles.tsv")
SIZE = 32
STYLES = ("noto-2023", "noto-2018", "noto-blob", "emojitwo", "fxemoji")
MARK = FILES[0]
CLASSES = ["Noto 2023", "Noto 2018", "Noto Blob 2017", "EmojiTwo", "FxEmoji"]
HELD_OUT, VALIDATION = 0.10, 0.02        # of the base code points
DEFAULT_DIR = os.path.join(data.ROOT, "data", "emoji")


def split_of(codes):
    """Code point sequences ("1f44b-1f3fd") -> "train" | "validation" | "test" for each, by the order of the base code points' SHA-256."""
    bases = [code.split("-")[0] for code in codes]
    ordered = sorted(set(bases), key=lambda base: hashlib.sha256(base.encode()).hexdigest())
    test, rest = round(HELD_OUT * len(ordered)), round((HELD_OUT + VALIDATION) * len(ordered))
    part = {base: "test" if i < test else "validation" if i < rest else "train" for i, base in enumerate(ordered)}
    return np.array([part[base] for base in bases])


def read_index(directory):
    """Rows (style, code points, name) of the pictures."""
    with open(os.path.join(directory, FILES[1]), encoding="utf-8") as f:
        return [line.split("\t") for line in f.read().splitlines()]


def read_pictures(directory, split, evaluation=False):
    """The pictures of one split.  The only place that opens the mosaic; the other parts' pixels are dropped here."""
    if split not in ("train", "validation"):
        data.check_evaluation(evaluation, "split %r" % split)
    path = os.path.join(directory, FILES[0])
    if not os.path.exists(path):
        sys.exit("missing %s\nPut %s and %s in one folder and pass it with --data DIR." % ((path,) + FILES))
    from PIL import Image
    Image.MAX_IMAGE_PIXELS = None
    rows = read_index(directory)
    mosaic = np.asarray(Image.open(path).convert("RGB"))
    h, w = mosaic.shape[0] // SIZE, mosaic.shape[1] // SIZE
    tiles = mosaic.reshape(h, SIZE, w, SIZE, 3).transpose(0, 2, 1, 3, 4)
    pick = np.flatnonzero(split_of([row[1] for row in rows]) == split)
    return tiles[pick // w, pick % w], np.array([STYLES.index(rows[i][0]) for i in pick], np.uint8)


def load(directory, split):
    """split "train" or "validation"."""
    return read_pictures(directory, split)


def load_test_for_evaluation(directory):
    """The evaluation entry point (evaluate.py, golden.py): the held-out pictures."""
    return read_pictures(directory, "test", evaluation=True)
