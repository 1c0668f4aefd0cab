# SPDX-License-Identifier: MIT
"""Computes the sum or the maximum over all projective trees of a sentence [Eisner 1996]. A tree connects the words 1 .. n of a sentence and
the root 0, to which exactly one word is attached:

    p(heads) = exp(sum over m of s[heads[m], m]) / Z

A span i .. j is complete if all its words depend, directly or indirectly, on one end (C_right on i, C_left on j). A span is incomplete if
the arc between its two ends was added last (I_right: i -> j, I_left: j -> i):

    I(i, j)       = log sum over i <= k < j  of exp(C_right(i, k) + C_left(k + 1, j)),   I_right = I + s[i, j],   I_left = I + s[j, i]
    C_right(i, j) = log sum over i < k <= j  of exp(I_right(i, k) + C_right(k, j))
    C_left(i, j)  = log sum over i <= k < j  of exp(C_left(i, k) + I_left(k, j))
    log Z         = log sum over r           of exp(s[0, r] + C_left(1, r) + C_right(r, n))

The outside pass is the derivative of log Z: from the widest spans to the narrowest, every sum receives a share and divides this share among
its terms. The share that an arc receives is the arc's marginal. The same code finds the best tree if `max` replaces the log sum and the
whole share goes to the first of the largest terms.

An entry [b, i, w] of a table belongs to the span of w + 1 words that begins at i (tables named `starts`) or ends at i (`ends`).
"""
import torch


def log_sum(x):
    return torch.logsumexp(x, -1)


def share(x, total):
    """Returns each term's share of the sum over the last dimension; 0 if the sum is empty."""
    return torch.exp(x - total.nan_to_num(neginf=0.0)[..., None])


def largest(x):
    return x.max(-1).values


def all_to_one(x, total):
    return torch.zeros_like(x).scatter_(-1, x.argmax(-1, keepdim=True), 1.0)


@torch.no_grad()
def sums(scores, lengths, add=log_sum, part=share):
    """Maps scores (B, n + 1, n + 1), s[head, dependent], and lengths (B,) to log Z (B,) and marginals (B, n + 1, n + 1)"""
    B, n = scores.shape[0], scores.shape[1] - 1
    rows, device = torch.arange(B), scores.device
    table = lambda: torch.full((B, n, n), -torch.inf, dtype=scores.dtype)
    right_starts, right_ends, left_starts, left_ends = table(), table(), table(), table()       # complete
    inner, going_right, going_left = table(), table(), table()  # I, I_right: indexed by start; I_left: indexed by end
    for of in (right_starts, right_ends, left_starts, left_ends):
        of[:, :, 0] = 0
    words = scores[:, 1:, 1:]
    turned = lambda t, w, first, last: t[:, w:, first:last].flip(-1)
    between = lambda w: right_starts[:, :n - w, :w] + turned(left_ends, w, 0, w)
    rightward = lambda w: going_right[:, :n - w, 1:w + 1] + turned(right_ends, w, 0, w)
    leftward = lambda w: left_starts[:, :n - w, :w] + turned(going_left, w, 1, w + 1)
    for w in range(1, n):
        inner[:, :n - w, w] = add(between(w))
        going_right[:, :n - w, w] = inner[:, :n - w, w] + words.diagonal(w, 1, 2)
        going_left[:, w:, w] = inner[:, :n - w, w] + words.diagonal(-w, 1, 2)
        right_starts[:, :n - w, w] = right_ends[:, w:, w] = add(rightward(w))
        left_starts[:, :n - w, w] = left_ends[:, w:, w] = add(leftward(w))
    last = lengths[:, None] - 1 - torch.arange(n)                        # for every r, the width of the span r .. n
    down = right_starts.gather(2, last.clamp(min=0)[:, :, None])[:, :, 0]
    roots = torch.where(last >= 0, scores[:, 0, 1:] + left_ends.diagonal(0, 1, 2) + down, torch.full_like(down, -torch.inf))
    log_z = add(roots)

    zero = lambda: torch.zeros(B, n, n, dtype=scores.dtype)
    of_right_starts, of_right_ends, of_left_starts, of_left_ends, of_going_right, of_going_left = (zero() for _ in range(6))
    marginals = torch.zeros_like(scores)
    p = part(roots, log_z)
    marginals[:, 0, 1:] = p
    of_left_ends.diagonal(0, 1, 2).add_(p)
    of_right_starts.scatter_add_(2, last.clamp(min=0)[:, :, None], (p * (last >= 0))[:, :, None])
    words = marginals[:, 1:, 1:]

    def hand(mass, terms, total, starts, at, ends, back):
        """Passes a sum's mass to its terms. Each term is a pair of spans: the first span begins where the sum's span begins, and the second
        span ends where the sum's span ends."""
        given = mass[..., None] * part(terms, total)
        starts[:, :n - w, at:at + w] += given
        ends[:, w:, back:back + w] += given.flip(-1)
    for w in range(n - 1, 0, -1):
        mass = of_right_starts[:, :n - w, w] + of_right_ends[:, w:, w]
        hand(mass, rightward(w), right_starts[:, :n - w, w], of_going_right, 1, of_right_ends, 0)
        mass = of_left_starts[:, :n - w, w] + of_left_ends[:, w:, w]
        hand(mass, leftward(w), left_starts[:, :n - w, w], of_left_starts, 0, of_going_left, 1)
        right, left = of_going_right[:, :n - w, w], of_going_left[:, w:, w]
        words.diagonal(w, 1, 2).copy_(right)
        words.diagonal(-w, 1, 2).copy_(left)
        hand(right + left, between(w), inner[:, :n - w, w], of_right_starts, 0, of_left_ends, 0)
    return log_z, marginals


class LogZ(torch.autograd.Function):
    """Returns log Z (B,), whose derivative is the marginals."""

    @staticmethod
    def forward(ctx, scores, lengths):
        log_z, marginals = sums(scores, lengths)
        ctx.save_for_backward(marginals)
        return log_z

    @staticmethod
    def backward(ctx, gradient):
        return ctx.saved_tensors[0] * gradient[:, None, None], None


log_z = LogZ.apply


def best(scores, lengths):
    """Returns heads (B, n), 0 for the root; -1 after lengths"""
    chosen = sums(scores, lengths, largest, all_to_one)[1][:, :, 1:]
    inside = torch.arange(chosen.shape[2]) < lengths[:, None]
    return torch.where(inside, chosen.argmax(1), torch.full_like(inside, -1, dtype=torch.long))


def projective(heads):
    """Returns True if exactly one word is attached to the root and no arcs cross; the arc from the root counts too. heads: the heads of
    words 1, 2, ..."""
    arcs = [(min(m, h), max(m, h)) for m, h in enumerate(heads, 1)]
    return sum(h == 0 for h in heads) == 1 and not any(a < c < b < d for a, b in arcs for c, d in arcs)
