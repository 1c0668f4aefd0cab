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

from distributions import to_unit
from model import sinusoid

MIRROR = None
HEADS = (((-1, 1), (-1, 0), (-1, 2), (-2, 1)),                           # above, above left, above right, two above
         ((-1, 1), (0, MIRROR), (0, -1), (-4, 1)),
         ((-1, 1), (-1, MIRROR), (MIRROR, 1), (-8, 1)))
NATURAL = (((-1, 1), (-1, 0), (-1, 2), (-2, 1)),                         # photographs are not symmetric
           ((0, -1), (-1, -1), (-1, 3), (-2, 2)),
           ((-2, 0), (0, -2), (-3, 1), (-1, 1)))
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
    if c.output == "dmol":
        model.pixel_embd.weight[used] = 0
    else:
        model.token_embd.weight[:, used] = 0
    if c.classes:
        model.class_embd.weight[:, used] = 0
    for block, heads in zip(model.blk, NATURAL if c.output == "dmol" else HEADS):
        aim(c, block.attn_q, block.attn_k, heads)
    if c.encoder_block_count:            # the small image's pixels stand at their centres in the large one
        a, b = c.height / c.input_height, c.width / c.input_width
        model.enc.pixel_embd.weight[used] = 0
        model.enc.position_row.weight.copy_(sinusoid((torch.arange(c.input_height) + 0.5) * a - 0.5, d))
        model.enc.position_col.weight.copy_(sinusoid((torch.arange(c.input_width) + 0.5) * b - 0.5, d))
        for block in model.blk:          # the four small pixels around the position
            aim(c, block.cross_attn_q, block.cross_attn_k, [(r * a / 2, k * b / 2) for r in (-1, 1) for k in (-1, 1)])


@torch.no_grad()
def take_over(model, weights):
    """Begins with another model's weights wherever name and shape agree.  For super-resolution from a model without an
    encoder: the cross-attention, which that one lacks, begins quiet, with the norm of the self-attention before it."""
    own = model.state_dict()
    same = {name: w for name, w in weights.items() if name in own and own[name].shape == w.shape}
    model.load_state_dict(same, strict=False)
    for i, block in enumerate(model.blk):
        if hasattr(block, "cross_attn_output") and "blk.%d.cross_attn_output.weight" % i not in same:
            block.cross_attn_output.weight.mul_(0.1)
            block.cross_attn_norm.load_state_dict(block.attn_norm.state_dict())
    return sorted(same)


@torch.no_grad()
def fit_output(model, x, small=None, ridge=0.03):
    """DMOL: the output layer begins at the least-squares prediction from the features that the untrained blocks make, with
    each channel corrected by those before it; x (B, n, C) training values.  The components spread around the prediction.
    The ridge keeps the weights small: a finer prediction would not survive the first steps of the blocks."""
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
        if c.channels == 3:              # which channel's coefficients these are: see distributions.mixture_mean
            at = K + block * K * per + 2 * K
            bias[at:at + K] = math.atanh(float(coefficients[k][j]))
    model.output.weight.copy_(weight)
    model.output.bias.copy_(bias)
