#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Trains one GAN three times for a short time, with different constraints on its discriminator, for the figure of the page "SAGAN".

    python3 weights/train/spectral.py train              # two such processes share the work: each continues the run that is furthest behind
    python3 weights/train/spectral.py measure --out build/spectral.json --strips web/pages/sagan/runs.png

plain: no normalisation. both: every matrix of both networks is divided by its largest singular value. scales: like `both`, with the
discriminator at four times the generator's rate and the same geometric mean of the rates [Zhang 2019, figure 3; Heusel 2017]. The networks
are narrower than those of sagan-emoji and train on the same pictures. Batches, latents and seed are the same in all three runs. The figure
on the page was made with 926 pictures of four kinds.
"""
import fcntl
import json
import os
import time

from common import arguments, needed

needed.require("numpy", "torch", "PIL")

import numpy as np
import torch
from PIL import Image

import data
from common.loop import Trainer
from common.recipes import find
from common.runs import Run
from data import emoji

RUNS = dict(
    plain=dict(normed="none", lr=4e-4, critic_lr=4e-4),
    both=dict(normed="both", lr=4e-4, critic_lr=4e-4),
    scales=dict(normed="both", lr=2e-4, critic_lr=8e-4),
)
NARROW = dict(channels=(64, 64, 32, 16), critic=(32, 64, 64), batch=16, ema=0.998, lr_floor=1.0)
SLICE = 100                              # number of steps that a process trains before it may switch to another run
POINTS = (100, 200, 400, 600, 800, 1000, 1200, 1600)      # steps at which the averaged weights are saved
STRIP = 12                               # pictures per strip


def kept(name, step):
    return Run("spectral-" + name).path("average-%d.pt" % step)


def settings(name, args):
    recipe = find("sagan-emoji")
    return recipe, recipe.task.Settings(**dict(recipe.settings, **NARROW, **RUNS[name], steps=args.steps, data=args.data, threads=1, run="spectral-" + name))


def steps_of(name):
    """Reads the progress of a run."""
    path = Run("spectral-" + name).path("steps")
    return int(open(path).read()) if os.path.exists(path) else 0


def advance(name, args, examples):
    """Trains a run for SLICE steps and logs the discriminator's mean loss over these steps. At the steps in POINTS, saves the averaged
    weights."""
    recipe, s = settings(name, args)
    torch.manual_seed(s.seed)
    trainer, began, losses = Trainer(recipe, s, examples, Run(s.run)), time.process_time(), []
    for _ in range(SLICE):
        losses.append(trainer.step())
    trainer.save()
    trainer.run.log(dict(step=trainer.count, seconds=round(time.process_time() - began, 1), critic=round(float(torch.stack(losses).mean()), 4)))
    if trainer.count in POINTS:
        trainer.run.save(dict(average=trainer.average.state_dict()), "average-%d.pt" % trainer.count)
    with open(trainer.run.path("steps"), "w") as f:
        f.write(str(trainer.count))
    print("%s: step %d, critic %.3f" % (name, trainer.count, float(torch.stack(losses).mean())), flush=True)


def train(args):
    data.forbid_test_set()
    torch.set_num_threads(1)
    began, (recipe, s) = time.monotonic(), settings("plain", args)
    examples = {split: recipe.task(s).load(split) for split in ("train", "validation")}
    while not args.limit_seconds or time.monotonic() - began < args.limit_seconds:
        free = []
        for name in RUNS:
            folder = Run("spectral-" + name).folder
            os.makedirs(folder, exist_ok=True)
            lock = open(os.path.join(folder, "lock"), "w")
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                free.append((steps_of(name), name, lock))
            except BlockingIOError:
                pass
        free = sorted(((n, name, lock) for n, name, lock in free if n < args.steps), key=lambda run: run[:2])
        if not free:
            break
        name = free[0][1]
        for _, other, lock in free[1:]:
            lock.close()
        advance(name, args, examples)
        free[0][2].close()


@torch.no_grad()
def averaged(name, step, args):
    recipe, s = settings(name, args)
    task = recipe.task(s)
    model = task.model()
    model.load_state_dict(torch.load(kept(name, step), map_location="cpu")["average"])
    model.settle(16)
    return task.folded(model.eval()).eval(), s


def measure(args):
    import frechet
    torch.set_num_threads(1)
    x, kinds, labels = frechet.pictures(args.data or emoji.DEFAULT_DIR)
    known = Run("spectral-classifier")
    if known.begun():
        classifier = frechet.Classifier(int(labels.max()) + 1)
        classifier.load_state_dict(torch.load(known.checkpoint))
    else:
        classifier = frechet.train(x, labels)
        known.save(classifier.state_dict())
    real = frechet.statistics(classifier, [x])
    steps = [n for n in POINTS if all(os.path.exists(kept(name, n)) for name in RUNS)]
    found, rows = dict(steps=steps, count=args.count), []
    for name in RUNS:
        distances = []
        for n in steps:
            model, s = averaged(name, n, args)
            path = kept(name, n).replace(".pt", "-%d.txt" % args.count)      # reads a distance that was measured in an earlier call
            if not os.path.exists(path):
                value = frechet.distance(real, frechet.statistics(classifier, frechet.drawn(model, s.latent_length, frechet.sampled(kinds, args.count))))
                with open(path, "w") as f:
                    f.write("%.2f" % value)
            distances.append(float(open(path).read()))
            print("%s, step %d: %.2f" % (name, n, distances[-1]), flush=True)
        with open(Run("spectral-" + name).log_path) as f:
            losses = {line["step"]: line["critic"] for line in map(json.loads, f)}
        found[name] = dict(frechet=distances, critic=[losses[n] for n in range(SLICE, steps[-1] + 1, SLICE)])
        z = torch.randn(STRIP, s.latent_length, generator=torch.Generator().manual_seed(0))
        with torch.no_grad():
            drawn = model(z, torch.arange(STRIP) % s.classes).float().clamp(-1, 1)
        rows.append(((drawn + 1) * 127.5).round().byte().permute(0, 2, 3, 1).numpy())
    with open(args.out, "w") as f:
        json.dump(found, f, indent=1)
    strips = Image.fromarray(np.stack(rows).transpose(0, 2, 1, 3, 4).reshape(-1, STRIP * s.height, 3))
    strips.quantize(128, method=Image.MEDIANCUT, dither=Image.NONE).save(args.strips, optimize=True)
    print("%s, %s" % (args.out, args.strips))


def main():
    parser = arguments.Parser(__doc__)
    parser.add_argument("what", choices=("train", "measure"))
    parser.add_argument("--data", default="", help="default data/emoji")
    parser.add_argument("--steps", type=int, default=1600)
    parser.add_argument("--limit-seconds", type=float, default=0, help="of this process: no further slice is begun")
    parser.add_argument("--count", type=int, default=2000, help="pictures of a distance")
    parser.add_argument("--out", default="build/spectral.json")
    parser.add_argument("--strips", default="build/spectral.png")
    args = parser.parse_args()
    train(args) if args.what == "train" else measure(args)


if __name__ == "__main__":
    main()
