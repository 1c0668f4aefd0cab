# SPDX-License-Identifier: MIT
"""Words of one to six letters and the same words backwards, made here: no folder, no file.

A word draws its length evenly, then a few letters of the alphabet, then each of its letters evenly from those, so that letters come twice and
three times as often as in words that people write.  The split is by the SHA-256 of the word, so that no word is on two sides: a tenth held out, a tenth
for validation.
"""
import random
import string

import data
from data.texts import split_of

CLASSES = []
MARK = "none"                            # a given folder is one of your own pairs
OWN = "pairs"
DEFAULT_DIR = ""
LETTERS = string.ascii_lowercase
LONGEST = 6
COUNT = 60000


def words(count=COUNT, seed=1):
    """`count` different words, in an order of the seed's."""
    rng, found = random.Random(seed), {}
    while len(found) < count:
        alphabet = rng.sample(LETTERS, rng.randint(1, len(LETTERS)))
        found["".join(rng.choice(alphabet) for _ in range(rng.randint(1, LONGEST)))] = None
    return list(found)


def read(split, evaluation=False):
    """-> (sources, targets). The only place that knows the held-out words."""
    if split not in ("train", "validation"):
        data.check_evaluation(evaluation, "split %r" % split)
    kept = [word for word in words() if split_of(word) == split]
    return kept, [word[::-1] for word in kept]


def load(directory, split):
    """split "train" or "validation"; the directory is not read."""
    return read(split)


def load_test_for_evaluation(directory):
    """The evaluation entry point (evaluate.py, held_out.py)."""
    return read("test", evaluation=True)
