# SPDX-License-Identifier: MIT
"""Combines the books of stories.py with the stories of short_stories.py. Training uses each story twice, so that four fifths of the text
are simple stories.

Your own folder needs two subfolders, stories and short_stories.
"""
import os

import data
from data import short_stories, stories

CLASSES = []
OWN = "texts"
MARK = os.path.join("short_stories", short_stories.MARK)
DEFAULT_DIR = os.path.join(data.ROOT, "data")
TIMES = 2                                # how often training uses each short story per epoch


def load(directory, split):
    """Loads the split "train" or "validation" -> (books, stories)"""
    books = stories.read_books(os.path.join(directory, "stories"), split)
    return books, (TIMES if split == "train" else 1) * short_stories.load(os.path.join(directory, "short_stories"), split)[1]


def load_test_for_evaluation(directory):
    return (stories.read_books(os.path.join(directory, "stories"), "test", evaluation=True),
            short_stories.load_test_for_evaluation(os.path.join(directory, "short_stories"))[1])
