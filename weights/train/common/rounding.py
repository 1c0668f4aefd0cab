# SPDX-License-Identifier: MIT
"""Trains with the rounding of the engine, so that weights shipped in Q8_0 or Q4_0 lose little accuracy.

In a row that copies a value, one weight is large, so the row's other weights are rounded coarsely (start.py makes such rows for
photographs). Therefore the forward and backward pass use rounded weights, and the gradient updates the exact weights (the straight-through
estimator of Bengio, Leonard and Courville 2013). The engine's other roundings have no measurable effect.
"""
import contextlib

import torch

from common import native

BLOCK = 32                               # weights that share a scale in a file
FILE, ENGINE = 127, 63                   # number of steps on each side of zero, in a Q8_0 file and in the engine's weights


def to_steps(x, steps):
    """Rounds the values along the last axis to multiples of (their largest magnitude / steps)."""
    if native.usable(x):
        return native.to_steps(x, x.shape[-1], steps)
    step = x.abs().amax(-1, keepdim=True) / steps
    return torch.where(step > 0, (x / step).round() * step, x)


def q8_0(w):
    """Rounds a matrix (rows, columns) twice: to Q8_0 as in a file, and then to the engine's format, which has 63 steps on each side of zero
    in every row (src/kernels/matmul.c)."""
    return to_steps(to_steps(w.unflatten(1, (-1, BLOCK)), FILE).flatten(1), ENGINE)


def q4_0(w):
    """Rounds a matrix to Q4_0, which the engine keeps unchanged. In each block, a step is an eighth of the largest value, and weights are
    -8..7 steps."""
    blocks = w.unflatten(1, (-1, BLOCK))
    step = blocks.gather(-1, blocks.abs().argmax(-1, keepdim=True)) / -8
    return torch.where(step != 0, (blocks / step).round().clamp(-8, 7) * step, blocks).flatten(1)


FORMS = {"q8_0": q8_0, "q4_0": q4_0}     # the half-precision rounding of the scales is not imitated


@contextlib.contextmanager
def rounded(forms):
    """Context manager that rounds the parameter of each (parameter, form) pair to its form, and restores the exact values at the end.
    A matrix whose width is not a multiple of 32 is not rounded."""
    kept = [(p, form) for p, form in forms if p.shape[1] % BLOCK == 0]
    with torch.no_grad():
        exact = [p.clone() for p, _ in kept]
        for p, form in kept:
            p.copy_(FORMS[form](p))
    try:
        yield
    finally:
        with torch.no_grad():
            for (p, _), x in zip(kept, exact):
                p.copy_(x)
