"""Muon (Jordan et al. 2024, "Muon: An optimizer for hidden layers in neural networks") for the matrices of the blocks, Adam for the rest.

A matrix moves by an orthogonal matrix, the nearest to its momentum, so that every direction learns at one rate; Adam scales
each weight alone, and rare directions learn late. `orthogonal` finds it by five steps of a Newton-Schulz iteration, matrix products only.
"""
import torch

STEPS = (3.4445, -4.7750, 2.0315)        # a, b, c of the paper: singular values go to about 1, fast rather than exactly


def orthogonal(g, steps=5):
    """The orthogonal matrix (semi-orthogonal where g is not square) near g (rows, cols): g with its singular values at about 1."""
    a, b, c = STEPS
    x = (g / (g.norm() + 1e-7)).bfloat16()
    wide = x.shape[0] > x.shape[1]
    x = x.t() if wide else x
    for _ in range(steps):
        s = x @ x.t()
        x = a * x + (b * s + c * (s @ s)) @ x
    return (x.t() if wide else x).float()


class Muon(torch.optim.Optimizer):
    """Each matrix (rows, cols) moves against the orthogonal matrix of its momentum, times lr sqrt(max(1, rows / cols))."""

    def __init__(self, matrices, lr, momentum=0.95):
        super().__init__(list(matrices), dict(lr=lr, momentum=momentum))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                kept = self.state[p].setdefault("momentum", torch.zeros_like(p))
                kept.lerp_(p.grad, 1 - group["momentum"])
                update = orthogonal(p.grad.lerp(kept, group["momentum"]))            # Nesterov's look ahead
                p.add_(update, alpha=-group["lr"] * max(1.0, p.shape[0] / p.shape[1]) ** 0.5)
