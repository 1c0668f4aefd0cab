"""Pictures <-> what the model sees, and the guard of the held-out pictures.

A data set is a module (mnist.py, emoji.py, cifar10.py) with
    DEFAULT_DIR, CLASSES (names)
    load(directory, split) -> images (N, H, W, C) uint8, labels (N,) uint8       split: "train" | "validation"
    load_test_for_evaluation(directory) -> the same of the held-out pictures
Held-out pictures are never read by training code: each module has one function that opens its files, and that one
calls `check_evaluation`; train.py also calls `forbid_test_set()`, after which nothing in that process can read them.
"""
import importlib
import os

import numpy as np

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
_forbidden = False


class TestSetError(RuntimeError):
    """Training code tried to read held-out pictures."""


def forbid_test_set():
    """From now on this process cannot read held-out pictures, whoever asks."""
    global _forbidden
    _forbidden = True


def check_evaluation(evaluation, what):
    """Raises unless the evaluation entry point asks, in a process that may."""
    if _forbidden or not evaluation:
        raise TestSetError("%s is held out for measuring; training code never reads it" % what)


def dataset(name):
    return importlib.import_module(name)


def to_levels(v, levels):
    """8-bit values -> levels floor(v*(V-1)/255 + 1/2), in integers."""
    return ((v.astype(np.int64) * (2 * (levels - 1)) + 255) // 510).astype(np.uint8)


def to_bytes(level, levels):
    """Levels -> 8-bit values round(255*l/(V-1))."""
    return ((np.asarray(level, np.int64) * 510 + (levels - 1)) // (2 * (levels - 1))).astype(np.uint8)


def nearest(pixels, palette):
    """(..., 3) 8-bit colours -> index of the nearest palette colour (squared distance in RGB, ties to the lowest index)."""
    colours, inverse = np.unique(pixels.reshape(-1, 3), axis=0, return_inverse=True)
    index, norm = np.empty(len(colours), np.uint8), (palette.astype(np.float64) ** 2).sum(1)
    for i in range(0, len(colours), 8192):
        index[i:i + 8192] = (norm - 2.0 * colours[i:i + 8192].astype(np.float64) @ palette.T).argmin(1)
    return index[inverse.reshape(-1)].reshape(pixels.shape[:-1])


def encode(images, model):
    """(N, H, W, C) uint8 -> values in generation order (N, n), of dmol models (N, n, C), uint8."""
    c, order = model.c, model.order.cpu().numpy()
    if c.output == "dmol":
        return images.reshape(len(images), c.n, c.channels)[:, order]
    x = nearest(images, model.palette.weight.cpu().numpy()) if c.palette else to_levels(images, c.levels)
    return x.reshape(len(images), c.n)[:, order]


def decode(values, model):
    """The inverse of `encode`."""
    c, order = model.c, model.order.cpu().numpy()
    raster = np.empty_like(values)
    raster[:, order] = values
    if c.palette:
        raster = np.rint(model.palette.weight.cpu().numpy()).astype(np.uint8)[raster]
    elif c.output != "dmol":
        raster = to_bytes(raster, c.levels)
    return raster.astype(np.uint8).reshape(len(values), c.height, c.width, c.channels)


def mirror(model):
    """The positions, in generation order, whose values the left-right mirrored picture has at positions 0..n-1."""
    c, order = model.c, model.order.cpu().numpy()
    mirrored = np.arange(c.n).reshape(c.height, c.width, c.interleaved)[:, ::-1].reshape(-1)
    place = np.empty(c.n, np.int64)
    place[order] = np.arange(c.n)
    return place[mirrored[order]]


def reduce(images, height, width):
    """(N, H, W, C) uint8 -> (N, h*w, C) uint8: means of whole cells, rounded half up; the input of super-resolution."""
    N, H, W, C = images.shape
    a, b = H // height, W // width
    total = images.reshape(N, height, a, width, b, C).astype(np.int64).sum((2, 4))
    return ((2 * total + a * b) // (2 * a * b)).astype(np.uint8).reshape(N, height * width, C)


def spread(total, count):
    """Indices of `count` of `total` pictures, evenly spaced; 0 = all."""
    return np.arange(count or total) * total // (count or total)
