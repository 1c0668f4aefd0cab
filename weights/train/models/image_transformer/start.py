# SPDX-License-Identifier: MIT
"""Initialises heads of the first blocks so that they attend to chosen neighbours.

The initial position tables are sinusoidal. The query and key matrices of an initialised head select a few frequencies of the position. The
query matrix also shifts the phases by the offset. The scores are then sharp * sum_f cos(w_f (p_query + offset - p_key)) for each axis,
largest at the wanted key.  The embeddings of values and of classes start at zero in the dimensions that the initialised heads read.
Training changes both the heads and the embeddings. Without this start, a short training run spends most of its time finding the pixel
above.

Position i carries the value of position i - 1, so the value of the pixel above is found at the key with offset (-1, +1). MIRROR instead of
an offset means the left-right or top-bottom mirror image.

For photographs (dmol, pre-norm), the heads also copy pixel values. In all layers, separate dimensions hold the channels of the position
itself and the channels that each aimed head finds (`copy_neighbours`).
"""
import math

import torch

from common.distributions import to_unit
from models.image_transformer.model import sinusoid

MIRROR = None
HEADS = (((-1, 1), (-1, 0), (-1, 2), (-2, 1)),  # offsets of the pixels above, above left, above right and two above
         ((-1, 1), (0, MIRROR), (0, -1), (-4, 1)),
         ((-1, 1), (-1, MIRROR), (MIRROR, 1), (-8, 1)))
NATURAL = (((-1, 1), (0, -1), (-1, 0), (-1, 2)),  # photographs are not symmetric, so heads aim at the nearest twelve pixels
           ((-2, 1), (-1, -1), (-1, 3), (0, -2)),
           ((-2, 0), (-2, 2), (-3, 1), (0, -3)))
CELLS = (((0, 0), (0, 1), (1, 0), (1, 1)),                               # offsets from the position's own pixel in the small image
         ((0, -1), (-1, 0), (1, -1), (-1, 1)))
PIXEL_GAIN = 2.0                         # scale of copied values, which are in [-1, 1]; the other dimensions are sines
SHARP, EXACT = 1.5, 4.0                  # EXACT puts at least nine tenths of a head's attention on one key


def turn(frequency, offset, size):
    """Returns the 2x2 matrix that maps (sin, cos) of w p to those of w (p + offset), or of w (size - p)."""
    angle = frequency * (size if offset is MIRROR else offset)
    s, c = math.sin(angle), math.cos(angle)
    return torch.tensor([[-c, s], [s, c]] if offset is MIRROR else [[c, s], [-s, c]])


def aim(c, query, key, heads, sharp=SHARP):
    """Sets the rows of `query` and `key` so that head i attends to the key at the offset heads[i] = (row, column)."""
    F, count = c.embedding_length // 4, c.key_length // 4                # `count` is the number of frequencies per axis
    for head, offset in enumerate(heads[:c.head_count]):
        q, k = torch.zeros(2, c.key_length, c.embedding_length)
        for axis, size in enumerate((c.height - 1, c.width)):            # the mirrored value of column p is at key width - p
            for f in range(count):
                rows, dims = [2 * axis * count + f, (2 * axis + 1) * count + f], [2 * axis * F + f, (2 * axis + 1) * F + f]
                q[rows[0], dims], q[rows[1], dims] = turn(10000.0 ** (-f / (F - 1)), offset[axis], size)
                k[rows, dims] = 1.0
        gain, at = math.sqrt(sharp * math.sqrt(c.key_length)), slice(head * c.key_length, (head + 1) * c.key_length)
        query.weight[at], key.weight[at] = gain * q, gain * k


def aimed_dimensions(c):
    """Returns the dimensions that the aimed heads read: the first frequencies of both axes, sines and cosines."""
    return torch.cat([torch.arange(c.key_length // 4) + part * (c.embedding_length // 4) for part in range(4)])


@torch.no_grad()
def centre_positions(model):
    """Sets the encoder's position tables: a pixel of the small image gets the position of its centre in the large image."""
    c = model.c
    for table, size, small in ((model.enc.position_row, c.height, c.input_height), (model.enc.position_col, c.width, c.input_width)):
        table.weight.copy_(sinusoid((torch.arange(small) + 0.5) * size / small - 0.5, c.embedding_length))


@torch.no_grad()
def look_around(model):
    """Aims heads at neighbours. The model's positions must be pixels, and its position tables must be [row | column]."""
    c = model.c
    assert c.interleaved == 1 and c.position_width == "half"
    if c.encoder_block_count:
        centre_positions(model)
    if c.output == "dmol" and c.norm == "pre":
        copy_neighbours(model)
        return
    used = aimed_dimensions(c)
    if c.output == "dmol":
        model.pixel_embd.weight[used] = 0
    else:
        model.token_embd.weight[:, used] = 0
    if c.classes:
        model.class_embd.weight[:, used] = 0
    for block, heads in zip(model.blk, NATURAL if c.output == "dmol" else HEADS):
        aim(c, block.attn_q, block.attn_k, heads)
    if c.encoder_block_count:
        model.enc.pixel_embd.weight[used] = 0
        for block in model.blk:
            aim(c, block.cross_attn_q, block.cross_attn_k, around(c))


def around(c):
    """Returns the offsets, in pixels of the large picture, of the four surrounding pixels of the small picture."""
    return [(r * c.height / c.input_height / 2, k * c.width / c.input_width / 2) for r in (-1, 1) for k in (-1, 1)]


def reserve(stack, c, dims, anchor):
    """Reserves dimensions of a decoder or encoder. The dimensions `dims` hold copied values. The dimensions aimed_dimensions(c), which
    aimed heads read, hold positions. At first, no layer adds other values to reserved dimensions. The dimension `anchor` holds a constant
    that dominates the length of every row. Layer norms therefore divide the values of every row by nearly the same factor, which this
    function returns. The norms remove the constant, because their gain is zero at `anchor`."""
    d, half = c.embedding_length, c.embedding_length // 2
    for i in dims + [anchor]:
        table = stack.position_row if i < half else stack.position_col
        table.weight[:, i % half] = math.sqrt(d) if i == anchor else 0
    for block in stack.blk:
        for layer in [block.attn_output, block.ffn_down] + ([block.cross_attn_output] if hasattr(block, "cross_attn_output") else []):
            layer.weight[dims + [anchor] + aimed_dimensions(c).tolist()] = 0
    for name, parameter in stack.named_parameters():
        if name.endswith("norm.weight"):
            parameter[anchor] = 0
    return math.sqrt((d + (d - len(dims)) / 2) / d)


def copy(value, output, rows, sources, targets, measure):
    """Sets a head's value and output matrices so that it copies values. Row `rows[i]` of the head copies dimension `sources[i]` of a key's
    vector to dimension `targets[i]` of the query's vector, and nothing else."""
    for row, source, target in zip(rows, sources, targets):
        value.weight[row] = 0
        value.weight[row, source] = measure
        output.weight[:, row] = 0
        output.weight[target, row] = 1


def copy_neighbours(model):
    """Reserves separate dimensions for the channels of a position and for the channels that each aimed head finds. If the model has an
    encoder, further dimensions are reserved for the channels of the surrounding pixels of the small picture. The model must be a dmol model
    with pre-norm. With this initialisation, the least-squares prediction of `fit_output` nearly equals a linear prediction from the exact
    values of the neighbours. If the width does not suffice, the last heads are aimed but copy nothing."""
    c, C = model.c, model.c.channels
    taken = set(aimed_dimensions(c).tolist())
    quarter = c.embedding_length // 4
    # Dimensions with the slowest sines come first.
    free = sorted((i for i in range(c.embedding_length) if i not in taken), key=lambda i: -(i % quarter))
    anchor, own, room = free[0], free[1:1 + C], free[1 + C:]
    wanted = [(block.attn_v, block.attn_output, a) for block, heads in zip(model.blk, NATURAL) for a in range(min(c.head_count, len(heads)))]
    if c.encoder_block_count:
        wanted = [(block.cross_attn_v, block.cross_attn_output, a) for block, heads in zip(model.blk, CELLS)
                  for a in range(min(c.head_count, len(heads)))] + wanted
    places = [(room[i * C:i * C + C], w) for i, w in enumerate(wanted) if (i + 1) * C <= len(room)]
    kept = own + [i for dims, _ in places for i in dims]
    if c.classes:
        model.class_embd.weight[:, sorted(taken) + kept + [anchor]] = 0
    measures = [reserve(stack, c, kept if stack is model else own, anchor) for stack in [model] + ([model.enc] if c.encoder_block_count else [])]
    for stack in [model] + ([model.enc] if c.encoder_block_count else []):
        stack.pixel_embd.weight.zero_()
        for k in range(C):
            stack.pixel_embd.weight[own[k], k] = PIXEL_GAIN
    for block, heads in zip(model.blk, NATURAL):
        aim(c, block.attn_q, block.attn_k, heads, EXACT)
    if c.encoder_block_count:
        rows, columns = c.height / c.input_height, c.width / c.input_width
        for block, cells in zip(model.blk, CELLS):
            aim(c, block.cross_attn_q, block.cross_attn_k, [(r * rows, k * columns) for r, k in cells], EXACT)
    for dims, (value, output, a) in places:
        encoded = any(value is getattr(block, "cross_attn_v", None) for block in model.blk)
        copy(value, output, [a * c.key_length + k for k in range(C)], own, dims, measures[-1 if encoded else 0])


@torch.no_grad()
def fit_output(model, x, small=None, ridge=3e-4):
    """Initialises the output layer of a dmol model with the least-squares prediction of each channel, from the features of the untrained
    blocks and from the previous channels. x (B, n, C): training values. The components are spread around the prediction. The ridge keeps
    the weights small, so that a step of Adam changes the predictions less (NOTEBOOK.md)."""
    c, K = model.c, model.c.mixtures
    features = []
    hook = model.output.register_forward_hook(lambda module, inputs, out: features.append(inputs[0]))
    model(x, None, small)
    hook.remove()
    h = features[0].reshape(-1, c.embedding_length).double().cpu()
    t = to_unit(x.cpu().double(), c.levels).reshape(-1, c.channels)
    one = torch.cat([h, torch.ones_like(h[:, :1])], 1)
    gram = one.t() @ one
    gram.diagonal().add_(ridge * len(one))
    w = torch.linalg.solve(gram, one.t() @ t)                            # (d + 1, C)
    error = t - one @ w
    weight, bias, per = torch.zeros(model.output.weight.shape), torch.zeros(model.output.bias.shape), 3 if c.channels == 3 else 2
    spread = torch.linspace(-1, 1, K)
    coefficients = [torch.zeros(0)] * c.channels
    for k in range(c.channels):          # error_k = sum_j b_j error_j + rest: mean_k = w_k h + sum_j b_j (x_j - w_j h)
        before = error[:, :k]
        b = torch.linalg.lstsq(before, error[:, k:k + 1]).solution[:, 0].clamp(-0.95, 0.95) if k else torch.zeros(0)
        rest, coefficients[k] = error[:, k] - before @ b.to(before.dtype), b
        mean, at = w[:, k] - w[:, :k] @ b.to(w.dtype), K + k * K * per
        sigma = float(rest.std())
        weight[at:at + K] = mean[:-1].to(weight.dtype)
        bias[at:at + K] = mean[-1].to(bias.dtype) + sigma * spread
        bias[at + K:at + 2 * K] = math.log(sigma / 2) - 0.75 + 1.5 * spread.abs()        # a logistic's deviation is 1.8 times its scale
    for (k, j), block in {(1, 0): 0, (2, 0): 1, (2, 1): 2}.items():
        if c.channels == 3:              # distributions.mixture_mean defines which coefficients a channel uses
            at = K + block * K * per + 2 * K
            bias[at:at + K] = math.atanh(float(coefficients[k][j]))
    model.output.weight.copy_(weight)
    model.output.bias.copy_(bias)
