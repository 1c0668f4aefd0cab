# SPDX-License-Identifier: MIT
"""Adds a draft to a model:  python3 weights/train/draft.py weights/digits.gguf [--out FILE] [--hidden 32] [--rank 16] [--minutes 3]

A draft is a tiny network that guesses the next values of a picture, given the noise with which the model will sample them. The model
samples x_p = argmax_v(logit_p(v) + G_p(v)) with Gumbel noise G that is fixed in advance. The draft's guess is the same argmax with the
draft's own logits. The model then checks several guesses in one pass. Only correct guesses are kept, so the sample does not change. For
position p of H x W positions in raster order:

    h = relu(sum over o < O of E_o[x at neighbour o] + R[row(p)] + C[col(p)])         E_o[v] = N_o e_v
    logits = W_out h + b

Neighbour o is the position at (row + dr_o, col + dc_o), which comes before p; a neighbour outside the picture adds zero. The draft learns
the model's probabilities on training pictures. The draft is measured on validation pictures and on samples of the model. The command
replaces an earlier draft and changes nothing else in the file.
"""
import argparse
import math
import os
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

import data
from common import gguf
from common.recipes import find
from common.task import spread
from models.image_transformer.model import Config, ImageTransformer
from models.image_transformer.pictures import encode
from models.image_transformer.task import TASK

PREFIX, CARD = "draft.", "nextpixel.card.draft"
OFFSETS = [(0, -1), (0, -2), (0, -3), (-1, -3), (-1, -2), (-1, -1), (-1, 0), (-1, 1), (-1, 2), (-1, 3),
           (-2, -2), (-2, -1), (-2, 0), (-2, 1), (-2, 2), (-3, 0)]
CAPS, MARGINS = (4, 8, 16), (1.5, 0.75, 0.0)             # values that the measurement tries: limits on the columns per pass; margins


class Draft(nn.Module):
    """The draft network, with random initial weights. state_dict() names are the file's tensor names without "draft."."""

    def __init__(self, rows, columns, levels, hidden, rank, offsets=OFFSETS):
        super().__init__()
        self.rows, self.columns, self.levels = rows, columns, levels
        self.offset = nn.Embedding.from_pretrained(torch.tensor(offsets, dtype=torch.float32))         # (O, 2): dr, dc
        self.token_embd = nn.Embedding(levels, rank)
        self.neighbour = nn.Embedding(len(offsets) * hidden, rank)  # row o * hidden + k belongs to neighbour o and hidden unit k
        self.position_row, self.position_col = nn.Embedding(rows, hidden), nn.Embedding(columns, hidden)
        self.output = nn.Linear(hidden, levels)
        row, col = torch.meshgrid(torch.arange(rows), torch.arange(columns), indexing="ij")
        source = []                      # indices of each position's neighbours; n if a neighbour is outside
        for dr, dc in offsets:
            assert dr < 0 or dr == 0 and dc < 0
            r, c = row + dr, col + dc
            source.append(torch.where((r >= 0) & (c >= 0) & (c < columns), r * columns + c, rows * columns).flatten())
        self.register_buffer("source", torch.stack(source, 1), persistent=False)                       # (n, O)
        for table, scale in ((self.token_embd, 1.0), (self.neighbour, 1 / math.sqrt(rank * len(offsets))),
                             (self.position_row, 0.1), (self.position_col, 0.1)):
            nn.init.normal_(table.weight, std=scale)

    def tables(self):
        """Returns two tables: E_o[v] in row o * (V + 1) + v, with zeros for v = V; and R[row] + C[col] (n, hidden)"""
        O, rank = len(self.offset.weight), self.token_embd.weight.shape[1]
        each = self.token_embd.weight @ self.neighbour.weight.view(O, -1, rank).transpose(1, 2)        # (O, V, hidden)
        return F.pad(each, (0, 0, 0, 1)).flatten(0, 1), (self.position_row.weight[:, None] + self.position_col.weight).flatten(0, 1)

    def at(self, x, source, position, table):
        """Computes the logits (B, m, V) of m positions from the values x (B, n), the indices of their neighbours (B, m, O) and their
        position vectors (B or 1, m, hidden)"""
        B, m, O = source.shape
        v = F.pad(x, (0, 1), value=self.levels).gather(1, source.reshape(B, -1)).view(B * m, O) + torch.arange(O) * (self.levels + 1)
        return self.output(torch.relu(F.embedding_bag(v, table, mode="sum").view(B, m, -1) + position))

    def forward(self, x):
        """Maps x (B, n) to logits (B, n, V), with teacher forcing"""
        table, position = self.tables()
        return self.at(x, self.source.expand(len(x), -1, -1), position, table)


def random_draft(rows, columns, levels, hidden=32, rank=8, seed=1):
    """Makes a draft for tests: random weights, with logits as large as the noise."""
    generator, draft = torch.Generator().manual_seed(seed), Draft(rows, columns, levels, hidden, rank)
    with torch.no_grad():
        for p in draft.parameters():
            if p.requires_grad:
                p.copy_(torch.randn(p.shape, generator=generator) * (p.shape[1] if p.dim() == 2 else 1) ** -0.5)
        draft.output.weight *= 2
    return draft


def config_of(metadata, tensors):
    """Returns the configuration of a file's model, or exits if a draft does not support it."""
    found = TASK.settings_of(metadata, tensors)
    if found["output"] != "categorical" or found["pattern"] == "local-2d" or found["encoder_block_count"]:
        raise SystemExit("a draft needs a model of levels or palette colours that works in raster order and has no encoder")
    return Config(**found)


def load_target(path):
    """Reads a file -> (metadata, {name: Raw} without an earlier draft, ImageTransformer)"""
    metadata, tensors = gguf.read_raw(path)
    metadata.pop(CARD, None)
    tensors = {name: raw for name, raw in tensors.items() if not name.startswith(PREFIX)}
    model = ImageTransformer(config_of(metadata, tensors)).eval()
    model.load_state_dict({name: torch.from_numpy(gguf.decode(raw).copy()) for name, raw in tensors.items()})
    return metadata, tensors, model


def type_of(name, x):
    if name == "offset.weight" or x.ndim == 1:
        return gguf.F32
    return gguf.F16 if x.shape[1] % 32 else gguf.Q8_0


def stored(draft):
    """Encodes the draft's tensors as {name: Raw} for the file, and replaces the draft's weights with the rounded values of the file."""
    raw = {k: gguf.Raw(v.shape, type_of(k, v), gguf.encode(v, type_of(k, v))) for k, v in ((k, v.numpy()) for k, v in draft.state_dict().items())}
    draft.load_state_dict({k: torch.from_numpy(gguf.decode(v).copy()) for k, v in raw.items()})
    return {PREFIX + k: v for k, v in raw.items()}


def add(path, metadata, tensors, draft, card=""):
    """Writes the metadata and the tensors unchanged, and then the draft. Checks the file by reading it back, and returns its size in
    bytes."""
    metadata, tensors = dict(metadata, **{CARD: card} if card else {}), dict(tensors, **stored(draft))
    size = gguf.write(path + ".tmp", metadata, tensors)
    again, back = gguf.read_raw(path + ".tmp")
    assert list(again.items()) == list(metadata.items()) and list(back.items()) == list(tensors.items())
    os.replace(path + ".tmp", path)
    return size


@torch.no_grad()
def log_probabilities(model, x, label, fast=False, batch=4):
    """Returns the model's distribution at each position given the previous ones, (N, n, V). fast: whether to compute in half precision."""
    out = torch.empty(x.shape + (model.c.levels,), dtype=torch.float16 if fast else torch.float32)
    for i in range(0, len(x), batch):
        with torch.autocast("cpu", torch.bfloat16, enabled=fast):
            logits = model(x[i:i + batch], label[i:i + batch])
        out[i:i + batch] = torch.log_softmax(logits.float(), -1)
    return out


def gumbel(shape, dtype=torch.float32, generator=None):
    return -torch.log(torch.empty(shape, dtype=dtype).exponential_(generator=generator).clamp(min=1e-20))


def distil(draft, x, target, minutes, lr, batch, positions, seed=1):
    """Trains the draft. The first half of the training minimises the divergence of the draft's probabilities from the model's
    probabilities. The goal of the draft is to predict the value that the model chooses given the noise. The second half of the training
    therefore minimises the cross-entropy of this value under softmax(logits + G). The learning rate decreases with time. Returns the number
    of steps."""
    torch.manual_seed(seed)
    rng, start, step, done, total = np.random.default_rng(seed), time.monotonic(), 0, 0.0, []
    batch, positions = min(batch, len(x)), min(positions, x.shape[1])
    adam = torch.optim.Adam([p for p in draft.parameters() if p.requires_grad], lr, betas=(0.9, 0.99))
    while done < 1:
        adam.param_groups[0]["lr"] = lr * min(1, (step + 1) / 50) * (1 - done)
        pick = torch.from_numpy(rng.choice(len(x), batch, replace=False))
        at = torch.from_numpy(rng.choice(x.shape[1], positions, replace=False))
        table, position = draft.tables()
        logits, log_p = draft.at(x[pick], draft.source[at].expand(batch, -1, -1), position[at], table), target[pick[:, None], at].float()
        if done < 0.5:
            loss = (log_p.exp() * (log_p - torch.log_softmax(logits, -1))).sum(-1).mean()
        else:
            noise = gumbel(log_p.shape)
            loss = F.cross_entropy((logits + noise).flatten(0, 1), (log_p + noise).argmax(-1).flatten())
        adam.zero_grad()
        loss.backward()
        adam.step()
        before, step, done = done, step + 1, (time.monotonic() - start) / 60 / minutes
        total.append(float(loss.detach()))
        if int(8 * before) < int(8 * min(done, 1)):
            print("%5.0f s, step %d: %s %.4f nats/position" % (
                60 * minutes * done, step, "divergence" if before < 0.5 else "choice", sum(total) / len(total)), flush=True)
            total = []
    return step


def noise_given(log_p, x, generator):
    """Draws Gumbel noise G with argmax(log_p + G) = x, from its exact distribution: log_p (..., V), x (...) -> (..., V).  Whatever x is,
    the largest value of log_p + G is a Gumbel variable; the other values are Gumbel variables truncated at the largest value (Maddison,
    Tarlow, Minka 2014)."""
    log_p = torch.log_softmax(log_p.double(), -1)
    top = gumbel(x.shape, torch.float64, generator)[..., None]
    total = -torch.logaddexp(-top, -(log_p + gumbel(log_p.shape, torch.float64, generator)))
    return total.scatter(-1, x[..., None], top) - log_p


@torch.no_grad()
def simulate(draft, x, noise, cap, margin):
    """Simulates speculative decoding of pictures x (B, n). `noise` is the noise with which the model samples exactly these pictures.
    Returns (positions completed per pass, columns computed per pass)."""
    B, n = x.shape
    table, position = draft.tables()
    at, every, passes, columns = torch.zeros(B, dtype=torch.long), torch.arange(B), 0, 0
    while bool((at < n).any()):
        seen, right, open_ = x.clone(), at < n, at < n       # right: all drafted values so far are correct; open_: the window continues
        passes, columns, end = passes + int(right.sum()), columns + int(right.sum()), at + 1
        for k in range(cap - 1):
            p = (at + k).clamp(max=n - 1)
            score = draft.at(seen, draft.source[p][:, None], position[p][:, None], table)[:, 0] + noise[every, p]
            best = score.topk(2, -1)
            guess = best.indices[:, 0]
            open_ = open_ & (at + k + 1 < n) & (best.values[:, 0] - best.values[:, 1] >= margin)
            right = right & open_ & (guess == x[every, p])
            seen[every, p] = torch.where(open_, guess, seen[every, p])
            columns, end = columns + int(open_.sum()), end + right
        at = torch.where(at < n, end, at)
    return B * n / passes, columns / passes


@torch.no_grad()
def agreement(draft, x, noise):
    """Returns the fraction of positions where the draft guesses the model's value."""
    return float(sum((draft(x[i:i + 1])[0] + noise[i]).argmax(-1).eq(x[i]).float().mean() for i in range(len(x))) / len(x))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--out", default="", help="default: the same file")
    parser.add_argument("--dataset", default="", help="mnist or emoji; default: that of the recipe of the model's name")
    parser.add_argument("--data", default="", help="default data/<data set>")
    parser.add_argument("--hidden", type=int, default=0, help="a multiple of 32; default 32, of more than 64 values 64")
    parser.add_argument("--rank", type=int, default=0, help="default 16, of more than 64 values 32")
    parser.add_argument("--minutes", type=float, default=3.0, help="of training, after the model's probabilities are there")
    parser.add_argument("--pictures", type=int, default=1000, help="training pictures")
    parser.add_argument("--measure", type=int, default=32, help="validation pictures and samples to measure on")
    parser.add_argument("--lr", type=float, default=1e-2)
    parser.add_argument("--batch", type=int, default=32, help="pictures a step")
    parser.add_argument("--positions", type=int, default=64, help="positions of each of them")
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    data.forbid_test_set()
    torch.set_num_threads(args.threads)
    torch.manual_seed(1)
    metadata, tensors, model = load_target(args.file)
    c, wide = model.c, model.c.levels > 64
    module = data.dataset(args.dataset or find(metadata["general.name"]).settings.get("dataset", "mnist"))

    def pictures(split, count):
        images, label = module.load(args.data or module.DEFAULT_DIR, split)
        pick = spread(len(images), min(count, len(images)))
        x, label = torch.from_numpy(encode(images[pick], model)).long(), torch.from_numpy(label[pick]).long()
        return x, torch.where(torch.arange(len(x)) % 2 == 0, label, -1)              # every second picture lacks its class

    start = time.monotonic()
    x, label = pictures("train", args.pictures)
    target = log_probabilities(model, x, label, fast=True)
    print("%d training pictures, %.0f s" % (len(x), time.monotonic() - start), flush=True)
    hidden, rank = args.hidden or (64 if wide else 32), args.rank or (32 if wide else 16)
    if hidden % 32 or not 0 < hidden <= 256:
        parser.error("--hidden is a multiple of 32, at most 256")
    draft = Draft(c.height, c.columns, c.levels, hidden, rank)
    steps = distil(draft, x, target, args.minutes, args.lr, args.batch, args.positions)
    size, found = sum(len(raw.bytes) for raw in stored(draft).values()), []

    generator = torch.Generator().manual_seed(2)
    for name in ("validation pictures", "samples"):
        if name == "samples":
            label = torch.arange(args.measure) % max(c.classes, 1)
            x = model.generate(label, generator=generator)
        else:
            x, label = pictures("validation", args.measure)
        noise = noise_given(log_probabilities(model, x, label), x, generator)
        found.append("agreement %.3f on %d %s" % (agreement(draft, x, noise), len(x), name))
        print(found[-1])
        for cap in CAPS:
            for margin in MARGINS:
                print("    up to %2d columns, margin %.2f: %.2f positions a pass, %.2f columns" % (
                    (cap, margin) + simulate(draft, x, noise, cap, margin)), flush=True)
    card = "python3 weights/train/draft.py --hidden %d --rank %d --minutes %g --pictures %d; %d steps; %s" % (
        hidden, rank, args.minutes, len(target), steps, ", ".join(found))
    print("%s: %d bytes, of which draft %d" % (args.out or args.file, add(args.out or args.file, metadata, tensors, draft, card), size))

