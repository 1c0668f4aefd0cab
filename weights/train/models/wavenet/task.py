# SPDX-License-Identifier: MIT
"""The task of WaveNet. Examples are sounds of any length with a class and a speaker, or greyscale pictures in raster order."""
import copy
import os
from dataclasses import dataclass, fields

import numpy as np
import torch

import data
from common import gguf
from common.settings import Settings as Common
from common.task import Task, picks, spread
from data.pictures import to_levels
from models.pixelcnn.task import Levels, PixelCNNTask
from models.wavenet.model import END, Config, WaveNet

PREFIX = "wavenet."


@dataclass
class Settings(Config, Common):
    dataset: str = "fsdd"
    class_drop: float = 0.1              # probability of dropping the class of an example
    speaker_drop: float = 0.15           # probability of dropping the speaker of an example
    end_weight: float = 0.0              # training loss: weight of the decision whether the sound ends; a sample's level has weight 1
    longest: int = 8000                  # samples per training piece of a sound
    class_gain: float = 1.0              # factor of the class vectors in the file; larger factors make samples fit their class more clearly


class Sounds:
    """Sounds with their classes and speakers. A sound is a sequence of ids with an end token, padded with -1."""

    def __init__(self, clips, labels, speakers, longest, device):
        self.clips = [torch.from_numpy(np.append(clip, END).astype(np.int16)[:longest]) for clip in clips]
        self.lengths = np.array([len(clip) for clip in self.clips])
        self.y, self.s = torch.from_numpy(np.array(labels)).long(), torch.from_numpy(np.array(speakers)).long()

    def __len__(self):
        return len(self.clips)

    def take(self, pick, device):
        pick = np.arange(len(self))[pick]
        x = torch.nn.utils.rnn.pad_sequence([self.clips[i] for i in pick], True, -1)
        return x.to(device).long(), self.y[pick].to(device), self.s[pick].to(device)


def place(own, w):
    """Copies the weights w to the first rows and columns of the larger tensor `own`. The added columns of these rows become zero."""
    own[:len(w)] = 0
    own[tuple(slice(n) for n in w.shape)] = w


class WaveNetTask(Task):
    Settings, Config, Model = Settings, Config, WaveNet
    architecture = "wavenet"
    slow_sheet = True
    length = 0.0                         # mean number of ids of a training sound

    @staticmethod
    def smoke(settings):
        return dict(Task.smoke(settings), dilations=(1, 2, 4, 8), residual_length=32, gate_length=32, skip_length=32, head_length=32, longest=400)

    @property
    def sound(self):
        return self.s.rate > 0

    def model(self):
        values = {f.name: getattr(self.s, f.name) for f in fields(Config)}
        return WaveNet(Config(**dict(values, dilations=tuple(values["dilations"]))))

    def begin(self, model, examples):
        """Initialises the output bias with the log frequency of each level."""
        if self.sound:
            counts = np.bincount(np.concatenate(examples[0]), minlength=END + 1) + 10.0
            counts[END] = len(examples[0])
            with torch.no_grad():
                model.output.bias.copy_(torch.from_numpy(np.log(counts / counts.sum())))

    def grow(self, model, weights):
        """Loads a file, which may have fewer or narrower layers than the model. The file's layers become the first layers, and added parts
        output zero. The file's last layer has no residual output, so the residual part of this layer starts at zero. The model keeps its
        own dilations."""
        if self.s.adopted:               # in the file, the class vectors are multiplied by `class_gain`
            weights = {name: w / self.s.class_gain if ".class." in name else w for name, w in weights.items()}
        own, R, S = model.state_dict(), len(weights["input.bias"]), weights["head.0.weight"].shape[1]
        last = max(int(name.split(".")[1]) for name in weights if name.startswith("blk."))
        for name, w in weights.items():
            if name.startswith("blk.%d.mix." % last) and last + 1 < len(model.blk):    # the former last layer had only the skip part
                w = torch.cat([torch.zeros(R, *w.shape[1:]), w])
            if ".mix." in name and len(w) > S:
                new = len(own[name]) - model.c.skip_length
                place(own[name][:new], w[:R]), place(own[name][new:], w[R:])
            elif ".class." in name or ".speaker." in name:               # each row has the gate's two halves
                for into, half in zip(own[name].chunk(2, 1), w.chunk(2, 1)):
                    place(into, half)
            elif ".gate." in name:
                for into, half in zip(own[name].chunk(2), w.chunk(2)):
                    for part, of in zip(into.chunk(2, 1), half.chunk(2, 1)) if w.ndim == 2 else [(into, half)]:
                        place(part, of)
            elif name == "input.weight":
                own[name][:, :R] = w                     # no layer reads the other columns yet
            else:
                place(own[name], w)
        for i in range(last + 1, len(model.blk)):
            own["blk.%d.mix.weight" % i].zero_()

    def how(self):
        s = self.s
        if not self.sound or not data.own(s.dataset, s.data):
            return super().how()
        return dict(rate=s.rate, longest=s.longest, classes=s.class_names if s.labels in ("folders", "file") else (),
                    speakers=s.speaker_names if s.labels != "none" else ())

    @property
    def shape(self):
        return None if self.sound else (self.s.height, self.s.width, 1)

    def encode(self, examples, model, device="cpu"):
        if not self.sound:
            return Levels(*examples[:2], self.s.levels, device)
        found = Sounds(*examples, self.s.longest, device)
        self.length = self.length or float(found.lengths.mean())
        return found

    def batch(self, train, step, device):
        """Returns a batch of sounds of similar length. The sounds of an epoch are sorted by length, with some noise, and divided into
        batches; the order of the batches is random."""
        s = self.s
        if not self.sound:
            return train.take(picks(s.seed, step, s.batch, len(train)), device)
        per_epoch = len(train) // s.batch
        rng = np.random.default_rng([s.seed, step // per_epoch])
        order = np.argsort(train.lengths * rng.uniform(0.9, 1.1, len(train)))[rng.integers(len(train) - per_epoch * s.batch + 1):]
        at = rng.permutation(per_epoch)[step % per_epoch] * s.batch
        x, label, speaker = train.take(order[at:at + s.batch], device)
        drop = torch.from_numpy(np.random.default_rng([s.seed, step, 1]).random((2, len(x)))).to(device)
        label[drop[0] < s.class_drop], speaker[drop[1] < s.speaker_drop] = -1, -1
        return x, label, speaker

    def nats(self, model, x, label=None, speaker=None):
        """Returns the training loss. At each sample, the model also decides whether the sound ends. The nats of this decision count once
        more, with weight `end_weight`, because ends are rare: one sample in thousands. If the model gives the end a probability of one in
        ten thousand at every sample, the likelihood hardly suffers, but every fourth word ends too early."""
        if not self.sound:
            return model.nats(x)
        if not (self.s.end_weight and model.training):
            return model.nats(x, label, speaker)
        each, ends = model.each_and_ends(x, label, speaker)
        return (each + self.s.end_weight * ends).sum(1)

    @torch.no_grad()
    def folded(self, model):
        found = copy.deepcopy(model)
        for name, p in found.named_parameters():
            if ".class." in name:
                p.mul_(self.s.class_gain)
        return found

    def matrices(self, model):
        return [p for name, p in model.named_parameters() if name.endswith(".weight") and self.product(name)]

    @staticmethod
    def product(name):
        """Returns whether a matrix is a factor of a product rather than a table of rows to add."""
        return name != "input.weight" and ".class." not in name and ".speaker." not in name

    @property
    def elements(self):
        return self.length if self.sound else self.s.height * self.s.width

    def sheet(self, model, valid, path, autocast, device, final):
        """Writes samples.wav, in which the digits are spoken in order, by different speakers. For pictures, draws the sample sheet of
        PixelCNN."""
        if not self.sound:
            return PixelCNNTask.sheet(self, model, valid, path, autocast, device, final)
        from data.fsdd import RATE, expand
        import wave
        count = 30 if final else 10
        model = model.cpu()
        of = lambda number, many: number % many if many else torch.full_like(number, -1)
        x = model.generate(of(torch.arange(count), self.s.classes), of(torch.arange(count) * 7, self.s.speakers), 5000, 1.0, torch.Generator().manual_seed(0))
        model.to(device)
        parts = []
        for row in x.numpy():
            end = np.flatnonzero(row == END)
            parts += [expand(row[:end[0] if len(end) else None]), np.zeros(2000)]
        with wave.open(path.replace(".png", ".wav"), "wb") as f:
            f.setnchannels(1), f.setsampwidth(2), f.setframerate(RATE)
            f.writeframes((32767 * np.concatenate(parts)).astype("<i2").tobytes())

    def metadata(self, model):
        c, p = model.c, PREFIX
        kind = ({p + "sound.rate": c.rate} if c.rate else
                {p + "image.height": c.height, p + "image.width": c.width, p + "image.channels": 1, p + "image.levels": c.levels, p + "output.type": c.output})
        return dict(kind, **{p + "dilations": [int(d) for d in c.dilations], p + "residual_length": c.residual_length, p + "gate_length": c.gate_length,
                             p + "skip_length": c.skip_length, p + "head_length": c.head_length})

    def card_metadata(self, model, card):
        c = model.c
        found = {PREFIX + "classes": card.get("class_names") or [str(i) for i in range(c.classes)]} if c.classes else {}
        return dict(found, **{PREFIX + "speakers": card.get("speaker_names") or [str(i) for i in range(c.speakers)]}) if c.speakers else found

    def type_of(self, name, x, kind):
        """Returns the requested type for matrices that `product` selects, and at least F16 for the table of ids. Vectors and small tables
        get F32. If a quantised type is requested, a matrix whose width is not a multiple of 32 gets F32, too."""
        if name == "input.weight":
            return gguf.F16 if kind in (gguf.Q4_0, gguf.Q8_0) else kind
        if x.ndim != 2 or not self.product(name) or kind in (gguf.Q4_0, gguf.Q8_0) and x.shape[1] % 32:
            return gguf.F32
        return gguf.Q8_0 if kind == gguf.Q4_0 and name == "output.weight" else kind

    @classmethod
    def settings_of(cls, metadata, tensors):
        m = {key[len(PREFIX):]: v for key, v in metadata.items() if key.startswith(PREFIX)}
        found = {key: m[key] for key in ("residual_length", "gate_length", "skip_length", "head_length")}
        found.update(dilations=tuple(int(d) for d in m["dilations"]), classes=len(m.get("classes", ())), speakers=len(m.get("speakers", ())))
        if "sound.rate" in m:
            return dict(found, rate=m["sound.rate"], levels=END + 1)
        return dict(found, height=m["image.height"], width=m["image.width"], levels=m["image.levels"], output=m["output.type"])


TASK = WaveNetTask
