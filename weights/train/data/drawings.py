"""Emoji as drawings larger than the pictures, from which training pictures are made anew each time: scaled, turned and moved a little,
then reduced, so that outlines fall between the pixels in ever other ways.  `../drawings.py` fetches and paints them.

drawings.npy holds them (N, 96, 96, 3), drawings.tsv a row for each: set, code points, name, licence.  A drawing of an emoji that is held out or
for validation in the data set of emoji, by the base code point, is never given.
"""
import os
import sys

import numpy as np
import torch
import torch.nn.functional as F

import data
from data import emoji

FILES = ("drawings.npy", "drawings.tsv")
SIZE = 96
DEFAULT_DIR = os.path.join(data.ROOT, "data", "emoji-drawings")
STYLE = {"noto": "noto-2023", "noto-blob": "noto-blob", "emojione": "emojitwo", "fxemoji": "fxemoji"}       # other sets are of no class


class Drawings:
    """Those that may train.  images (N, 96, 96, 3) uint8, a file mapped into memory of which `pick` are the rows; labels (N,): -1 without a style."""

    def __init__(self, directory=DEFAULT_DIR, index=None):
        path = os.path.join(directory, FILES[0])
        if not os.path.exists(path):
            sys.exit("missing %s\n`python3 weights/train/drawings.py` makes it." % path)
        with open(os.path.join(directory, FILES[1]), encoding="utf-8") as f:
            rows = [line.split("\t") for line in f.read().splitlines()]
        codes = [row[1] for row in rows]
        self.images = np.load(path, mmap_mode="r")
        self.pick = np.flatnonzero(may_train(codes, index or emoji.read_index(emoji.DEFAULT_DIR)))
        self.labels = np.array([emoji.STYLES.index(STYLE[row[0]]) if row[0] in STYLE else -1 for row in rows])[self.pick]
        self.writing = emoji.has_writing(codes)[self.pick]

    def __len__(self):
        return len(self.pick)

    def drawn(self, rng, count, size, flip=False):
        """-> pictures (count, size, size, 3) uint8, labels (count,): drawings by chance, each scaled to 0.8 to 1.1 times its size, half of them
        turned by up to 10 degrees, moved by up to a sixteenth; mirrored half of the time where `flip` is set and nothing is written on them."""
        pick = rng.integers(len(self), size=count)
        scale = np.exp(rng.uniform(np.log(0.8), np.log(1.1), count))
        stretch = np.exp(rng.uniform(-0.05, 0.05, count))
        angle = np.where(rng.random(count) < 0.5, rng.uniform(-1, 1, count) * np.pi / 18, 0)
        mirrored = np.where(flip & (rng.random(count) < 0.5) & ~self.writing[pick], -1, 1)
        move = rng.uniform(-0.125, 0.125, (2, count))           # of the half width
        c, s = np.cos(angle), np.sin(angle)
        a, b = scale * stretch, scale / stretch
        to = np.stack([mirrored * c / a, s / a, move[0], -mirrored * s / b, c / b, move[1]], 1).reshape(-1, 2, 3)
        images = torch.from_numpy(255 - self.images[self.pick[pick]]).permute(0, 3, 1, 2).float()      # white is nought, which surrounds them
        fine = size * max(1, SIZE // size)
        grid = F.affine_grid(torch.from_numpy(to).float(), (count, 3, fine, fine), align_corners=False)
        images = F.avg_pool2d(F.grid_sample(images, grid, align_corners=False), fine // size)
        return 255 - images.round().clamp(0, 255).permute(0, 2, 3, 1).numpy().astype(np.uint8), self.labels[pick]


def may_train(codes, index):
    """Code point sequences -> whether each has a base code point that trains, or that the data set (its index) has not at all."""
    bases = [row[1] for row in index]
    kept_out = {base.split("-")[0] for base, part in zip(bases, emoji.split_of(bases)) if part != "train"}
    return np.array([code.split("-")[0] not in kept_out for code in codes])
