#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures the loss of a trained recipe on held-out data:  python3 weights/train/evaluate.py digits [--count 1000] [--gguf FILE] [--round
q8_0]

The command measures the averaged weights of the run, or the weights stored in a .gguf file, exact or rounded as the engine rounds them.
With --file-only (evaluate.py digits --gguf weights/digits.gguf --file-only) no run is needed.  The command reads held-out examples, which
training code cannot read (see data/__init__.py). Therefore the results must not be used to choose settings, except with --split validation.
"""
import math
import time
from dataclasses import fields

from common import arguments, needed

needed.require("numpy", "torch")

import torch

from common import adopted, gguf
from common.recipes import find
from common.rounding import FORMS, rounded
from common.runs import load_average
from common.task import spread


def from_file(recipe, path):
    """Returns (task, model) for a file, without needing the run that made it; the task uses the recipe's data."""
    metadata, tensors = gguf.read_raw(path)
    known = {f.name for f in fields(recipe.task.Settings)}
    own = recipe.task.settings_of(metadata, {k: torch.empty(v.shape) for k, v in tensors.items()})
    chosen = dict({k: v for k, v in recipe.settings.items() if k in known}, **adopted.stage_of(recipe, own))
    task = recipe.task(recipe.task.Settings(**dict(chosen, **own)))
    return task, task.reader()


@torch.no_grad()
def main():
    parser = arguments.Parser(__doc__)
    parser.add_argument("recipe")
    parser.add_argument("--run", default="")
    parser.add_argument("--data", default="", help="default data/<data set>")
    parser.add_argument("--count", type=int, default=0, help="COUNT held-out examples, evenly spaced; 0 = all")
    parser.add_argument("--batch", type=int, default=50)
    parser.add_argument("--gguf", default="", help="use this file's weights (dequantised)")
    parser.add_argument("--file-only", action="store_true", help="and its settings; no run")
    parser.add_argument("--split", default="test", choices=("test", "validation"))
    parser.add_argument("--first", action="store_true", help="the first COUNT instead")
    parser.add_argument("--round", default="", choices=[""] + list(FORMS), help="round the blocks' weights as the engine does")
    parser.add_argument("--fp32", action="store_true", help="no bf16 autocast: exact but slow on a CPU")
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if args.file_only:
        (task, model), what = from_file(find(args.recipe), args.gguf), ""
    else:
        task, model, checkpoint = load_average(args.run or args.recipe)
        what = ", step %d" % checkpoint["step"]
    if args.gguf:
        model.load_state_dict(task.stored(args.gguf))
    model = model.to(device).eval()
    task.s.data = args.data or task.s.data
    examples = task.encode(task.held_out() if args.split == "test" else task.load(args.split), model)
    pick = range(args.count) if args.first else spread(len(examples), args.count)
    found, start = {}, time.monotonic()
    for i in range(0, len(pick), args.batch):
        for view, batch in task.views(*examples.take(pick[i:i + args.batch], device)).items():
            with rounded(task.forms(model, args.round)), torch.autocast(device, torch.bfloat16, enabled=task.s.bf16 and not args.fp32):
                found.setdefault(view, []).append(task.nats(model, *batch).double().cpu())
    for view, nats in found.items():
        nats = torch.cat(nats)
        print("%d %s examples, %s: %.3f +- %.3f nats, %.4f bits/dim" % (
            len(nats), "held-out" if args.split == "test" else args.split, "given the " + view if view else "alone",
            nats.mean(), nats.std() / math.sqrt(len(nats)), task.bits(float(nats.mean()))))
    print("%s%s, %.0f s" % (args.gguf or "averaged weights", what, time.monotonic() - start))


if __name__ == "__main__":
    main()
