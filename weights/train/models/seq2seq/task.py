# SPDX-License-Identifier: MIT
"""The task of the recurrent encoder-decoder, which is the Transformer's task (pairs, batches of similar length, BLEU) with another
model."""
import functools
from dataclasses import dataclass, fields, replace

import torch

from common import gguf
from models.seq2seq.model import Config, Seq2seq
from models.seq2seq.teacher import Teacher
from models.transformer.task import END, TransformerTask
from models.transformer import task as pairs

PREFIX = "seq2seq."


@dataclass
class Settings(pairs.Settings):
    """The Transformer's settings for data and training. Settings for recurrent networks replace the Transformer's settings for blocks and
    heads."""
    state_length: int = Config.state_length
    score: str = Config.score
    order: str = Config.order
    range: str = Config.range
    attention_length: int = Config.attention_length
    window: int = Config.window
    positions: int = Config.positions
    input_feeding: bool = Config.input_feeding
    structure: str = Config.structure
    turns: bool = Config.turns
    teacher: str = ""                    # a file whose encoder reads tokens and teaches this model's encoder in training (teacher.py)
    taught: float = 0.05                 # weight of the teacher's loss
    source: str = "tokens"               # units of the source: "tokens" | "characters"


class Seq2seqTask(TransformerTask):
    Settings = Settings
    architecture = "seq2seq"

    @staticmethod
    def smoke(settings):
        tiny = dict(embedding_length=32, state_length=32, attention_length=32, context_length=64, bleu_pairs=4)
        return dict(pairs.Task.smoke(settings), **tiny)

    def model(self):
        return Seq2seq(Config(**{f.name: getattr(self.s, f.name) for f in fields(Config)}))

    @functools.cached_property
    def teacher(self):
        metadata, tensors = gguf.read(self.s.teacher)
        other = Seq2seqTask(replace(self.s, teacher="", turns=False, **self.settings_of(metadata, tensors)))
        model = other.model()
        model.load_state_dict(other.stored(self.s.teacher))
        return Teacher(model, self.tokenizer)

    def nats(self, model, source, target):
        if not (model.training and self.s.teacher):
            return super().nats(model, source, target)
        annotations = []
        nats = model.each(source, target, self.s.smoothing, annotations).sum(1)
        return nats + self.s.taught * self.teacher.loss(source, annotations[0])

    @property
    def cut(self):
        return self.tokenizer.characters if self.s.source == "characters" else self.tokenizer.encode

    @torch.no_grad()
    def grow(self, model, weights):
        """Loads all tensors from a file of this recipe. From a file with another kind of attention, it loads the tensors that both models
        have: the word embeddings, the encoder, and the decoder's layers that read words and states. The other tensors stay random, so that
        every kind of attention starts from the same point. A file with attn_bias.weight comes from a run with `turns`, so the attention's
        own weights are loaded too, except for the transitions."""
        if self.s.adopted:
            return super().grow(model, weights)
        for name, p in model.named_parameters():
            old = weights.get(name)
            if old is None or old.shape[0] != p.shape[0] or name == "attn_transition.weight":
                continue
            columns = min(old.shape[-1], p.shape[-1]) if name == "dec.input.weight" else p.shape[-1]
            if old.shape[-1] >= columns and (not name.startswith("attn") or "attn_bias.weight" in weights) and (name != "output.weight" or old.shape == p.shape):
                p[..., :columns] = old[..., :columns]

    def fresh(self, name):
        """Returns True for attn_bias.weight, which determines how many characters the model attends to. Training has to change this bias a
        lot, so `fresh_rate` applies to it."""
        return name == "attn_bias.weight"

    def matrices(self, model):
        return [p for name, p in model.named_parameters() if p.dim() == 2 and name != "token_embd.weight"]

    def type_of(self, name, x, kind):
        """Returns the requested type for matrices; if Q4_0 is requested, the table of words gets Q8_0. The file is then under 2 MB, with no
        measurable loss of accuracy."""
        return super().type_of(name, x, gguf.Q8_0 if kind == gguf.Q4_0 and name == "token_embd.weight" else kind)

    def metadata(self, model):
        c, p = model.c, PREFIX
        keys = {p + "context_length": c.context_length, p + "embedding_length": c.embedding_length, p + "encoder.state_length": c.state_length,
                p + "cell": "gru", p + "vocab_size": c.values, p + "attention.score": c.score}
        if c.score != "none":
            keys.update({p + "attention.order": c.order, p + "attention.range": c.range})
        if c.range != "global":
            keys[p + "attention.window"] = c.window
        if c.score == "additive" or c.range == "local-p":
            keys[p + "attention.length"] = c.attention_length
        if c.score == "location":
            keys[p + "attention.positions"] = c.positions
        if c.input_feeding:
            keys[p + "input_feeding"] = 1
        if c.structure != "simple":
            keys[p + "attention.structure"] = c.structure
        if self.s.source != "tokens":
            keys["tokenizer.source"] = self.s.source
        end = {"tokenizer.ggml.eos_token_id": END, "tokenizer.ggml.add_bos_token": False, "tokenizer.ggml.add_eos_token": True}
        return dict(keys, **self.tokenizer.metadata(), **end)

    @staticmethod
    def settings_of(metadata, tensors):
        m = lambda key, default=None: metadata.get(PREFIX + key, default)
        return dict(values=len(metadata["tokenizer.ggml.tokens"]), context_length=m("context_length"), embedding_length=m("embedding_length"),
                    state_length=m("encoder.state_length"), score=m("attention.score"), order=m("attention.order", "after"),
                    range=m("attention.range", "global"), window=m("attention.window", Config.window),
                    attention_length=m("attention.length", Config.attention_length), positions=m("attention.positions", Config.positions),
                    input_feeding=bool(m("input_feeding", 0)), structure=m("attention.structure", "simple"),
                    source=metadata.get("tokenizer.source", "tokens"))


TASK = Seq2seqTask
