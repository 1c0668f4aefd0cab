"""MNIST from the four standard idx .gz files, quantised to V grey levels.

The test set is never read by training code.  `read_idx` is the only function that opens a data file, and
it refuses test files unless `load_test_for_evaluation` asks; train.py also calls `forbid_test_set()`,
after which nothing in that process can read them.
"""
import gzip
import os
import sys

import numpy as np

FILES = ("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz",
         "t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz")
VALIDATION = 5000                        # the last 5,000 training images
DEFAULT_DIR = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../data/mnist"))
_forbidden = False


class TestSetError(RuntimeError):
    """Training code tried to read the test set."""


def forbid_test_set():
    """From now on this process cannot read the test set, whoever asks."""
    global _forbidden
    _forbidden = True


def read_idx(path, evaluation=False):
    """One idx .gz file -> uint8 array.  The only place that opens a data file."""
    name = os.path.basename(path).lower()
    if ("t10k" in name or "test" in name) and (_forbidden or not evaluation):
        raise TestSetError("%s belongs to the test set, which training code never reads" % name)
    if not os.path.exists(path):
        sys.exit("missing %s\nPut the four standard MNIST files (%s)\nin one folder and pass it with --data DIR. "
                 "They are at https://ossci-datasets.s3.amazonaws.com/mnist/ and other mirrors." % (path, ", ".join(FILES)))
    with gzip.open(path) as f:
        raw = f.read()
    rank = raw[3]                        # magic: 0, 0, 8 = unsigned byte, number of dimensions
    shape = [int.from_bytes(raw[4 + 4 * i:8 + 4 * i], "big") for i in range(rank)]
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * rank).reshape(shape)


def to_levels(v, levels):
    """8-bit values -> levels floor(v*(V-1)/255 + 1/2), in integers."""
    return ((v.astype(np.int64) * (2 * (levels - 1)) + 255) // 510).astype(np.uint8)


def to_bytes(level, levels):
    """Levels -> 8-bit values round(255*l/(V-1))."""
    return ((np.asarray(level, np.int64) * 510 + (levels - 1)) // (2 * (levels - 1))).astype(np.uint8)


def load(directory, split, levels):
    """split "train" (first 55,000) or "validation" (last 5,000) -> levels (N, 784) uint8, labels (N,) uint8."""
    if split not in ("train", "validation"):
        raise TestSetError("load() has no split %r; only evaluation may read the test set" % split)
    x, y = read_idx(os.path.join(directory, FILES[0])), read_idx(os.path.join(directory, FILES[1]))
    part = slice(None, -VALIDATION) if split == "train" else slice(-VALIDATION, None)
    return to_levels(x[part].reshape(len(x[part]), -1), levels), y[part]


def load_test_for_evaluation(directory):
    """The evaluation entry point (evaluate.py, golden.py): 8-bit images (10000, 784), labels (10000,)."""
    x = read_idx(os.path.join(directory, FILES[2]), evaluation=True)
    return x.reshape(len(x), -1), read_idx(os.path.join(directory, FILES[3]), evaluation=True)
