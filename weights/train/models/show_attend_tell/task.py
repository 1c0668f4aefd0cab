# SPDX-License-Identifier: MIT
"""The captioning task: scenes, and sentences that describe them. Soft attention is trained by its gradient; hard attention is trained by
REINFORCE."""
from dataclasses import dataclass, fields

import numpy as np
import torch

import data
from common import bleu
from common.settings import Settings as Common, of_file
from common.task import Task, picks, spread
from data import captions, scenes
from data.things import NOUNS, WORDS
from models.show_attend_tell.model import PADDING, Config, ShowAttendTell, draw, grid
from models.show_attend_tell.pretrain import pretrain

PREFIX = "show-attend-tell."
EXAMPLES = 1000000                       # nominal number of scenes per epoch; no scene repeats
VALIDATION = 2000
AT_ONCE = 64                             # pictures captioned together


@dataclass
class Settings(Config, Common):
    dataset: str = "scenes"
    pretrain: int = 0                    # steps that train only the encoder, see pretrain.py
    spread: float = 0.01                 # soft: weight of sum_i (1 - sum_p alpha_pi)^2
    reward: float = 1.0                  # hard: weight of the REINFORCE term in the loss
    entropy: float = 0.002               # hard: weight of the entropy of locations, in nats per word
    expected: float = 0.5                # hard: fraction of batches that are trained with the expectation, as in soft attention
    drawn: bool = False                  # also trains soft attention with sampled locations, which makes it sharper
    ink: float = 0.15                    # largest random change of colour strength in training pictures, as a fraction
    listed: tuple = of_file(())          # the model's words, if they differ from the words of the data set `scenes`
    further: bool = False                # whether training scenes also have more styles, changed colours and line drawings
    captions: int = 256                  # number of validation scenes that are captioned for a measurement


def padded(rows):
    out = np.full((len(rows), max(map(len, rows))), PADDING, np.int64)
    for row, ids in zip(out, rows):
        row[:len(ids)] = ids
    return torch.from_numpy(out)


class Numbered:
    """Scenes of a stream, indexed by number."""

    def __init__(self, source, stream, count, ids_of=scenes.ids_of):
        self.source, self.stream, self.count, self.ids_of = source, stream, count, ids_of

    def __len__(self):
        return self.count

    def scene(self, i):
        return self.source.scene("%s %d" % (self.stream, i))

    def take(self, pick, device):
        """Returns pictures (B, 64, 64, 3) uint8 and ids (B, n)"""
        pick = range(*pick.indices(len(self))) if isinstance(pick, slice) else pick
        found = [self.scene(int(i)) for i in pick]
        return torch.from_numpy(np.stack([s.picture for s in found])).to(device), padded([self.ids_of(s.words) for s in found]).to(device)


def on_it(cell, boxes, columns, cell_side):
    """Returns whether the middle of a cell is inside one of these boxes."""
    y, x = (cell // columns + 0.5) * cell_side, (cell % columns + 0.5) * cell_side
    return any(top <= y < bottom and left <= x < right for top, left, bottom, right in boxes)


class CaptionTask(Task):
    Settings = Settings
    architecture = "show-attend-tell"
    baseline = None                      # baseline of REINFORCE, by position

    @staticmethod
    def smoke(settings):
        return dict(Task.smoke(settings), channels=(32, 32, 32, 32, 32), embedding_length=32, state_length=32, head_length=32, attention_length=32, captions=8, pretrain=2)

    def model(self):
        found = {f.name: getattr(self.s, f.name) for f in fields(Config)}
        return ShowAttendTell(Config(**{k: tuple(v) if isinstance(v, (list, tuple)) else v for k, v in found.items()}))

    @property
    def words(self):
        """Returns the word of each id, \"\" for the end."""
        return ("",) + (tuple(self.s.listed) or WORDS)

    @classmethod
    def adopted(cls, metadata, tensors):
        words = tuple(metadata[PREFIX + "words"][1:])
        return dict(cls.settings_of(metadata, tensors), listed=() if words == WORDS else words)

    def adapt(self):
        """Appends the words of your own captions to the model's words. The vectors of new words start at the mean of the existing
        vectors."""
        super().adapt()
        s = self.s
        if data.own(s.dataset, s.data):
            captions.read(s.data, "train")
            known = self.words[1:]
            new = [word for word in captions.vocabulary(s.data) if word not in set(known)]
            if new:
                s.listed, s.values = tuple(known) + tuple(new), len(self.words) + len(new)
                print("%d words more than the model had: %s%s" % (len(new), ", ".join(new[:8]), ", ..." if len(new) > 8 else ""), flush=True)

    def relabelled(self, weights, metadata):
        old, found = len(metadata[PREFIX + "words"]), dict(super().relabelled(weights, metadata))
        for name in ("token_embd.weight", "output.weight", "output.bias"):
            w = found.get(name)
            if w is not None and len(w) == old < self.s.values:
                found[name] = torch.cat([w, w[1:].mean(0, keepdim=True).expand((self.s.values - old,) + w.shape[1:])])
        return found

    def load(self, split):
        """Loads scenes or, if you train on your own folder, your pictures with captions. The sentence of a scene is generated from the
        scene's emoji."""
        s = self.s
        return data.load(s.dataset, s.data, split, None) if data.own(s.dataset, s.data) else scenes.load(s.data or scenes.DEFAULT_DIR, split, s.further)

    def ids_of(self, words):
        """Converts a caption to ids. Unknown words are left out, and the caption is truncated to the model's maximum length."""
        ids = {word: i for i, word in enumerate(self.words) if i}
        return [ids[word] for word in words if word in ids][:self.s.context_length - 1] + [scenes.END]

    def begin_on(self, model, train, device):
        if not self.s.start and not isinstance(train.source, captions.Captioned):
            pretrain(model, train.source, self.s.pretrain, 64, self.s.seed, self.s.bf16, device)

    def encode(self, examples, model, device="cpu"):
        training = examples.split == "train"
        if isinstance(examples, captions.Captioned):
            return Numbered(examples, examples.split, len(examples), self.ids_of)
        return Numbered(examples, "%s %d" % (examples.split, self.s.seed if training else 0), EXAMPLES if training else VALIDATION)

    def batch(self, train, step, device):
        s = self.s
        of_own = isinstance(train.source, captions.Captioned)
        pick = picks(s.seed, step, s.batch, len(train)) if of_own else range(step * s.batch, (step + 1) * s.batch)
        pictures, ids = train.take(pick, device)
        gain = torch.from_numpy(np.random.default_rng([s.seed, step]).uniform(1 - s.ink, 1 + s.ink / 2, (s.batch, 1, 1, 3)).astype(np.float32)).to(device)
        return (255 - ((255 - pictures.float()) * gain).clamp_(max=255)), ids

    def nats(self, model, pictures, ids):
        """In training, returns the loss with its regularisers; otherwise, returns -log p."""
        if not model.training:
            return model.nats(pictures, ids)
        draws = model.c.attention == "hard" or self.s.drawn
        return self.hard(model, pictures, ids) if draws else self.soft(model, pictures, ids)

    def soft(self, model, pictures, ids):
        logits, log_alpha, _ = model.unrolled(pictures, ids)
        there = (ids != PADDING)[..., None]
        looked = (log_alpha.exp() * there).sum(1)
        return model.each(logits, ids).sum(1) + self.s.spread * ((1 - looked) ** 2).sum(1)

    def hard(self, model, pictures, ids):
        s = self.s
        if torch.rand(()) < s.expected:
            return model.each(model.unrolled(pictures, ids)[0], ids).sum(1)
        logits, log_alpha, place = model.unrolled(pictures, ids, draw)
        there = (ids != PADDING).float()
        nats = model.each(logits, ids)
        cost = nats.detach().flip(1).cumsum(1).flip(1)               # sum of the costs of a word and of all later words
        n, count = cost.shape[1], there.sum(0).clamp(min=1)
        if self.baseline is None:
            self.baseline = torch.zeros(model.c.context_length, device=cost.device)
        mean = (cost * there).sum(0) / count
        old = self.baseline[:n].clone()
        self.baseline[:n] = torch.where(old == 0, mean, 0.95 * old + 0.05 * mean)
        log_p = log_alpha.gather(2, place[..., None])[..., 0]
        entropy = -(log_alpha.exp() * log_alpha).sum(2)
        return (nats + there * (s.reward * (cost - old) * log_p - s.entropy * entropy)).sum(1)

    @property
    def elements(self):
        return 8                         # typical number of words of a sentence, including its end

    @torch.no_grad()
    def told(self, model, examples, pick, autocast, device):
        """Captions these scenes and returns for each: the scene, the words, the weights (n, L)"""
        found = []
        for at in range(0, len(pick), AT_ONCE):
            some = [examples.scene(int(i)) for i in pick[at:at + AT_ONCE]]
            with autocast():
                ids, maps = model.tell(torch.from_numpy(np.stack([s.picture for s in some])).to(device), scenes.END, model.drawn())
            for scene, row, weights in zip(some, ids.tolist(), maps.float().cpu().numpy()):
                words = [self.words[i] for i in row if i not in (PADDING, scenes.END)]
                found.append((scene, words, weights))
        return found

    def measures(self, model, valid, autocast, device, final):
        """Measures three values: BLEU-4; the percentage of captions that are entirely correct; and, of the nouns that name an object in the
        scene, the percentage for which the model attended to this object."""
        found = self.told(model, valid, spread(len(valid), min(len(valid), self.s.captions * (4 if final else 1))), autocast, device)
        side, columns = self.s.height / grid(model.c)[0], grid(model.c)[1]
        looked = []
        for scene, words, weights in found:
            there = {w: boxes for w, boxes in zip(scene.words, scene.boxes) if w in NOUNS}
            looked += [on_it(int(weights[i].argmax()), there[w], columns, side) for i, w in enumerate(words) if w in there]
        texts = [" ".join(words) for _, words, _ in found]
        wanted = [" ".join(scene.words) for scene, _, _ in found]
        return {"bleu": bleu.corpus(texts, wanted), "right": 100 * np.mean([a == b for a, b in zip(texts, wanted)]), "looked": 100 * float(np.mean(looked)) if looked else 0.0}

    def sheet(self, model, valid, path, autocast, device, final):
        """Writes samples.txt: validation scenes, each with the model's caption."""
        with open(path.replace(".png", ".txt"), "w", encoding="utf-8") as f:
            for scene, words, _ in self.told(model, valid, spread(len(valid), 40), autocast, device):
                f.write("%s %s\n  %s\n" % ("=" if scene.words == words else " ", " ".join(scene.words), " ".join(words)))

    def matrices(self, model):
        return [p for name, p in model.named_parameters() if p.dim() == 2 and not p.shape[1] % 32]

    def metadata(self, model):
        c, a = model.c, PREFIX
        return {a + "words": list(self.words), "tokenizer.ggml.eos_token_id": scenes.END, a + "context_length": c.context_length, a + "image.height": c.height, a + "image.width": c.width, a + "image.channels": 3,
                a + "kernels": [int(k) for k in c.kernels], a + "strides": [int(k) for k in c.strides], a + "embedding_length": c.embedding_length,
                a + "state_length": c.state_length, a + "head_length": c.head_length, a + "attention.length": c.attention_length,
                a + "attention.type": c.attention, a + "attention.selector": int(c.selector)}

    @staticmethod
    def settings_of(metadata, tensors):
        m = lambda key: metadata[PREFIX + key]
        return dict(values=tensors["token_embd.weight"].shape[0], context_length=m("context_length"), height=m("image.height"), width=m("image.width"), kernels=tuple(m("kernels")),
                    strides=tuple(m("strides")), channels=tuple(tensors["enc.blk.%d.bias" % i].shape[0] for i in range(len(m("kernels")))),
                    embedding_length=m("embedding_length"), state_length=m("state_length"), head_length=m("head_length"),
                    attention_length=m("attention.length"), attention=m("attention.type"), selector=bool(m("attention.selector")))


TASK = CaptionTask
