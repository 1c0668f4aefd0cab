# SPDX-License-Identifier: MIT
"""Reads CIFAR-10: 60,000 colour photographs of 32x32 pixels in ten classes (Krizhevsky 2009), in the order of the official batches.

Each batch is a lossless mosaic of 100x100 pictures (data_batch_1.webp to data_batch_5.webp, test_batch.webp). labels.u8 holds the classes
of the 60,000 pictures; the classes of the test batch come last. class_names.txt lists the names of the classes.
"""
import os

import numpy as np

import data
from common.needed import require

TRAIN = ["data_batch_%d" % i for i in range(1, 6)]
TEST = "test_batch"
SIZE, BATCH = 32, 10000                  # pixels per side; pictures per batch
VALIDATION = 2000                        # size of the validation part, the last 2,000 training images
MARK = "labels.u8"
CLASSES = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]
DEFAULT_DIR = os.path.join(data.ROOT, "data", "cifar10")


def read_batch(directory, name, evaluation=False):
    """Reads one batch -> images (10000, 32, 32, 3) uint8, labels (10000,) uint8.  Only this function opens a mosaic."""
    if name not in TRAIN:
        data.check_evaluation(evaluation, name)
    path = os.path.join(directory, name + ".webp")
    if not os.path.exists(path):
        data.missing("cifar10", path)
    require("PIL")
    from PIL import Image
    Image.MAX_IMAGE_PIXELS = None
    with Image.open(path) as image:
        mosaic = np.asarray(image.convert("RGB"))
    h, w = mosaic.shape[0] // SIZE, mosaic.shape[1] // SIZE
    images = mosaic.reshape(h, SIZE, w, SIZE, 3).transpose(0, 2, 1, 3, 4).reshape(h * w, SIZE, SIZE, 3)
    assert len(images) == BATCH, "%s holds %d pictures, not %d" % (path, len(images), BATCH)
    at = (TRAIN + [TEST]).index(name) * BATCH
    return images, np.fromfile(os.path.join(directory, "labels.u8"), np.uint8, BATCH, offset=at)


def load(directory, split):
    """Loads the split "train" (first 48,000) or "validation" (last 2,000)."""
    if split == "train":
        x, y = zip(*(read_batch(directory, name) for name in TRAIN))
        return np.concatenate(x)[:-VALIDATION], np.concatenate(y)[:-VALIDATION]
    if split != "validation":
        data.check_evaluation(False, "split %r" % split)
    x, y = read_batch(directory, TRAIN[-1])
    return x[-VALIDATION:], y[-VALIDATION:]


def load_test_for_evaluation(directory):
    """Returns the 10,000 test images; only evaluation may call this function (evaluate.py, held_out.py, golden.py)."""
    return read_batch(directory, TEST, evaluation=True)
