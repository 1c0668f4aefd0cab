# SPDX-License-Identifier: MIT
"""Reads MNIST with two grey levels, in the fixed binarisation of Larochelle and Murray (2011): 50,000 training pictures, 10,000 validation
pictures and 10,000 test pictures.

The files train.bits.gz, valid.bits.gz and test.bits.gz have 98 bytes per picture: the pixels in raster order, the first pixel of each
byte in its highest bit. The test file is sorted by digit, so take evenly spaced samples of it.  The labels were recovered by
label_binarised_mnist.py.
"""
import gzip
import os

import numpy as np

import data

FILES = {"train": "train.bits.gz", "validation": "valid.bits.gz", "test": "test.bits.gz"}
COUNTS = {"train": 50000, "validation": 10000, "test": 10000}
SIZE = 28
MARK = FILES["train"]
CLASSES = [str(i) for i in range(10)]
LABELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "binarised_mnist_labels.gz")
DEFAULT_DIR = os.path.join(data.ROOT, "data", "binarised_mnist")


def pictures(directory, split, evaluation=False):
    """Returns images (N, 28, 28, 1) uint8, 0 or 255.  Only this function opens a file of pictures."""
    if split not in ("train", "validation"):
        data.check_evaluation(evaluation, "split %r" % split)
    path = os.path.join(directory, FILES[split])
    if not os.path.exists(path):
        data.missing("binarised_mnist", path)
    with gzip.open(path) as f:
        bits = np.unpackbits(np.frombuffer(f.read(), np.uint8))
    return 255 * bits.reshape(-1, SIZE, SIZE, 1)


def read(directory, split, evaluation=False):
    """Returns the images, and the digit that each image shows: (N,) int8"""
    images = pictures(directory, split, evaluation)
    with gzip.open(LABELS) as f:
        digits = np.frombuffer(f.read(), np.int8) - ord("0")
    first = sum(COUNTS[name] for name in list(FILES)[:list(FILES).index(split)])
    return images, digits[first:first + len(images)].astype(np.int8)


def load(directory, split):
    """Loads the split "train" or "validation"."""
    return read(directory, split)


def load_test_for_evaluation(directory):
    """Returns the 10,000 test images; only evaluation may call this function (evaluate.py, held_out.py, golden.py)."""
    return read(directory, "test", evaluation=True)
