# SPDX-License-Identifier: MIT
"""The interface between a model and the common code. The loop, the exporter, the evaluation and the golden writer never use a model
directly, only its task.

An example is one element of a batch (a picture, a line of text). A batch is a tuple of tensors, the arguments of `nats`.
"""
import functools
import math
import sys
from dataclasses import asdict

import numpy as np
import torch

import data
from common import gguf, labels
from common.adopted import rows
from common.settings import Settings


class Misfit(Exception):
    """Raised if a file's weights cannot initialise this model."""


class Task:
    Settings = Settings                  # dataclass of the settings of the loop and of the model
    architecture = ""                    # value of general.architecture in the task's files
    draft = "draft."                     # name prefix of a file's tensors that are not part of the model
    unit = "nats"                        # unit of the training loss
    every_class = False                  # whether every training picture needs a class
    slow_sheet = False                   # whether a sample sheet takes longer than a short run
    # If set, this method replaces the usual training step: (trainer, batch, rate) -> loss. A GAN, for example, needs more than one loss and
    # one optimiser. A task with this method also has beside(), which returns the task's part of a checkpoint, and restore(beside).
    update = None

    def __init__(self, settings):
        self.s = settings

    @classmethod
    def of(cls, config):
        """Returns the task of a model with this configuration (a dataclass); all other settings have their default values."""
        return cls(cls.Settings(**asdict(config)))

    @staticmethod
    def smoke(settings):
        """Returns the settings that --smoke changes. settings: those of the recipe."""
        return dict(minutes=0.0, steps=20, batch=4, warmup=5, every=0.2, valid_images=16, final_valid_images=16)

    # the model

    def model(self):
        """Returns an nn.Module with random weights; its state_dict has the tensor names of the file."""
        raise NotImplementedError

    def begin(self, model, examples):
        """Improves the random initial weights of a new run, if the model has a way to do so. examples: the result of `load` for the
        training part."""

    def begin_on(self, model, train, device):
        """Initialises a new run like `begin`, but on the device and with the encoded training part."""

    def grow(self, model, weights):
        """Initialises the model from the weights {name: tensor} of a file. A task may also accept files of smaller models; by default the
        shapes must be equal. Raises Misfit if a shape does not fit."""
        own = model.state_dict()
        for name, w in weights.items():
            if name in own and w.shape != own[name].shape:
                raise Misfit("%s is %s in the file, %s in this model" % (name, tuple(w.shape), tuple(own[name].shape)))
        unknown = [name for name in list(weights) + list(own) if name not in own or name not in weights]
        if unknown:
            raise Misfit("only one of them has %s" % ", ".join(unknown[:5]))
        model.load_state_dict(weights)

    @classmethod
    def adopted(cls, metadata, tensors):
        """Returns {field: value}: the settings that a run inherits if it starts from a file made by its recipe (common/adopted.py)."""
        found = cls.settings_of(metadata, tensors)
        for names, key in (("class_names", "classes"), ("speaker_names", "speakers")):
            listed = metadata.get("%s.%s" % (cls.architecture, key))
            if listed:
                found[names] = tuple(listed)
        return found

    @staticmethod
    def table(name):
        """Returns \"classes\" or \"speakers\" if this tensor has one row per class or per speaker, otherwise \"\"."""
        return "classes" if ".class." in name or "class_embd." in name else "speakers" if ".speaker." in name or "speaker_embd." in name else ""

    def relabelled(self, weights, metadata):
        """Returns the weights {name: tensor} of a file, with rows for the classes and speakers of this run."""
        found, s = {}, self.s
        for name, w in weights.items():
            kind = self.table(name)
            old = tuple(metadata.get("%s.%s" % (self.architecture, kind), ())) if kind else ()
            new = tuple(s.class_names if kind == "classes" else s.speaker_names)
            wanted = getattr(s, kind) if kind else 0
            if kind and not wanted:
                continue                 # the model has no classes or speakers
            renamed = kind and old and len(old) == len(w) and len(new) == wanted and old != new
            found[name] = rows(w, old, new) if renamed else w
        return found

    @property
    def labelled(self):
        """Returns whether the model takes classes as input."""
        return bool(getattr(self.s, "classes", 0))

    def adapt(self):
        """Adapts settings, such as the classes, to your own folder before any data are read."""
        labels.choose(self)

    def begin_with(self, model, path):
        """Calls `grow` with the weights of a file. If `grow` fails, ends the program with a message that names the differing settings and a
        remedy."""
        weights = self.relabelled(self.stored(path), gguf.read_raw(path)[0])
        try:
            self.grow(model, weights)
        except (Misfit, RuntimeError, KeyError) as error:
            sys.exit("%s cannot begin this run: %s.\n%s" % (path, str(error).rstrip("."), self.difference(path)))

    def difference(self, path):
        """Returns a message that lists, as command-line options, the settings that differ between this run and the file."""
        metadata, tensors = gguf.read_raw(path)
        try:
            found = self.settings_of(metadata, {k: torch.empty(v.shape) for k, v in tensors.items()})
        except (KeyError, NotImplementedError):
            found = {}
        told = lambda v: ",".join(map(str, v)) if isinstance(v, (tuple, list)) else str(int(v) if isinstance(v, bool) else v)
        other = {k: (told(v), told(getattr(self.s, k))) for k, v in found.items() if told(getattr(self.s, k, v)) != told(v)}
        if not other:
            return "Begin with a file of this recipe, or without --from."
        option = lambda k, v: "--%s %s" % (k.replace("_", "-"), v or "''")
        return "The file has %s; this run %s. Give train.py those of the file, or begin with another file." % (
            " ".join(option(k, v) for k, (v, _) in other.items()), " ".join(option(k, v) for k, (_, v) in other.items()))

    def ready(self, model, average, device):
        """Makes choices that depend on the machine or the settings, before training and after the initial weights are set."""

    def settle(self, average, training, device):
        """Updates state that is neither a weight nor an average, such as the statistics of a norm, before the averaged weights are measured or saved."""

    def matrices(self, model):
        """Returns the parameters that are rounded by `round_to`."""
        return [p for name, p in model.named_parameters() if "blk." in name and p.dim() == 2]

    def forms(self, model, form):
        """Returns [(parameter, form)] for the weights that training rounds. form: the type of the matrices in the exported file, a key of
        rounding.FORMS; "": no rounding."""
        return [(p, form) for p in self.matrices(model)] if form else []

    def fresh(self, name):
        """Returns whether `fresh_rate` applies to this parameter."""
        return False

    def sharp(self, name):
        """Returns whether `sharp_rate` applies to this parameter."""
        return False

    # the data

    def how(self):
        """Returns options for the data set's module if a folder of the user's own files is read, otherwise {}."""
        return dict(classes=self.s.class_names if self.s.labels in ("folders", "file") else ()) if self.shape and data.own(self.s.dataset, self.s.data) else {}

    def load(self, split):
        """Loads the part \"train\" or \"validation\" with the data set's module."""
        return data.load(self.s.dataset, self.s.data, split, self.shape, **self.how())

    def held_out(self):
        return data.load(self.s.dataset, self.s.data, "test", self.shape, **self.how())

    @property
    def shape(self):
        """Returns (H, W, C) of a picture; None for other examples."""
        return None

    def encode(self, examples, model, device="cpu"):
        """Encodes examples and returns an object with len() and take(pick, device); `take` returns a batch without augmentation."""
        raise NotImplementedError

    def batch(self, train, step, device):
        """Returns batch number `step`, a pure function of (seed, step), so that a resumed run sees the same batches."""
        raise NotImplementedError

    # the loss

    def nats(self, model, *batch):
        """Returns a tensor of shape (B,): -log p of each example."""
        return model.nats(*batch)

    def prior(self, model):
        """Returns -log p of the weights, up to a constant, divided by the number of training examples. Training adds this term to the loss
        and so maximises the posterior. Returns None if there is no prior."""

    def views(self, *batch):
        """Returns the batches to evaluate, {name: batch}, such as one without and one with labels. The first batch gives the validation
        loss."""
        return {"": batch}

    @property
    def elements(self):
        """Returns the number of elements per example. Training minimises the mean over elements, and `clip` limits the norm of its
        gradient."""
        raise NotImplementedError

    @property
    def dims(self):
        """Returns the number of dimensions per example. The loss in bits/dim is the loss in bits divided by this number."""
        return self.elements

    def bits(self, nats):
        return nats / self.dims / math.log(2)

    def measures(self, model, valid, autocast, device, final):
        """Returns {name: number}: further measurements on validation examples."""
        return {}

    def sheet(self, model, valid, path, autocast, device, final):
        """Writes a sample sheet to `path`, if the task has one."""

    # the file

    def folded(self, model):
        """Returns the model whose state_dict is written to the file; in this model, norms are folded into the adjacent products."""
        return model

    def reader(self):
        """Returns the model that a file is read into. Some tasks train one form of the model and read files into another form"""
        return self.model()

    def metadata(self, model):
        """Returns the metadata {key: value} that follow general.*, in file order."""
        raise NotImplementedError

    def card_metadata(self, model, card):
        """Returns the metadata {key: value} that come from the recipe's card, such as class names. In the file, these entries follow those
        of `metadata`."""
        return {}

    def type_of(self, name, x, kind):
        """Returns the type in which this tensor is stored if `kind` is requested."""
        return kind if x.ndim == 2 and not (kind in (gguf.Q4_0, gguf.Q8_0) and x.shape[1] % 32) else gguf.F32

    def settings_of(self, metadata, tensors):
        """Reads the model's settings from a file and returns {field: value}; the inverse of `metadata`."""
        raise NotImplementedError

    def stored(self, path):
        """Reads the model's tensors from a file and returns them dequantised, as {name: tensor}; other tensors of the file are left out."""
        metadata, tensors = gguf.read(path)
        found = metadata.get("general.architecture")
        if self.architecture and found != self.architecture:
            sys.exit("%s is a file of the architecture %s; this recipe makes %s" % (path, found, self.architecture))
        return {k: torch.from_numpy(x.copy()) for k, (x, _) in tensors.items() if not k.startswith(self.draft)}


@functools.lru_cache(maxsize=1)
def permutation(seed, epoch, count):
    return np.random.default_rng([seed, epoch]).permutation(count)


def picks(seed, step, batch, count):
    """Returns the indices of the examples in batch number `step`. An epoch uses each example at most once, in a new order."""
    per_epoch = count // batch
    return permutation(seed, step // per_epoch, count)[step % per_epoch * batch:][:batch]


def spread(total, count):
    """Returns `count` evenly spaced indices of `total` examples; count = 0: all."""
    return np.arange(count or total) * total // (count or total)
