# SPDX-License-Identifier: MIT
"""Tagged sentences of one's own: all .conllu files of a folder and the folders in it [Buchholz and Marsi 2006; universaldependencies.org/format].

Of a line the second column is the word, the fourth its universal part of speech, the seventh the number of its head's word (0 the root, -1 none
given), the eighth its relation to that; ranges (1-2), empty nodes (1.1) and comments are passed over.  A file whose name has -train, -dev or -test is that part; sentences of others are split by the SHA-256 of their words: a tenth held out, a tenth
for validation.
"""
import os
import sys

import data
from data.texts import split_of

PARTS = {"-train": "train", "-dev": "validation", "-test": "test"}


def sentences(path):
    try:
        with open(path, encoding="utf-8-sig") as f:
            blocks = f.read().replace("\r", "").strip("\n").split("\n\n")
    except UnicodeDecodeError:
        sys.exit("%s is not text in UTF-8" % path)
    for block in blocks:
        rows = [line.split("\t") for line in block.split("\n") if line and not line.startswith("#")]
        bad = next((row for row in rows if len(row) != 10), None)
        if bad is not None:
            sys.exit("%s: a line without the ten columns of CoNLL-U: %r" % (path, "\t".join(bad)[:80]))
        rows = [row for row in rows if row[0].isdigit()]
        if rows:
            yield ([row[1] for row in rows], [row[3] for row in rows], [int(row[6]) if row[6].isdigit() else -1 for row in rows],
                   [row[7] for row in rows])


def read(directory, split, evaluation=False):
    """-> four lists as ud_ewt.py gives them."""
    if split not in ("train", "validation"):
        data.check_evaluation(evaluation, "split %r" % split)
    found, total = [], 0
    for path in sorted(os.path.join(folder, name) for folder, _, names in os.walk(directory) for name in names if name.lower().endswith(".conllu")):
        part = next((part for mark, part in PARTS.items() if mark in os.path.basename(path)), None)
        for sentence in sentences(path):
            total += 1
            if (part or split_of(" ".join(sentence[0]))) == split:
                found.append(sentence)
    if total < 100:
        sys.exit("%s: %d tagged sentences in .conllu files; at least a hundred are needed" % (directory, total))
    return tuple([sentence[k] for sentence in found] for k in range(4))
