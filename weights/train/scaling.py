#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares sizes for a given time:  python3 weights/train/scaling.py emoji cifar10 [--minutes 20] [--smoke]

Trains three sizes of each recipe from scratch, one after another, each with one thread at the lowest priority. Every size gets the same CPU
time (train.py --clock cpu), so other programs affect all sizes equally. The command prints a table of their losses on the same validation
pictures, and an extrapolation to longer runs. To resume a stopped comparison, run the command again; --table only prints the results.

The learning rate is the only setting of a recipe that depends on the size: it is inversely proportional to the square root of the width.
The warm-up is shortened: otherwise, it would take most of a run of a few minutes.

The rule for longer runs is an extrapolation, not a measurement.  Compute-optimal sizes of language models grow with the square root of the
compute (Hoffmann et al. 2022, arXiv:2203.15556). So the estimate for a longer run takes the number of parameters of the best size in this
comparison, and multiplies it by the square root of the growth in compute. If the largest size is the best here, the estimate is a lower
bound; if the smallest size is the best, the estimate is an upper bound.
"""
import json
import math
import os
import signal
import subprocess
import sys
from typing import NamedTuple

from common import arguments, machine, queue, runlog
from common.recipes import HERE, RUNS, find


class Size(NamedTuple):
    width: int
    blocks: int
    heads: int
    head: int                            # width of a head

    def __str__(self):
        return "%d wide, %d blocks, %d x %d" % self


SIZES = {                                # the middle size of each recipe is the recipe's own
    "emoji": (Size(96, 4, 3, 32), Size(160, 6, 4, 40), Size(256, 6, 4, 64)),
    "cifar10": (Size(96, 4, 3, 32), Size(128, 6, 4, 32), Size(192, 8, 6, 32)),
}
LONGER = (("an hour of two cores", 2 * 60), ("ten hours of two cores", 20 * 60))  # durations of longer runs, in minutes of one core
GPU, GPU_MINUTES = 1e14, 30              # floating-point operations per second: assumed, an eighth of an H200's peak in bf16
WARM_UP = 40                             # maximum number of steps


class Row(NamedTuple):
    size: Size
    parameters: int
    steps: int
    seconds: float                       # of CPU time
    nats: float
    bits: float


def run_of(recipe, size):
    return "scaling-%s-%dx%d" % (recipe, size.width, size.blocks)


def settings(recipe, size, minutes):
    """Returns the arguments for train.py."""
    own = find(recipe).settings
    rate = own["lr"] * math.sqrt(own["embedding_length"] / size.width)
    given = dict(embedding_length=size.width, feed_forward_length=4 * size.width, block_count=size.blocks, head_count=size.heads,
                 key_length=size.head, lr="%.3g" % rate, warmup=min(own["warmup"], WARM_UP), minutes=minutes, clock="cpu", threads=1,
                 every=max(minutes, 1.0), sheets=-1, final_valid_images=200)
    return ["--%s=%s" % (key.replace("_", "-"), value) for key, value in given.items()]


def log_of(run):
    return runlog.lines_of(os.path.join(RUNS, run, "log.jsonl"))


def final(run):
    """Returns the last line of a finished run's log, or None"""
    return next((line for line in reversed(log_of(run)) if line.get("final")), None)


def train(recipe, size, minutes, more):
    run = run_of(recipe, size)
    command = [queue.python(), os.path.join(HERE, "train.py"), recipe, "--run", run] + settings(recipe, size, minutes) + more
    print("%s: %s" % (run, size), flush=True)
    os.makedirs(os.path.join(RUNS, run), exist_ok=True)
    with open(os.path.join(RUNS, run, "out.log"), "a") as out:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, preexec_fn=machine.be_idle)
        signal.signal(signal.SIGTERM, lambda number, _: child.send_signal(number))       # train.py saves and exits when it gets this signal
        code = child.wait()
    if code:
        sys.exit("%s stopped with code %d; see %s" % (run, code, os.path.join(RUNS, run, "out.log")))


def row(recipe, size):
    """Returns the Row of a finished run, or None"""
    line = final(run_of(recipe, size))
    if not line:
        return None
    with open(os.path.join(RUNS, run_of(recipe, size), "out.log")) as f:
        parameters = next(int(words[1]) for words in map(str.split, f) if words[2:3] == ["parameters,"])
    return Row(size, parameters, line["step"], max(0.1, line["elapsed"]), line["valid_nats"], line["valid_bits_per_dim"])


def positions_of(recipe):
    """Returns the number of examples and the number of positions per step."""
    known = find(recipe)
    task = known.task(known.task.Settings(**known.settings))
    return task.s.batch, task.s.batch * task.elements


def table(recipe, rows):
    (batch, positions), found = positions_of(recipe), ["| `%s` | parameters | steps | pictures | positions/s of CPU | nats | bits/dim |" % recipe, "|---|---|---|---|---|---|---|"]
    best = min(rows, key=lambda r: r.nats)
    for r in rows:
        mark = "**" if r is best else ""
        found.append("| %s | %.2f M | %d | %s | %.0f | %s%.1f%s | %s%.4f%s |" % (
            r.size, r.parameters / 1e6, r.steps, format(r.steps * batch, ","), r.steps * positions / r.seconds, mark, r.nats, mark, mark, r.bits, mark))
    return "\n".join(found)


def compute(parameters, positions):
    """Returns the number of floating-point operations that training needs, without attention: 6 for each parameter and position."""
    return 6.0 * parameters * positions


def recommended(rows, more):
    """Extrapolates to runs with `more` times the compute. rows: the results, ordered from small to large sizes. Returns (number of
    parameters, prefix), where the prefix is \"\", \"at least \" or \"at most \""""
    best = min(rows, key=lambda r: r.nats)
    bound = "" if len(rows) < 2 else "at least " if best is rows[-1] else "at most " if best is rows[0] else ""
    return best.parameters * math.sqrt(max(1.0, more)), bound


def advice(recipe, rows, positions):
    """Describes the best size and the sizes recommended for longer runs. positions: number of positions per step"""
    best = min(rows, key=lambda r: r.nats)
    longer = [(name, 60 * minutes / best.seconds) for name, minutes in LONGER]
    longer.append(("%d minutes of a GPU" % GPU_MINUTES, 60 * GPU_MINUTES * GPU / compute(best.parameters, best.steps * positions)))
    said = []
    for name, more in longer:
        parameters, bound = recommended(rows, more)
        said.append("%s (%.0f times the compute): %s%.1f M parameters" % (name, more, bound, parameters / 1e6))
    return "`%s`, best in %.1f CPU minutes: %s. By the rule: %s." % (recipe, best.seconds / 60, best.size, "; ".join(said))


def main():
    parser = arguments.Parser(__doc__)
    parser.add_argument("recipes", nargs="+", choices=sorted(SIZES))
    parser.add_argument("--minutes", type=float, default=20.0, help="CPU time of each run, on one thread")
    parser.add_argument("--table", action="store_true", help="of what is there; trains nothing")
    parser.add_argument("--smoke", action="store_true", help="four steps each, in runs of their own")
    args, more = parser.parse_known_args()
    if args.smoke:
        global run_of
        plain = run_of
        run_of = lambda recipe, size: plain(recipe, size) + "-smoke"
        more = ["--minutes=0", "--steps=4", "--batch=2", "--final-valid-images=4"] + more
    for recipe in args.recipes:
        for size in SIZES[recipe] if not args.table else ():
            if not final(run_of(recipe, size)):
                train(recipe, size, args.minutes, more)
    for recipe in args.recipes:
        rows = [r for r in (row(recipe, size) for size in SIZES[recipe]) if r]
        if not rows:
            print("`%s`: nothing has been trained yet" % recipe)
            continue
        print("\n" + table(recipe, rows) + "\n\n" + advice(recipe, rows, positions_of(recipe)[1]))


if __name__ == "__main__":
    main()
