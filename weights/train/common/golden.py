# SPDX-License-Identifier: MIT
"""Writes golden values for the C and JS tests, in GGUF files of F32 tensors (general.architecture = "golden").

The golden values are computed in double precision from the weights as stored in the .gguf file, so any difference between these
values and the engine's is a rounding error of the engine.
A model's golden.py has
    cases() -> [Case]     tiny random models, each made by `randomise(model, seed)`
    tensors(case, model, seed), inputs(*batch), outputs(model, *batch)
    inside(model, *batch)     {name: tensor} of all intermediate values, for recipes whose card names an input word (`inside`)
"""
import gzip
import importlib
import json
import os
from typing import Any, NamedTuple

import numpy as np
import torch

from common import gguf
from common.export import TYPES, export
from common.recipes import HERE, SHIPPED, find, models
from common.runs import load_average
from common.task import spread

OUT = os.path.normpath(os.path.join(HERE, "../../tests/golden"))
HIDDEN = ("gpt2-tiny", "llama-tiny", "olmo2-tiny", "transformer-post", "transformer-pre", "lstmn-tiny", "seq2seq-general", "sparse-strided", "sparse-notes",
          "pixelcnn-narrow", "gated-pixelcnn-narrow")      # image transformers are absent: their own golden files have the states
MANY = 20000                             # if there are more logits than this, a golden file contains only the logits of ROWS positions
ROWS = 64


class Case(NamedTuple):
    name: str
    task: Any
    kind: str                            # weight type
    label: int = -1


def module(model):
    return importlib.import_module("models.%s.golden" % model)


def first(examples):
    """Returns the first example. examples: a list (music), or several lists with one element per example."""
    return examples[:1] if isinstance(examples, list) else tuple(a[:1] for a in examples)


def stored(task, path):
    """Reads the model from the file and returns it in double precision."""
    model = task.reader()
    model.load_state_dict(task.stored(path))
    return model.double().eval()


def write(path, tensors):
    metadata = {"general.architecture": "golden", "general.quantization_version": 2, "general.alignment": gguf.ALIGNMENT}
    arrays = {k: np.asarray(v, np.float32) for k, v in tensors.items()}
    size = gguf.write(path, metadata, {k: (v, gguf.F32) for k, v in arrays.items()})
    for k, (x, _) in gguf.read(path)[1].items():
        assert np.array_equal(x, arrays[k]), k
    print("%s: %d bytes" % (os.path.relpath(path), size))


@torch.no_grad()
def tiny(out=OUT):
    """Writes <name>.gguf and <name>.golden.gguf for each case of each model."""
    for name in sorted(models(), reverse=True):
        golden = module(name)
        for seed, case in enumerate(golden.cases()):
            model = case.task.model()
            golden.randomise(model, 100 + seed)
            path = os.path.join(out, case.name + ".gguf")
            size = export(path, case.task, model, TYPES[case.kind], dict(name=case.name, description="random weights for tests"))
            print("%s: %d bytes" % (os.path.relpath(path), size))
            write(os.path.join(out, case.name + ".golden.gguf"), golden.tensors(case, stored(case.task, path), seed))


@torch.no_grad()
def hidden(out=OUT):
    """Writes hidden.json, which maps the name of each model of HIDDEN to {values, source, layers}. values and source are ids; layers has
    the hidden states (positions, d) of layer 0 (the embedding) and of each block. The hidden state at a position predicts the value at the
    same index of `values`. If a text has no start token, the first position has zeros."""
    found = {}
    for name in sorted(models()):
        for case in module(name).cases():
            if case.name not in HIDDEN:
                continue
            g = gguf.read(os.path.join(out, case.name + ".golden.gguf"))[1]
            ids = lambda key: torch.from_numpy(np.asarray(g[key][0])).long().reshape(1, -1) if key in g else None
            values, source = ids("values"), ids("source")
            model = stored(case.task, os.path.join(out, case.name + ".gguf"))
            layers = layers_of(model, values, source)
            n = values.shape[1]
            layers = [torch.nn.functional.pad(x, (0, 0, n - len(x), 0)) for x in layers]         # zeros if no state predicts the first id
            digits = lambda x: float("%.6g" % x)
            found[case.name] = dict(values=values[0].tolist(), **({} if source is None else dict(source=source[0].tolist())),
                                    layers=[[digits(v) for v in x.flatten().tolist()] for x in layers])
    assert sorted(found) == sorted(HIDDEN), sorted(set(HIDDEN) - set(found))
    path = os.path.join(out, "hidden.json")
    with open(path, "w", encoding="utf-8") as f:
        f.write("{\n" + ",\n".join("%s: %s" % (json.dumps(name), json.dumps(one, separators=(",", ":"))) for name, one in sorted(found.items())) + "\n}\n")
    print("%s: %d bytes" % (os.path.relpath(path), os.path.getsize(path)))


def layers_of(model, values, source):
    """Returns the hidden states (n, d) of one sequence after the embedding and after each block, recorded from the modules in PyTorch."""
    if hasattr(model, "states"):         # LSTMN
        h = model.states(values[:, :-1])
        return [model.token_embd(values[:, :-1])[0] * model.c.embedding_length ** 0.5, h[0]]
    if hasattr(model, "dec"):            # a recurrent translator
        return [torch.nn.functional.pad(model.rows(values[:, :-1]), (0, 0, 1, 0))[0], model.behind(source, values)[0]]
    kept = []
    # A gated PixelCNN returns the values of two stacks; the horizontal stack comes last.
    last = lambda x: (x[-1] if isinstance(x, tuple) else x).reshape(-1, model.c.embedding_length)
    first = model.input if hasattr(model, "input") else None
    hooks = [block.register_forward_hook(lambda _, inputs, output: kept.append((last(inputs[0]), last(output)))) for block in model.blk]
    if first:
        hooks.append(first.register_forward_hook(lambda _, inputs, output: kept.insert(0, last(output))))
    begins = type(model).__name__ in ("GPT2", "Llama", "Kin") or getattr(model.c, "text", False)
    model(*([values[:, :-1]] if begins else [values] if source is None else [source, values]))
    for hook in hooks:
        hook.remove()
    blocks = kept[1:] if first else kept
    return [kept[0] if first else blocks[0][0], *(output for _, output in blocks)]


@torch.no_grad()
def trained(name, run, directory, out=OUT):
    """Writes <name>.golden.gguf: the logits of one validation example, from the F32 and the Q8_0 weights. If there are more than MANY
    logits, the file has only the logits of the 64 positions listed in `rows`."""
    task, model, _ = load_average(run)
    task.s.data = directory or task.s.data
    golden = module(type(task).__module__.split(".")[1])
    word = find(name).card.get("inside")
    examples = ([word], [word[::-1]]) if word else first(task.load("validation"))
    batch = task.encode(examples, model).take(slice(1), "cpu")
    work = os.path.join(out, name + ".tmp.gguf")
    tensors = golden.inputs(*batch)
    for suffix, kind in (("", "f32"), ("_q8_0", "q8_0")):
        export(work, task, model, TYPES[kind], dict(name=name))
        logits, nats = golden.outputs(stored(task, work), *batch)
        rows = spread(len(logits), min(ROWS, len(logits)) if logits.numel() > MANY else 0)
        if len(rows) < len(logits):
            tensors["rows"] = rows
        tensors["logits" + suffix], tensors["nats" + suffix] = logits[rows], nats
        if kind == "f32" and word:
            tensors.update(("inside." + key, x) for key, x in golden.inside(stored(task, work), *batch).items())
        os.remove(work)
    write(os.path.join(out, name + ".golden.gguf"), tensors)


@torch.no_grad()
def shipped(name, directory, out=OUT):
    """Writes <name>.golden.gguf for a shipped file whose training run no longer exists. The logits are computed with the shipped file's
    weights, including their rounding."""
    recipe = find(name)
    task = recipe.task(recipe.task.Settings(**recipe.settings))
    task.s.data = directory or task.s.data
    model = stored(task, os.path.join(SHIPPED, name + ".gguf"))
    golden = module(type(task).__module__.split(".")[1])
    if hasattr(golden, "shipped"):       # a model with several parts has its own function for this
        write(os.path.join(out, name + ".golden.gguf"), golden.shipped(task, model))
        return
    batch = task.encode(first(task.load("validation")), model).take(slice(1), "cpu")
    logits, nats = golden.outputs(model, *batch)
    found, n = golden.inputs(*batch), MANY // logits.shape[1]            # later positions do not affect the logits of earlier ones
    write(os.path.join(out, name + ".golden.gguf"), dict(found, values=found["values"][:n], logits_q8_0=logits[:n], nats_q8_0=nats[:n]))


@torch.no_grad()
def pictures(name, run, directory, count=100, out=OUT):
    """Writes <name>-test100.u8.gz, .labels.u8 and .json: 100 held-out pictures (8-bit) and their nats under the F32 weights. Models of
    words and texts have no such files."""
    task, model, checkpoint = load_average(run)
    if task.shape is None:
        return
    task.s.data = directory or task.s.data
    card = find(name).card
    images, labels = task.held_out()
    pick = np.arange(count) if card.get("golden_first") else spread(len(images), count)
    images, labels = images[pick], labels[pick]
    base = os.path.join(out, name + "-test%d" % count)
    with open(base + ".u8.gz", "wb") as f:
        f.write(gzip.compress(images.tobytes(), 9, mtime=0))
    record = dict(step=checkpoint["step"])
    if card.get("golden_note"):
        record["note"] = card["golden_note"]
    if (labels >= 0).all():
        labels.tofile(base + ".labels.u8")
    record["labels"] = labels.tolist()
    test, called = task.encode((images, labels), model), {"": "nats_unconditional", "class": "nats_conditional"}
    for i in range(0, count, 10):
        for view, batch in task.views(*test.take(slice(i, i + 10), "cpu")).items():
            record.setdefault(called[view], []).extend(round(v, 4) for v in task.nats(model, *batch).tolist())
    with open(base + ".json", "w") as f:
        json.dump(record, f, indent=1)
    print("%s.json: mean %s nats" % (os.path.relpath(base), ", given the class ".join("%.3f" % np.mean(v) for k, v in record.items() if k.startswith("nats"))))
