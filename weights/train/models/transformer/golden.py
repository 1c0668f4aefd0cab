# SPDX-License-Identifier: MIT
"""Golden cases of the Transformer.  A source has m ids, and a target has n ids; there are H heads, N decoder blocks and M encoder blocks:

    source (m)      the sentence and the end token           values (n)      t_0..t_{n-1}             label (1)   -1
    encoder (m, d)  the encoder's output                     logits (n, V)   of t_p given t_<p        nats (n)    -log p(t_p | source, t_<p)
    map.encoder (m, M H, m), map.attention (n, N H, n), map.source (n, N H, m)
                    attention weights; the rows of a position are sorted by block, then by head; key j is input position j

The random weights are large enough that attention is far from uniform.
"""
import math
from dataclasses import replace

import numpy as np
import torch

from common.golden import Case
from models.transformer.model import PADDING, Config
from models.transformer.task import TASK

BASE = Config(values=257, context_length=14, block_count=2, encoder_block_count=3, embedding_length=16, feed_forward_length=24, head_count=2)
TINY = [  # each case: name, config, weight type, ids of source and target
    ("transformer-post", BASE, "f32", 9, 14),
    ("transformer-pre", replace(BASE, norm="pre", position="learned", block_count=3, encoder_block_count=1, head_count=4), "f32", 14, 10),
    ("transformer-bias", replace(BASE, position="none", attention_bias=True, embedding_length=24, head_count=3), "f32", 6, 8),
    ("transformer-q8_0", replace(BASE, embedding_length=64, feed_forward_length=96, head_count=2, encoder_block_count=1), "q8_0", 11, 12),
    ("transformer-end", BASE, "f32", 1, 3),              # an empty sentence
]


def cases():
    found = []
    for name, config, kind, _, _ in TINY:
        task = TASK.of(config)
        task.s.vocabulary = ""
        found.append(Case(name, task, kind))
    return found


@torch.no_grad()
def randomise(model, seed):
    rng, d = np.random.default_rng(seed), model.c.embedding_length
    for name, p in model.named_parameters():
        z = torch.from_numpy(rng.standard_normal(tuple(p.shape)).astype(np.float32))
        if "position" in name:
            z = 0.7 * z
        elif "norm.weight" in name:
            z = 1 + 0.2 * z
        elif name.endswith(".bias"):
            z = 0.3 * z
        else:
            gain = 1.6 if "attn_q" in name or "attn_k" in name else 1.0
            z = gain / math.sqrt(d if name.startswith("token") else p.shape[1]) * z
        p.copy_(z)


def tensors(case, model, seed):
    m, n = next(row[3:] for row in TINY if row[0] == case.name)
    ids = torch.from_numpy(np.random.default_rng(200 + seed).integers(1, model.c.values, m + n))[None]
    source, target = ids[:, :m], ids[:, m:]
    source[0, -1] = target[0, -1] = 0
    maps = [], [], []
    logits = model(source, target, maps)
    found = dict(inputs(source, target), encoder=model.encode(source)[0][0], logits=logits[0], nats=model.each(source, target)[0])
    for name, kept in zip(("encoder", "attention", "source"), maps):
        found["map." + name] = torch.cat(kept, 1)[0].transpose(0, 1)
    return found


def inputs(source, target):
    """Returns the inputs of a trained model: one pair without padding."""
    return {"source": source[0], "values": target[0], "label": [-1]}


def outputs(model, source, target):
    """Returns logits (n, V) and nats"""
    return model(source, target)[0], model.each(source, target)[0]


@torch.no_grad()
def inside(model, source, target):
    """Returns {name: matrix} with every intermediate result for one pair, up to the logits; the names are those of
    web/pages/opened/networks.js. Post-norm only."""
    c, found = model.c, {}
    k = c.key_length

    def put(name, x):
        found[name] = x
        return x

    def attention(name, block, kind, x, memory, causal):
        w = lambda part: getattr(block, kind + "_" + part)
        query, key, value = (put("%s.%s" % (name, long), w(part)(x if part == "q" else memory)) for part, long in zip("qkv", ("query", "key", "value")))
        heads = []
        for h in range(c.head_count):
            at, of = "%s.%d." % (name, h), slice(h * k, (h + 1) * k)
            q, key_h, v = (put(at + long, m[:, of]) for long, m in (("query", query), ("key", key), ("value", value)))
            score = put(at + "scale", put(at + "compare", q @ key_h.T) / math.sqrt(k))
            if causal:
                score = put(at + "mask", score.masked_fill(torch.ones_like(score, dtype=torch.bool).triu(1), -math.inf))
            heads.append(put(at + "output", put(at + "weights", score.softmax(-1)) @ v))
        y = put(name + ".project", w("output")(put(name + ".concat", torch.cat(heads, 1))))
        return put(name + ".norm", w("norm")(put(name + ".sum", x + y)))

    def feed_forward(name, block, x):
        y = put(name + ".down", block.ffn_down(put(name + ".active", put(name + ".up", block.ffn_up(x)).relu())))
        return put(name + ".norm", block.ffn_norm(put(name + ".sum", x + y)))

    def embedded(name, stack, ids):
        hot = put(name + ".onehot", torch.stack([(torch.arange(c.values) == i).double() for i in ids]))
        x = put(name + ".scaled", put(name + ".embedding", hot @ model.token_embd.weight) * math.sqrt(c.embedding_length))
        return put(name + ".input", x + put(name + ".position", stack.positions(len(ids), x)))

    memory = embedded("enc", model.enc, source[0].tolist())
    for i, block in enumerate(model.enc.blk):
        memory = feed_forward("enc.%d.ffn" % i, block, attention("enc.%d.self" % i, block, "attn", memory, memory, False))
    x = embedded("dec", model, [PADDING] + target[0, :-1].tolist())
    for i, block in enumerate(model.blk):
        x = attention("dec.%d.self" % i, block, "attn", x, x, True)
        x = attention("dec.%d.cross" % i, block, "cross_attn", x, memory, False)
        x = feed_forward("dec.%d.ffn" % i, block, x)
    logits = put("logits", x @ model.token_embd.weight.T)
    put("odds", logits.softmax(-1))
    assert torch.allclose(logits, model(source, target)[0], atol=1e-10, rtol=0)
    return found
