# SPDX-License-Identifier: MIT
"""Finds recipes. A recipe is a file models/<model>/recipes/<name>.py that defines `settings` for the model's task and a `card` for the file
weights/<name>.gguf. It may also define:

    stages    the settings of later runs
    start     another file to start from
    own       the schedule of a run on a user's own folder
    gpu       the stage that gpu.sh trains, if gpu.sh trains this small model together with others

Each recipe has its own name and its own file. The licence on a card is the strictest licence of the training data.
"""
import importlib
import importlib.util
import os
import sys
from typing import NamedTuple

import data

HERE = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
MODELS = os.path.join(HERE, "models")
RUNS = os.environ.get("NEXTPIXEL_RUNS") or os.path.join(HERE, "runs")
SHIPPED = os.path.dirname(HERE)          # weights/


class Recipe(NamedTuple):
    name: str
    task: type
    settings: dict
    card: dict
    start: str = ""                      # a file in weights/ from which training begins
    # Settings of the second and later runs, which override `settings`; each run continues from the previous one.
    stages: tuple = ()
    # Settings of a run on your own folder (--data) that starts from a file of this recipe (--from). These settings override those of the
    # stage that made the file.
    own: dict = {}
    gpu: dict = {}                       # the stage that `gpu.sh together` trains, and more options for train.py

    @property
    def dataset(self):
        """The name of the data set."""
        return self.settings.get("dataset") or self.task.Settings.dataset


def models():
    return sorted(m for m in os.listdir(MODELS) if os.path.exists(os.path.join(MODELS, m, "task.py")))


def task_of(model):
    """Returns the Task class of a model by its folder name."""
    return importlib.import_module("models.%s.task" % model).TASK


def files():
    """Returns {recipe name: (model, path)}"""
    found = {}
    for model in models():
        folder = os.path.join(MODELS, model, "recipes")
        found.update({f[:-3]: (model, os.path.join(folder, f)) for f in os.listdir(folder) if f.endswith(".py")})
    return found


def names():
    return sorted(files())


def find(name):
    """Returns the Recipe; ends the program if no recipe has this name."""
    if name not in files():
        sys.exit("no recipe %r; there are %s" % (name, ", ".join(names())))
    model, path = files()[name]
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return Recipe(name, task_of(model), dict(module.settings), dict(module.card), getattr(module, "start", ""), tuple(getattr(module, "stages", ())), dict(getattr(module, "own", {})), dict(getattr(module, "gpu", {})))


def together():
    """Returns the small models for `gpu.sh together`, each as (recipe name, stage, folder of the data set, options of train.py ...)."""
    found = (find(name) for name in names())
    return [(r.name, r.gpu["stage"], os.path.basename(data.dataset(r.dataset).DEFAULT_DIR), *("--%s %s" % option for option in r.gpu.items() if option[0] != "stage"))
            for r in found if r.gpu]


if __name__ == "__main__":
    for row in together():
        print(*row)
