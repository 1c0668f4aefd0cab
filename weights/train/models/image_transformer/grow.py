# SPDX-License-Identifier: MIT
"""Initialises a model from a smaller one so that it computes the same function, or nearly the same.

    deeper   an added block is the identity: its last matrices are zero; in post-norm, the gain and bias of the preceding norm move to the
             block's last norm, and normalising twice changes nothing
    stacked  blocks start as copies of the file's blocks, in a given order (Du et al. 2024). The function changes, but added blocks
             contribute from the first step, whereas identities can be slow to contribute
    heads    added heads, added dimensions of a head and added feed-forward units are read with zero weights; queries are
             multiplied by sqrt(new d_k / old d_k)
    wider    an added dimension is a copy of an old one (Net2Net, Chen, Goodfellow and Shlens 2016), and the weights that read the two
             dimensions add up to the old weight. If the width doubles, every dimension has one copy, and layer norms see the same mean and
             deviation as before. For other widths, both values change a little
    levels   if the model has fewer grey levels than the file, each level starts as the file's nearest level. Black starts as the file's
             first level, and white starts as the file's last level. The single logit of a Bernoulli output starts as the logit of white
             minus that of black
    classes  a model without classes leaves out the file's classes
"""
import math
import re

import torch

from common.task import Misfit

ZERO = ("attn_output.weight", "cross_attn_output.weight", "ffn_down.weight", "ffn_down.bias", "attn_output.bias", "cross_attn_output.bias")


def copies(old, new):
    """Returns a tensor of shape (new,): for each new dimension, the old dimension that it copies. The two halves are copied separately,
    because one half holds the row part of the positions and the other half the column part."""
    half, more = old // 2, (new - old) // 2
    first = torch.cat([torch.arange(half), torch.arange(more) * max(1, half // max(1, more)) % half])
    return torch.cat([first, first + half])


def shares(source, old, generator):
    """Returns a tensor of shape (new,): for each new dimension, the factor of the weights that read it. New dimension i is a copy of old
    dimension source[i]. The factors of all copies of a dimension add up to 1. They are unequal, so that the copies diverge in training."""
    raw = 0.5 + torch.rand(len(source), generator=generator)
    return raw / torch.zeros(old).index_add_(0, source, raw)[source]


def widened(weights, old, new, generator):
    """Converts all tensors of a model of width `old` to width `new`."""
    source = copies(old, new)
    share, found = shares(source, old, generator), {}
    for name, w in weights.items():
        if name == "palette.weight":
            pass
        elif "token_embd" in name:
            w = w[:, source] * math.sqrt(old / new)      # compensates for the model's multiplication by sqrt(width)
        elif "position" in name or "class_embd" in name:
            w = w[:, source[:new // 2] if w.shape[1] == old // 2 else source]
        elif "pixel_embd" in name or name.endswith(("attn_output.weight", "attn_output.bias", "ffn_down.weight", "ffn_down.bias")) or "norm" in name:
            w = w[source]
        elif w.dim() == 2:               # matrices that read the residual stream: q, k, v, ffn_up, output
            w = w[:, source] * share
        found[name] = w
    return found


def padded(w, fresh, keep):
    """Returns `fresh` with w in its first rows and columns. keep: which part of the added elements stays random (\"rows\": new rows stay
    random, and new columns are zero)."""
    grown = fresh.clone() if keep else torch.zeros_like(fresh)
    if w.dim() == 2:
        grown[:, w.shape[1]:] = 0
    grown[tuple(slice(0, n) for n in w.shape)] = w
    return grown


def headed(w, old, new, dim):
    """Pads each head with zeros along `dim`, from width `old` to width `new`."""
    parts = [torch.nn.functional.pad(part, (0, 0) * (w.dim() - 1 - dim) + (0, new - old)) for part in w.split(old, dim)]
    return torch.cat(parts, dim)


def blocks_of(weights, prefix):
    found = [int(m.group(1)) for m in (re.match(re.escape(prefix) + r"blk\.(\d+)\.", name) for name in weights) if m]
    return max(found, default=-1) + 1


def deepened(weights, own, prefix, count):
    """Adds blocks after the last one. The new blocks start as identities. In pre-norm, the new blocks add zeros. In post-norm, the last
    norm of the preceding block also moves to the end of the new block."""
    have = blocks_of(weights, prefix)
    post = prefix + "output_norm.weight" not in own
    for k in range(have, count):
        at, before = prefix + "blk.%d." % k, prefix + "blk.%d." % (k - 1)
        for name in (n for n in own if n.startswith(at)):
            weights[name] = torch.zeros_like(own[name]) if name[len(at):] in ZERO else own[name].clone()
            if post and name.endswith("norm.weight"):
                weights[name] = torch.ones_like(own[name])
            if post and name.endswith("norm.bias"):
                weights[name] = torch.zeros_like(own[name])
        if post:
            for part in ("ffn_norm.weight", "ffn_norm.bias"):
                weights[at + part], weights[before + part] = weights[before + part], weights[at + part]


def stacked(weights, own, order):
    """Rebuilds the decoder's blocks: block k starts as a copy of the file's block `order[k]`. In a post-norm model, the file's last norm
    becomes the last norm of the new stack."""
    blocks = {name: weights.pop(name) for name in list(weights) if name.startswith("blk.")}
    count = blocks_of(blocks, "")
    if any(not 0 <= k < count for k in order):
        raise Misfit("the file has the blocks 0 to %d" % (count - 1))
    for k, source in enumerate(order):
        at = "blk.%d." % source
        weights.update({"blk.%d.%s" % (k, name[len(at):]): w.clone() for name, w in blocks.items() if name.startswith(at)})
    if "output_norm.weight" in own:
        return
    for part in ("ffn_norm.weight", "ffn_norm.bias"):
        for k, source in enumerate(order[:-1]):
            if source == count - 1:              # the norm belonged to the file's last block
                weights["blk.%d.%s" % (k, part)] = torch.full_like(blocks["blk.0." + part], float(part.endswith("weight")))
        weights["blk.%d.%s" % (len(order) - 1, part)] = blocks["blk.%d.%s" % (count - 1, part)].clone()


def fewer_levels(weights, channels, levels, bernoulli):
    """Shrinks the embedding table and the output layer of a file to `levels` grey levels. Each level keeps the row of the file's nearest
    level. The row of value v in channel c is v + c * (number of levels)."""
    have = len(weights["token_embd.weight"]) // channels
    pick = torch.tensor([(2 * v * (have - 1) + levels - 1) // (2 * (levels - 1)) for v in range(levels)])
    for name in ("token_embd.weight", "output.weight", "output.bias"):
        if name in weights:
            each = len(weights[name]) // have            # outputs have rows for one channel or for all channels
            weights[name] = weights[name][torch.cat([pick + have * c for c in range(each)])]
            if bernoulli and name != "token_embd.weight":
                weights[name] = weights[name][1:] - weights[name][:1]


@torch.no_grad()
def grow(model, weights, key_length, seed=1, stack=()):
    """Initialises the model from the weights {name: tensor} of a file. key_length: width of a head in the file. stack: for each block of
    the new decoder, the index of the file's block to copy; if `stack` is empty, identity blocks are added to the file's blocks."""
    c, own, generator = model.c, model.state_dict(), torch.Generator().manual_seed(seed)
    weights = {name: w.clone() for name, w in weights.items() if c.classes or name != "class_embd.weight"}
    if c.output in ("categorical", "bernoulli") and not c.palette and len(weights.get("token_embd.weight", ())) > c.interleaved * c.levels:
        fewer_levels(weights, c.interleaved, c.levels, c.output == "bernoulli")
    old = weights["output.weight"].shape[1]
    if old > c.embedding_length or (len(stack) or blocks_of(weights, "")) > c.block_count:
        raise Misfit("the file's model is larger than this one: --embedding-length %d --block-count %d" % (old, blocks_of(weights, "")))
    if old < c.embedding_length:
        weights = widened(weights, old, c.embedding_length, generator)
    for name in list(weights):
        if c.key_length > key_length and re.search(r"attn_[qkv]\.|attn_output\.weight", name):
            w = headed(weights[name], key_length, c.key_length, 1 if "output" in name else 0)
            if re.search(r"attn_[kv]\.weight", name):   # new rows of keys and values stay random; the zeros that multiply them are trained
                rows = torch.arange(len(w)) % c.key_length >= key_length
                w[rows] = own[name][:len(w), :w.shape[1]][rows]
            weights[name] = w * math.sqrt(c.key_length / key_length) if "attn_q" in name else w
    for k in range(blocks_of(weights, "")):              # if the file has no encoder, cross-attention starts at zero
        for name in (n for n in own if n.startswith("blk.%d.cross_" % k) and n not in weights):
            weights[name] = own[name].clone() * (0.1 if "output.weight" in name else 1)
            if "norm" in name:
                weights[name] = weights[name.replace("cross_", "")].clone()
    if stack:
        stacked(weights, own, stack)
    deepened(weights, own, "", c.block_count)
    if c.encoder_block_count and blocks_of(weights, "enc."):
        deepened(weights, own, "enc.", c.encoder_block_count)
    for name, w in list(weights.items()):
        if name in own and w.shape != own[name].shape:
            if w.dim() != own[name].dim() or any(a > b for a, b in zip(w.shape, own[name].shape)) or not grows(name):
                raise Misfit("%s is %s in the file, %s in this model, and only heads, feed-forward units and classes may be added" % (name, tuple(w.shape), tuple(own[name].shape)))
            weights[name] = padded(w, own[name], re.search(r"attn_[qkv]\.|ffn_up\.weight", name))
    absent = [name for name in own if name not in weights and not name.startswith(("enc.", "direct."))]
    if absent or any(name not in own for name in weights):
        raise Misfit("not of the same kind of model: %s" % ", ".join((absent + [n for n in weights if n not in own])[:5]))
    model.load_state_dict(weights, strict=False)


def grows(name):
    """Returns whether a tensor may grow: heads, feed-forward units and classes may be added; colours, positions and outputs may not."""
    return re.search(r"attn_[qkv]\.|attn_output\.weight|ffn_up\.|ffn_down\.weight|class_embd", name)
