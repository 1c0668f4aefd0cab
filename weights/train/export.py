#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Exports a checkpoint as GGUF:  python3 weights/train/export.py digits [--type q8_0|q4_0|f16|f32] [--out FILE]

Exports the averaged weights, reads the file back and compares every tensor. A run that has the name of a recipe or of one of its stages
goes to weights/RECIPE.gguf. Any other run, and any run on your own data, goes to build/RUN.gguf. --out names a different path. If training
used your own pictures, those that were held out are written next to the file (<run>.u8.gz, for weights/eval/sheets.js). The default type is
the one in the recipe's card, or Q8_0.

    python3 weights/train/export.py NAME --run OTHER-4 --out weights/NAME.gguf            weights that another recipe of the model trained
    python3 weights/train/export.py emoji-sr --mix weights/emoji-sr.gguf --share 0.2      a mean with a fifth of the initial weights

The mean of a run's final weights and its initial (or intermediate) weights can have a higher likelihood than either of the two.  If the
file that --mix names has a smaller model, this model is grown first.
"""
import hashlib
import os

from common import arguments, needed

needed.require("numpy", "torch")

import numpy as np
import torch

import data
from common import gguf, page
from common.export import TYPES, export
from common.recipes import SHIPPED, find
from common.runs import load_average
from data import pictures


def own(checkpoint):
    """Returns whether the run was trained on your own folder. New runs record this fact. For an older run, the function checks the files in
    the folder; if the folder no longer exists, the function assumes that it was your own."""
    folder = checkpoint["settings"].get("data", "")
    return checkpoint.get("own", bool(folder) and (not os.path.isdir(folder) or data.own(checkpoint["settings"]["dataset"], folder)))


def card_of(recipe, checkpoint):
    """Returns the description for the file: the text on the recipe's card or, if training used your own folder, a text with the known
    facts."""
    card, settings = dict(recipe.card), checkpoint["settings"]
    if not own(checkpoint):
        return card
    for names in ("class_names", "speaker_names"):
        if settings.get(names):
            card[names] = list(settings[names])
    folder = settings["data"]
    start = os.path.basename(settings.get("start") or "")
    theirs = "a folder of one's own, %s" % os.path.basename(os.path.abspath(folder))
    more = "; begun from %s: " % start if start else ""
    card.update(name=settings.get("run") or card["name"], description="Trained on %s." % theirs, author="", license=card["license"] if start else "",
                dataset=theirs + (more + card["dataset"] if start else ""), dataset_license="that of the owner" + (more + card["dataset_license"] if start else ""),
                command="python3 weights/train/train.py %s --data %s%s" % (recipe.name, os.path.basename(os.path.abspath(folder)), " --from " + start if start else ""))
    return card


@torch.no_grad()
def mix(task, model, path, share):
    """Mixes a file into the model: model <- (1 - share) model + share file"""
    other = task.model()
    other.load_state_dict(model.state_dict())            # keeps the tensors that the file does not have
    task.s.start = path
    task.begin_with(other, path)
    for p, q in zip(model.parameters(), other.parameters()):
        p.lerp_(q, share)


def path_of(recipe, run, checkpoint):
    """Returns the path for a run's file. A run overwrites a shipped file only if the run has the name of the recipe or of one of its
    stages, and was trained on the recipe's data."""
    stages = [recipe.name] + ["%s-%d" % (recipe.name, 2 + i) for i in range(len(recipe.stages))]
    return os.path.join(SHIPPED, recipe.name + ".gguf") if run in stages and not own(checkpoint) else os.path.join(data.ROOT, "build", run + ".gguf")


def export_run(name, run="", kind="", out="", quality="", mixed="", share=0.2):
    """Exports a run and returns (path, number of bytes, number of parameters)"""
    task, model, checkpoint = load_average(run or name, name)
    if mixed:
        mix(task, model, mixed, share)
    card = card_of(find(name), checkpoint)
    card["quality"] = quality or card.get("quality") or "trained %.0f minutes, %d steps%s" % (
        checkpoint["elapsed"] / 60, checkpoint["step"], "" if checkpoint["final"] else " (intermediate)")
    out = out or path_of(find(name), run or name, checkpoint)
    os.makedirs(os.path.dirname(os.path.abspath(out)), exist_ok=True)
    size = export(out, task, model, TYPES[kind or card.get("type", "q8_0")], card, checkpoint["settings"].get("round_to", ""))
    if task.shape and data.own(task.s.dataset, task.s.data):             # for weights/eval/sheets.js: pictures that this model was never trained on
        images, labels = (np.concatenate(parts) for parts in zip(*(
            data.load(task.s.dataset, task.s.data, split, task.shape)[:2] for split in ("test", "validation"))))
        print(pictures.write(os.path.splitext(out)[0], images, labels))
    return out, size, sum(p.numel() for p in model.parameters())


def main():
    parser = arguments.Parser(__doc__)
    parser.add_argument("recipe")
    parser.add_argument("--run", default="", help="run folder, default the recipe's name")
    parser.add_argument("--type", choices=TYPES, default="")
    parser.add_argument("--out", default="")
    parser.add_argument("--quality", default="", help="one line for the model card, e.g. the test loss")
    parser.add_argument("--mix", default="", metavar="FILE", help="the mean with the weights of another file of this recipe")
    parser.add_argument("--share", type=float, default=0.2, help="of that file in the mean, 0 to 1")
    args = parser.parse_args()
    if not 0 <= args.share <= 1:
        parser.error("--share: 0 to 1")
    out, size, parameters = export_run(args.recipe, args.run, args.type, args.out, args.quality, args.mix, args.share)
    with open(out, "rb") as f:
        print("%s: %d bytes, %d parameters, sha256 %s" % (out, size, parameters, hashlib.sha256(f.read()).hexdigest()))
    print(page.said(out, gguf.read_raw(out)[0]))


if __name__ == "__main__":
    main()
