# SPDX-License-Identifier: MIT
"""Converts, reduces and stores pictures, which are uint8 arrays of shape (N, H, W, C)."""
import gzip
import json

import numpy as np


def to_levels(v, levels):
    """Maps 8-bit values to levels floor(v*(V-1)/255 + 1/2), in integers."""
    return ((v.astype(np.int64) * (2 * (levels - 1)) + 255) // 510).astype(np.uint8)


def to_bytes(level, levels):
    """Maps levels to 8-bit values round(255*l/(V-1))."""
    return ((np.asarray(level, np.int64) * 510 + (levels - 1)) // (2 * (levels - 1))).astype(np.uint8)


def nearest(pixels, palette):
    """Maps 8-bit colours (..., 3) to the index of the nearest palette colour (squared distance in RGB, ties to the lowest index)."""
    colours, inverse = np.unique(pixels.reshape(-1, 3), axis=0, return_inverse=True)
    index, norm = np.empty(len(colours), np.uint8), (palette.astype(np.float64) ** 2).sum(1)
    for i in range(0, len(colours), 8192):
        index[i:i + 8192] = (norm - 2.0 * colours[i:i + 8192].astype(np.float64) @ palette.T).argmin(1)
    return index[inverse.reshape(-1)].reshape(pixels.shape[:-1])


def reduce(images, height, width):
    """Reduces (N, H, W, C) uint8 to (N, h*w, C) uint8, the input of super-resolution, by averaging cells; halves are rounded up."""
    N, H, W, C = images.shape
    a, b = H // height, W // width
    total = images.reshape(N, height, a, width, b, C).astype(np.int64).sum((2, 4))
    return ((2 * total + a * b) // (2 * a * b)).astype(np.uint8).reshape(N, height * width, C)


def moved(images, down, right):
    """Moves picture i down by down[i] and right by right[i] pixels; the gap is filled with copies of the edge."""
    H, W = images.shape[1:3]
    row = (np.arange(H) - down[:, None]).clip(0, H - 1)
    column = (np.arange(W) - right[:, None]).clip(0, W - 1)
    return images[np.arange(len(images))[:, None, None], row[:, :, None], column[:, None]]


def write(name, images, labels):
    """Writes NAME.u8.gz (count x height x width x channels bytes, gzip) and NAME.json ({width, height, channels, labels}), the files that
    `npm run eval` and weights/eval/sheets.js read."""
    with open(name + ".u8.gz", "wb") as f:
        f.write(gzip.compress(images.tobytes(), 9, mtime=0))
    height, width, channels = images.shape[1:3] + (1,) if images.ndim == 3 else images.shape[1:]
    with open(name + ".json", "w") as f:
        json.dump(dict(width=width, height=height, channels=channels, labels=labels.tolist()), f)
    return "%s.u8.gz: %d pictures of %dx%dx%d" % (name, len(images), width, height, channels)


def write_scenes(name, scenes):
    """Writes captioned scenes (scenes.Scene) like `write`; NAME.json has {width, height, channels, scenes: [{words, boxes}]}."""
    images = np.stack([scene.picture for scene in scenes])
    said = write(name, images, np.zeros(0))
    with open(name + ".json", "w") as f:
        json.dump(dict(width=images.shape[2], height=images.shape[1], channels=3, scenes=[dict(words=s.words, boxes=s.boxes) for s in scenes]), f)
    return said
