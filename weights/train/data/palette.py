# SPDX-License-Identifier: MIT
"""Finds a palette of V colours for a set of pictures by k-means in RGB on the distinct colours. White is always an exact entry."""
import numpy as np

from data.pictures import nearest

WHITE = np.array([255.0, 255, 255])


def k_means(images, count, rounds=30, seed=1, power=0.7):
    """Returns a palette for images (N, H, W, 3) uint8: (count, 3) float32 with integer values, white first, the others ordered by
    brightness. The weight of a colour (6 bits per channel) is its number of pixels to the power 0.7, so that rare colours get an entry."""
    rng = np.random.default_rng(seed)
    v = images.reshape(-1, 3).astype(np.int64)
    v = v[(v < 255).any(1)]
    key = (v[:, 0] >> 2) << 12 | (v[:, 1] >> 2) << 6 | v[:, 2] >> 2
    pixels = np.bincount(key, minlength=1 << 18)
    used = np.flatnonzero(pixels)
    points = np.stack([np.bincount(key, v[:, k], 1 << 18)[used] / pixels[used] for k in range(3)], 1)     # mean colour of each cell
    weight = pixels[used] ** power
    centres = WHITE[None]
    distance = ((points - WHITE) ** 2).sum(1)
    for _ in range(count - 1):           # k-means++
        pick = rng.choice(len(points), p=weight * distance / (weight * distance).sum())
        centres = np.concatenate([centres, points[pick:pick + 1]])
        distance = np.minimum(distance, ((points - points[pick]) ** 2).sum(1))
    for _ in range(rounds):
        near = np.concatenate([((centres ** 2).sum(1) - 2 * part @ centres.T).argmin(1) for part in np.array_split(points, 16)])
        total = np.bincount(near, weight, count)
        mean = np.stack([np.bincount(near, weight * points[:, k], count) for k in range(3)], 1) / np.maximum(total, 1e-9)[:, None]
        centres = np.where((total > 0)[:, None], mean, centres)
        centres[0] = WHITE
    rest = np.rint(centres[1:])
    return np.concatenate([WHITE[None], rest[np.argsort(-rest.sum(1), kind="stable")]]).astype(np.float32)


def psnr(images, palette):
    """Returns the peak signal-to-noise ratio, in dB over all pixels, of the pictures after reduction to the palette."""
    error = palette[nearest(images, palette)].astype(np.float64) - images
    return 10 * np.log10(255 ** 2 / (error ** 2).mean())
