# SPDX-License-Identifier: MIT
"""The task of the Transformer: pairs of sentences, batches of sentences of similar length, and the BLEU of the translations."""
import os
import random
from dataclasses import dataclass, fields

import numpy as np
import torch

from common import bleu, bpe
from common.recipes import HERE
from common.settings import Settings as Common, of_file
from common.task import Task, permutation, spread
from models.transformer.model import PADDING, Config, Transformer

PREFIX = "transformer."
VOCABULARIES = os.path.join(HERE, "models", "transformer", "vocabularies")
END = 0                                  # id of the end token, the only special token
BUCKETS = 100                            # number of batches within which sentences are sorted by length
AT_ONCE = 64                             # sentences translated together


@dataclass
class Settings(Config, Common):
    dataset: str = "multi30k"
    vocabulary: str = "multi30k"         # a file of vocabularies/; "": the bytes; own: learned from your own sentences (common/bpe.py)
    merges: str = of_file("")            # text of the vocabulary, if the folder does not have it
    signs: str = ""                      # the characters that replace byte pairs, for a task of single words
    smoothing: float = 0.1               # label smoothing, in training only
    merge_dropout: float = 0.0           # probability of skipping a merge, which varies a source's segmentation (bpe.Vocabulary.sampled)
    lower: float = 0.0                   # share of training sources in lower case, because users often type without capitals
    unstopped: float = 0.0               # share of training sources whose last full stop is removed
    bleu_pairs: int = 256                # validation pairs that a measurement translates; the last measurement translates all pairs


def padded(rows, device="cpu"):
    """Converts lists of ids to (B, longest), padded with PADDING."""
    out = np.full((len(rows), max(map(len, rows))), PADDING, np.int64)
    for row, ids in zip(out, rows):
        row[:len(ids)] = ids
    return torch.from_numpy(out).to(device)


def lengths(ids):
    """Returns a tensor of shape (2, pairs): the lengths of both sides of each pair"""
    return np.array([[len(row) for row in side] for side in ids])


class Pairs:
    """Sentences and their translations, as texts and as ids. Each of the two forms has a list of sources and a list of targets.  cut: a
    function from a source's text to its ids."""

    def __init__(self, sources, targets, tokenizer, longest, cut=None):
        self.sources, self.targets, self.tokenizer, self.longest, self.cut = sources, targets, tokenizer, longest, cut or tokenizer.encode
        self.ids = [[self.ended(self.cut(text)) for text in sources], [self.ended(tokenizer.encode(text)) for text in targets]]

    def __len__(self):
        return len(self.sources)

    def ended(self, ids):
        return ids[:self.longest - 1] + [END]

    def take(self, pick, device):
        """Returns source and target of the pairs `pick`, padded"""
        pick = range(*pick.indices(len(self))) if isinstance(pick, slice) else pick
        return tuple(padded([side[i] for i in pick], device) for side in self.ids)

    def varied(self, s, rng):
        """Returns the ids of all pairs, varied as the settings `s` specify"""
        if not (s.merge_dropout or s.lower or s.unstopped):
            return self.ids
        found = []
        for source in self.sources:
            source = source[:-1] if rng.random() < s.unstopped and source.endswith(".") else source
            source = source.lower() if rng.random() < s.lower else source
            found.append(self.ended(self.tokenizer.sampled(source, s.merge_dropout, rng) if s.merge_dropout else self.cut(source)))
        # Targets are not varied, because the probability of a target would be divided among its segmentations.
        return found, self.ids[1]


def arranged(sizes, seed, epoch, batch):
    """Groups pairs of similar length into batches. sizes (2, pairs): lengths of both sides. Returns the indices of each batch's pairs,
    (batches, batch), in an order that depends on the epoch."""
    count = sizes.shape[1] // batch
    order = permutation(seed, epoch, sizes.shape[1])[:count * batch]
    chunks = [order[at:at + BUCKETS * batch] for at in range(0, len(order), BUCKETS * batch)]
    order = np.concatenate([chunk[np.lexsort((sizes[:, chunk].min(0), sizes[:, chunk].max(0)))] for chunk in chunks])
    return order.reshape(count, batch)[np.random.default_rng([seed, epoch, 1]).permutation(count)]


class Epoch:
    """The batches of an epoch. Each pair occurs once, with a new random segmentation and variation of its source."""

    def __init__(self, train, s, number):
        self.number, self.ids = number, train.varied(s, random.Random("%d %d" % (s.seed, number)))
        self.batches = arranged(lengths(self.ids), s.seed, number, s.batch)

    def take(self, at, device):
        return tuple(padded([side[i] for i in self.batches[at]], device) for side in self.ids)


class TransformerTask(bpe.Chosen, Task):
    Settings = Settings
    architecture = "transformer"
    vocabularies = VOCABULARIES
    tokens_per_target = 16.0
    epoch = None

    @staticmethod
    def smoke(settings):
        tiny = dict(block_count=1, encoder_block_count=1, embedding_length=32, feed_forward_length=64, head_count=2, context_length=64, bleu_pairs=4)
        return dict(Task.smoke(settings), **tiny)

    def model(self):
        return Transformer(Config(**{f.name: getattr(self.s, f.name) for f in fields(Config)}))

    def grow(self, model, weights):
        """Grows the vocabulary: if the file's vocabulary is a prefix of this one, each additional merge starts as the mean of its two
        parts."""
        table = list(weights["token_embd.weight"])
        for pair in self.tokenizer.merges[len(table) - self.s.values:] if len(table) < self.s.values else ():
            table.append(sum(table[self.tokenizer.ids[side]] for side in pair) / 2)
        super().grow(model, dict(weights, **{"token_embd.weight": torch.stack(table)}))

    @property
    def tokenizer(self):
        if self.words is None and self.s.signs:
            self.words = bpe.Signs(self.s.signs)
        return super().tokenizer

    @property
    def cut(self):
        """Returns a function from a source's text to its ids"""
        return self.tokenizer.encode

    def encode(self, examples, model, device="cpu"):
        """(sources, targets) -> Pairs"""
        pairs = Pairs(*examples, self.tokenizer, self.s.context_length, self.cut)
        self.tokens_per_target = float(lengths(pairs.ids)[1].mean())
        return pairs

    def batch(self, train, step, device):
        number, at = divmod(step, len(train) // self.s.batch)
        if self.epoch is None or self.epoch.number != number:
            self.epoch = Epoch(train, self.s, number)
        return self.epoch.take(at, device)

    def nats(self, model, source, target):
        """In training, returns the loss with label smoothing; otherwise, returns -log p."""
        return model.each(source, target, self.s.smoothing).sum(1) if model.training else model.nats(source, target)

    @property
    def elements(self):
        """Returns the mean number of target tokens per pair, including the end token, so that bits/dim means bits per token."""
        return self.tokens_per_target

    @torch.no_grad()
    def translations(self, model, pairs, pick, autocast, device):
        """Translates these pairs, with the most probable token at each step"""
        found, order = {}, sorted(pick, key=lambda i: len(pairs.ids[0][i]))
        for at in range(0, len(order), AT_ONCE):
            some = order[at:at + AT_ONCE]
            with autocast():
                ids = model.translate(pairs.take(some, device)[0], END)
            for i, row in zip(some, ids.tolist()):
                found[i] = self.tokenizer.decode([token for token in row if token not in (PADDING, END)])
        return [found[i] for i in pick]

    def measures(self, model, valid, autocast, device, final):
        """Measures the BLEU of greedy translations of validation pairs. If the pairs are single words, measures the percentage of entirely
        correct words."""
        pick = spread(len(valid), 0 if final and not self.s.run.endswith("-smoke") else min(self.s.bleu_pairs, len(valid))).tolist()
        found, wanted = self.translations(model, valid, pick, autocast, device), [valid.targets[i] for i in pick]
        if self.s.signs:
            return {"right": 100 * sum(a == b for a, b in zip(found, wanted)) / len(pick)}
        return {"bleu": bleu.corpus([t.lower() for t in found], [t.lower() for t in wanted])}

    def sheet(self, model, valid, path, autocast, device, final):
        """Writes samples.txt: validation sentences, each with its human translation and the model's translation."""
        pick = spread(len(valid), min(40 if final else 12, len(valid))).tolist()
        found = self.translations(model, valid, pick, autocast, device)
        with open(path.replace(".png", ".txt"), "w", encoding="utf-8") as f:
            for i, text in zip(pick, found):
                f.write("%s\n    %s\n    %s\n\n" % (valid.sources[i], valid.targets[i], text))

    def metadata(self, model):
        c, p = model.c, PREFIX
        keys = {p + "context_length": c.context_length, p + "block_count": c.block_count, p + "encoder.block_count": c.encoder_block_count,
                p + "embedding_length": c.embedding_length, p + "feed_forward_length": c.feed_forward_length,
                p + "attention.head_count": c.head_count, p + "attention.layer_norm_epsilon": c.layer_norm_epsilon,
                p + "norm": c.norm, p + "position.type": c.position, p + "activation": "relu", p + "vocab_size": c.values}
        end = {"tokenizer.ggml.eos_token_id": END, "tokenizer.ggml.add_bos_token": False, "tokenizer.ggml.add_eos_token": True}
        return dict(keys, **self.tokenizer.metadata(), **end)

    def card_metadata(self, model, card):
        """Returns the two languages; the source language comes first."""
        return {"general.languages": card["languages"]} if card.get("languages") else {}

    @staticmethod
    def settings_of(metadata, tensors):
        m = lambda key: metadata[PREFIX + key]
        return dict(values=len(metadata["tokenizer.ggml.tokens"]), context_length=m("context_length"), block_count=m("block_count"),
                    encoder_block_count=m("encoder.block_count"), embedding_length=m("embedding_length"),
                    feed_forward_length=m("feed_forward_length"), head_count=m("attention.head_count"),
                    layer_norm_epsilon=m("attention.layer_norm_epsilon"), norm=m("norm"), position=m("position.type"),
                    attention_bias="blk.0.attn_q.bias" in tensors)


TASK = TransformerTask
