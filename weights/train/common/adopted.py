# SPDX-License-Identifier: MIT
"""Starts a run of a recipe from a file that the same recipe made (--from weights/NAME.gguf). The run inherits the file's sizes, vocabulary
and classes, and the settings of the training stage that produced the file. Command-line options override these settings; if an option asks
for a larger size, the model grows.

If another recipe made the file, or if --stage N is given, the run inherits no settings. The recipe then defines the model, and the file
only provides initial weights.
"""
import os

import torch

from common import gguf
from common.recipes import SHIPPED

# Settings that concern only the schedule of a stage, not the model.
SCHEDULE = ("minutes", "clock", "steps", "batch", "seed", "every", "valid_images", "final_valid_images", "sheets", "threads", "run")


def made_by(name, path, metadata):
    """Returns True if the recipe of this name made the file. There are three signs of this: the file is the recipe's shipped file; the
    file's general.name is the recipe's name; or the training command on the file's card names the recipe."""
    words = metadata.get("nextpixel.card.command", "").split()
    at = next((i for i, word in enumerate(words) if word.endswith("train.py")), len(words))
    return os.path.realpath(path) == os.path.realpath(os.path.join(SHIPPED, name + ".gguf")) or metadata.get("general.name") == name or words[at + 1:at + 2] == [name]


def stage_of(recipe, found):
    """Finds the stages whose model settings match the file, and returns the settings of the last one in the recipe's list; {} if no stage
    matches."""
    same = lambda a, b: (list(a) if isinstance(a, tuple) else a) == (list(b) if isinstance(b, tuple) else b)
    for stage in reversed(recipe.stages):
        whole = dict(recipe.settings, **stage)
        if all(same(found[key], whole[key]) for key in found if key in whole):
            return {key: v for key, v in stage.items() if key not in SCHEDULE}
    return {}


def settings(recipe, path):
    """Returns the settings of a run that starts from this file; {} if another recipe made the file."""
    metadata, raw = gguf.read_raw(path)
    if metadata.get("general.architecture") != recipe.task.architecture or not made_by(recipe.name, path, metadata):
        return {}
    found = recipe.task.adopted(metadata, {name: torch.empty(one.shape) for name, one in raw.items()})
    known = recipe.task.Settings.__dataclass_fields__
    found = {key: tuple(v) if isinstance(v, list) else v for key, v in found.items() if key in known}
    return dict(stage_of(recipe, found), **found, adopted=True)


def rows(table, old, new):
    """Reorders the rows of a table from the order of the old names to the order of the new names. The row of a name that
    is in both lists moves with the name. The row of any other new name starts as the mean of all old rows."""
    names = [name.lower() for name in old]
    mean = table.mean(0)
    return torch.stack([table[names.index(name.lower())] if name.lower() in names else mean for name in new])
