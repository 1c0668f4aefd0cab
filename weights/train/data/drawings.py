# SPDX-License-Identifier: MIT
"""Reads emoji drawings that are larger than the training pictures. Each time a drawing is used, it is scaled, rotated and moved a little,
so that its outlines fall differently on the pixels. The drawing is then reduced like the data set's pictures. `../drawings.py` fetches and
renders the drawings.

drawings-1.webp and drawings-2.webp hold the drawings side by side, each of 96x96 pixels. drawings.tsv has one row per drawing: set, code
points, name, licence.  A drawing is never returned if its base code point is in the held-out or validation part of the emoji data set.
"""
import functools
import os
import sys

import numpy as np
import torch
import torch.nn.functional as F

from data import emoji

INDEX, MOSAIC = "drawings.tsv", "drawings-%d.webp"
SIZE = 96
COLUMNS, IN_A_FILE = 170, 170 * 64       # WebP allows at most 16,383 pixels per side; files under 64 MB are also easier to handle
FOLDER = "emoji-drawings"                # the folder of the drawings, next to the data set's folder
DEFAULT_DIR = os.path.join(os.path.dirname(emoji.DEFAULT_DIR), FOLDER)
# sets that are reduced by plain averages, like the data set's own pictures of their style; other sets are reduced with a Lanczos window
MEANS = ("emojione",)
# the class of each set of drawings; other sets have no class
STYLE = {"noto": "noto-2023", "noto-2018": "noto-2018", "noto-blob": "noto-blob", "emojione": "emojitwo", "fxemoji": "fxemoji"}


class Drawings:
    """Drawings that may be used for training.  images (N, 96, 96, 3) uint8; labels (N,): the style, or -1; writing (N,): whether a drawing
    must not be mirrored; share (N,): the probability of sampling it; means (N,): whether it is reduced by plain averages; rows (N,): set,
    code points, name, licence. Some base code points occur much more often than others. In one set, hundreds of code point sequences begin
    with "woman", whereas most base code points occur once. Therefore n drawings with the same base code point are sampled as often as
    sqrt(n) drawings whose base code point occurs once. Drawings in a style that is not in the data set are sampled half as often."""

    @classmethod
    def beside(cls, directory):
        """Returns the Drawings that belong to the emoji data set in this folder; \"\" means the usual folder of the data set."""
        directory = directory or emoji.DEFAULT_DIR
        return cls(os.path.join(os.path.dirname(os.path.abspath(directory)), FOLDER), emoji.read_index(directory))

    def __init__(self, directory, index):
        """Selects the drawings that may be used for training. index: the index of the emoji data set, which lists the held-out emoji"""
        rows = read_index(directory)
        pick = np.flatnonzero(may_train([row[1] for row in rows], index))
        self.images = read(directory, pick)
        self.rows = [rows[i] for i in pick]
        self.labels = np.array([emoji.STYLES.index(STYLE[row[0]]) if row[0] in STYLE else -1 for row in self.rows])
        self.writing = emoji.has_writing([row[1] for row in self.rows])
        self.means = np.array([row[0] in MEANS for row in self.rows])
        bases = np.array([row[0] + " " + row[1].split("-")[0] for row in self.rows])
        _, of, counts = np.unique(bases, return_inverse=True, return_counts=True)
        self.share = counts[of] ** -0.5 * np.where(self.labels < 0, 0.5, 1)
        self.share /= self.share.sum()

    def __len__(self):
        return len(self.images)

    def plain(self, pick, size):
        """Returns the drawings `pick`, reduced but otherwise unchanged: (len(pick), size, size, 3) uint8"""
        found = np.empty((len(pick), size, size, 3), np.uint8)
        for at in range(0, len(pick), 256):
            some = pick[at:at + 256]
            images = torch.from_numpy(255 - self.images[some]).permute(0, 3, 1, 2).float()
            found[at:at + 256] = 255 - reduced(images, size, self.means[some]).permute(0, 2, 3, 1).numpy().astype(np.uint8)
        return found

    def drawn(self, rng, count, size, flip=False):
        """Returns pictures (count, size, size, 3) uint8 and labels (count,) of random drawings. Each drawing is scaled by a factor of 0.75
        to 1.3 and moved by up to a sixteenth of the picture's width; half of the drawings are rotated by up to 15 degrees. With `flip`,
        half of the drawings without writing are mirrored."""
        pick = rng.choice(len(self), count, p=self.share)
        scale = np.exp(rng.uniform(np.log(0.75), np.log(1.3), count))
        stretch = np.exp(rng.uniform(-0.05, 0.05, count))
        angle = np.where(rng.random(count) < 0.5, rng.uniform(-1, 1, count) * np.pi / 12, 0)
        mirrored = np.where(flip & (rng.random(count) < 0.5) & ~self.writing[pick], -1, 1)
        move = rng.uniform(-0.125, 0.125, (2, count))           # the move is relative to half of the width
        c, s = np.cos(angle), np.sin(angle)
        a, b = scale * stretch, scale / stretch
        to = np.stack([mirrored * c / a, s / a, move[0], -mirrored * s / b, c / b, move[1]], 1).reshape(-1, 2, 3)
        # The pictures are inverted, so white becomes zero, which is also the value of the padding.
        images = torch.from_numpy(255 - self.images[pick]).permute(0, 3, 1, 2).float()
        fine = size * max(1, SIZE // size)
        grid = F.affine_grid(torch.from_numpy(to).float(), (count, 3, fine, fine), align_corners=False)
        images = F.grid_sample(images, grid, mode="bicubic", align_corners=False).clamp(0, 255)
        return 255 - reduced(images, size, self.means[pick]).permute(0, 2, 3, 1).numpy().astype(np.uint8), self.labels[pick]


def reduced(images, size, means):
    """Reduces inverted pictures (N, 3, fine, fine) of floats, where white is 0, to (N, 3, size, size) with integers 0 to 255.
    means (N,): whether to use plain averages instead of the Lanczos window"""
    by_means, by_lanczos = (torch.from_numpy(reduction(size, images.shape[2], lobes)).float() for lobes in (0, 3))
    to = torch.where(torch.from_numpy(means)[:, None, None], by_means, by_lanczos)[:, None]
    return (to @ images @ to.transpose(2, 3)).round().clamp(0, 255)


@functools.lru_cache(maxsize=None)
def reduction(size, fine, lobes):
    """Returns the matrix (size, fine) that reduces a row of `fine` pixels. lobes: number of lobes of the Lanczos window [Duchon 1979]; 0: plain
    averages of fine / size pixels"""
    # Distance between pixel centres, in pixels of the reduced picture.
    at = (np.arange(fine) + 0.5) * size / fine - (np.arange(size)[:, None] + 0.5)
    weights = np.sinc(at) * np.sinc(at / lobes) * (abs(at) < lobes) if lobes else 1.0 * (abs(at) < 0.5)
    return weights / weights.sum(1, keepdims=True)


def there(directory, name):
    path = os.path.join(directory, name)
    if not os.path.exists(path):
        sys.exit("missing %s\n`python3 weights/train/drawings.py` makes it." % path)
    return path


def read_index(directory):
    """Reads the rows (set, code points, name, licence) of the drawings."""
    with open(there(directory, INDEX), encoding="utf-8") as f:
        return [line.split("\t") for line in f.read().splitlines()]


def read(directory, pick):
    """Reads the drawings of the rows `pick` -> (len(pick), 96, 96, 3) uint8; the pixels of all other drawings are discarded."""
    from PIL import Image
    Image.MAX_IMAGE_PIXELS = None
    found = np.empty((len(pick), SIZE, SIZE, 3), np.uint8)
    for k in np.unique(pick // IN_A_FILE):
        mosaic = np.asarray(Image.open(there(directory, MOSAIC % (k + 1))).convert("RGB")).reshape(-1, SIZE, COLUMNS, SIZE, 3)
        at = np.flatnonzero(pick // IN_A_FILE == k)
        inside = pick[at] % IN_A_FILE
        found[at] = mosaic[inside // COLUMNS, :, inside % COLUMNS]
    return found


def write(directory, rows, pictures):
    """Writes the drawings. rows: as returned by `read_index`; pictures: (96, 96, 3) uint8 for each row"""
    from PIL import Image
    os.makedirs(directory, exist_ok=True)
    for k in range(0, len(pictures), IN_A_FILE):
        some = pictures[k:k + IN_A_FILE]
        mosaic = np.full((-(-len(some) // COLUMNS), SIZE, COLUMNS, SIZE, 3), 255, np.uint8)
        for i, picture in enumerate(some):
            mosaic[i // COLUMNS, :, i % COLUMNS] = picture
        path = os.path.join(directory, MOSAIC % (k // IN_A_FILE + 1))
        Image.fromarray(mosaic.reshape(-1, COLUMNS * SIZE, 3)).save(path, lossless=True, method=0, quality=20)
    with open(os.path.join(directory, INDEX), "w", encoding="utf-8") as f:
        f.writelines("\t".join(row) + "\n" for row in rows)


def may_train(codes, index):
    """Returns, for each code point sequence, whether training may use it: its base code point must be in neither the validation part nor
    the held-out part of the data set. index: the index of the data set"""
    bases = [row[1] for row in index]
    kept_out = {base.split("-")[0] for base, part in zip(bases, emoji.split_of(bases)) if part != "train"}
    return np.array([code.split("-")[0] not in kept_out for code in codes])
