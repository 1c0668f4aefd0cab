# SPDX-License-Identifier: MIT
"""The task of Jukebox, which is trained in two runs. The first run trains the encoders, codebooks and decoders of both levels; the second
run trains the priors on the codes that those encoders compute."""
import math
import wave
from dataclasses import dataclass, fields

import numpy as np
import torch
import torch.nn.functional as F

import data
from common import gguf
from common.settings import Settings as Common
from common.task import Task
from data.fsdd import RATE, expand
from models.jukebox.model import LEVELS, Config, Jukebox

PREFIX = "jukebox."
PRIORS = ("top.", "bottom.")             # prefixes of the tensors of the priors
WINDOWS = (512, 256, 128, 64)            # window lengths, in samples, of the spectra that training compares; a hop is a quarter of a window
FLOOR = 1e-3                             # added to a magnitude before its logarithm
WHOLE = 16                               # top-level batches are padded to a multiple of this length, a whole number of pattern blocks
DECAY = 0.99                             # decay of the codebook's moving averages
DEAD = 0.05                              # a code is replaced if its use falls below this fraction of the mean use


@dataclass
class Settings(Config, Common):
    dataset: str = "fsdd"
    part: str = "codes"                  # codes | priors: what a run trains; the comments below name the part that a setting is for
    crop: int = 2048                     # codes: samples of a sound per training example
    commitment: float = 0.25
    error_weight: float = 1.0            # codes: weight of the squared error in the loss
    log_weight: float = 0.5              # codes: weight of the distance between log spectra in the loss
    shifts: int = 3                      # priors: each sound is encoded this often, with a new loudness and a new leading silence
    class_drop: float = 0.1              # probability of dropping the class of an example
    speaker_drop: float = 0.15           # probability of dropping the speaker of an example
    dropout: float = 0.0                 # dropout probability of each sublayer's output in a prior


def spectra(x):
    """Returns the magnitudes of the spectra of x (B, T), for each window length: [(B, bins, frames)]"""
    found = []
    for n in WINDOWS:
        z = torch.stft(x, n, n // 4, window=torch.hann_window(n, device=x.device), return_complex=True)
        found.append((z.real ** 2 + z.imag ** 2 + 1e-9).sqrt())
    return found


def loss_of(x, y, error, log):
    """Returns the loss, a tensor of shape (B,). The loss has a term for the samples and a term for each window length. The term for the
    samples is `error` times the squared error, relative to the energy. The term for a window length is the relative distance between the
    magnitudes of the two spectra, plus `log` times the distance between the logarithms of these magnitudes."""
    total = error * ((x - y) ** 2).mean(1) / ((x * x).mean(1) + 1e-3)
    for a, b in zip(spectra(x), spectra(y)):
        total = total + ((a - b) ** 2).sum((1, 2)).sqrt() / ((a * a).sum((1, 2)).sqrt() + 1e-1) + log * ((a + FLOOR).log() - (b + FLOOR).log()).abs().mean((1, 2))
    return total


def convergence(x, y):
    """Returns the spectral convergence (B,) in dB: 20 log10 of |spectrum of x - spectrum of y| / |spectrum of x|, over windows of 256
    samples; lower is better."""
    a, b = (spectra(t)[1] for t in (x, y))
    return 20 * torch.log10(((a - b) ** 2).sum((1, 2)).sqrt() / (a * a).sum((1, 2)).sqrt())


class Sounds:
    """Clips of sounds as samples in -1..1."""

    def __init__(self, clips, labels, speakers, crop):
        self.clips, self.crop = [torch.from_numpy(expand(clip).astype(np.float32)) for clip in clips], crop
        self.y, self.s = torch.from_numpy(np.array(labels)).long(), torch.from_numpy(np.array(speakers)).long()

    def __len__(self):
        return len(self.clips)

    def take(self, pick, device):
        pick = np.arange(len(self))[pick]
        return (torch.stack([F.pad(self.clips[i][:self.crop], (0, max(0, self.crop - len(self.clips[i])))) for i in pick]).to(device),)


class Codes:
    """The codes that the encoders compute for sounds: for each sound, the codes of the top level with an end token, and the codes of the
    bottom level. Shorter sounds are padded with -1."""

    def __init__(self, model, sounds, shifts, seed, bf16=False):
        self.c, self.codes, rng, c = model.c, [], np.random.default_rng([seed, 7]), model.c
        hop, end = c.hop("top"), torch.tensor([c.top_codes])
        order = sorted(range(len(sounds)), key=lambda i: len(sounds.clips[i]))
        with torch.no_grad(), torch.autocast(sounds.y.device.type, torch.bfloat16, enabled=bf16):
            for shift in range(shifts):
                for at in range(0, len(order), 16):
                    pick = order[at:at + 16]
                    made = []
                    for i in pick:
                        x = sounds.clips[i] * (1 if not shift else float(rng.uniform(0.5, 1.1)))
                        made.append(F.pad(x, (int(rng.integers(hop)) if shift else 0, 0))[:hop * c.top_length])
                    counts = [-(-len(x) // hop) for x in made]
                    x = torch.stack([F.pad(x, (0, max(counts) * hop - len(x))) for x in made])
                    top, bottom = (model.encode(x, level) for level in LEVELS)
                    for i, n, t, b in zip(pick, counts, top, bottom):
                        self.codes.append((i, torch.cat([t[:n], end]).short(), b[:n * c.ratio].short()))
        self.lengths = np.array([len(t) for _, t, _ in self.codes])
        self.y, self.s = sounds.y, sounds.s

    def __len__(self):
        return len(self.codes)

    def take(self, pick, device):
        some, c = [self.codes[i] for i in np.arange(len(self))[pick]], self.c
        most = -(-(c.top_length + 1) // c.top_stride) * c.top_stride         # the end token counts too
        of, n = torch.tensor([i for i, _, _ in some]), min(most, -(-max(len(t) for _, t, _ in some) // WHOLE) * WHOLE)
        padded = lambda k, length: torch.stack([F.pad(one[k], (0, length - len(one[k])), value=-1) for one in some]).long().to(device)
        return padded(1, n), padded(2, min(n, c.top_length) * c.ratio), self.y[of].to(device), self.s[of].to(device)


class JukeboxTask(Task):
    Settings = Settings
    architecture = "jukebox"

    def __init__(self, settings):
        super().__init__(settings)
        self.length = 0.0                # mean number of codes of a training sound
        if settings.part == "codes":
            self.update, self.unit = self.update_codes, "loss"

    @staticmethod
    def smoke(settings):
        return dict(Task.smoke(settings), top_widths=(16, 16, 16), bottom_widths=(16, 16), unit_count=1, code_length=16, top_codes=16, bottom_codes=16, embedding_length=32,
                    feed_forward_length=32, head_count=2, key_length=16, crop=1024, shifts=1, **(dict(top_blocks=2, bottom_blocks=2) if settings.get("part") == "priors" else {}))

    def model(self):
        model = Jukebox(self.config())
        for prior in (model.top, model.bottom) if self.s.top_blocks else ():
            prior.dropout = self.s.dropout
        for name, p in model.named_parameters():
            p.requires_grad_(not name.startswith(("codebook.", "level.")) and name.startswith(PRIORS) == (self.s.part == "priors"))
        return model

    def grow(self, model, weights):
        """Loads the weights of a file. Priors that are missing from the file start from random weights."""
        super().grow(model, dict({k: w for k, w in model.state_dict().items() if k.startswith(PRIORS)}, **weights))

    # codes

    def ready(self, model, average, device):
        self.live = model
        if self.s.part == "codes" and not hasattr(self, "use"):
            self.use = {name: torch.ones(len(self.book(name))) for name in LEVELS}
            self.sums = {name: self.book(name).detach().clone() for name in LEVELS}

    def book(self, name):
        return getattr(self.live.codebook, name).weight

    def beside(self):
        return dict(use=self.use, sums=self.sums)

    def restore(self, beside):
        self.use, self.sums = beside["use"], beside["sums"]

    def settle(self, average, training, device):
        """Copies the codebooks unchanged, because each is already an average."""
        for name in LEVELS:
            getattr(average.codebook, name).weight.data.copy_(self.book(name))

    def begin_on(self, model, train, device):
        """Sets the codebook vectors to encoder outputs of some sounds, unless the file provides them."""
        if self.s.part == "codes" and not self.s.start:
            x, = train.take(np.random.default_rng(self.s.seed).permutation(len(train))[:64], device)
            with torch.no_grad():
                for name in LEVELS:
                    h = model.hidden(x, name).float().flatten(0, 1)
                    book = getattr(model.codebook, name).weight
                    book.copy_(h[torch.randint(len(h), (len(book),))] + 0.01 * torch.randn_like(book))

    @torch.no_grad()
    def follow(self, name, h, ids):
        """Moves each codebook vector towards the mean of the inputs nearest to it, and replaces a rarely used vector with a new input."""
        use, sums, book = self.use[name], self.sums[name], self.book(name)
        use.mul_(DECAY).add_(torch.bincount(ids, minlength=len(use)).float(), alpha=1 - DECAY)
        sums.mul_(DECAY).index_add_(0, ids, h, alpha=1 - DECAY)
        book.copy_(sums / use.clamp(min=1e-4)[:, None])
        dead = use < DEAD * use.mean()
        if dead.any():
            fresh = h[torch.randint(len(h), (int(dead.sum()),))]
            book[dead], use[dead] = fresh, float(use.mean())
            sums[dead] = fresh * use.mean()

    def loss(self, x, y):
        return loss_of(x, y, self.s.error_weight, self.s.log_weight)

    def update_codes(self, trainer, batch, rate):
        model, (x,), total = trainer.model, batch, 0.0
        for group in trainer.adam.param_groups:
            group["lr"] = self.s.lr * rate
        trainer.model.zero_grad(set_to_none=True)
        seen = []
        with trainer.autocast():
            for name in LEVELS:
                h = model.hidden(x, name).float()
                ids = getattr(model.codebook, name).nearest(h.detach())
                e = self.book(name)[ids]
                y = getattr(model.dec, name)(h + (e - h).detach())[..., 0].float()
                total = total + self.loss(x, y).mean() + self.s.commitment * ((h - e) ** 2).mean()
                seen.append((name, h.detach().flatten(0, 1), ids.flatten()))
        total.backward()
        torch.nn.utils.clip_grad_norm_(trainer.parameters, self.s.clip)
        trainer.adam.step()
        for one in seen:
            self.follow(*one)
        return total.detach()

    # data

    def how(self):
        s = self.s
        if not data.own(s.dataset, s.data):
            return {}
        most = Config.top_length if not s.top_blocks else s.top_length
        return dict(rate=s.rate, longest=self.config().hop("top") * most, classes=s.class_names if s.labels in ("folders", "file") else (),
                    speakers=s.speaker_names if s.labels != "none" else ())

    @property
    def labelled(self):
        return bool(self.s.top_blocks and self.s.classes)

    def config(self):
        return Config(**{f.name: getattr(self.s, f.name) for f in fields(Config)})

    def encode(self, examples, model, device="cpu"):
        sounds = Sounds(*examples, self.s.crop)
        if self.s.part == "codes":
            return sounds
        found = Codes(model, sounds, self.s.shifts if len(sounds) > 1000 else 1, self.s.seed, self.s.bf16)
        self.length = self.length or float(found.lengths.mean()) * (1 + model.c.ratio)
        return found

    def batch(self, train, step, device):
        """Returns a batch. If codes are trained, the batch contains pieces of sounds with random loudness and sign. If priors are trained,
        the batch contains the codes of sounds of similar length."""
        s, rng = self.s, np.random.default_rng([self.s.seed, step])
        if s.part == "codes":
            pieces = []
            for i in rng.integers(len(train), size=s.batch):
                x = train.clips[i]
                room = s.crop - len(x)
                at = int(rng.integers(abs(room) + 1))
                x = F.pad(x, (at, room - at)) if room >= 0 else x[at:at + s.crop]
                pieces.append(x * float(rng.choice([-1, 1]) * rng.uniform(0.3, 1.2)))
            return (torch.stack(pieces).to(device),)
        per_epoch = len(train) // s.batch
        epoch = np.random.default_rng([s.seed, step // per_epoch])
        order = np.argsort(train.lengths * epoch.uniform(0.95, 1.05, len(train)))[epoch.integers(len(train) - per_epoch * s.batch + 1):]
        at = epoch.permutation(per_epoch)[step % per_epoch] * s.batch
        top, bottom, label, speaker = train.take(order[at:at + s.batch], device)
        drop = torch.from_numpy(rng.random((2, len(top)))).to(device)
        label[drop[0] < s.class_drop], speaker[drop[1] < s.speaker_drop] = -1, -1
        return top, bottom, label, speaker

    @property
    def elements(self):
        return 1 if self.s.part == "codes" else self.length

    def nats(self, model, *batch):
        """Returns a tensor of shape (B,): the loss of both levels if codes are trained; -log p of both levels if priors are trained"""
        if self.s.part == "codes":
            return sum(self.loss(batch[0], model.decode(model.encode(batch[0], name), name).float()) for name in LEVELS)
        top, bottom, label, speaker = batch
        return model.top.each(top, label, speaker).sum(1) + model.bottom.each(bottom, label, speaker, self.above(top)).sum(1)

    def above(self, top):
        """Returns the codes of the top level. The end token and the positions after it are -1."""
        return torch.where(top == self.s.top_codes, -1, top)

    @torch.no_grad()
    def measures(self, model, valid, autocast, device, final):
        if self.s.part == "codes":
            x, = valid.take(slice(None), device)
            found = {}
            for name in LEVELS:
                ids = model.encode(x, name)
                found[name + "_dB"] = float(convergence(x, model.decode(ids, name)).mean())
                use = torch.bincount(ids.flatten(), minlength=len(self.book(name))).float() / ids.numel()
                found[name + "_bits"] = float(-(use * (use + 1e-12).log2()).sum())
            return found
        total, counts = np.zeros(2), np.zeros(2)
        for at in range(0, len(valid), 16):
            top, bottom, label, speaker = valid.take(slice(at, at + 16), device)
            with autocast():
                total += [float(model.top.each(top, label, speaker).sum()), float(model.bottom.each(bottom, label, speaker, self.above(top)).sum())]
            counts += [int((top >= 0).sum()), int((bottom >= 0).sum())]
        return dict(zip(("top", "bottom"), (total / counts).tolist()))

    @torch.no_grad()
    def sheet(self, model, valid, path, autocast, device, final):
        """Writes samples.wav: for codes, some sounds decoded from the top level and from the bottom level; for priors, generated digits."""
        parts = []
        if self.s.part == "codes":
            x, = valid.take(slice(None, None, max(1, len(valid) // 10)), device)
            for row in zip(x, *(model.decode(model.encode(x, name), name) for name in LEVELS)):
                parts += [sound.numpy() for sound in row]
        else:
            of = lambda number, many: number % many if many else torch.full_like(number, -1)
            for _, bottom in model.generate(of(torch.arange(10), self.s.classes), of(torch.arange(10), self.s.speakers), 1.0, torch.Generator().manual_seed(0)):
                if len(bottom):
                    parts += [model.decode(bottom[None], "bottom")[0].numpy(), np.zeros(1500)]
        with wave.open(path.replace(".png", ".wav"), "wb") as f:
            f.setnchannels(1), f.setsampwidth(2), f.setframerate(RATE)
            f.writeframes((32767 * np.concatenate(parts).clip(-1, 1)).astype("<i2").tobytes())

    # the file

    def metadata(self, model):
        c, p = model.c, PREFIX
        found = {p + "sound.rate": c.rate, p + "unit_count": c.unit_count, p + "code_length": c.code_length}
        for name in LEVELS:
            l, q = c.level(name), p + name + "."
            found.update({q + "strides": [int(s) for s in l.strides], q + "widths": [int(w) for w in l.widths], q + "code_count": l.codes})
        if not c.top_blocks:
            return found
        found.update({p + "conditioner_units": c.conditioner_units, p + "top.context_length": c.top_length})
        for name in LEVELS:
            q, own = p + name + ".", c.prior(name)
            found.update({
                q + "block_count": own.block_count, q + "embedding_length": c.embedding_length, q + "feed_forward_length": c.feed_forward_length,
                q + "attention.head_count": c.head_count, q + "attention.key_length": c.key_length,
                q + "attention.layer_norm_epsilon": float(c.layer_norm_epsilon), q + "attention.pattern": own.pattern, q + "attention.stride": own.stride,
                q + "attention.combine": "interleaved"})
        return found

    def card_metadata(self, model, card):
        c = model.c
        if not c.top_blocks:
            return {}
        found = {PREFIX + "classes": card.get("class_names") or [str(i) for i in range(c.classes)]} if c.classes else {}
        return dict(found, **{PREFIX + "speakers": card.get("speaker_names") or [str(i) for i in range(c.speakers)]}) if c.speakers else found

    def type_of(self, name, x, kind):
        """Returns the requested type for matrices of the priors. Tables, encoders and decoders get F16 instead of a quantised type: in a
        quantised encoder or decoder, the engine would also round the inputs of each matrix. Codebooks and vectors get F32."""
        rounds = kind in (gguf.Q4_0, gguf.Q8_0)
        if x.ndim != 2 or name.startswith("codebook."):
            return gguf.F32
        if name.startswith(("enc.", "dec.")):
            return gguf.F16 if rounds else kind
        product = ".blk." in name or name in ("top.output.weight", "bottom.output.weight")
        if not product:
            return gguf.F16 if rounds else kind
        return gguf.F32 if rounds and x.shape[1] % 32 else kind

    @staticmethod
    def settings_of(metadata, tensors):
        m = {key[len(PREFIX):]: v for key, v in metadata.items() if key.startswith(PREFIX)}
        found = dict(rate=m["sound.rate"], unit_count=m["unit_count"], code_length=m["code_length"], top_blocks=m.get("top.block_count", 0), bottom_blocks=m.get("bottom.block_count", 0))
        if found["top_blocks"]:
            shared = {key.split(".")[-1]: v for key, v in m.items() if key.startswith("bottom.")}
            found.update({key: shared[key] for key in ("embedding_length", "feed_forward_length", "head_count", "key_length", "layer_norm_epsilon")})
            found.update(conditioner_units=m["conditioner_units"], pattern=m["top.attention.pattern"], top_length=m["top.context_length"], top_stride=m["top.attention.stride"], bottom_stride=m["bottom.attention.stride"],
                         classes=len(m.get("classes", ())), speakers=len(m.get("speakers", ())))
        for name in LEVELS:
            found.update({name + "_strides": tuple(int(s) for s in m[name + ".strides"]), name + "_widths": tuple(int(w) for w in m[name + ".widths"]),
                          name + "_codes": m[name + ".code_count"]})
        return found


TASK = JukeboxTask
