#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures the distance of generated emoji from real emoji, and the variety of both:  python3 weights/train/frechet.py
weights/sagan-emoji.gguf [more files]

The distance is the Fréchet distance of two Gaussians [Heusel et al. 2017], |m - m'|^2 + tr(C + C' - 2 (C C')^1/2), divided by the mean
variance of a feature. The 64 features come from a convolutional network that this command trains for a minute to classify kinds and sets of
the training pictures. This measure is our own; it cannot be compared with distances that use the features of other classifiers. For
comparison, the command also prints the distance of the held-out pictures from the training pictures.

Then, for each class, the command counts the distinct pictures among sixteen generated ones. Two pictures count as the same if the
distance between their features is smaller than in 99 % of all pairs of training pictures of the class. The command also prints the mean
distance in colour (root mean square) between two generated pictures, relative to the distance between two training pictures. The count and
the colour distance are averaged over many groups of sixteen pictures; training pictures are measured in the same way.
"""
import time

from common import arguments, needed

needed.require("numpy", "torch")

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from common import gguf
from data import emoji, emoji_kinds
from models.sagan.task import SaganTask, Settings

SIXTEENS = 50                            # number of groups of sixteen pictures over which variety is averaged


class Classifier(nn.Module):
    """Classifies pictures (B, 3, 32, 32) with values in -1..1. Each class is a combination of a kind and a set of drawings."""

    def __init__(self, classes):
        super().__init__()
        widths = (3, 32, 48, 64)
        self.convolutions = nn.ModuleList(nn.Conv2d(a, b, 4, 2, 1) for a, b in zip(widths, widths[1:]))
        self.hidden, self.last = nn.Linear(64 * 16, 64), nn.Linear(64, classes)

    def features(self, x):
        for convolution in self.convolutions:
            x = F.relu(convolution(x))
        return F.relu(self.hidden(x.flatten(1)))

    def forward(self, x):
        return self.last(self.features(x))


def tensors(images, kinds):
    """Returns pictures (N, 3, 32, 32) in -1..1, and their kinds"""
    return torch.from_numpy(images.copy()).permute(0, 3, 1, 2).float() / 127.5 - 1, torch.from_numpy(kinds).long()


def pictures(directory):
    """Returns the training pictures (N, 3, 32, 32) in -1..1, their kinds, and a number for each combination of kind and set"""
    images, kinds, rows = emoji_kinds.drawn(directory)
    x, kinds = tensors(images, kinds)
    sets = sorted({row[0] for row in rows})
    return x, kinds, kinds * len(sets) + torch.tensor([sets.index(row[0]) for row in rows])


def train(x, y, seed=1):
    torch.manual_seed(seed)
    model, rng = Classifier(int(y.max()) + 1), torch.Generator().manual_seed(seed)
    adam, steps, began = torch.optim.Adam(model.parameters(), 2e-3), 1200, time.process_time()
    for step in range(steps):
        for group in adam.param_groups:
            group["lr"] = 2e-3 * (1 - step / steps)
        pick = torch.randint(0, len(x), (64,), generator=rng)
        shift = torch.randint(-2, 3, (2,), generator=rng).tolist()
        loss = F.cross_entropy(model(torch.roll(x[pick], shift, (2, 3))), y[pick])
        adam.zero_grad()
        loss.backward()
        adam.step()
    with torch.no_grad():
        right = (model(x).argmax(1) == y).float().mean()
    print("classifier: %d steps, %.0f s, %.1f %% of the training pictures right" % (steps, time.process_time() - began, 100 * right), flush=True)
    return model.eval()


@torch.no_grad()
def statistics(model, batches):
    features = torch.cat([model.features(x) for x in batches]).double()
    return features.mean(0), torch.cov(features.t())


def distance(one, other):
    """Returns the Fréchet distance, divided by the mean variance of a feature in `one`."""
    (m, C), (n, D) = one, other
    unit = torch.trace(C) / len(m)
    m, n, C, D = m / unit.sqrt(), n / unit.sqrt(), C / unit, D / unit
    values, vectors = torch.linalg.eigh(C)
    root = vectors @ torch.diag(values.clamp(min=0).sqrt()) @ vectors.t()
    return float(((m - n) ** 2).sum() + torch.trace(C) + torch.trace(D) - 2 * torch.linalg.eigvalsh(root @ D @ root).clamp(min=0).sqrt().sum())


def generator(path):
    """Returns the network of a file, the length of the network's latents, and the index of the kind for each of its classes"""
    metadata, tensors = gguf.read(path)
    task = SaganTask(Settings(**SaganTask.settings_of(metadata, tensors)))
    model = task.reader()
    model.load_state_dict(task.stored(path))
    return model.eval(), task.s.latent_length, [emoji_kinds.CLASSES.index(name) for name in metadata["sagan.classes"]]


@torch.no_grad()
def drawn(model, latent_length, labels, seed=1):
    """Generates one picture per label, in batches of a hundred, rounded to bytes as in the engine."""
    rng = torch.Generator().manual_seed(seed)
    for label in labels.split(100):
        x = model(torch.randn(len(label), latent_length, generator=rng), label)
        yield torch.floor(127.5 * (1 + x) + 0.5) / 127.5 - 1


def sampled(kinds, count, seed=1):
    """Samples `count` elements of `kinds`, with replacement."""
    return kinds[torch.randint(0, len(kinds), (count,), generator=torch.Generator().manual_seed(seed))]


def differing(distances, least):
    """Goes through the pictures and counts each picture whose distance from all pictures counted so far is at least `least`. distances (N,
    N): between all pairs of pictures"""
    kept = []
    for i in range(len(distances)):
        if all(distances[i, j] >= least for j in kept):
            kept.append(i)
    return len(kept)


@torch.no_grad()
def variety(model, real, drawn, seed=1):
    """Measures real and generated pictures of one class, (N, 3, 32, 32) each. Returns a pair for the real pictures and a pair for the
    generated ones: (number of different pictures among sixteen, mean colour distance of two pictures)"""
    rng, features = torch.Generator().manual_seed(seed), model.features
    pairs = torch.randint(0, len(real), (2, 4000), generator=rng)
    f = features(real)
    least = (f[pairs[0]] - f[pairs[1]])[pairs[0] != pairs[1]].norm(dim=1).quantile(0.01)
    found = []
    for x in (real, drawn):
        sixteens = [x[torch.randperm(len(x), generator=rng)[:16]] for _ in range(SIXTEENS)]
        counts = [differing(torch.cdist(f, f), least) for f in map(features, sixteens)]
        apart = [torch.cdist(x, x).sum() / 240 / x.shape[1] ** 0.5 for x in (sixteen.flatten(1) for sixteen in sixteens)]
        found.append((sum(counts) / SIXTEENS, float(sum(apart)) / SIXTEENS))
    return found


def main():
    parser = arguments.Parser(__doc__)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--data", default="", help="default data/emoji")
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--kinds", default="", help="only these, as face,heart")
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    directory = args.data or emoji.DEFAULT_DIR
    x, kinds, labels = pictures(directory)
    model = train(x, labels)
    wanted = [emoji_kinds.CLASSES.index(name) for name in args.kinds.split(",") if name] or range(len(emoji_kinds.CLASSES))
    of = lambda x, kinds, some: x[torch.isin(kinds, torch.tensor(list(some)))]
    held_out = tensors(*emoji_kinds.load_test_for_evaluation(directory))
    print("held-out pictures (%d): %.2f" % (len(of(*held_out, wanted)), distance(*(statistics(model, [of(*some, wanted)]) for some in ((x, kinds), held_out)))), flush=True)
    for path in args.files:
        net, latent_length, classes = generator(path)
        there = [kind for kind in classes if kind in wanted]
        real, own = of(x, kinds, there), of(kinds, kinds, there)
        label = torch.tensor([classes.index(kind) if kind in classes else -1 for kind in range(len(emoji_kinds.CLASSES))])[sampled(own, args.count)]
        print("%s: %.2f, %d drawn against %d training pictures" % (
            path, distance(statistics(model, [real]), statistics(model, drawn(net, latent_length, label))), args.count, len(real)), flush=True)
        for kind in there:
            made = torch.cat(list(drawn(net, latent_length, torch.full((400,), classes.index(kind)))))
            (real_differ, real_apart), (differ, apart) = variety(model, x[kinds == kind], made)
            print("  %s: of sixteen %.1f differ (of training pictures %.1f), two are %.0f %% as far apart in colour" % (
                emoji_kinds.CLASSES[kind], differ, real_differ, 100 * apart / real_apart), flush=True)


if __name__ == "__main__":
    main()
