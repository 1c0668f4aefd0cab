# SPDX-License-Identifier: MIT
"""Reads Multi30k, task 1 [Elliott, Frank, Sima'an and Specia 2016]: English captions of pictures, with a German translation of each caption
by a person.

train.{de,en}.xz has 29,000 pairs, one per line, val.{de,en}.xz has 1,014 pairs, and test_2016_flickr.{de,en}.xz has 1,000 held-out pairs.
German is the source language and English the target language. Runs of whitespace count as one blank, and blanks at the ends are removed.
"""
import lzma
import os
import sys

import data

LANGUAGES = ("de", "en")
SPLITS = {"train": "train", "validation": "val", "test": "test_2016_flickr"}
MARK = "train.de.xz"
CLASSES = []
OWN = "pairs"                            # the module that reads your own folder
DEFAULT_DIR = os.path.join(data.ROOT, "data", "multi30k")


def read(directory, split, evaluation=False):
    """Returns (sources, targets), two lists of sentences.  Only this function opens the data files."""
    if split not in ("train", "validation"):
        data.check_evaluation(evaluation, "split %r" % split)
    sides = []
    for language in LANGUAGES:
        path = os.path.join(directory, "%s.%s.xz" % (SPLITS[split], language))
        if not os.path.exists(path):
            data.missing("multi30k", path)
        with lzma.open(path) as f:
            sides.append([" ".join(line.split()) for line in f.read().decode("utf-8").rstrip("\n").split("\n")])
    if len(sides[0]) != len(sides[1]):
        sys.exit("%s: %d sentences in one language, %d in the other" % (directory, len(sides[0]), len(sides[1])))
    return tuple(sides)


def load(directory, split):
    """Loads the split "train" or "validation"."""
    return read(directory, split)


def load_test_for_evaluation(directory):
    """Returns test_2016_flickr; only evaluation may call this function (evaluate.py, held_out.py)."""
    return read(directory, "test", evaluation=True)
