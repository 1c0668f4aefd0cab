# SPDX-License-Identifier: MIT
"""Draws sample sheets as PNG: a class grid above, completions of validation images below."""
import numpy as np
import torch

from common.png import mosaic
from models.image_transformer.pictures import decode


def tiles_of(values, model, columns):
    """Decodes values in generation order -> (rows, columns, H, W, 3) uint8."""
    images = decode(values.cpu().numpy(), model)
    return np.broadcast_to(images, images.shape[:3] + (3,)).reshape((-1, columns) + images.shape[1:3] + (3,))


def upper_half(c):
    """Returns the number of positions in the upper half of the picture. With local-2d, the half is rounded down to whole rows of query
    blocks."""
    unit = c.block_rows if c.pattern == "local-2d" else 1
    return c.height // 2 // unit * unit * c.columns


def sample_sheet(model, x, y, small, path, autocast, rows=4, temperature=1.0, seed=0):
    """Draws a sheet with one column for each of the pictures x. Each column starts with `rows` samples, whose class is the index of the
    column. The lower rows show the picture, its upper half, a completion given the class, and a completion without the class. For
    super-resolution, a column shows the small input, `rows` samples and the original."""
    c, columns, device = model.c, len(x), x.device
    generator = torch.Generator(device).manual_seed(seed)
    if small is not None:
        with autocast():
            drawn = model.generate(y.repeat(rows), None, temperature, generator, small.repeat(rows, 1, 1))
        seen = small.cpu().numpy().astype(np.uint8).reshape(columns, c.input_height, c.input_width, c.channels)
        seen = seen.repeat(c.height // c.input_height, 1).repeat(c.width // c.input_width, 2)
        tiles = [np.broadcast_to(seen, seen.shape[:3] + (3,))[None], tiles_of(drawn, model, columns), tiles_of(x, model, columns)]
    else:
        label = (torch.arange(columns, device=device) % c.classes if c.classes else torch.full_like(y, -1)).repeat(rows)
        m = upper_half(c)
        with autocast():
            drawn = model.generate(label, None, temperature, generator)
            done = model.generate(torch.cat([y, torch.full_like(y, -1)]), x[:, :m].repeat((2,) + (1,) * (x.dim() - 1)), temperature, generator)
        given = tiles_of(x, model, columns).copy()
        given[:, :, m // c.columns:] = 128
        tiles = [tiles_of(drawn, model, columns), tiles_of(x, model, columns), given, tiles_of(done, model, columns)]
    mosaic(path, np.concatenate(tiles))
