# SPDX-License-Identifier: MIT
"""Reads the English Web Treebank of Universal Dependencies [Silveira et al. 2014]: sentences from weblogs, newsgroups, emails, reviews and
answers. People annotated the part of speech and the head of every word.

train.tsv.xz, dev.tsv.xz, test.tsv.xz: the official split. Each line has four tab-separated columns: a word, its universal
part of speech, the number of its head (counted from 1; 0 for the root), and its relation to the head. An empty line follows each sentence.
The licence is CC BY-SA 4.0.
"""
import lzma
import os

import data

SPLITS = {"train": "train", "validation": "dev", "test": "test"}
MARK = "train.tsv.xz"
CLASSES = []
OWN = "treebank"                         # the module that reads your own folder
DEFAULT_DIR = os.path.join(data.ROOT, "data", "ud_ewt")


def read(directory, split, evaluation=False):
    """Returns (sentences, taggings, heads, relations), four lists of lists.  Only this function opens the data files."""
    if split not in ("train", "validation"):
        data.check_evaluation(evaluation, "split %r" % split)
    path = os.path.join(directory, SPLITS[split] + ".tsv.xz")
    if not os.path.exists(path):
        data.missing("ud_ewt", path)
    with lzma.open(path) as f:
        text = f.read().decode("utf-8")
    rows = [[line.split("\t") for line in part.split("\n")] for part in text.strip("\n").split("\n\n")]
    return tuple([[kind(row[k]) for row in s] for s in rows] for k, kind in enumerate((str, str, int, str)))


def load(directory, split):
    """Loads the split "train" or "validation"."""
    return read(directory, split)


def load_test_for_evaluation(directory):
    """Returns the official test sentences; only evaluation may call this function (evaluate.py, held_out.py)."""
    return read(directory, "test", evaluation=True)
