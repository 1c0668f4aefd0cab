# SPDX-License-Identifier: MIT
"""The task of the memory network. The training data are windows of a stream of tokens, as for Llama, but the windows are shorter than the
context."""
from dataclasses import dataclass, fields

import numpy as np

from common.task import picks
from models.llama import task as tales
from models.llama.task import LlamaTask, Windows
from models.lstmn.model import Config, Lstmn

PREFIX = "lstmn."


@dataclass
class Settings(tales.Settings):
    tape_start: str = Config.tape_start
    window: int = 64                     # tokens per training window; the tape is empty at the start of each window


class LstmnTask(LlamaTask):
    Settings = Settings
    architecture = "lstmn"

    @staticmethod
    def smoke(settings):
        return dict(tales.Task.smoke(settings), embedding_length=32, context_length=32, window=16)

    def model(self):
        return Lstmn(Config(**{f.name: getattr(self.s, f.name) for f in fields(Config)}))

    def encode(self, examples, model, device="cpu"):
        windows = super().encode(examples, model, device)
        return Windows(windows.ids.numpy(), self.s.window, device)

    def batch(self, train, step, device):
        """Returns a batch; the windows of each epoch start at a new offset."""
        epoch = step // (len(train) // self.s.batch)
        phase = int(np.random.default_rng([self.s.seed, epoch, 1]).integers(self.s.window))
        return train.take(picks(self.s.seed, step, self.s.batch, len(train)), device, phase)

    @property
    def elements(self):
        return self.s.window

    def matrices(self, model):
        return [p for name, p in model.named_parameters() if p.dim() == 2 and name != "token_embd.weight"]

    def metadata(self, model):
        c, p = model.c, PREFIX
        keys = {p + "context_length": c.context_length, p + "embedding_length": c.embedding_length, p + "tape_start": c.tape_start, p + "vocab_size": c.values}
        end = {"tokenizer.ggml.bos_token_id": 0, "tokenizer.ggml.eos_token_id": 0, "tokenizer.ggml.add_bos_token": True}
        return dict(keys, **self.tokenizer.metadata(), **end)

    @staticmethod
    def settings_of(metadata, tensors):
        m = lambda key: metadata[PREFIX + key]
        return dict(values=len(metadata["tokenizer.ggml.tokens"]), context_length=m("context_length"), embedding_length=m("embedding_length"),
                    tape_start=m("tape_start"))


TASK = LstmnTask
