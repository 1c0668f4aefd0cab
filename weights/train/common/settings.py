# SPDX-License-Identifier: MIT
"""Defines the settings that every recipe has.  A model adds its own settings (models/<name>/task.py); each setting can be given as --key
value."""
import argparse
import os
from dataclasses import dataclass, field, fields

import torch

from common import adopted
from common.arguments import Parser
from common.machine import has_bf16
from common.recipes import SHIPPED


def of_file(default):
    """Returns a field that is read from files, not from the command line; no recipe sets it."""
    return field(default=default, metadata=dict(of_file=True))


@dataclass
class Settings:
    # schedule: progress is elapsed/minutes if minutes > 0, else step/steps
    minutes: float = 0.0
    # The clock for `minutes`: wall, or cpu (CPU time of all threads of this process, which is fair on a shared machine).
    clock: str = "wall"
    steps: int = 10000
    batch: int = 16                      # examples per step, over all processes
    lr: float = 1e-3                     # peak learning rate; it rises linearly in the warm-up and then falls as a cosine
    warmup: int = 300                    # steps
    lr_floor: float = 0.02               # final learning rate as a fraction of the peak
    # optimiser: Adam, with Polyak averaging of the weights; the averaged weights are evaluated and exported
    beta1: float = 0.9
    beta2: float = 0.98
    clip: float = 1.0                    # maximum gradient norm; 0 = no limit
    fresh_rate: float = 1.0              # factor of the learning rate for tensors missing in the initial file (Task.fresh)
    sharp_rate: float = 1.0              # factor of the learning rate for tensors that are sensitive to small changes (Task.sharp)
    ema: float = 0.999
    best: bool = False                   # keep the average with the lowest validation loss in best.pt, and export it
    round_to: str = ""                   # q8_0 or q4_0: train with the rounding of this file type, see rounding.py
    seed: int = 1
    # machine
    device: str = "auto"                 # auto | cpu | cuda
    # Products in bf16. Without hardware support, products in bf16 take two to three times as long as in single precision.
    bf16: bool = torch.cuda.is_available() or has_bf16()
    threads: int = 2
    native: bool = True                  # uses the C code of native.py if the CPU supports it
    compile: bool = False                # uses torch.compile, unless it fails
    # After this many seconds the process saves and exits with 0 (run the same command again to resume); 0 = never.
    limit_seconds: float = 0.0
    # files
    dataset: str = ""                    # name of the data set, a module of data/
    data: str = ""                       # folder of the data set, default data/<dataset>
    start: str = ""                      # --from FILE.gguf: the run starts from the weights of this file
    labels: str = "auto"                 # how your own folder defines classes, see labels.py
    class_names: tuple = of_file(())     # class names of the model, and names of its speakers
    speaker_names: tuple = of_file(())
    adopted: bool = of_file(False)       # the run takes the sizes of the file that it starts from (adopted.py)
    run: str = ""                        # name of the run's folder, default the recipe's name
    save_seconds: float = 50.0           # seconds between checkpoints; a crash loses at most this much training
    every: float = 3.0                   # minutes between measurements on validation examples
    sheets: int = 1                      # draw a sample sheet at every SHEETS-th measurement and at the end; 0 = only the last, -1 = never
    valid_images: int = 256              # examples per measurement
    final_valid_images: int = 5000       # number of validation examples of the last measurement


def number(kind):
    if kind is tuple:                    # for example 1,2,4
        return lambda s: tuple(int(part) for part in s.split(","))
    return (lambda s: s.lower() in ("1", "true", "yes")) if kind is bool else kind


def add_arguments(parser, settings):
    """Adds --key value for each field; fields that are not given keep the recipe's value."""
    for f in fields(settings):
        if "of_file" in f.metadata:
            continue
        names = ["--" + f.name.replace("_", "-")] + (["--from"] if f.name == "start" else [])
        parser.add_argument(*names, dest=f.name, type=number(type(f.default)), default=None)


def parse(description, find, argv=None):
    """Parses the command line -> (recipe, its task's Settings).  Precedence, lowest first: defaults, recipe, --smoke, --key value.  find:
    see recipes.py."""
    first = argparse.ArgumentParser(add_help=False)
    first.add_argument("recipe", nargs="?")
    name = first.parse_known_args(argv)[0].recipe
    parser = Parser(description)
    parser.add_argument("recipe")
    parser.add_argument("--smoke", action="store_true", help="a tiny model, end to end in under a minute")
    parser.add_argument("--processes", type=int, default=1, help="on this machine; also by torchrun")
    parser.add_argument("--stage", type=int, default=0, help="of a recipe that is trained in several runs: which one")
    recipe = find(name) if name and not name.startswith("-") else None
    add_arguments(parser, recipe.task.Settings if recipe else Settings)
    args = vars(parser.parse_args(argv))
    smoke = args.pop("smoke")
    asked = args.pop("stage")
    stage = asked or 1
    del args["recipe"], args["processes"]
    if not 1 <= stage <= 1 + len(recipe.stages):
        parser.error("--stage %d: %s has %d" % (stage, name, 1 + len(recipe.stages)))
    if stage > 1 and not args["start"]:
        parser.error("--stage %d begins with the weights of the stage before: --from FILE, which export.py %s --type f32 --out FILE writes" % (stage, name))
    chosen = dict(recipe.settings)
    if recipe.start:
        chosen.update(start=os.path.join(SHIPPED, recipe.start))
    if stage > 1:
        chosen.update(recipe.stages[stage - 2], run="%s-%d" % (name, stage))
    if smoke:
        chosen.update(recipe.task.smoke(chosen), run=recipe.name + "-smoke", start="")
    if args["start"] and asked < 2:
        file = adopted.settings(recipe, args["start"])
        chosen.update(file, **(recipe.own if file and args["data"] else {}))
    chosen.update({k: v for k, v in args.items() if v is not None})
    for names in ("class_names", "speaker_names"):
        chosen.setdefault(names, tuple(recipe.card.get(names, ())))
    s = recipe.task.Settings(**chosen)
    s.run = s.run or recipe.name
    return recipe, s
