#!/usr/bin/env python3
"""Loss of a trained recipe on its held-out pictures:  python3 weights/train/evaluate.py digits [--count 1000] [--gguf FILE] [--round q8_0]

The averaged weights of the run, or the weights as stored in a .gguf file, exact or rounded as the engine rounds them.  Reads the
held-out pictures, so nothing here may be used to choose settings; training code cannot reach them (see data.py).
"""
import argparse
import math
import time

import torch

import data
from export import load_average, load_stored
from rounding import FORMS, rounded
from train import Split


@torch.no_grad()
def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipe")
    parser.add_argument("--run", default="")
    parser.add_argument("--data", default="", help="default data/<data set>")
    parser.add_argument("--count", type=int, default=0, help="COUNT held-out images, evenly spaced; 0 = all")
    parser.add_argument("--batch", type=int, default=50)
    parser.add_argument("--gguf", default="", help="use this file's weights (dequantised)")
    parser.add_argument("--first", action="store_true", help="the first COUNT instead")
    parser.add_argument("--round", default="", choices=[""] + list(FORMS), help="round the blocks' weights as the engine does")
    parser.add_argument("--fp32", action="store_true", help="no bf16 autocast: exact but slow on a CPU")
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model, checkpoint = load_average(args.run or args.recipe)
    if args.gguf:
        load_stored(model, args.gguf)
    model, c = model.to(device).eval(), model.c

    module = data.dataset(checkpoint["settings"].get("dataset", "mnist"))
    held_out = Split(*module.load_test_for_evaluation(args.data or module.DEFAULT_DIR), model)
    pick = range(args.count) if args.first else data.spread(len(held_out), args.count)
    total, start = [], time.monotonic()
    for i in range(0, len(pick), args.batch):
        x, y, small = held_out.take(pick[i:i + args.batch], device)
        with rounded(model, args.round), torch.autocast(device, torch.bfloat16, enabled=not args.fp32):
            free, given = model.nats(x, torch.full_like(y, -1), small).double(), model.nats(x, y, small).double()
        total.append(torch.stack([free, given], 1).cpu())
    nats = torch.cat(total)
    mean, error = nats.mean(0), nats.std(0) / math.sqrt(len(nats))
    for k, name in enumerate(("without class", "given the class")):
        print("%d held-out images, %s: %.3f +- %.3f nats/image, %.4f nats/pixel, %.4f bits/dim" % (
            len(nats), name, mean[k], error[k], mean[k] / c.height / c.width, mean[k] / (c.height * c.width * c.channels) / math.log(2)))
    print("%s, step %d, %.0f s" % (args.gguf or "averaged weights", checkpoint["step"], time.monotonic() - start))


if __name__ == "__main__":
    main()
