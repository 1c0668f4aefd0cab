# SPDX-License-Identifier: MIT
"""Generates words of one to six letters and their reversals. This data set needs no files.

Each word has a random length, and its letters are drawn from a random subset of the alphabet. Letters therefore repeat more often than in
real words. The SHA-256 of a word decides which split the word belongs to, so no word is in two splits. A tenth of the words is held out,
and another tenth is for validation.
"""
import random
import string

import data
from data.texts import split_of

CLASSES = []
MARK = "none"                            # a folder given with --data contains your own pairs
OWN = "pairs"
DEFAULT_DIR = ""
LETTERS = string.ascii_lowercase
LONGEST = 6
COUNT = 60000


def words(count=COUNT, seed=1):
    """Returns `count` different words, in an order that depends on the seed."""
    rng, found = random.Random(seed), {}
    while len(found) < count:
        alphabet = rng.sample(LETTERS, rng.randint(1, len(LETTERS)))
        found["".join(rng.choice(alphabet) for _ in range(rng.randint(1, LONGEST)))] = None
    return list(found)


def read(split, evaluation=False):
    """Returns (sources, targets). Only this function reads the held-out words."""
    if split not in ("train", "validation"):
        data.check_evaluation(evaluation, "split %r" % split)
    kept = [word for word in words() if split_of(word) == split]
    return kept, [word[::-1] for word in kept]


def load(directory, split):
    """Loads the split \"train\" or \"validation\"; the directory is not used."""
    return read(split)


def load_test_for_evaluation(directory):
    """Returns the held-out words; only evaluation may call this function (evaluate.py, held_out.py)."""
    return read("test", evaluation=True)
