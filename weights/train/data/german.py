# SPDX-License-Identifier: MIT
"""German and English: the captions of multi30k.py, and the sentences of daily life of tatoeba.py, in training four times, for they are short.

A folder of its own has both as folders, multi30k and tatoeba.
"""
import os

import data
from data import multi30k, tatoeba

CLASSES = []
OWN = "pairs"
MARK = os.path.join("tatoeba", tatoeba.MARK)
DEFAULT_DIR = os.path.join(data.ROOT, "data")
TIMES = 4                                # a training epoch has a sentence of daily life


def load(directory, split, times=TIMES):
    """split "train" or "validation" -> (sources, targets)"""
    captions, daily = (part.load(os.path.join(directory, name), split) for name, part in (("multi30k", multi30k), ("tatoeba", tatoeba)))
    return tuple(a + (times if split == "train" else 1) * b for a, b in zip(captions, daily))


def counted(directory):
    """What the words of the vocabulary are counted in: sentences of daily life twice."""
    return load(directory, "train", 2)


def load_test_for_evaluation(directory):
    """Each of the two has its own figures: held_out.py multi30k, held_out.py tatoeba."""
    return tuple(a + b for a, b in zip(multi30k.load_test_for_evaluation(os.path.join(directory, "multi30k")),
                                       tatoeba.load_test_for_evaluation(os.path.join(directory, "tatoeba"))))
