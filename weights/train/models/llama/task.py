# SPDX-License-Identifier: MIT
"""The task of Llama. An example is a window of a stream of tokens."""
import os
from dataclasses import dataclass, fields

import numpy as np
import torch

from common import bpe
from common.recipes import HERE
from common.settings import Settings as Common, of_file
from common.task import Task, picks
from models.llama.model import Config, Llama

PREFIX = "llama."
VOCABULARIES = os.path.join(HERE, "models", "llama", "vocabularies")


@dataclass
class Settings(Config, Common):
    dataset: str = "stories"
    vocabulary: str = "stories"          # a file of vocabularies/; "": the bytes; own: learned from your own texts (common/bpe.py)
    merges: str = of_file("")            # text of the vocabulary, if the folder does not have it
    prompts: str = "Once upon a time|The king said|Little"               # prompts of the sample sheet


class Windows:
    """Splits a stream of ids into windows of n + 1 ids. Consecutive windows share one id; `phase` shifts all windows."""

    def __init__(self, ids, n, device):
        ids = np.resize(ids, max(len(ids), 2 * n + 2))                   # repeats a text that is too short
        self.ids, self.n = torch.from_numpy(ids.astype(np.int64)).to(device), n

    def __len__(self):
        return (len(self.ids) - 1) // self.n - 1

    def take(self, pick, device, phase=0):
        pick = range(*pick.indices(len(self))) if isinstance(pick, slice) else pick
        return (torch.stack([self.ids[phase + i * self.n:][:self.n + 1] for i in pick]).to(device),)


class LlamaTask(bpe.Chosen, Task):
    Settings = Settings
    architecture = "llama"
    vocabularies = VOCABULARIES
    bytes_per_token = 1.0

    @staticmethod
    def smoke(settings):
        tiny = dict(block_count=2, embedding_length=32, feed_forward_length=64, head_count=2, head_count_kv=2, context_length=32)
        return dict(Task.smoke(settings), **tiny)

    def model(self):
        return Llama(Config(**{f.name: getattr(self.s, f.name) for f in fields(Config)}))

    def encode(self, examples, model, device="cpu"):
        """Maps (books, stories) to windows of the stream <end> text <end> text ... <end> <end>"""
        books, stories = examples
        texts = list(books) + list(stories)
        ids = [np.array([0] + self.tokenizer.encode(text), np.uint16) for text in texts]
        stream = np.concatenate(ids + [np.zeros(1, np.uint16)])
        self.bytes_per_token = sum(len(text.encode()) for text in texts) / (len(stream) - 1)
        return Windows(stream, self.s.context_length, device)

    def batch(self, train, step, device):
        """Returns a batch; the windows of each epoch start at a new offset."""
        epoch = step // (len(train) // self.s.batch)
        phase = int(np.random.default_rng([self.s.seed, epoch, 1]).integers(self.s.context_length))
        return train.take(picks(self.s.seed, step, self.s.batch, len(train)), device, phase)

    @property
    def elements(self):
        return self.s.context_length

    @property
    def dims(self):
        """Returns the number of bytes per example, so that bits/dim means bits per byte of text."""
        return self.elements * self.bytes_per_token

    @torch.no_grad()
    def sheet(self, model, valid, path, autocast, device, final):
        """Writes samples.txt, in which the model continues the prompts."""
        generator, lines = torch.Generator().manual_seed(0), []
        for prompt in self.s.prompts.split("|"):
            ids = torch.tensor([[0] + self.tokenizer.encode(prompt)])
            with autocast():
                ids = model.cpu().generate(ids, 160 if final else 80, 0.8, generator)
            lines.append(self.tokenizer.decode(ids[0, 1:].tolist()))
        model.to(device)
        with open(path.replace(".png", ".txt"), "w", encoding="utf-8") as f:
            f.write("\n\n".join(lines) + "\n")

    def metadata(self, model):
        c, p = model.c, PREFIX
        keys = {p + "context_length": c.context_length, p + "embedding_length": c.embedding_length, p + "block_count": c.block_count,
                p + "feed_forward_length": c.feed_forward_length, p + "attention.head_count": c.head_count,
                p + "attention.head_count_kv": c.head_count_kv, p + "attention.layer_norm_rms_epsilon": c.epsilon,
                p + "rope.dimension_count": c.key_length, p + "rope.freq_base": c.freq_base, p + "vocab_size": c.values}
        end = {"tokenizer.ggml.bos_token_id": 0, "tokenizer.ggml.eos_token_id": 0, "tokenizer.ggml.add_bos_token": True}
        return dict(keys, **self.tokenizer.metadata(), **end)

    @staticmethod
    def settings_of(metadata, tensors):
        m = lambda key: metadata[PREFIX + key]
        return dict(values=len(metadata["tokenizer.ggml.tokens"]), context_length=m("context_length"), embedding_length=m("embedding_length"),
                    block_count=m("block_count"), feed_forward_length=m("feed_forward_length"), head_count=m("attention.head_count"),
                    head_count_kv=m("attention.head_count_kv"), epsilon=m("attention.layer_norm_rms_epsilon"), freq_base=m("rope.freq_base"))


TASK = LlamaTask
