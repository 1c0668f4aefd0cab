"""A start that looks around: heads of the first blocks begin by attending to chosen neighbours.

With sinusoidal tables a projection onto a few frequencies of the position, turned by an offset for the queries, gives
scores sharp * sum_f cos(w_f (p_query + offset - p_key)) for each axis: largest at the wanted key.  Tables of values
and classes start at zero in those dimensions.  All of it is trained on like any other start; without it a short
training spends most of its time on finding the pixel above.

Position i carries the value before it, so the value at (row - 1, same column) is read at the key (-1, +1).
MIRROR in place of an offset means the left-right or top-bottom mirror image.
"""
import math

import torch

from model import sinusoid

MIRROR = None
HEADS = (((-1, 1), (-1, 0), (-1, 2), (-2, 1)),                           # above, above left, above right, two above
         ((-1, 1), (0, MIRROR), (0, -1), (-4, 1)),
         ((-1, 1), (-1, MIRROR), (MIRROR, 1), (-8, 1)))
SHARP = 1.5


def turn(frequency, offset, size):
    """2x2 matrix that takes (sin, cos) of w p to those of w (p + offset), or of w (size - p)."""
    angle = frequency * (size if offset is MIRROR else offset)
    s, c = math.sin(angle), math.cos(angle)
    return torch.tensor([[-c, s], [s, c]] if offset is MIRROR else [[c, s], [-s, c]])


def aim(c, query, key, heads):
    """Sets the query and key matrices of the first heads so that they attend at these (row, column) offsets."""
    F, count = c.embedding_length // 4, c.key_length // 4                # count: frequencies an axis
    for head, offset in enumerate(heads[:c.head_count]):
        q, k = torch.zeros(2, c.key_length, c.embedding_length)
        for axis, size in enumerate((c.height - 1, c.width)):            # the mirrored value of column p is at key width - p
            for f in range(count):
                rows, dims = [2 * axis * count + f, (2 * axis + 1) * count + f], [2 * axis * F + f, (2 * axis + 1) * F + f]
                q[rows[0], dims], q[rows[1], dims] = turn(10000.0 ** (-f / (F - 1)), offset[axis], size)
                k[rows, dims] = 1.0
        gain, at = math.sqrt(SHARP * math.sqrt(c.key_length)), slice(head * c.key_length, (head + 1) * c.key_length)
        query.weight[at], key.weight[at] = gain * q, gain * k


@torch.no_grad()
def look_around(model):
    """For models with positions = pixels and [row | column] tables."""
    c, d = model.c, model.c.embedding_length
    assert c.interleaved == 1 and c.position_width == "half"
    used = torch.cat([torch.arange(c.key_length // 4) + part * (d // 4) for part in range(4)])
    model.token_embd.weight[:, used] = 0
    if c.classes:
        model.class_embd.weight[:, used] = 0
    for block, heads in zip(model.blk, HEADS):
        aim(c, block.attn_q, block.attn_k, heads)
    if c.encoder_block_count:            # the small image's pixels stand at their centres in the large one
        a, b = c.height / c.input_height, c.width / c.input_width
        model.enc.pixel_embd.weight[used] = 0
        model.enc.position_row.weight.copy_(sinusoid((torch.arange(c.input_height) + 0.5) * a - 0.5, d))
        model.enc.position_col.weight.copy_(sinusoid((torch.arange(c.input_width) + 0.5) * b - 0.5, d))
        for block in model.blk:          # the four small pixels around the position
            aim(c, block.cross_attn_q, block.cross_attn_k, [(r * a / 2, k * b / 2) for r in (-1, 1) for k in (-1, 1)])
