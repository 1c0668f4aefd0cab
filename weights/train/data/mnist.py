# SPDX-License-Identifier: MIT
"""Reads MNIST from the four standard idx .gz files."""
import gzip
import os

import numpy as np

import data

FILES = ("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz",
         "t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz")
VALIDATION = 5000                        # size of the validation part, the last 5,000 training images
MARK = FILES[0]
CLASSES = [str(i) for i in range(10)]
DEFAULT_DIR = os.path.join(data.ROOT, "data", "mnist")


def read_idx(path, evaluation=False):
    """Reads one idx .gz file as a uint8 array.  Only this function opens the data files."""
    name = os.path.basename(path).lower()
    if "t10k" in name or "test" in name:
        data.check_evaluation(evaluation, name)
    if not os.path.exists(path):
        data.missing("mnist", path)
    with gzip.open(path) as f:
        raw = f.read()
    rank = raw[3]                        # the magic number has four bytes: 0, 0, 8 (unsigned byte), the number of dimensions
    shape = [int.from_bytes(raw[4 + 4 * i:8 + 4 * i], "big") for i in range(rank)]
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * rank).reshape(shape)


def load(directory, split):
    """Loads the split "train" (first 55,000) or "validation" (last 5,000)."""
    if split not in ("train", "validation"):
        data.check_evaluation(False, "split %r" % split)
    x, y = (read_idx(os.path.join(directory, name)) for name in FILES[:2])
    part = slice(None, -VALIDATION) if split == "train" else slice(-VALIDATION, None)
    return x[part][..., None], y[part]


def load_test_for_evaluation(directory):
    """Returns the 10,000 test images; only evaluation may call this function (evaluate.py, golden.py)."""
    x, y = (read_idx(os.path.join(directory, name), evaluation=True) for name in FILES[2:])
    return x[..., None], y
