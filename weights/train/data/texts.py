# SPDX-License-Identifier: MIT
"""Texts of one's own: all .txt files of a folder and the folders in it, in UTF-8.

They are cut at line ends into pieces of about PIECE characters, and the pieces are split by the SHA-256 of their text: a tenth held out, a tenth
for validation.
"""
import hashlib
import os
import sys

import data

PIECE = 4000


def pieces(text):
    """-> parts of whole lines, each of PIECE characters or a little more."""
    found, size = [[]], 0
    for line in text.splitlines(keepends=True):
        if size >= PIECE:
            found.append([])
            size = 0
        found[-1].append(line)
        size += len(line)
    return ["".join(lines).strip() for lines in found if "".join(lines).strip()]


def split_of(piece):
    at = int(hashlib.sha256(piece.encode()).hexdigest()[:8], 16) / 2 ** 32
    return "test" if at < 0.1 else "validation" if at < 0.2 else "train"


def read(directory, split, evaluation=False):
    """-> (long texts, short texts) as stories.py gives them; here all are short."""
    if split not in ("train", "validation"):
        data.check_evaluation(evaluation, "split %r" % split)
    paths = sorted(os.path.join(folder, name) for folder, _, names in os.walk(directory) for name in names if name.lower().endswith(".txt"))
    found = []
    for path in paths:
        try:
            with open(path, encoding="utf-8") as f:
                found += pieces(f.read())
        except UnicodeDecodeError:
            sys.exit("%s is not text in UTF-8" % path)
    if len(found) < 10:
        sys.exit("%s: %d texts of %d characters; at least ten are needed" % (directory, len(found), PIECE))
    return [], [piece for piece in found if split_of(piece) == split]
