# SPDX-License-Identifier: MIT
"""Reads and writes a run's folder weights/train/runs/<run>/, with the files checkpoint.pt, log.jsonl, average.pt and best.pt."""
import json
import os
import sys

import torch

from common.recipes import RUNS, find


class Run:
    def __init__(self, name):
        self.folder = os.path.join(RUNS, name)
        self.checkpoint, self.log_path = self.path("checkpoint.pt"), self.path("log.jsonl")

    def path(self, name):
        return os.path.join(self.folder, name)

    def begun(self):
        return os.path.exists(self.checkpoint)

    def save(self, state, name="checkpoint.pt"):
        """Writes atomically: after a crash, the previous file is intact."""
        os.makedirs(self.folder, exist_ok=True)
        torch.save(state, self.path(name) + ".tmp")
        os.replace(self.path(name) + ".tmp", self.path(name))

    def log(self, line):
        os.makedirs(self.folder, exist_ok=True)
        with open(self.log_path, "a") as f:
            f.write(json.dumps(line) + "\n")


def settings_from(recipe, saved):
    """Returns the settings of a checkpoint, limited to fields that exist today; fields that the checkpoint lacks come from the recipe."""
    known = recipe.task.Settings.__dataclass_fields__
    return recipe.task.Settings(**{k: v for k, v in {**recipe.settings, **saved}.items() if k in known})


def written_as(name, recipe, saved):
    """Returns the settings for exporting a run of `recipe` as the file of recipe `name`. Both recipes must have the same model. The
    settings of recipe `name` replace those of `recipe`."""
    other = find(name)
    if other.task is not recipe.task:
        sys.exit("a run of %s cannot be written as %s: they are different models" % (recipe.name, name))
    return {**{k: v for k, v in saved.items() if k not in recipe.settings}, **other.settings}


def load_average(run, name=""):
    """Loads the run in this folder -> (task, model with the averaged weights in eval mode, checkpoint dict). If the recipe keeps the
    weights with the best validation loss, these are loaded. A run that was copied from another machine needs only average.pt. name: the
    recipe of the exported file (default: the run's recipe)."""
    r = Run(run)
    path = next((r.path(f) for f in ("best.pt", "checkpoint.pt", "average.pt") if os.path.exists(r.path(f))), "")
    if not path:
        there = sorted(name for name in os.listdir(RUNS) if os.path.isdir(os.path.join(RUNS, name))) if os.path.isdir(RUNS) else []
        sys.exit("no run %r in %s; %s" % (run, os.path.relpath(RUNS), "there are " + ", ".join(there) if there else "train first: python3 weights/train/train.py NAME"))
    c = torch.load(path, map_location="cpu")
    recipe = find(c["recipe"])
    if name not in ("", recipe.name):
        recipe, c["settings"] = find(name), written_as(name, recipe, c["settings"])
    task = recipe.task(settings_from(recipe, c["settings"]))
    model = task.model()
    model.load_state_dict(c["average"])
    return task, model.eval(), c
