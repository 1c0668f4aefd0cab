"""Emoji as drawings larger than the pictures, from which training pictures are made anew each time: scaled, turned and moved a little,
then reduced, so that outlines fall between the pixels in ever other ways.  `../drawings.py` fetches and paints them.

drawings.webp holds them side by side, 96x96 pixels each, drawings.tsv a row for each: set, code points, name, licence.  A drawing of an emoji that is
held out or for validation in the data set of emoji, by the base code point, is never given.
"""
import os
import sys

import numpy as np
import torch
import torch.nn.functional as F

from data import emoji

FILES = ("drawings.webp", "drawings.tsv")
SIZE = 96
COLUMNS = 170                            # WebP has at most 16,383 pixels
FOLDER = "emoji-drawings"                # beside that of the data set
DEFAULT_DIR = os.path.join(os.path.dirname(emoji.DEFAULT_DIR), FOLDER)
STYLE = {"noto": "noto-2023", "noto-blob": "noto-blob", "emojione": "emojitwo", "fxemoji": "fxemoji"}       # other sets are of no class


class Drawings:
    """Those that may train.  images (N, 96, 96, 3) uint8; labels (N,): -1 without a style; writing (N,): which must not be mirrored; share (N,): how
    often each is drawn.  Hundreds of one set begin with the code point of a woman, most bases have one: n of a base are drawn as often as sqrt(n)."""

    @classmethod
    def beside(cls, directory):
        """Of the data set of emoji in this folder; "": in its usual one."""
        directory = directory or emoji.DEFAULT_DIR
        return cls(os.path.join(os.path.dirname(os.path.abspath(directory)), FOLDER), emoji.read_index(directory))

    def __init__(self, directory, index):
        """index: that of the data set of emoji, which says what is held out"""
        path = os.path.join(directory, FILES[0])
        if not os.path.exists(path):
            sys.exit("missing %s\n`python3 weights/train/drawings.py` makes it." % path)
        with open(os.path.join(directory, FILES[1]), encoding="utf-8") as f:
            rows = [line.split("\t") for line in f.read().splitlines()]
        codes = [row[1] for row in rows]
        pick = np.flatnonzero(may_train(codes, index))
        self.images = read(path)[pick // COLUMNS, :, pick % COLUMNS]     # the others are dropped here
        self.labels = np.array([emoji.STYLES.index(STYLE[row[0]]) if row[0] in STYLE else -1 for row in rows])[pick]
        self.writing = emoji.has_writing(codes)[pick]
        bases = np.array([row[0] + " " + row[1].split("-")[0] for row in rows])[pick]
        _, of, counts = np.unique(bases, return_inverse=True, return_counts=True)
        self.share = counts[of] ** -0.5 / np.sqrt(counts).sum()

    def __len__(self):
        return len(self.images)

    def drawn(self, rng, count, size, flip=False):
        """-> pictures (count, size, size, 3) uint8, labels (count,): drawings by chance, each scaled to 0.75 to 1.3 times its size, half of them
        turned by up to 15 degrees, moved by up to a sixteenth; mirrored half of the time where `flip` is set and nothing is written on them."""
        pick = rng.choice(len(self), count, p=self.share)
        scale = np.exp(rng.uniform(np.log(0.75), np.log(1.3), count))
        stretch = np.exp(rng.uniform(-0.05, 0.05, count))
        angle = np.where(rng.random(count) < 0.5, rng.uniform(-1, 1, count) * np.pi / 12, 0)
        mirrored = np.where(flip & (rng.random(count) < 0.5) & ~self.writing[pick], -1, 1)
        move = rng.uniform(-0.125, 0.125, (2, count))           # of the half width
        c, s = np.cos(angle), np.sin(angle)
        a, b = scale * stretch, scale / stretch
        to = np.stack([mirrored * c / a, s / a, move[0], -mirrored * s / b, c / b, move[1]], 1).reshape(-1, 2, 3)
        images = torch.from_numpy(255 - self.images[pick]).permute(0, 3, 1, 2).float()      # white is nought, which surrounds them
        fine = size * max(1, SIZE // size)
        grid = F.affine_grid(torch.from_numpy(to).float(), (count, 3, fine, fine), align_corners=False)
        images = F.avg_pool2d(F.grid_sample(images, grid, align_corners=False), fine // size)
        return 255 - images.round().clamp(0, 255).permute(0, 2, 3, 1).numpy().astype(np.uint8), self.labels[pick]


def read(path):
    """-> (rows, 96, COLUMNS, 96, 3) uint8"""
    from PIL import Image
    Image.MAX_IMAGE_PIXELS = None
    mosaic = np.asarray(Image.open(path).convert("RGB"))
    return mosaic.reshape(-1, SIZE, COLUMNS, SIZE, 3)


def write(path, pictures):
    """pictures: a list of (96, 96, 3) uint8"""
    from PIL import Image
    rows = -(-len(pictures) // COLUMNS)
    mosaic = np.full((rows, SIZE, COLUMNS, SIZE, 3), 255, np.uint8)
    for i, picture in enumerate(pictures):
        mosaic[i // COLUMNS, :, i % COLUMNS] = picture
    Image.fromarray(mosaic.reshape(rows * SIZE, COLUMNS * SIZE, 3)).save(path, lossless=True, method=0, quality=20)


def may_train(codes, index):
    """Code point sequences -> whether each has a base code point that trains, or that the data set (its index) has not at all."""
    bases = [row[1] for row in index]
    kept_out = {base.split("-")[0] for base, part in zip(bases, emoji.split_of(bases)) if part != "train"}
    return np.array([code.split("-")[0] not in kept_out for code in codes])
