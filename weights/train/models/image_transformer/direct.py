# SPDX-License-Identifier: MIT
"""Enlarges a picture with a decoder that reads the small picture directly: each position is conditioned on features of the small picture.

This method is our own; the paper's encoder and cross-attention are in model.py. The method needs one position per pixel, in raster order.
Each pixel of the small picture corresponds to a cell of K = a b pixels in the large one. Colours are z = (255 - v) / 255, so that white and
everything outside the picture are 0. Three features of a pixel with index k in its cell are known before the pixel is sampled:

    C  (27)  the 3x3 pixels of the small picture, where the pixel's own cell is in the middle
    r  (3)   the mean colour of the rest of the cell: clamp((K z_cell - sum of earlier z in the cell) / (K - k), 0, 1)
    N  (18)  the colours of the pixels at the offsets (0,-1), (-1,0), (-1,-1), (-1,1), (0,-2), (-2,0)

The features are used twice. First, an embedding of the features is added to the decoder's input. Second, the features give a guess M of the
pixel's colour, and the guess acts as a prior on the output distribution. An encoder is optional. It reads the whole small picture, and its
output e for the cell is added to the decoder's input; there is no cross-attention.

    input     h = h + E_k [C; r; 1] + U e_cell; with a palette, also + T_near(z_cell) + T_(V + near(r)), near: index of the nearest colour
    guess     M = A_k [C; r; N; 1] + W h,     s = softplus(w . h + b_k)       h: input of the output layer
    palette   logit_v = logit_v + s (2 p_v . M - |p_v|^2),     p_v: the colours of the palette, as z
    mixtures  location_c = location_c + g_c (1 - 2 M_c - location_c), g = s_c / (1 + s_c), one s for each channel

All computations of the guess are in single precision.
"""
import math

import torch
import torch.nn.functional as F
from torch import nn

AROUND = 27
CELL = 12                                # index of the first value of a pixel's own cell in C
PAST = ((0, -1), (-1, 0), (-1, -1), (-1, 1), (0, -2), (-2, 0))
SHARE = 0.3                              # initial factor of the guess's certainty, so that the model's own knowledge is not counted twice


def colour(v):
    """Maps 8-bit values to z"""
    return (255.0 - v) / 255


def flat(c):
    """Returns two arrays (n,) for the positions in raster order: the index k in the cell, and the index of the cell."""
    a, b = c.height // c.input_height, c.width // c.input_width
    row, column = torch.arange(c.height)[:, None], torch.arange(c.width)[None]
    return ((row % a) * b + column % b).reshape(-1), ((row // a) * c.input_width + column // b).reshape(-1)


class Direct(nn.Module):
    """Tensors: direct.input.weight (K 31, d), direct.near.weight (2 V, d; only with a palette), direct.guess.weight (K 49, 3),
    direct.hidden.weight (3, d), direct.certainty.weight (S, d), direct.certainty.bias (K, S), direct.context.weight (d, d; only with an
    encoder). The rows for the same index k (the index of a pixel in its cell) are contiguous. S, the number of certainties per pixel, is 1,
    or 3 for mixtures."""

    def __init__(self, c):
        super().__init__()
        if c.interleaved != 1 or c.channels != 3 or c.pattern == "local-2d" or c.height % c.input_height or c.width % c.input_width:
            raise SystemExit("direct enlargement is for pixels of one position each, in raster order, and whole numbers of pixels in a cell")
        self.c, d = c, c.embedding_length
        self.K, self.S = c.n // (c.input_height * c.input_width), 3 if c.output == "dmol" else 1
        place, cell = flat(c)
        self.register_buffer("place", place, persistent=False)
        self.register_buffer("cell", cell, persistent=False)
        self.order = torch.argsort(cell * self.K + place)                # positions ordered by cell
        self.input, self.guess = nn.Embedding(self.K * (AROUND + 4), d), nn.Embedding(self.K * (AROUND + 3 + 3 * len(PAST) + 1), 3)
        self.hidden, self.certainty = nn.Linear(d, 3, bias=False), nn.Module()
        self.certainty.weight, self.certainty.bias = nn.Parameter(torch.zeros(self.S, d)), nn.Parameter(torch.zeros(self.K, self.S))
        if c.palette:
            self.near = nn.Embedding(2 * c.levels, d)
        if c.encoder_block_count:
            self.context = nn.Linear(d, d, bias=False)
        for name, p in self.named_parameters():
            if "certainty" not in name:
                nn.init.zeros_(p)

    def of_each(self, table, features, at=None):
        """Multiplies the features (B, n, f) of each position by a matrix (f, o) and returns (B, n, o). The table (K f, o) contains one
        matrix for each index k. If `at` is given, `features` has only position `at`: (B, 1, f) -> (B, 1, o)"""
        f = features.shape[2]
        if at is not None:
            return features @ table.view(self.K, f, -1)[self.place[at]]
        rows = features[:, self.order].reshape(-1, self.K, f).transpose(0, 1)            # (K, B cells, f)
        found = torch.bmm(rows, table.view(self.K, f, -1)).transpose(0, 1).reshape(len(features), -1, table.shape[1])
        return found[:, torch.argsort(self.order)]

    def around(self, small):
        """Gathers the neighbours of each cell: small (B, cells, 3) 8-bit -> C (B, n, 27), with the three channels of a neighbour
        contiguous."""
        c = self.c
        z = F.pad(colour(small.float()).view(len(small), c.input_height, c.input_width, 3), (0, 0, 1, 1, 1, 1))
        near = [z[:, i:i + c.input_height, j:j + c.input_width] for i in range(3) for j in range(3)]
        return torch.cat(near, -1).flatten(1, 2)[:, self.cell]

    def left(self, z, small):
        """Computes the remaining colours: z (B, n, 3) of all pixels -> r (B, n, 3); the result at a pixel does not depend on that pixel or
        on later pixels"""
        g = z[:, self.order].view(len(z), -1, self.K, 3)
        before = F.pad(g.cumsum(2)[:, :, :-1], (0, 0, 1, 0))
        rest = (self.K * colour(small.float())[:, :, None] - before) / torch.arange(self.K, 0, -1, device=z.device)[:, None]
        return rest.clamp(0, 1).flatten(1, 2)[:, torch.argsort(self.order)]

    def past(self, z):
        """Returns the colours N (B, n, 18) of the six earlier neighbours of each pixel, given z (B, n, 3)"""
        c = self.c
        g = F.pad(z.view(len(z), c.height, c.width, 3), (0, 0, 2, 2, 2, 0))
        return torch.cat([g[:, 2 + i:2 + i + c.height, 2 + j:2 + j + c.width] for i, j in PAST], -1).flatten(1, 2)

    def known(self, pixels, small):
        """Returns the features [C; r; N; 1] (B, n, 49) of pixels (B, n, 3) 8-bit"""
        z = colour(pixels.float() if pixels.dtype != torch.float64 else pixels)
        one = z.new_ones(len(z), z.shape[1], 1)
        return torch.cat([self.around(small).to(z.dtype), self.left(z, small).to(z.dtype), self.past(z), one], -1)

    @staticmethod
    def nearest(z, palette):
        """Returns the index of the palette's colour that is nearest to z (..., 3); if several colours are equally near, the lowest index.
        palette: (V, 3)"""
        p = colour(palette)
        return ((p * p).sum(1) - 2 * z.to(p.dtype) @ p.t()).argmin(-1)

    def enter(self, known, palette, e=None, at=None):
        """Returns the vectors (B, n, d) that are added to the decoder's input. palette: (V, 3) or None; e: the encoder's output (B, cells,
        d) or None; at: if given, the only position to compute"""
        h = self.of_each(self.input.weight, torch.cat([known[..., :AROUND + 3], known[..., -1:]], -1), at)
        if e is not None:
            h = h + self.context(e)[:, self.cell if at is None else self.cell[at:at + 1]]
        if palette is None:
            return h
        with torch.autocast(h.device.type, enabled=False):
            cell, left = self.nearest(known[..., CELL:CELL + 3], palette), self.nearest(known[..., AROUND:AROUND + 3], palette)
        return h + self.near(cell) + self.near(len(palette) + left)

    def lead(self, out, h, known, palette, at=None):
        """Adds the prior to `out` (B, n, P), the result of the output layer. h (B, n, d): input of the output layer; at: if given, the only
        position to compute"""
        with torch.autocast(out.device.type, enabled=False):
            kind = known.dtype
            out, h = out.to(kind), h.to(kind)
            guess = self.of_each(self.guess.weight, known, at) + self.hidden(h)
            s = F.softplus(h @ self.certainty.weight.t() + self.certainty.bias[self.place if at is None else self.place[at]])
            if palette is not None:
                p = colour(palette.to(kind))
                return out + s * (2 * guess @ p.t() - (p * p).sum(1))
            K, towards, share = self.c.mixtures, 1 - 2 * guess, s / (1 + s)
            blocks = out[..., K:].reshape(*out.shape[:2], 3, 3, K)       # axes: channel; locations, log scales and coefficients; component
            moved = blocks[..., 0, :] + share[..., None] * (towards[..., None] - blocks[..., 0, :])
            return torch.cat([out[..., :K], torch.cat([moved[..., None, :], blocks[..., 1:, :]], -2).flatten(2)], -1)

    @torch.no_grad()
    def name_colours(self, output):
        """Initialises direct.near.weight, which has two rows per palette colour, with the weights of the output layer (V, d). Rows of
        direct.near.weight are added to the decoder's input. The residual connections carry a row to the output layer, where it raises the
        logit of the row's colour."""
        rows = output - output.mean(0)
        self.near.weight.copy_(torch.cat([0.5 * rows, rows]))

    @torch.no_grad()
    def fit(self, known, pixels):
        """Initialises the guess and its certainty by least squares, separately for each index k. The rest of the model can also predict
        from the past (N). For a palette, the guess is therefore the prediction from all features minus the prediction from N alone, each
        weighted by its certainty."""
        z, past = colour(pixels.double()), slice(AROUND + 3, AROUND + 3 + 3 * len(PAST))
        for k in range(self.K):
            at = (self.place == k).nonzero()[:, 0]
            x, y = known[:, at].flatten(0, 1).double(), z[:, at].flatten(0, 1)
            busy = x[:, :AROUND].sum(1) > 0.02                           # white surrounded by white carries no information
            x, y = x[busy], y[busy]

            def solve(x):
                gram = x.t() @ x
                gram.diagonal().add_(1e-4 * len(x))
                w = torch.linalg.solve(gram, x.t() @ y)
                return w, 1 / (2 * float((y - x @ w).pow(2).mean()))
            (w, sure), (w_past, sure_past) = solve(x), solve(x[:, past])
            more = max(sure - sure_past, 1.0)
            w = w * sure / more
            w[past] -= w_past * sure_past / more
            if self.S == 3:              # mixtures use the whole prediction
                w, more = solve(x)[0], SHARE
            self.guess.weight.view(self.K, -1, 3)[k] = w.float()
            self.certainty.bias[k] = math.log(math.expm1(min(400.0, SHARE * more if self.S == 1 else more)))
