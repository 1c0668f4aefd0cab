# SPDX-License-Identifier: MIT
"""The task of GPT-2. A line contains a question, a separator, the answer and an end token; only the answer and the end token count in the
loss."""
from dataclasses import dataclass, fields

import numpy as np
import torch

from common import bpe
from common.settings import Settings as Common
from common.task import Task, picks, spread
from models.gpt2.model import GPT2, PADDING, Config

PREFIX = "gpt2."
END = 0                                  # id of the end token, the only special token


@dataclass
class Settings(Config, Common):
    dataset: str = "letters"
    signs: str = ""                      # characters of the vocabulary; "": the bytes
    between: str = "="                   # separator between a question and its answer


class Lines:
    """Questions and answers as ids of shape (lines, longest), padded with PADDING, and the index at which each answer begins."""

    def __init__(self, questions, answers, task):
        longest, encode, cut = task.s.context_length + 1, task.tokenizer.encode, (task.s.context_length - 1) // 2
        self.questions = [encode(text)[:cut] + encode(task.s.between) for text in questions]
        self.answers = [encode(text)[:cut] + [END] for text in answers]
        self.ids = torch.full((len(questions), longest), PADDING)
        self.begins = torch.tensor([len(question) for question in self.questions])
        for row, question, answer in zip(self.ids, self.questions, self.answers):
            line = (question + answer)[:longest]
            row[:len(line)] = torch.tensor(line)

    def __len__(self):
        return len(self.questions)

    def take(self, pick, device):
        """Returns the ids of the lines `pick`, and where their answers begin"""
        pick = torch.as_tensor(range(*pick.indices(len(self))) if isinstance(pick, slice) else np.asarray(pick))
        return self.ids[pick].to(device), self.begins[pick].to(device)


class GPT2Task(Task):
    Settings = Settings
    architecture = "gpt2"
    words = None
    tokens_per_answer = 4.5

    @staticmethod
    def smoke(settings):
        return dict(Task.smoke(settings), block_count=1, embedding_length=16, feed_forward_length=32, head_count=2)

    def model(self):
        return GPT2(Config(**{f.name: getattr(self.s, f.name) for f in fields(Config)}))

    @property
    def tokenizer(self):
        if self.words is None:
            self.words = bpe.Signs(self.s.signs) if self.s.signs else bpe.Vocabulary([])
            if len(self.words) != self.s.values:
                raise SystemExit("the vocabulary has %d tokens, the model %d" % (len(self.words), self.s.values))
        return self.words

    def encode(self, examples, model, device="cpu"):
        """(questions, answers) -> Lines"""
        lines = Lines(*examples, self)
        self.tokens_per_answer = float(np.mean([len(answer) for answer in lines.answers]))
        return lines

    def batch(self, train, step, device):
        return train.take(picks(self.s.seed, step, self.s.batch, len(train)), device)

    def nats(self, model, ids, begins):
        """Returns -log p of each answer with its end token, given its question."""
        counts = torch.arange(1, ids.shape[1], device=ids.device) >= begins[:, None]
        return (model.each(ids) * counts).sum(1)

    @property
    def elements(self):
        """Returns the mean number of tokens per answer, so that bits/dim means bits per token."""
        return self.tokens_per_answer

    @torch.no_grad()
    def answered(self, model, lines, pick, autocast, device):
        """Generates the answers of the lines `pick`: the most probable token at each step, up to the end token"""
        found, room = {}, self.s.context_length + 1
        for length in sorted({len(lines.questions[i]) for i in pick}):
            some = [i for i in pick if len(lines.questions[i]) == length]
            with autocast():
                ids = model.generate(torch.tensor([lines.questions[i] for i in some], device=device), min(length, room - length))[:, length:].tolist()
            found.update((i, row[:row.index(END) + 1] if END in row else row) for i, row in zip(some, ids))
        return [found[i] for i in pick]

    def measures(self, model, valid, autocast, device, final):
        """Measures the percentage of answers that are entirely correct, including the end token."""
        pick = spread(len(valid), 0 if final else min(1024, len(valid))).tolist()
        found = self.answered(model, valid, pick, autocast, device)
        return {"right": 100 * sum(row == valid.answers[i] for i, row in zip(pick, found)) / len(pick)}

    def sheet(self, model, valid, path, autocast, device, final):
        """Writes samples.txt: some questions, each with the model's answer."""
        pick = spread(len(valid), min(40, len(valid))).tolist()
        found = self.answered(model, valid, pick, autocast, device)
        with open(path.replace(".png", ".txt"), "w", encoding="utf-8") as f:
            f.writelines("%s%s\n" % (self.tokenizer.decode(valid.questions[i]), self.tokenizer.decode(row)) for i, row in zip(pick, found))

    def metadata(self, model):
        c, p = model.c, PREFIX
        keys = {p + "context_length": c.context_length, p + "embedding_length": c.embedding_length, p + "block_count": c.block_count,
                p + "feed_forward_length": c.feed_forward_length, p + "attention.head_count": c.head_count,
                p + "attention.layer_norm_epsilon": c.layer_norm_epsilon, p + "vocab_size": c.values}
        end = {"tokenizer.ggml.eos_token_id": END, "tokenizer.ggml.add_bos_token": False}
        return dict(keys, **self.tokenizer.metadata(), **end)

    @staticmethod
    def settings_of(metadata, tensors):
        m = lambda key: metadata[PREFIX + key]
        return dict(values=len(metadata["tokenizer.ggml.tokens"]), context_length=m("context_length"), embedding_length=m("embedding_length"),
                    block_count=m("block_count"), feed_forward_length=m("feed_forward_length"), head_count=m("attention.head_count"),
                    layer_norm_epsilon=m("attention.layer_norm_epsilon"))


TASK = GPT2Task
