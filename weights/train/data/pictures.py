"""Arithmetic of pictures (N, H, W, C) uint8."""
import numpy as np


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


def reduce(images, height, width):
    """(N, H, W, C) uint8 -> (N, h*w, C) uint8: means of whole cells, rounded half up; the input of super-resolution."""
    N, H, W, C = images.shape
    a, b = H // height, W // width
    total = images.reshape(N, height, a, width, b, C).astype(np.int64).sum((2, 4))
    return ((2 * total + a * b) // (2 * a * b)).astype(np.uint8).reshape(N, height * width, C)
