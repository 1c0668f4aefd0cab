# SPDX-License-Identifier: MIT
"""Initialises heads of the first blocks so that they attend to chosen neighbours, as models/image_transformer/start.py does for the Image
Transformer. A position carries the value of the pixel before it, so a head finds the value of the pixel above at the key with offset (-1,
+1).
"""
import torch

from models.image_transformer.start import aim, aimed_dimensions
from models.image_transformer.model import sinusoid
from models.sparse_transformer.model import FAR

NEAR_PIXELS = (((-1, 1), (-1, 2), (0, 0), (-1, 0)),                      # offsets of the pixels above, above right, left and above left
               ((-1, 1), (0, -1), (-1, 3), (0, -2)))
FAR_PIXELS = (((-1, 0), (-2, 0), (-3, 0), (-5, 0)),                      # offsets of pixels above, in the same column
              ((-1, 0), (-2, 0), (-4, 0), (-8, 0)))
NEAR_BYTES = (((0, -1), (0, -2), (0, -3), (0, -4)),
              ((0, -1), (0, -2), (0, -5), (0, -6)))


@torch.no_grad()
def look_around(model):
    c, half = model.c, model.c.embedding_length // 2
    tables, used = (model.position_row, model.position_col), aimed_dimensions(c)
    for i, table in enumerate(tables):   # the first half has sines of the row; the second half has sines of the column
        table.weight.zero_()
        table.weight[:, i * half:(i + 1) * half] = sinusoid(range(len(table.weight)), c.embedding_length)
    model.token_embd.weight[:, used] = 0
    grid = AsGrid(c)
    seen = dict.fromkeys((1, 2), 0)      # number of blocks with this set so far
    for block in model.blk:
        first = 0
        for which, heads in block.sets:
            offsets = (() if c.text else FAR_PIXELS) if which == FAR else NEAR_BYTES if c.text else NEAR_PIXELS
            turn = seen[min(which, 2)]
            seen[min(which, 2)] += 1
            if turn < len(offsets):
                q, k = (Rows(part.weight[first * c.key_length:]) for part in (block.attn_q, block.attn_k))
                aim(grid, q, k, offsets[turn][:heads])
            first += heads


class Rows:
    """Selected rows of a matrix, with the interface of a layer."""

    def __init__(self, weight):
        self.weight = weight


class AsGrid:
    """Gives a Sparse Transformer's configuration the fields that `aim` reads."""

    def __init__(self, c):
        self.embedding_length, self.key_length, self.head_count = c.embedding_length, c.key_length, c.head_count
        self.height, self.width = -(-c.n // c.columns), c.columns
