# SPDX-License-Identifier: MIT
"""Calls the C functions of native.c on PyTorch tensors. At first use, native.c is compiled for this machine, if gcc is installed and the
CPU has AVX-512, or AVX2 with FMA. The result is runs/native-*.so, or native-*.so in the folder that NEXTPIXEL_NATIVE names."""
import ctypes
import functools
import hashlib
import os
import subprocess

import torch

from common.machine import processor
from common.recipes import RUNS

COMPILED = os.environ.get("NEXTPIXEL_NATIVE") or RUNS
# Only native.c is compiled; it includes avx2.h.
SOURCES = [os.path.join(os.path.dirname(os.path.abspath(__file__)), name) for name in ("native.c", "avx2.h")]
enabled = True                           # the setting `native` of the run
FLAGS = ["-O3", "-march=native", "-fopenmp", "-shared", "-fPIC"]


@functools.lru_cache(maxsize=None)
def library():
    """Returns the compiled functions; raises OSError if they are unavailable."""
    compiler = os.environ.get("CC", "gcc")
    # The name depends on the processor, because machines with other processors may share the folder.
    name = hashlib.sha256(" ".join([compiler] + FLAGS + sorted(processor()[1])).encode())
    for source in SOURCES:
        with open(source, "rb") as f:
            name.update(f.read())
    path = os.path.join(COMPILED, "native-%s.so" % name.hexdigest()[:16])
    if not os.path.exists(path):
        os.makedirs(COMPILED, exist_ok=True)
        work = "%s.%d" % (path, os.getpid())
        found = subprocess.run([compiler] + FLAGS + [SOURCES[0], "-o", work, "-lm"], capture_output=True, text=True)
        if found.returncode:
            raise OSError(next((line for line in found.stderr.split("\n") if "error" in line), "the compiler failed"))
        os.replace(work, path)
    return ctypes.CDLL(path)


def pointers(*tensors):
    return [ctypes.c_void_p(t.data_ptr()) for t in tensors]


class Attention(torch.autograd.Function):
    """Computes local attention: qkv (B, n, 3 A d_k) bf16, rows [q | k | v] -> (B, n, A d_k) bf16; positions are in raster order. Each
    block has `block` positions. A query sees the keys from `memory` positions before its block up to its own position. With a `window`, the
    query sees only the last `window` of these keys. See native.c."""

    @staticmethod
    def forward(ctx, qkv, heads, block, memory, window=0):
        B, n, columns = qkv.shape
        inner, qkv = columns // 3, qkv.contiguous()
        o, l = qkv.new_empty(B, n, inner), torch.empty(B, heads, n)
        ctx.sizes = (torch.get_num_threads(), B, n, heads, inner // heads, block, memory, window, ctypes.c_long(columns))
        if library().attention_forward(*ctx.sizes, *pointers(*qkv.split(inner, -1), o, l)):
            raise MemoryError
        ctx.save_for_backward(qkv, o, l)
        return o

    @staticmethod
    def backward(ctx, d_o):
        qkv, o, l = ctx.saved_tensors
        inner, d_qkv, d_o = qkv.shape[2] // 3, torch.empty_like(qkv), d_o.to(torch.bfloat16).contiguous()
        if library().attention_backward(*ctx.sizes, *pointers(*qkv.split(inner, -1), o, l, d_o, *d_qkv.split(inner, -1))):
            raise MemoryError
        return d_qkv, None, None, None, None


def usable(*tensors):
    """Returns whether native.c accepts these tensors: they must be contiguous bf16 or float tensors on a CPU for which native.c
    compiles."""
    if not enabled or not all(t.device.type == "cpu" and t.is_contiguous() and t.dtype in (torch.float32, torch.bfloat16) for t in tensors):
        return False
    try:
        library()
    except OSError:
        return False
    return True


def to_steps(x, size, steps):
    """Rounds groups of `size` values along the last axis, as rounding.to_steps does."""
    out = torch.empty_like(x)
    library().round_groups(torch.get_num_threads(), ctypes.c_long(x.numel() // size), size, ctypes.c_float(steps), int(x.dtype == torch.float32),
                           *pointers(x, out))
    return out


class Adam:
    """Performs an Adam step, gradient clipping and weight averaging in one pass over memory. The state stays in the torch.optim.Adam
    object. averaged: the averaged parameters, group by group."""

    def __init__(self, adam, averaged):
        self.adam, self.groups, at = adam, [], 0
        for group in adam.param_groups:
            parameters = group["params"]
            for p in parameters:
                if not adam.state[p]:
                    adam.state[p].update(step=torch.tensor(0.0), exp_avg=torch.zeros_like(p), exp_avg_sq=torch.zeros_like(p))
            sizes = (ctypes.c_long * len(parameters))(*(p.numel() for p in parameters))
            self.groups.append((group, parameters, [adam.state[p] for p in parameters], averaged[at:at + len(parameters)], sizes))
            at += len(parameters)

    @staticmethod
    def addresses(tensors):
        tensors = list(tensors)
        return (ctypes.c_void_p * len(tensors))(*(t.data_ptr() for t in tensors))

    @torch.no_grad()
    def step(self, clip, decay):
        """Performs one step. clip: maximum norm of the gradient over all groups (0: no limit). The average becomes decay average + (1 -
        decay) weights"""
        threads, scale = torch.get_num_threads(), 1.0
        grads = [[p.grad.contiguous() if p.grad is not None else torch.zeros_like(p) for p in group[1]] for group in self.groups]
        self.adam._opt_called = True
        if clip:
            squares = library().sum_of_squares
            squares.restype = ctypes.c_double
            total = sum(squares(threads, len(g), group[4], self.addresses(g)) for g, group in zip(grads, self.groups))
            scale = min(1.0, clip / (total ** 0.5 + 1e-6))
        for g, (group, parameters, state, averaged, sizes) in zip(grads, self.groups):
            for s in state:
                s["step"] += 1
            t, (b1, b2) = float(state[0]["step"]), group["betas"]
            library().adam(threads, len(g), sizes, self.addresses(parameters), self.addresses(g), self.addresses(s["exp_avg"] for s in state),
                           self.addresses(s["exp_avg_sq"] for s in state), self.addresses(averaged),
                           *(ctypes.c_float(v) for v in (scale, b1, b2, group["lr"] / (1 - b1 ** t), (1 - b2 ** t) ** -0.5, group["eps"], 1 - decay)))


def address(t):
    return None if t is None else ctypes.c_void_p(t.data_ptr())


class AddNorm(torch.autograd.Function):
    """Adds two tensors and normalises the sum: h (..., d) float, f (..., d) bf16 or None -> (x, y), where x is the new residual stream in
    float and y = LN(h + f) in bf16. If post is set, x is y in full precision; otherwise x = h + f. One pass over memory replaces an
    addition, a layer norm and two casts."""

    @staticmethod
    def forward(ctx, h, f, weight, bias, eps, post):
        ctx.set_materialize_grads(False)
        h, f = h.contiguous(), None if f is None else f.contiguous()
        d, rows = h.shape[-1], h.numel() // h.shape[-1]
        s, y, stats = torch.empty_like(h), torch.empty(h.shape, dtype=torch.bfloat16), torch.empty(rows, 2)
        x = torch.empty_like(h) if post else s
        library().add_norm_forward(torch.get_num_threads(), ctypes.c_long(rows), d, ctypes.c_float(eps), *map(address, (
            h, f, weight, bias, s, x if post else None, y, stats)))
        ctx.save_for_backward(s, stats, weight)
        ctx.post, ctx.both = post, f is not None
        return x, y

    @staticmethod
    def backward(ctx, dx, dy):
        s, stats, weight = ctx.saved_tensors
        d, rows = s.shape[-1], s.numel() // s.shape[-1]
        dx, dy = (None if g is None else g.contiguous() for g in (dx, dy))
        dh, df, dw, db = torch.empty_like(s), torch.empty(s.shape, dtype=torch.bfloat16) if ctx.both else None, torch.zeros(d), torch.zeros(d)
        if library().add_norm_backward(torch.get_num_threads(), ctypes.c_long(rows), d, *map(address, (
                s, stats, weight, None if ctx.post else dx, dx if ctx.post else None, dy, dh, df, dw, db))):
            raise MemoryError
        return dh, df, dw, db, None, None


def column_sums(g, h=None):
    """Sums the columns of g: (..., d) bf16 -> (d,) float. If h is given, first sets g to 0, in place, wherever h is not positive."""
    d, sums = g.shape[-1], torch.zeros(g.shape[-1])
    if library().column_sums(torch.get_num_threads(), ctypes.c_long(g.numel() // d), d, *map(address, (g, h, sums))):
        raise MemoryError
    return sums


class FeedForward(torch.autograd.Function):
    """Feed-forward network: x (rows, d) bf16 -> W_down relu(W_up x + b_up) + b_down, bf16.  The weights are float, as in the optimiser."""

    @staticmethod
    def forward(ctx, x, up, b_up, down, b_down):
        up, down = up.to(torch.bfloat16), down.to(torch.bfloat16)
        h = torch.addmm(b_up.to(torch.bfloat16), x, up.t()).relu_()
        ctx.save_for_backward(x, h, up, down)
        return torch.addmm(b_down.to(torch.bfloat16), h, down.t())

    @staticmethod
    def backward(ctx, g):
        x, h, up, down = ctx.saved_tensors
        g = g.contiguous()
        dh = g @ down
        d_up = column_sums(dh, h)        # dh is now the gradient before the ReLU
        return dh @ up, (dh.t() @ x).float(), d_up, (g.t() @ h).float(), column_sums(g)


class CrossEntropy(torch.autograd.Function):
    """Cross-entropy with label smoothing: h (rows, d) bf16, table (V, d) float, target (rows,) -> (rows,). The logits are the product h
    table^T. Only one copy of the logits is in memory, in bf16; their gradient overwrites them."""

    @staticmethod
    def forward(ctx, h, table, target, smoothing):
        table, target = table.to(torch.bfloat16), target.contiguous()
        z, nats = h @ table.t(), torch.empty(len(h))
        library().cross_entropy(torch.get_num_threads(), ctypes.c_long(len(h)), len(table), ctypes.c_float(smoothing), *pointers(z, target, nats))
        ctx.save_for_backward(h, table, z)
        return nats

    @staticmethod
    def backward(ctx, g):
        h, table, z = ctx.saved_tensors
        g = g.to(torch.bfloat16)[:, None]
        return (z @ table) * g, (z.t() @ (h * g)).float(), None, None
