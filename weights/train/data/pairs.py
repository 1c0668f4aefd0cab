# SPDX-License-Identifier: MIT
"""Translations of one's own: all .tsv files of a folder and the folders in it, in UTF-8, a sentence, a tab and its translation a line.

The split is by the SHA-256 of the sentence: a tenth held out, a tenth for validation.
"""
import os
import sys

import data
from data.texts import split_of


def read(directory, split, evaluation=False):
    """-> (sources, targets) as multi30k.py gives them."""
    if split not in ("train", "validation"):
        data.check_evaluation(evaluation, "split %r" % split)
    paths = sorted(os.path.join(folder, name) for folder, _, names in os.walk(directory) for name in names if name.lower().endswith(".tsv"))
    found = []
    for path in paths:
        try:
            with open(path, encoding="utf-8-sig") as f:
                rows = [[" ".join(side.split()) for side in line.split("\t")] for line in f if line.strip()]
        except UnicodeDecodeError:
            sys.exit("%s is not text in UTF-8" % path)
        bad = next((row for row in rows if len(row) != 2 or not all(row)), None)
        if bad is not None:
            sys.exit("%s: a line is not a sentence, a tab and its translation: %r" % (path, "\t".join(bad)[:80]))
        found += rows
    if len(found) < 100:
        sys.exit("%s: %d pairs of sentences; at least a hundred are needed" % (directory, len(found)))
    kept = [pair for pair in found if split_of(pair[0]) == split]
    return [source for source, _ in kept], [target for _, target in kept]
