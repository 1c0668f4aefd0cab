# SPDX-License-Identifier: MIT
"""Computes attention as the marginals of a chain of bits [Kim, Denton, Hoang and Rush 2017, section 3.1]: z_1 .. z_m, attended or not, with

    p(z) = exp( sum over i of theta_i z_i  +  sum over i > 1 of A[z_{i-1}][z_i] ) / Z

A bit has two states, so its odds are sufficient. f_i and b_i are the log odds of z_i = 1 from the left and from the right; only f_i
includes theta_i:

    f_1 = theta_1,  f_i = theta_i + g(f_{i-1}),   g(x) = A01 - A00 + softplus(x + A11 - A01) - softplus(x + A10 - A00)
    b_m = 0,        b_i = h(theta_{i+1} + b_{i+1}),  h is g with A transposed
    p(z_i = 1) = sigmoid(f_i + b_i)

Nothing can underflow, however long the chain is. With A = 0 the marginal equals sigmoid(theta_i).
"""
import torch
import torch.nn.functional as F


def marginals(theta, A, lengths):
    """Returns p(z_i = 1), (B, n, m), with 0 after the end of a sentence. theta (B, n, m): scores of n chains for each of B sentences. A (2,
    2): A[from][to]. lengths (B)"""
    m = theta.shape[-1]
    there = torch.arange(m, device=theta.device) < lengths[:, None]
    scores, ahead = theta.unbind(-1), there[:, None].to(theta.dtype).unbind(-1)
    from_zero = torch.stack([A[0, 1] - A[0, 0], A[1, 0] - A[0, 0]])[:, None, None]       # both directions are computed together
    stay = torch.stack([A[1, 1] - A[0, 1], A[1, 1] - A[1, 0]])[:, None, None]
    leave = from_zero.flip(0)
    x = torch.stack([scores[0], torch.zeros_like(scores[0])])                            # f_i; b_{m-1-i}
    forward, backward, one = [x[0]], [x[1]], torch.ones_like(ahead[0])
    for i in range(1, m):
        seen = torch.stack([x[0], x[1] + scores[m - i]])
        x = from_zero + F.softplus(seen + stay) - F.softplus(seen + leave)
        x = x * torch.stack([one, ahead[m - i]]) + torch.stack([scores[i], torch.zeros_like(scores[i])])
        forward.append(x[0]), backward.append(x[1])
    return torch.sigmoid(torch.stack(forward, -1) + torch.stack(backward[::-1], -1)) * there[:, None]
