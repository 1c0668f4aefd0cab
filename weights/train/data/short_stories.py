# SPDX-License-Identifier: MIT
"""Reads short stories in simple English: 20,252 TinyStories (Eldan and Li 2023) and 679 storybooks for children (African Storybook, Pratham
Books).

tinystories_train.txt.xz has 19,589 stories, tinystories_dev.txt.xz has 335 and tinystories_test.txt.xz has 328. Form feeds separate the
stories, and no two stories share their first 160 letters. storybooks.txt.xz has the same form; each text begins with its title. The SHA-256
of a storybook's text decides which split the storybook belongs to: a tenth of the storybooks is held out, and a twentieth is for
validation.
"""
import hashlib
import lzma
import os

import data

TINY = {"train": "tinystories_train.txt.xz", "validation": "tinystories_dev.txt.xz", "test": "tinystories_test.txt.xz"}
BOOKS = "storybooks.txt.xz"
MARK = TINY["train"]
CLASSES = []
OWN = "texts"
DEFAULT_DIR = os.path.join(data.ROOT, "data", "short_stories")
HELD_OUT, VALIDATION = 0.1, 0.05         # fractions of the storybooks in the held-out and validation parts


def split_of(story):
    at = int(hashlib.sha256(story.encode()).hexdigest()[:8], 16) / 2 ** 32
    return "test" if at < HELD_OUT else "validation" if at < HELD_OUT + VALIDATION else "train"


def read(directory, split, evaluation=False):
    """Returns ([], stories), like stories.py.  Only this function opens the data files."""
    if split not in ("train", "validation"):
        data.check_evaluation(evaluation, "split %r" % split)
    found = []
    for name in (TINY[split], BOOKS):
        path = os.path.join(directory, name)
        if not os.path.exists(path):
            data.missing("short_stories", path)
        with lzma.open(path) as f:
            texts = [text.strip() for text in f.read().decode("utf-8").split("\f")]
        found += [text for text in texts if text and (name != BOOKS or split_of(text) == split)]
    return [], found


def load(directory, split):
    """Loads the split "train" or "validation"."""
    return read(directory, split)


def load_test_for_evaluation(directory):
    """Returns the held-out stories; only evaluation may call this function (evaluate.py, held_out.py)."""
    return read(directory, "test", evaluation=True)
