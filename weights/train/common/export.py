# SPDX-License-Identifier: MIT
"""Writes a model as GGUF, reads it back and compares each tensor."""
import os

import numpy as np

from common import gguf
from common.rounding import FORMS

TYPES = {"f32": gguf.F32, "f16": gguf.F16, "q8_0": gguf.Q8_0, "q4_0": gguf.Q4_0}


def metadata_of(task, model, card):
    """Returns the metadata from the model and from the recipe's card, in file order."""
    m = {"general.architecture": task.architecture, "general.name": card["name"],
         "general.description": card.get("description", ""), "general.license": card.get("license", "CC0-1.0"),
         "general.author": card.get("author", "nextpixel"),
         "general.quantization_version": 2, "general.alignment": gguf.ALIGNMENT}
    m.update(task.metadata(model))
    m.update(task.card_metadata(model, card))
    for key in ("dataset", "dataset_license", "command", "quality"):
        if card.get(key):
            m["nextpixel.card." + key] = card[key]
    return m


def half_a_step(x, kind):
    """Returns the largest allowed distance between a stored value and x."""
    if kind in (gguf.F32, gguf.F16):
        return 0 if kind == gguf.F32 else 1e-3 * np.abs(x) + 1e-7
    top = np.abs(x).reshape(-1, 32).max(1)               # Q4_0 has a whole step of error if it clips 8 steps to 7; f16 scales add more
    tiny = 2.0 ** -25 * (127 if kind == gguf.Q8_0 else 8)                # f16 scales under 6e-5 are multiples of 2^-24
    return np.repeat(top * ((0.5 / 127 if kind == gguf.Q8_0 else 1 / 8) + 1e-3) + tiny + 1e-7, 32).reshape(x.shape)


def export(path, task, model, kind, card, round_to=""):
    """Writes and verifies one file and returns the number of bytes. round_to: the type to which training rounded the matrices. If the file
    stores such a matrix in another type, `export` first rounds the matrix to the type used in training."""
    model = task.folded(model)
    metadata = metadata_of(task, model, card)
    state = {k: v.detach().float().cpu() for k, v in model.state_dict().items()}
    types = {k: task.type_of(k, v, kind) for k, v in state.items()}
    trained = {id(p): form for p, form in task.forms(model, round_to)}
    for k, p in model.named_parameters():
        if id(p) in trained and types[k] not in (TYPES[trained[id(p)]], gguf.F32):
            state[k] = FORMS[trained[id(p)]](state[k])
    tensors = {k: (v.numpy(), types[k]) for k, v in state.items()}
    size = gguf.write(path + ".tmp", metadata, tensors)
    again, back = gguf.read(path + ".tmp")
    assert list(again) == list(metadata) and list(back) == list(tensors)
    for key, v in metadata.items():
        assert again[key] == (np.float32(v) if isinstance(v, float) else v), key
    for k, (x, t) in tensors.items():
        y, kind_read = back[k]
        assert kind_read == t and y.shape == x.shape, k
        assert (np.abs(y - x) <= half_a_step(x, t)).all(), k
    os.replace(path + ".tmp", path)
    return size
