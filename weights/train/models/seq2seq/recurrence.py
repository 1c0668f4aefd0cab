# SPDX-License-Identifier: MIT
"""Runs the GRU over whole sequences, with a custom backward pass. Several directions, such as the two of an encoder, are computed together.
For packed batches, the time of PyTorch's backward pass is quadratic in the length, because PyTorch makes a full tensor of zeros for the
slice of each step. PyTorch also computes a product for the weights' gradient at each step.

    r = sigmoid(x_r + h W_r + b_r),  z likewise,  hn = h W_n + b_n,  n = tanh(x_n + r hn),  h' = n + z (h - n)

Apart from the recursion along h, the derivatives within a step depend only on values from the forward pass. The backward pass computes them
for all steps together.
"""
import torch


class Recurrence(torch.autograd.Function):
    """Runs D directions for T steps: x (T, D, B, 3 h): W_i x + b_i, start (D, B, h), weight (D, 3 h, h), bias (D, 3 h) -> states (T, D, B,
    h)"""

    @staticmethod
    def forward(ctx, x, start, weight, bias):
        kind = torch.bfloat16 if torch.is_autocast_cpu_enabled() and x.dtype != torch.float64 else x.dtype
        x, h, bias = (t.double() if x.dtype == torch.float64 else t.float() for t in (x, start, bias))
        W, states = weight.to(kind), h.shape[-1]
        across, bias = W.transpose(1, 2).contiguous(), bias[:, None]
        gates, news, inner, found = [], [], [], [h]
        for step in x:
            of_h = torch.bmm(h.to(kind), across).to(h.dtype).add_(bias)
            rz = torch.sigmoid_(step[..., :2 * states] + of_h[..., :2 * states])
            hn = of_h[..., 2 * states:]
            n = torch.tanh_(torch.addcmul(step[..., 2 * states:], rz[..., :states], hn))
            h = torch.addcmul(n, rz[..., states:], h - n)
            gates.append(rz), news.append(n), inner.append(hn), found.append(h)
        found = torch.stack(found)
        ctx.save_for_backward(torch.stack(gates), torch.stack(news), torch.stack(inner), found, W)
        ctx.kinds = weight.dtype, start.dtype
        return found[1:]

    @staticmethod
    def backward(ctx, slopes):
        gates, n, hn, h, W = ctx.saved_tensors
        (r, z), slopes = gates.chunk(2, -1), slopes.to(h.dtype)
        of_n = (1 - z) * (1 - n * n)
        factors = torch.cat([of_n * hn * r * (1 - r), (h[:-1] - n) * z * (1 - z), of_n * r], -1)
        d, ds, of_h = torch.zeros_like(h[0]), [], []
        for t in reversed(range(len(n))):
            d = d + slopes[t]
            ds.append(d)
            of_h.append((d.repeat(1, 1, 3) * factors[t]).to(W.dtype))
            d = torch.addcmul(torch.bmm(of_h[-1], W).to(d.dtype), d, z[t])
        of_h, ds = torch.stack(of_h[::-1]), torch.stack(ds[::-1])
        rows = lambda x: x.transpose(0, 1).flatten(1, 2)                                 # (T, D, B, .) -> (D, T B, .)
        of_weight = torch.bmm(rows(of_h).transpose(1, 2), rows(h[:-1]).to(W.dtype))
        one = of_h.new_ones(W.shape[0], of_h.shape[0] * of_h.shape[2], 1)
        of_x = torch.cat([of_h[..., :2 * z.shape[-1]].to(h.dtype), ds * of_n], -1)
        return of_x, d.to(ctx.kinds[1]), of_weight.to(ctx.kinds[0]), (rows(of_h).transpose(1, 2) @ one)[..., 0].to(ctx.kinds[0])


class Turned(torch.autograd.Function):
    """Reverses each sentence of x (B, m, .) and leaves the padding unchanged. lengths (B): of the sentences"""

    @staticmethod
    def forward(ctx, x, lengths):
        ctx.lengths = lengths
        return turned(x, lengths)

    @staticmethod
    def backward(ctx, slopes):
        return turned(slopes, ctx.lengths), None


def turned(x, lengths):
    i = torch.arange(x.shape[1], device=x.device).expand(x.shape[:2])
    return x[torch.arange(len(x), device=x.device)[:, None], torch.where(i < lengths[:, None], lengths[:, None] - 1 - i, i)]


def run(cells, inputs, start):
    """Runs the cells of D directions. inputs: D tensors (B, T, d), start (D, B, h) -> states (D, B, T, h)"""
    x = torch.stack([cell.input(x) for cell, x in zip(cells, inputs)]).permute(2, 0, 1, 3)
    weight, bias = (torch.stack([getattr(cell.state, name) for cell in cells]) for name in ("weight", "bias"))
    return Recurrence.apply(x, start, weight, bias).permute(1, 2, 0, 3)
