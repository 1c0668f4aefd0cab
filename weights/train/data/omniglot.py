# SPDX-License-Identifier: MIT
"""Reads Omniglot [Lake, Salakhutdinov and Tenenbaum 2015]: 1,623 characters of fifty alphabets, each drawn by twenty people.  MIT licence.

The folder contains:

    background_28x28.u8.gz     964 characters with 20 drawings each; a drawing has 28 x 28 bytes, ink is 255
    background_classes.json    [alphabet, character, drawings] for each character
    evaluation_*               two files of the same form, with 659 characters

The official split is by alphabets: the evaluation alphabets are the test set. Four of the thirty background alphabets are for validation.
"""
import gzip
import json
import os

import numpy as np

import data

VALIDATION = ("Bengali", "Futurama", "Inuktitut_(Canadian_Aboriginal_Syllabics)", "Tagalog")
MARK = "background_classes.json"
OWN = "signs"
CLASSES = []
SIZE, DRAWERS = 28, 20
DEFAULT_DIR = os.path.join(data.ROOT, "data", "omniglot")


def read(directory, part, evaluation=False):
    """Returns drawings (characters, 20, 28, 28) uint8, ink 255, and the alphabet of each character. Only this function opens the data
    files."""
    if part != "background":
        data.check_evaluation(evaluation, part)
    path = os.path.join(directory, part + "_28x28.u8.gz")
    if not os.path.exists(path):
        data.missing("omniglot", path)
    with gzip.open(path) as f:
        drawings = np.frombuffer(f.read(), np.uint8).reshape(-1, DRAWERS, SIZE, SIZE)
    with open(os.path.join(directory, part + "_classes.json"), encoding="utf-8") as f:
        alphabets = [row[0] for row in json.load(f)]
    return drawings, alphabets


def load(directory, split):
    """Loads the split "train" (26 alphabets) or "validation" (4)."""
    if split not in ("train", "validation"):
        data.check_evaluation(False, "split %r" % split)
    drawings, alphabets = read(directory, "background")
    mine = [i for i, alphabet in enumerate(alphabets) if (alphabet in VALIDATION) == (split == "validation")]
    return drawings[mine], [alphabets[i] for i in mine]


def load_test_for_evaluation(directory):
    """Returns the twenty evaluation alphabets; only evaluation may call this function."""
    return read(directory, "evaluation", evaluation=True)
