#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures how fast a recipe trains here:  python3 weights/train/speed.py emoji [--threads 2] [--seconds 20] [--against native=0]
[--profile]

The command measures the duration of training steps on the validation examples, and saves nothing. Further options change settings of the
recipe. On a shared machine, --clock cpu --threads 1 counts CPU time, which hardly depends on other programs. --against KEY=VALUE,...
compares the recipe with a variant that has these settings. The recipe and its variant train alternately, step by step, so that other
programs affect both equally. The command also compares the losses of the two. --profile prints where the time goes.
"""
import argparse
import contextlib
import os
import statistics
import time
from dataclasses import replace

from common import memory, needed

if __name__ == "__main__":
    needed.require("numpy", "torch")
    memory.prepare()

import torch

import data
from common import loop, native, recipes, settings

FIRST = 3                                # number of steps at the beginning that are not counted


def trainer(recipe, s):
    torch.manual_seed(s.seed)
    if hasattr(s, "pretrain_encoder"):
        s = replace(s, pretrain_encoder=0)       # the pretraining is not measured
    examples = recipe.task(s).load("validation")
    return loop.Trainer(recipe, s, dict(train=examples, validation=examples))


def steps(trainers, seconds, profiler=None):
    """Alternates steps of the trainers. Returns, for each trainer, the time of each step in seconds, and the losses."""
    took, losses, end = [[] for _ in trainers], [[] for _ in trainers], None
    with profiler or contextlib.nullcontext():
        while end is None or time.monotonic() < end or len(took[0]) < 3:
            for t, times, found in zip(trainers, took, losses):
                native.enabled = t.s.native
                clock = loop.CLOCKS[t.s.clock]
                start = clock()
                found.append(float(t.step()))
                if len(found) > FIRST:
                    times.append(clock() - start)
            if end is None and len(losses[0]) == FIRST:
                end = time.monotonic() + seconds
    return took, losses


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--against", default="", metavar="KEY=VALUE,...")
    parser.add_argument("--plain", action="store_true", help="print the positions a second alone")
    parser.add_argument("--profile", action="store_true")
    args, rest = parser.parse_known_args()
    recipe, s = settings.parse(__doc__, recipes.find, rest)
    data.forbid_test_set()
    torch.set_num_threads(s.threads)
    fields = s.__dataclass_fields__
    other = {k: settings.number(type(fields[k].default))(v) for k, v in (pair.split("=") for pair in args.against.split(",") if pair)}
    profiler = torch.profiler.profile() if args.profile else None
    with open(os.devnull, "w") as quiet, contextlib.redirect_stdout(quiet):
        trainers = [trainer(recipe, s)] + ([trainer(recipe, replace(s, **other))] if other else [])
    took, losses = steps(trainers, args.seconds, profiler)
    middle, positions = [statistics.median(t) for t in took], s.batch * trainers[0].task.elements
    if args.plain:
        print("%.1f" % (positions / middle[0]))
        return
    for name, m, t in zip((recipe.name, args.against), middle, took):
        print("%s: %.1f ms a step (%.1f to %.1f of %d), %.0f positions/s, %d threads" % (
            name, 1000 * m, 1000 * min(t), 1000 * max(t), len(t), positions / m, s.threads))
    if other:
        ratios = sorted(b / a for a, b in zip(*took))
        print("%.2f times as fast (median of %d pairs; half of them %.2f to %.2f); losses of the first ten steps differ by at most %.4f %%" % (
            statistics.median(ratios), len(ratios), ratios[len(ratios) // 4], ratios[-1 - len(ratios) // 4],
            100 * max(abs(a / b - 1) for a, b in list(zip(*losses))[:10])))
    if profiler:
        print(profiler.key_averages().table(sort_by="self_cpu_time_total", row_limit=25, max_name_column_width=40))


if __name__ == "__main__":
    main()
