# SPDX-License-Identifier: MIT
"""Golden cases of GPT-2. The tensors have the same names and meanings as in models/llama/golden.py: `values` (n), where the first value is
given; `logits` (n, V) of x_i given x_<i; `nats` (n)."""
import math

import numpy as np
import torch

from common.golden import Case
from models.gpt2.model import PADDING, Config
from models.gpt2.task import TASK

TINY = Config(values=257, context_length=19, block_count=2, embedding_length=24, feed_forward_length=40, head_count=3)


def cases():
    return [Case("gpt2-tiny", TASK.of(TINY), "f32")]


@torch.no_grad()
def randomise(model, seed):
    """Sets random weights that are large enough for attention to be far from uniform."""
    rng = np.random.default_rng(seed)
    for name, p in model.named_parameters():
        z = torch.from_numpy(rng.standard_normal(tuple(p.shape)))
        p.copy_(0.3 * z if "embd" in name else 1.3 / math.sqrt(p.shape[-1]) * z if p.dim() == 2 else 1 + 0.2 * z if "norm.weight" in name else 0.3 * z)


def tensors(case, model, seed):
    ids = torch.from_numpy(np.random.default_rng(200 + seed).integers(0, model.c.values, (1, model.c.context_length + 1)))
    logits, nats = outputs(model, ids)
    return dict(inputs(ids), logits=logits, nats=nats)


def inputs(ids, begins=None):
    return {"values": line(ids), "label": [-1]}


def line(ids):
    """Returns the line without the padding."""
    return ids[0][ids[0] != PADDING]


def outputs(model, ids, begins=None):
    ids = line(ids)
    logits = torch.cat([torch.zeros(1, model.c.values, dtype=torch.float64), model(ids[None, :-1])[0]])
    return logits, -logits.log_softmax(1).gather(1, ids[:, None])[:, 0]


@torch.no_grad()
def inside(model, ids, begins):
    """Returns {name: matrix} with every intermediate result for one line, up to the logits; the names are those of
    web/pages/opened/networks.js."""
    c, found, ids = model.c, {}, line(ids)[:-1]
    d, k = c.embedding_length, c.key_length

    def put(name, x):
        found[name] = x
        return x

    hot = put("dec.onehot", torch.stack([(torch.arange(c.values) == i).double() for i in ids.tolist()]))
    x = put("dec.input", put("dec.embedding", hot @ model.token_embd.weight) + put("dec.position", model.position_embd.weight[:len(ids)]))
    for i, block in enumerate(model.blk):
        name, heads = "dec.%d.self" % i, []
        qkv = put(name + ".qkv", block.attn_qkv(put(name + ".norm", block.attn_norm(x))))
        whole = {part: put("%s.%s" % (name, part), qkv[:, j * d:(j + 1) * d]) for j, part in enumerate(("query", "key", "value"))}
        for h in range(c.head_count):
            at = "%s.%d." % (name, h)
            q, key, v = (put(at + part, m[:, h * k:(h + 1) * k]) for part, m in whole.items())
            score = put(at + "scale", put(at + "compare", q @ key.T) / math.sqrt(k))
            weights = put(at + "weights", put(at + "mask", score.masked_fill(torch.ones_like(score, dtype=torch.bool).triu(1), -math.inf)).softmax(-1))
            heads.append(put(at + "output", weights @ v))
        x = put(name + ".sum", x + put(name + ".project", block.attn_output(put(name + ".concat", torch.cat(heads, 1)))))
        name = "dec.%d.ffn" % i
        up = put(name + ".up", block.ffn_up(put(name + ".norm", block.ffn_norm(x))))
        active = put(name + ".active", torch.nn.functional.gelu(up, approximate="tanh"))
        x = put(name + ".sum", x + put(name + ".down", block.ffn_down(active)))
    logits = put("logits", put("dec.norm", model.output_norm(x)) @ model.token_embd.weight.T)
    put("odds", logits.softmax(-1))
    assert torch.allclose(logits, model(ids[None])[0], atol=1e-10, rtol=0)
    return found
