# SPDX-License-Identifier: MIT
"""Interprets the output layer's values as the distribution of one position. Computes log-likelihoods, and samples values.

    categorical   V logits
    bernoulli     one logit a, p(1) = sigmoid(a)
    logistic      location, log scale: one discretised logistic over the V levels
    gaussian      location, log scale: one discretised normal distribution over the V levels
    dmol          a mixture of K discretised logistics over the 256 values of each channel of a pixel; values
                  [K logits | R: K means, K log scales, K coefficients | G: the same | B: the same], for a grey pixel
                  [K logits | K means | K log scales]

A level l is scaled to [-1, 1]: x = 2 l/(V-1) - 1. `nats` returns one number per position, or one per channel for dmol.
"""
import math

import torch
import torch.nn.functional as F

MIN_LOG_SCALE = -7.0


def width(c):
    """Returns the width of the output layer: its number of values per position."""
    return {"categorical": c.levels, "bernoulli": 1, "logistic": 2, "gaussian": 2,
            "dmol": c.mixtures * (10 if c.channels == 3 else 3)}[c.output]


def to_unit(x, levels):
    return 2.0 * x / (levels - 1) - 1.0


def log_bin(x, mean, log_scale, levels, normal=False):
    """Returns the log-probability of the bin of half-width 1/(V-1) around x; the outermost bins reach to infinity. For a bin of probability
    below 1e-5 the function uses density times width, which avoids cancellation and keeps the gradient."""
    log_scale = log_scale.clamp(min=MIN_LOG_SCALE)
    z, half = (x - mean) * torch.exp(-log_scale), torch.exp(-log_scale) / (levels - 1)
    if normal:
        log_cdf, log_density = torch.special.log_ndtr, -0.5 * z * z - 0.5 * math.log(2 * math.pi)
        inside = (torch.erf((z + half) / math.sqrt(2)) - torch.erf((z - half) / math.sqrt(2))) / 2
    else:
        log_cdf, log_density = F.logsigmoid, z - 2 * F.softplus(z)
        inside = torch.sigmoid(z + half) - torch.sigmoid(z - half)
    middle = torch.where(inside > 1e-5, torch.log(inside.clamp(min=1e-12)), log_density - log_scale - math.log((levels - 1) / 2))
    return torch.where(x < -0.999, log_cdf(z + half), torch.where(x > 0.999, log_cdf(half - z), middle))


def split_mixture(c, out):
    """Splits the output, of shape (..., 10 K) or, for grey pixels, (..., 3 K). Returns the log weights (..., K) and, for each channel,
    (means, log scales, coefficients after tanh). For grey pixels, the coefficients are None."""
    K, parts = c.mixtures, out.split(c.mixtures, -1)
    per = 3 if c.channels == 3 else 2
    channels = [parts[1 + per * k:1 + per * (k + 1)] for k in range(c.channels)]
    return torch.log_softmax(parts[0], -1), [(p[0], p[1], torch.tanh(p[2]) if per == 3 else None) for p in channels]


def mixture_mean(channels, k, x):
    """Returns the means of channel k. x (..., >= k): the values of the previous channels, in [-1, 1].
    mu_R = m_R,  mu_G = m_G + c_R x_R,  mu_B = m_B + c_G x_R + c_B x_G."""
    mean = channels[k][0]
    for j in range(k):                   # the pairs (k, j) = (1, 0), (2, 0), (2, 1) use the coefficients of R, G, B
        mean = mean + channels[k - 1 + j][2] * x[..., j:j + 1]
    return mean


def nats(c, out, x):
    """Returns the negative log-likelihoods (..., n) of the levels x (..., n), given the network's output `out` (..., n, width). For dmol, x
    and the result have the shape (..., n, C), and the result contains -log p(R), -log p(G|R), -log p(B|R,G)."""
    if c.output == "categorical":
        return -torch.log_softmax(out, -1).gather(-1, x[..., None])[..., 0]
    if c.output == "bernoulli":
        return F.softplus(out[..., 0]) - out[..., 0] * x
    unit = to_unit(x.to(out.dtype), c.levels)
    if c.output != "dmol":
        return -log_bin(unit, out[..., 0], out[..., 1], c.levels, c.output == "gaussian")
    joint, channels = split_mixture(c, out)              # joint: log p(component, channels so far)
    total = [torch.zeros_like(joint[..., 0])]
    for k in range(c.channels):
        joint = joint + log_bin(unit[..., k:k + 1], mixture_mean(channels, k, unit), channels[k][1], c.levels)
        total.append(torch.logsumexp(joint, -1))
    return -torch.stack([b - a for a, b in zip(total, total[1:])], -1)


def sample(c, out, temperature, generator):
    """Draws levels from the network's output `out` (B, width). Returns a tensor (B,), or (B, C) for dmol. Each level is drawn from all V
    probabilities at once; the channels of dmol are drawn one after another."""
    draw = lambda logits: torch.multinomial(torch.softmax(logits / temperature, -1), 1, generator=generator)
    if c.output == "categorical":
        return draw(out)[:, 0]
    if c.output == "bernoulli":
        return draw(F.pad(out, (1, 0)))[:, 0]
    grid = to_unit(torch.arange(c.levels, device=out.device, dtype=out.dtype), c.levels)
    if c.output != "dmol":
        return draw(log_bin(grid, out[:, :1], out[:, 1:], c.levels, c.output == "gaussian"))[:, 0]
    joint, channels = split_mixture(c, out)
    x = torch.zeros(len(out), 0, dtype=torch.long, device=out.device)
    for k in range(c.channels):
        unit = to_unit(x.to(out.dtype), c.levels)
        each = log_bin(grid[None, :, None], mixture_mean(channels, k, unit)[:, None], channels[k][1][:, None], c.levels)   # (B, V, K)
        value = draw(torch.logsumexp(joint[:, None] + each, -1))
        joint = joint + each.gather(1, value[..., None].expand(-1, 1, c.mixtures))[:, 0]
        x = torch.cat([x, value], 1)
    return x
