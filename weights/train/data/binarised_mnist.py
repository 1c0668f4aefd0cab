"""MNIST in two levels, the fixed binarisation of Larochelle and Murray (2011): 50,000 training, 10,000 validation, 10,000 test pictures.

train.bits.gz, valid.bits.gz, test.bits.gz: 98 bytes a picture, the pixels in raster order, the first one in the highest bit.
The test file is sorted by digit, so a part of it has to be taken evenly.
"""
import gzip
import os
import sys

import numpy as np

import data

FILES = {"train": "train.bits.gz", "validation": "valid.bits.gz", "test": "test.bits.gz"}
SIZE = 28
MARK = FILES["train"]
CLASSES = []
DEFAULT_DIR = os.path.join(data.ROOT, "data", "binarized_mnist")


def read(directory, split, evaluation=False):
    """-> images (N, 28, 28, 1) uint8, 0 or 255; labels (N,), all -1: none are known.  The only place that opens a file."""
    if split not in ("train", "validation"):
        data.check_evaluation(evaluation, "split %r" % split)
    path = os.path.join(directory, FILES[split])
    if not os.path.exists(path):
        sys.exit("missing %s\nPut %s in one folder and pass it with --data DIR." % (path, ", ".join(FILES.values())))
    with gzip.open(path) as f:
        bits = np.unpackbits(np.frombuffer(f.read(), np.uint8))
    images = 255 * bits.reshape(-1, SIZE, SIZE, 1)
    return images, np.full(len(images), -1, np.int8)


def load(directory, split):
    """split "train" or "validation"."""
    return read(directory, split)


def load_test_for_evaluation(directory):
    """The evaluation entry point (evaluate.py, held_out.py, golden.py): the 10,000 test images."""
    return read(directory, "test", evaluation=True)
