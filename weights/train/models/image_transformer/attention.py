# SPDX-License-Identifier: MIT
"""Computes the self-attention of all query blocks together, because many small steps are slow, especially on a GPU.

Each implementation takes q, k and v concatenated, shape (B, n, 3 A d_k), and returns the result of Block.over_blocks (model.py), shape
(B, n, A d_k):

    plain     computes the blocks one by one
    batched   computes a grid of equal blocks in one batch; the keys of a block are its whole neighbourhood; a mask hides invisible keys
    native    CPU, local-1d or full attention: one C function (common/native.c), which always computes in bf16
    flex      CUDA: PyTorch's flex_attention, which skips tiles that no query sees

`choose` compares each implementation with the plain computation, and picks the fastest implementation that agrees with it.
"""
import math
import time

import torch
import torch.nn.functional as F

from common import native as in_c
from common.machine import has_bf16


def visible(model):
    """Returns a bool tensor of shape (n, n), in generation order: whether query i may see key j."""
    n, allowed = model.c.n, torch.zeros(model.c.n, model.c.n, dtype=torch.bool)
    for lo, hi, keys, mask in model.masks:
        allowed[lo:hi, keys] = mask.cpu() == 0
    return allowed


def heads(c, qkv):
    """Splits (B, n, 3 A d_k) into q, k, v (B, A, n, d_k)"""
    return qkv.view(qkv.shape[0], c.n, 3, c.head_count, c.key_length).permute(2, 0, 3, 1, 4)


def merged(o):
    """Joins the heads: (B, A, n, d_k) -> (B, n, A d_k)"""
    return o.transpose(1, 2).flatten(2)


def batched(model, device):
    """Returns a function that computes attention over a grid of equal blocks. Raises ValueError if the blocks are not equal."""
    c = model.c
    if c.pattern == "local-2d":
        rows, columns = c.height // c.block_rows, c.columns // c.block_cols
        size, down, right = c.block_rows * c.block_cols, -(-c.flange_rows // c.block_rows), -(-c.flange_cols // c.block_cols)
        near = [(-r, k) for r in range(down, 0, -1) for k in range(-right, right + 1)] + [(0, -k) for k in range(right, -1, -1)]
    else:
        size = c.query_block if c.pattern == "local-1d" else c.n
        rows, columns = c.n // size, 1
        near = [(-r, 0) for r in range(-(-c.memory_block // size) if c.pattern == "local-1d" else 0, -1, -1)]
    if rows * columns * size != c.n:
        raise ValueError("the last query block is shorter")
    slot = torch.arange(c.n).view(rows, columns, size)

    def around(t, fill=0):
        """Gathers, for each block, the blocks at the offsets `near`: (..., rows, columns, size, x) -> (..., rows, columns, len(near)*size,
        x). Blocks outside the grid contain `fill`."""
        up, wide = max(-r for r, _ in near), max(abs(k) for _, k in near)
        t = F.pad(t, (0, 0, 0, 0, wide, wide, up, 0), value=fill)
        return torch.cat([t[..., up + r:up + r + rows, wide + k:wide + k + columns, :, :] for r, k in near], -2)
    keys = around(slot[..., None].float(), -1)[..., 0].long().view(rows * columns, -1)            # index of the key in each slot
    allowed = visible(model).view(rows * columns, size, c.n)
    seen = allowed.gather(2, keys.clamp(min=0)[:, None].expand(-1, size, -1)) & (keys >= 0)[:, None]
    assert int(seen.sum()) == int(allowed.sum())         # all visible keys are among the neighbours
    mask = torch.zeros(seen.shape).masked_fill(~seen, -math.inf).to(device)

    def attention(qkv):
        q, k, v = heads(c, qkv)
        B, A, n, dk = q.shape
        grid = lambda t: t.reshape(B * A, rows, columns, size, dk)
        q, (k, v) = grid(q).view(B * A, rows * columns, size, dk), (around(grid(t)).view(B * A, rows * columns, -1, dk) for t in (k, v))
        if hasattr(F, "scaled_dot_product_attention"):
            o = F.scaled_dot_product_attention(q, k, v, attn_mask=mask.to(q.dtype))
        else:
            o = torch.softmax((q / math.sqrt(dk)) @ k.transpose(-1, -2) + mask.to(q.dtype), -1) @ v
        return merged(o.reshape(B, A, n, dk))
    return attention


def flex(model, device):
    """Returns flex_attention with the model's mask; raises torch's error if it is unavailable."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention
    n, allowed = model.c.n, visible(model).to(device)
    mask = create_block_mask(lambda b, h, i, j: allowed[i, j], None, None, n, n, device=device)
    compiled = torch.compile(flex_attention, dynamic=False)
    return lambda qkv: merged(compiled(*heads(model.c, qkv), block_mask=mask))


def native(model, device):
    c = model.c
    if device != "cpu" or c.pattern == "local-2d" or c.key_length % 2:
        raise ValueError("for local-1d and full attention on a CPU, heads of an even width")
    in_c.library()
    block, memory = (c.query_block, c.memory_block) if c.pattern == "local-1d" else (c.n, 0)

    def attention(qkv):
        o = in_c.Attention.apply(qkv.to(torch.bfloat16), c.head_count, block, memory)
        return o.to(qkv.dtype)
    return attention


def plain(model, device):
    masks, block = model.on(torch.device(device)), model.blk[0]

    def attention(qkv):
        q, k, v = heads(model.c, qkv)
        return torch.cat([block.attend(q[:, :, lo:hi], k[:, :, keys], v[:, :, keys], mask) for lo, hi, keys, mask in masks], 1)
    return attention


WAYS = {"flex": flex, "native": native, "batched": batched, "plain": plain}
CUDA, CPU = ("flex", "batched", "plain"), ("native", "batched", "plain")


def agrees(model, way, device):
    """Compares `way` with the plain computation, in full precision and for random input of unit variance. Returns the largest difference
    between their outputs or gradients."""
    c, generator = model.c, torch.Generator().manual_seed(0)
    qkv = torch.randn(1, c.n, 3 * c.head_count * c.key_length, generator=generator).to(device).requires_grad_()
    g = torch.randn(1, c.n, c.head_count * c.key_length, generator=generator).to(device)
    both = [(o,) + torch.autograd.grad((o * g).sum(), (qkv,)) for o in (plain(model, device)(qkv), way(qkv))]
    return max(float((a - b).abs().max()) for a, b in zip(*both))


def finish(device):
    if device == "cuda":
        torch.cuda.synchronize()


def seconds(model, way, batch, dtype, device, rounds=5):
    """Measures the time of a forward and a backward pass. Returns the minimum of several runs, because other programs use the machine
    too."""
    c, took = model.c, []
    qkv = torch.randn(batch, c.n, 3 * c.head_count * c.key_length, device=device, dtype=dtype).requires_grad_()
    for i in range(rounds + 2):          # the first calls also compile and allocate, so they are not counted
        finish(device)
        began = time.monotonic()
        way(qkv).sum().backward()
        finish(device)
        took.append(time.monotonic() - began)
    return min(took[2:])


def choose(model, wanted, batch, bf16, device):
    """Sets model.fast: the requested implementation, or the fastest one that agrees with the plain computation; None = the plain computation."""
    model.fast, took = None, {}
    if wanted == "plain":
        return
    in_bf16 = bf16 or not has_bf16()     # the C code always uses bf16: it is skipped if single precision was requested and the CPU has bf16
    here = CUDA if device.startswith("cuda") else CPU if in_c.enabled and in_bf16 else CPU[1:]
    for name in here if wanted == "auto" else [wanted]:
        try:
            way = WAYS[name](model, device)
            difference = agrees(model, way, device)
            # TF32 keeps 10 bits of each factor, and bf16 keeps 8. A wrong mask makes a difference of about 1.
            if difference > (0.05 if name == "native" else 0.02):
                raise ValueError("differs by %g from the plain way" % difference)
            took[name] = seconds(model, way, batch, torch.bfloat16 if bf16 else torch.float32, device)
        except Exception as error:       # if an implementation fails here, training uses another one
            print("attention %s: not used: %s" % (name, str(error).strip().split("\n")[0][:200]), flush=True)
            continue
        if took[name] == min(took.values()):
            model.fast = way
    if took:
        print("attention is computed the fastest way here: %s (a block, forward and backward)" % ", ".join(
            "%s %.0f ms" % (name, 1000 * took[name]) for name in sorted(took, key=took.get)), flush=True)
