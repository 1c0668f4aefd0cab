# SPDX-License-Identifier: MIT
"""Converts pictures to values of positions in generation order, and back."""
import numpy as np
import torch

from data.pictures import moved, nearest, reduce, to_bytes, to_levels


def encode(images, model):
    """Converts pictures (N, H, W, C) uint8 to values in generation order, also uint8: (N, n), or (N, n, C) for dmol models."""
    c, order = model.c, model.order.cpu().numpy()
    if c.output == "dmol":
        return images.reshape(len(images), c.n, c.channels)[:, order]
    x = nearest(images, model.palette.weight.cpu().numpy()) if c.palette else to_levels(images, c.levels)
    return x.reshape(len(images), c.n)[:, order]


def decode(values, model):
    """Converts values in generation order (N, n) to pictures (N, H, W, C) uint8; the inverse of `encode`."""
    c, order = model.c, model.order.cpu().numpy()
    raster = np.empty_like(values)
    raster[:, order] = values
    if c.palette:
        raster = np.rint(model.palette.weight.cpu().numpy()).astype(np.uint8)[raster]
    elif c.output != "dmol":
        raster = to_bytes(raster, c.levels)
    return raster.astype(np.uint8).reshape(len(values), c.height, c.width, c.channels)


def mirror(model):
    """Returns a tensor of shape (n,): for each position, the position of its mirror image. Both are indices in generation order."""
    c, order = model.c, model.order.cpu().numpy()
    mirrored = np.arange(c.n).reshape(c.height, c.width, c.interleaved)[:, ::-1].reshape(-1)
    place = np.empty(c.n, np.int64)
    place[order] = np.arange(c.n)
    return place[mirrored[order]]


class Split:
    """The pictures of one split in the model's form: values in generation order, labels, small inputs (or None). The pictures are stored as
    bytes on `device`, which is the GPU if training uses one."""

    def __init__(self, images, labels, model, device="cpu", writing=None):
        c = model.c
        self.images, self.model, self.writing = images, model, writing
        self.x, self.y = encode(images, model), labels
        self.small = reduce(images, c.input_height, c.input_width) if c.input_height else None
        self.mirror = torch.from_numpy(mirror(model)).to(device)
        small = np.arange(c.input_height * c.input_width).reshape(c.input_height, c.input_width)[:, ::-1].reshape(-1)
        self.mirror_small = torch.from_numpy(small.copy()).to(device)
        self.x, self.y, self.small = (None if a is None else torch.from_numpy(np.array(a)).to(device)
                                      for a in (self.x, self.y, self.small))

    def __len__(self):
        return len(self.x)

    def take(self, pick, device, flip=None):
        """Returns rows `pick` (a slice or indices) as (x, label, small) on the device; rows where flip (a bool per row) is set are
        mirrored."""
        pick = pick if isinstance(pick, slice) else torch.from_numpy(np.asarray(pick)).to(self.x.device)
        x, label, small = (None if a is None else a[pick].to(device).long() for a in (self.x, self.y, self.small))
        if flip is not None:
            def mirrored(a, order):
                return torch.where(torch.from_numpy(flip).to(device).view((-1,) + (1,) * (a.dim() - 1)), a[:, order.to(device)], a)
            x, small = mirrored(x, self.mirror), None if small is None else mirrored(small, self.mirror_small)
        return x, label, small

    def changed(self, pick, device, flip, rng, shift):
        """Works like `take`, but also moves each picture by up to `shift` pixels."""
        images = moved(self.images[pick], *rng.integers(-shift, shift + 1, (2, len(pick))))
        return self.fresh(images, self.y[pick].cpu().numpy(), device, flip)

    def fresh(self, images, labels, device, flip=None):
        """Encodes `images` and returns the same tuple as `take`."""
        return Split(images, labels, self.model, device).take(slice(None), device, flip)
