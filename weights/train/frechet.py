#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How far drawn emoji are from real ones, by features of a small classifier:  python3 weights/train/frechet.py weights/sagan-emoji.gguf [more files]

The Fréchet distance of two Gaussians [Heusel et al. 2017], |m - m'|^2 + tr(C + C' - 2 (C C')^1/2), in units of the features' mean variance, of the 64 features of a convolutional net that this command trains
for a minute to tell kinds and styles of the training pictures apart. It is ours: numbers of other classifiers mean something else. As a measure of
the scale it also prints the distance of the held-out pictures from the training pictures.
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


class Classifier(nn.Module):
    """Kinds and styles of a picture (B, 3, 32, 32) in -1..1."""

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


def pictures(directory, split):
    """-> (N, 3, 32, 32) in -1..1, kinds, styles"""
    images, styles = emoji.read_pictures(directory, split, evaluation=split == "test")
    codes = [row[1] for row in emoji.read_index(directory)]
    kinds = np.array([emoji_kinds.kind_of(codes[i]) for i in np.flatnonzero(emoji.split_of(codes) == split)])
    mine = kinds >= 0
    return torch.from_numpy(images[mine].copy()).permute(0, 3, 1, 2).float() / 127.5 - 1, torch.from_numpy(kinds[mine]).long(), torch.from_numpy(styles[mine]).long()


def train(x, y, classes, seed=1):
    torch.manual_seed(seed)
    model, rng = Classifier(classes), torch.Generator().manual_seed(seed)
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
    """In units of the mean variance that a feature has in `one`."""
    (m, C), (n, D) = one, other
    unit = torch.trace(C) / len(m)
    m, n, C, D = m / unit.sqrt(), n / unit.sqrt(), C / unit, D / unit
    values, vectors = torch.linalg.eigh(C)
    root = vectors @ torch.diag(values.clamp(min=0).sqrt()) @ vectors.t()
    return float(((m - n) ** 2).sum() + torch.trace(C) + torch.trace(D) - 2 * torch.linalg.eigvalsh(root @ D @ root).clamp(min=0).sqrt().sum())


def generator(path):
    """-> the net of a file, how long its latents are"""
    metadata, tensors = gguf.read(path)
    task = SaganTask(Settings(**SaganTask.settings_of(metadata, tensors)))
    model = task.reader()
    model.load_state_dict(task.stored(path))
    return model.eval(), task.s.latent_length


@torch.no_grad()
def drawn(model, latent_length, kinds, count, seed=1):
    """Pictures of a generator, kinds as often as in `kinds`, rounded to bytes as the engine does."""
    rng = torch.Generator().manual_seed(seed)
    for at in range(0, count, 100):
        label = kinds[torch.randint(0, len(kinds), (100,), generator=rng)]
        x = model(torch.randn(100, latent_length, generator=rng), label)
        yield torch.floor(127.5 * (1 + x) + 0.5) / 127.5 - 1


def main():
    parser = arguments.Parser(__doc__)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--data", default="", help="default data/emoji")
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    directory = args.data or emoji.DEFAULT_DIR
    x, kinds, styles = pictures(directory, "train")
    model = train(x, kinds * len(emoji.STYLES) + styles, len(emoji_kinds.CLASSES) * len(emoji.STYLES))
    real = statistics(model, [x])
    held_out = pictures(directory, "test")
    print("held-out pictures (%d): %.2f" % (len(held_out[0]), distance(real, statistics(model, [held_out[0]]))), flush=True)
    for path in args.files:
        print("%s: %.2f, %d drawn against %d training pictures" % (path, distance(real, statistics(model, drawn(*generator(path), kinds, args.count))), args.count, len(x)), flush=True)


if __name__ == "__main__":
    main()
