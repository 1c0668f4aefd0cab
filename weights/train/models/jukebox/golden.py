# SPDX-License-Identifier: MIT
"""Golden cases of Jukebox; the names of recorded values begin with the part:

    encoder.input.sound (T)   levels     encoder.result.top, encoder.result.bottom   ids
    top.values (n), top.logits (n V), top.nats (n), top.input.class, top.input.speaker (1)
    bottom.                   the same for the bottom level, and bottom.input.top (n / ratio)
    decoder.input.bottom      ids        decoder.result.sound; decoder.input.upper (1), 1 if the codes are of the top level
"""
import math

import numpy as np
import torch
import torch.nn.functional as F

from common.golden import Case
from models.jukebox.task import JukeboxTask, Settings

SHAPE = dict(top_strides=(2, 4, 2), top_widths=(16, 16, 32), bottom_strides=(2, 2), bottom_widths=(16, 16), unit_count=2, code_length=16, top_codes=20, bottom_codes=24, classes=3,
             speakers=2, top_length=12, embedding_length=32, feed_forward_length=32, head_count=2, key_length=16, top_blocks=3, bottom_blocks=3, top_stride=4, bottom_stride=8,
             conditioner_units=2)
SHOWN = 10                               # number of codes of the top level in the shipped file's golden values


def cases():
    task = JukeboxTask(Settings(part="priors", **SHAPE))
    return [Case("jukebox-tiny", task, "f32"), Case("jukebox-q8_0", task, "q8_0", 1)]


@torch.no_grad()
def randomise(model, seed):
    """Sets random weights such that the encoder uses many different codes for a sound."""
    rng = np.random.default_rng(seed)
    for name, p in model.named_parameters():
        if name == "level.weight":
            continue
        z = torch.from_numpy(rng.standard_normal(tuple(p.shape)).astype(np.float32))
        if "norm.weight" in name:
            z = 1 + 0.2 * z
        elif name.endswith(".bias"):
            z = 0.2 * z
        elif p.dim() == 2 and "embd" not in name and "position" not in name and "codebook" not in name:
            z = (3 if name.endswith("blk.0.conv.weight") and name.startswith("enc") else 1.2) / math.sqrt(p.shape[1]) * z
        p.copy_(z)


def tensors(case, model, seed):
    rng, found = np.random.default_rng(300 + seed), {}
    for part, recorded in (("encoder", encoder), ("top", prior), ("bottom", prior), ("decoder", decoder)):
        found.update((part + "." + name, x) for name, x in recorded(model, rng, part, case).items())
    return found


def encoder(model, rng, part, case):
    return coded(model, rng.integers(0, 256, 150))       # 150 samples end inside the last code of the top level


def coded(model, ids):
    x = F.pad(model.level.weight[torch.from_numpy(ids)], (0, -len(ids) % model.c.hop("top")))[None]
    return {"input.sound": ids, "result.top": model.encode(x, "top")[0], "result.bottom": model.encode(x, "bottom")[0]}


def decoder(model, rng, part, case):
    level = "top" if case.label == 1 else "bottom"
    return decoded(model, level, torch.from_numpy(rng.integers(0, getattr(model.c, level + "_codes"), 37)))


def decoded(model, level, ids):
    return {"input.bottom": ids, "input.upper": [int(level == "top")], "result.sound": model.decode(ids[None], level)[0]}


def prior(model, rng, part, case):
    c, own = model.c, getattr(model, part)
    label, speaker, top = torch.tensor([1]), torch.tensor([0]), torch.from_numpy(rng.integers(0, c.top_codes, (1, c.top_length)))
    x = torch.from_numpy(rng.integers(0, own.values, (1, c.top_length + 1 if part == "top" else c.top_length * c.ratio)))
    return predicted(own, x, label, speaker, top if part == "bottom" else None)


def predicted(own, x, label, speaker, top, suffix=""):
    found = {"values": x[0], "logits" + suffix: own(x, label, speaker, None if top is None else own.cond(top))[0], "nats" + suffix: own.each(x, label, speaker, top)[0],
             "input.class": label, "input.speaker": speaker}
    return found if top is None else dict(found, **{"input.top": top[0]})


def shipped(task, model):
    """Returns the codes of the beginning of a validation recording, the logits and nats of these codes under both priors, and the decoder's
    output."""
    clips, labels, speakers = task.load("validation")
    codes = coded(model, clips[0][:SHOWN * model.c.hop("top")].astype(np.int64))
    top, bottom, label, speaker = codes["result.top"][None], codes["result.bottom"][None], torch.tensor([int(labels[0])]), torch.tensor([int(speakers[0])])
    found = {"encoder": codes, "top": predicted(model.top, top, label, speaker, None, "_q8_0"), "bottom": predicted(model.bottom, bottom, label, speaker, top, "_q8_0"),
             "decoder": decoded(model, "bottom", bottom[0])}
    return {part + "." + name: x for part, of in found.items() for name, x in of.items()}
