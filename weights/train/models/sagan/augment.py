# SPDX-License-Identifier: MIT
"""Differentiable augmentation [Zhao 2020]: real and generated pictures go through the same random changes before the discriminator sees
them. The discriminator then cannot memorise a small set, and the generator does not learn the changes."""
import torch
import torch.nn.functional as F


def augment(x, generator, shift=0.125, cut=0.5):
    """Augments pictures x (B, C, H, W) in -1..1, where white is 1. It changes the brightness, saturation and contrast of each picture,
    moves the picture, and cuts out a square."""
    B, C, H, W = x.shape
    u = torch.rand(7, B, generator=generator).to(x.device)
    at = lambda k: u[k][:, None, None, None]
    grey = x.mean(1, keepdim=True)
    x = grey + (x - grey) * (2 * at(0))
    x = 1 - (1 - x) * (0.75 + 0.5 * at(1)) + 0.5 * (at(2) - 0.5)
    pad = max(1, round(shift * H))
    down, right = ((2 * pad + 1) * u[3]).long(), ((2 * pad + 1) * u[4]).long()
    edge = (1 + 0.5 * (at(2) - 0.5)).expand(B, C, H, W)          # the border that appears after a shift is white too
    rows = torch.arange(H, device=x.device)[None] + down[:, None] - pad
    columns = torch.arange(W, device=x.device)[None] + right[:, None] - pad
    inside = ((rows >= 0) & (rows < H))[:, :, None] & ((columns >= 0) & (columns < W))[:, None, :]
    picked = x.permute(0, 2, 3, 1)[torch.arange(B, device=x.device)[:, None, None], rows.clamp(0, H - 1)[:, :, None], columns.clamp(0, W - 1)[:, None, :]].permute(0, 3, 1, 2)
    x = torch.where(inside[:, None], picked, edge)
    if cut:
        side = round(cut * H)
        top, left = (u[5] * (H + 1)).long() - side // 2, (u[6] * (W + 1)).long() - side // 2
        rows, columns = torch.arange(H, device=x.device)[None] - top[:, None], torch.arange(W, device=x.device)[None] - left[:, None]
        hole = ((rows >= 0) & (rows < side))[:, :, None] & ((columns >= 0) & (columns < side))[:, None, :]
        x = x.masked_fill(hole[:, None], 0.0)
    return x
