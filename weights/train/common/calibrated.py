# SPDX-License-Identifier: MIT
"""Rounds the matrices of a Llama model to Q8_0 or Q4_0. The rounding minimises the change in the outputs of each matrix, not the change in
each weight.

After a column of a matrix is rounded, the columns to its right are adjusted to compensate for the rounding error. This adjustment works if
the inputs of the columns are correlated [Frantar et al. 2022, GPTQ, arXiv:2210.17323; Hassibi, Stork 1993]. The inputs come from texts that
the model itself generates, so no data are needed.
"""
import numpy as np

from common import gguf

DAMPING = 0.01                                           # added to the diagonal of sum x x^T, as a fraction of the diagonal's mean


def rms_norm(x, gain):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * gain


class Llama:
    """Runs B sequences together, position by position, and records the inputs of the matrices."""

    def __init__(self, header, tensors):
        self.h, self.t = header, {k: np.asarray(v, np.float32) for k, v in tensors.items()}
        self.products = {}                               # tensor name -> sum of x x^T over the tensor's inputs x

    def start(self, batch, length):
        h = self.h
        self.keys = np.zeros((h["layers"], length, batch, h["groups"], h["key"]), np.float32)
        self.values = np.zeros_like(self.keys)

    def matmul(self, name, x):
        if name in self.products:
            self.products[name] += x.T @ x
        return x @ self.t[name].T

    def rotate(self, x, position):
        angle = position / 10000.0 ** (np.arange(0, self.h["key"], 2) / self.h["key"])
        c, s, out = np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32), np.empty_like(x)
        out[..., 0::2], out[..., 1::2] = x[..., 0::2] * c - x[..., 1::2] * s, x[..., 0::2] * s + x[..., 1::2] * c
        return out

    def step(self, ids, p):
        """Computes one step: ids (B) at position p -> logits (B, V)"""
        h, t = self.h, self.t
        x, batch = t["token_embd.weight"][ids], len(ids)
        for i in range(h["layers"]):
            name = "blk.%d." % i + "%s.weight"
            y = rms_norm(x, t[name % "attn_norm"])
            q = self.rotate(self.matmul(name % "attn_q", y).reshape(batch, h["heads"], -1), p)
            self.keys[i, p] = self.rotate(self.matmul(name % "attn_k", y).reshape(batch, h["groups"], -1), p)
            self.values[i, p] = self.matmul(name % "attn_v", y).reshape(batch, h["groups"], -1)
            q = q.reshape(batch, h["groups"], -1, h["key"])
            a = np.einsum("bgmk,tbgk->bgmt", q, self.keys[i, :p + 1]) / np.float32(np.sqrt(h["key"]))
            a = np.exp(a - a.max(-1, keepdims=True))
            a /= a.sum(-1, keepdims=True)
            mixed = np.einsum("bgmt,tbgk->bgmk", a, self.values[i, :p + 1]).reshape(batch, -1)
            x = x + self.matmul(name % "attn_output", mixed)
            y = rms_norm(x, t[name % "ffn_norm"])
            gate = self.matmul(name % "ffn_gate", y)
            x = x + self.matmul(name % "ffn_down", gate / (1 + np.exp(-gate)) * self.matmul(name % "ffn_up", y))
        return self.matmul("token_embd.weight" if h["tied"] else "output.weight", rms_norm(x, t["output_norm.weight"]))


def tell(model, batch, length, seed=1):
    """Samples texts: B sequences of `length` ids from the beginning, each id drawn with its probability -> ids (length, B)"""
    rng, ids = np.random.default_rng(seed), [np.full(batch, 1)]
    model.start(batch, length)
    for p in range(length - 1):
        logits = model.step(ids[-1], p)
        ids.append((logits + rng.gumbel(size=logits.shape)).argmax(1))
    return np.stack(ids)


def greedy(model, length):
    """Generates the greedy text of the model -> ids (length + 1), logits (length, V)"""
    ids, logits = [1], []
    model.start(1, length)
    for p in range(length):
        logits.append(model.step(np.array(ids[-1:]), p)[0])
        ids.append(int(logits[-1].argmax()))
    return ids, np.stack(logits)


def greedy_margin(header, tensors, done, length=200):
    """Runs the rounded model on the text that the original model generates greedily. At each position, the margin is the logit of the
    text's next id minus the largest logit of the other ids. Returns the smallest margin. If it is negative, the rounded model generates a
    different greedy text."""
    ids, logits = greedy(Llama(header, tensors), min(length, header["length"]))
    model = Llama(header, {n: gguf.decode(done[n]) if n in done else x for n, x in tensors.items()})
    model.start(1, len(logits))
    least = np.inf
    for p in range(len(logits)):
        found = model.step(np.array(ids[p:p + 1]), p)[0]
        first = ids[p + 1]
        least = min(least, found[first] - np.delete(found, first).max())
    return least


def meet(model, ids, names):
    """Returns the sum of x x^T over the inputs x of each matrix, for the given ids: {name: (cols, cols)}"""
    model.products = {n: np.zeros((model.t[n].shape[1],) * 2, np.float32) for n in names}
    model.start(ids.shape[1], len(ids))
    for p in range(len(ids)):
        model.step(ids[p], p)
    found, model.products = model.products, {}
    return found


def scales(block, weight, kind):
    """Chooses a scale for each row of a block: (rows, 32) -> (rows,). Of several candidates near the usual scale, it takes the one with the
    smallest weighted squared error."""
    rows = np.arange(len(block))
    if kind == gguf.Q8_0:
        usual, low, high, factors = np.abs(block).max(1) / 127, -127, 127, np.linspace(0.97, 1, 7)
    else:
        usual, low, high, factors = block[rows, np.abs(block).argmax(1)] / -8, -8, 7, np.linspace(0.7, 1.15, 46)
    best, least = np.zeros(len(block)), np.full(len(block), np.inf)
    for factor in factors:
        s = (usual * factor).astype(np.float16).astype(np.float64)
        q = np.clip(np.rint(block / np.where(s == 0, 1, s)[:, None]), low, high)
        lost = ((block - q * s[:, None]) ** 2 * weight).sum(1)
        best, least = np.where(lost < least, s, best), np.minimum(lost, least)
    return best


def encode(scale, q, kind):
    """Packs scales (rows, blocks) and integers (rows, blocks, 32) into bytes"""
    if kind == gguf.Q8_0:
        out = np.zeros(scale.size, dtype=[("d", "<f2"), ("q", "i1", 32)])
        out["d"], out["q"] = scale.ravel(), q.reshape(-1, 32)
    else:
        out, q = np.zeros(scale.size, dtype=[("d", "<f2"), ("q", "u1", 16)]), (q + 8).astype(np.uint8).reshape(-1, 32)
        out["d"], out["q"] = scale.ravel(), q[:, :16] | q[:, 16:] << 4
    return out.tobytes()


def round_matrix(w, products, kind):
    """Rounds a matrix (rows, cols) and returns a gguf.Raw. products: the sum of x x^T over the matrix's inputs x"""
    w, (rows, cols) = w.astype(np.float64), w.shape
    h = products.astype(np.float64)
    h[np.diag_indices(cols)] += DAMPING * h.trace() / cols + 1e-12
    # Each row of the upper Cholesky factor of h's inverse gives the weights with which the columns to the right compensate for an error.
    up = np.linalg.cholesky(np.linalg.inv(h)).T
    low, high = (-127, 127) if kind == gguf.Q8_0 else (-8, 7)
    scale, q = np.zeros((rows, cols // 32)), np.zeros((rows, cols // 32, 32))
    for b in range(cols // 32):
        for i in range(32):
            c = 32 * b + i
            if i == 0:
                scale[:, b] = scales(w[:, c:c + 32], 1 / np.diag(up)[c:c + 32] ** 2, kind)
            s = scale[:, b]
            q[:, b, i] = np.clip(np.rint(w[:, c] / np.where(s == 0, 1, s)), low, high)
            lost = (w[:, c] - q[:, b, i] * s) / up[c, c]
            w[:, c + 1:] -= lost[:, None] * up[c, c + 1:]
    return gguf.Raw((rows, cols), kind, encode(scale, q, kind))


def round_llama(header, tensors, kinds, seed=1, batch=12, length=160):
    """Rounds the matrices listed in kinds, {name: type}, and returns {name: gguf.Raw}. The layers are rounded in order. The rounding of
    each layer is calibrated on the inputs that the layer receives from the layers already rounded."""
    model = Llama(header, tensors)
    ids, done = tell(model, batch, min(length, header["length"]), seed), {}
    parts = [("attn_q", "attn_k", "attn_v"), ("attn_output",), ("ffn_gate", "ffn_up"), ("ffn_down",)]
    groups = [["blk.%d.%s.weight" % (i, p) for p in group] for i in range(header["layers"]) for group in parts]
    for group in groups + [["output.weight", "token_embd.weight"]]:
        group = [n for n in group if n in kinds]
        heads = [n for n in group if n != "token_embd.weight" or header["tied"]]
        products = meet(model, ids, heads) if heads else {}
        for n in group:
            done[n] = round_matrix(model.t[n], products.get(n, np.eye(model.t[n].shape[1])), kinds[n])
            if n != "token_embd.weight":
                model.t[n] = gguf.decode(done[n])
    return done
