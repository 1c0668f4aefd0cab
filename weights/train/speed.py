#!/usr/bin/env python3
"""How fast a recipe trains here:  python3 weights/train/speed.py emoji [--threads 2] [--seconds 20] [--profile]

Steps of training on the validation examples (nothing is kept), the median step; with --profile what it is spent on. Settings of the
recipe may follow (--attention plain).
"""
import argparse
import contextlib
import statistics
import time

from common import memory

if __name__ == "__main__":
    memory.prepare()

import torch

import data
from common import loop, recipes, settings


def steps(recipe, s, seconds, profiler=None):
    """-> (seconds of each step, losses); the first three steps are not counted."""
    data.forbid_test_set()
    torch.set_num_threads(s.threads)
    torch.manual_seed(s.seed)
    trainer = loop.Trainer(recipe, s, {split: recipe.task(s).load("validation") for split in ("train", "validation")})
    took, losses, began = [], [], None
    with profiler or contextlib.nullcontext():
        while began is None or time.monotonic() - began < seconds or len(took) < 3:
            start = time.monotonic()
            losses.append(float(trainer.step()))
            if len(losses) == 3:
                began = time.monotonic()
            elif len(losses) > 3:
                took.append(time.monotonic() - start)
    return took, losses


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--seconds", type=float, default=20.0, help="to measure for")
    parser.add_argument("--plain", action="store_true", help="print the positions a second alone")
    parser.add_argument("--profile", action="store_true", help="where the time of a step goes")
    args, rest = parser.parse_known_args()
    recipe, s = settings.parse(__doc__, recipes.find, rest)
    profiler = torch.profiler.profile() if args.profile else None
    with contextlib.redirect_stdout(None) if args.plain else contextlib.nullcontext():
        took, _ = steps(recipe, s, args.seconds, profiler)
    middle, positions = statistics.median(took), s.batch * recipe.task(s).elements
    if args.plain:
        print("%.1f" % (positions / middle))
        return
    print("%s: %.1f ms a step (%.1f to %.1f of %d), %.0f positions/s, %d threads" % (
        recipe.name, 1000 * middle, 1000 * min(took), 1000 * max(took), len(took), positions / middle, s.threads))
    if profiler:
        print(profiler.key_averages().table(sort_by="self_cpu_time_total", row_limit=25, max_name_column_width=40))


if __name__ == "__main__":
    main()
