# SPDX-License-Identifier: MIT
"""The task of the Sparse Transformer. Examples are greyscale pictures, passages of books (as bytes), or pieces of music."""
import os
from dataclasses import dataclass, fields

import numpy as np
import torch

from common import bpe, gguf
from common.png import mosaic
from common.settings import Settings as Common
from common.task import Task, picks, spread
from data.pictures import to_bytes
from models.llama.task import Windows
from models.pixelcnn.task import Levels
from models.sparse_transformer import notes
from models.sparse_transformer.model import Config, SparseTransformer
from models.sparse_transformer.start import look_around

PREFIX = "sparse-transformer."


@dataclass
class Settings(Config, Common):
    dataset: str = "binarised_mnist"
    look_around: bool = True             # heads start by attending to neighbours, see start.py
    dropout: float = 0.0                 # dropout probability for all values that are added to the residual stream
    prompts: str = "Once upon a time|The king said"       # prompts of a text's sample sheet


class SparseTransformerTask(Task):
    Settings = Settings
    architecture = "sparse-transformer"

    @staticmethod
    def smoke(settings):
        tiny = dict(block_count=2, embedding_length=32, feed_forward_length=32, head_count=2, key_length=16)
        return dict(Task.smoke(settings), **tiny, **({} if settings.get("height") or settings.get("time_length") else dict(context_length=64, stride=16, summary=4)))

    def model(self):
        model = SparseTransformer(Config(**{f.name: getattr(self.s, f.name) for f in fields(Config)}))
        model.dropout = self.s.dropout
        return model

    def begin(self, model, examples):
        if self.s.look_around and not self.s.start:
            look_around(model)

    @property
    def text(self):
        return not self.s.height

    @property
    def notes(self):
        return self.s.time_length > 0

    def load(self, split):
        """Loads examples. Music is transposed to all keys within the voices' ranges for training, and stays in its own key for
        validation."""
        pieces = self.cut(super().load(split))
        if self.notes and split == "train":
            return [other for piece in pieces for _, other in notes.transposed(piece)]
        return pieces

    def held_out(self):
        return self.cut(super().held_out())

    def cut(self, pieces):
        """Splits music into pieces that fit the model's positions, and leaves everything else unchanged."""
        return [part for piece in pieces for part in notes.parts(piece, self.s.time_length, self.s.context_length)] if self.notes else pieces

    @property
    def tokenizer(self):
        return bpe.Vocabulary([])        # the vocabulary is an end token and the 256 bytes

    def encode(self, examples, model, device="cpu"):
        """Encodes the examples: (pictures, labels), (books, stories), or pieces of music. Books (or stories, if there are no books) are
        joined into a stream <end> book <end> book ... <end>, which is split into windows."""
        if self.notes:
            return notes.Pieces([notes.encode(piece) for piece in examples], device)
        if not self.text:
            return Levels(*examples, self.s.levels, device)
        stream = np.concatenate([np.array([0] + self.tokenizer.encode(text), np.uint16) for text in examples[0] or examples[1]] + [np.zeros(1, np.uint16)])
        return Windows(stream, self.s.context_length, device)

    def batch(self, train, step, device):
        if self.notes:
            return train.take(train.alike(self.s.seed, step, self.s.batch), device, self.s.stride)
        pick = picks(self.s.seed, step, self.s.batch, len(train))
        if not self.text:
            return train.take(pick, device)[:1]
        epoch = step // (len(train) // self.s.batch)
        return train.take(pick, device, int(np.random.default_rng([self.s.seed, epoch, 1]).integers(self.s.context_length)))

    def views(self, *batch):
        return {"": batch[:1]}

    def nats(self, model, x, *label):
        return model.nats(x)

    @property
    def shape(self):
        return None if self.text else (self.s.height, self.s.width, 1)

    @property
    def elements(self):
        return self.s.height * self.s.width or self.s.context_length

    @torch.no_grad()
    def sheet(self, model, valid, path, autocast, device, final):
        """Draws samples. For pictures, the sheet shows from top to bottom: samples, validation pictures, the upper halves of these
        pictures, and completions of the halves. For texts, samples.txt has continuations of given beginnings."""
        s, generator, model = self.s, torch.Generator().manual_seed(0), model.cpu()
        with autocast():
            if self.text:
                lines = [self.tokenizer.decode(model.generate(torch.tensor([[0] + self.tokenizer.encode(prompt)]), 300 if final else 160, 0.8, generator)[0, 1:].tolist())
                         for prompt in s.prompts.split("|")]
                with open(path.replace(".png", ".txt"), "w", encoding="utf-8") as f:
                    f.write("\n\n".join(lines) + "\n")
            else:
                x, n, half = valid.take(spread(len(valid), 10), "cpu")[0], s.height * s.width, s.height // 2 * s.width
                drawn = model.generate(torch.zeros(40 if final else 20, 0, dtype=torch.long), n, 1.0, generator)
                done, given = model.generate(x[:, :half], n - half, 1.0, generator), to_bytes(x.numpy(), s.levels)
                given[:, half:] = 128
                tiles = np.concatenate([to_bytes(drawn.numpy(), s.levels), to_bytes(x.numpy(), s.levels), given, to_bytes(done.numpy(), s.levels)])
                mosaic(path, tiles.astype(np.uint8).reshape(-1, 10, s.height, s.width, 1))
        model.to(device)

    def metadata(self, model):
        c, a = model.c, PREFIX
        shape = {} if c.text else {a + "image.height": c.height, a + "image.width": c.width, a + "image.channels": 1, a + "image.levels": c.levels}
        found = dict(shape, **{
            a + "context_length": c.n, a + "block_count": c.block_count, a + "embedding_length": c.embedding_length,
            a + "feed_forward_length": c.feed_forward_length, a + "attention.head_count": c.head_count, a + "attention.key_length": c.key_length,
            a + "attention.layer_norm_epsilon": float(c.layer_norm_epsilon), a + "attention.pattern": c.pattern, a + "attention.stride": c.stride})
        if c.pattern == "fixed":
            found[a + "attention.summary"] = c.summary
        found.update({a + "attention.combine": c.combine, a + "output.type": c.output})
        if c.time_length:
            found.update({a + "time_length": c.time_length, a + "notes.bar": c.bar, a + "notes.ticks": notes.TICKS,
                          a + "notes.voices": [name for name, _, _ in notes.VOICES],
                          **{a + "notes.id_" + name: column for name, column in zip(("ticks", "voices", "pitches"), notes.rows_of(c.levels).T.tolist())}, "tokenizer.ggml.bos_token_id": notes.END,
                          "tokenizer.ggml.eos_token_id": notes.END})
        elif c.text:
            found.update(self.tokenizer.metadata())
            found.update({"tokenizer.ggml.bos_token_id": 0, "tokenizer.ggml.eos_token_id": 0, "tokenizer.ggml.add_bos_token": True})
        return found

    def type_of(self, name, x, kind):
        """Returns the requested type for matrices of the blocks and the output. Tables and vectors get F32. If a quantised type is
        requested, a matrix whose width is not a multiple of 32 gets F32, too."""
        matrix = x.ndim == 2 and ("blk." in name or name == "output.weight" and len(x) > 1)
        if not matrix or kind in (gguf.Q4_0, gguf.Q8_0) and x.shape[1] % 32:
            return gguf.F32
        return gguf.Q8_0 if kind == gguf.Q4_0 and name == "output.weight" else kind

    @staticmethod
    def settings_of(metadata, tensors):
        m = {key[len(PREFIX):]: v for key, v in metadata.items() if key.startswith(PREFIX)}
        found = {key.split(".")[-1]: v for key, v in m.items() if key.split(".")[-1] in Config.__dataclass_fields__}
        found.update(output=m["output.type"])
        if "tokenizer.ggml.tokens" in metadata:
            found.update(levels=len(metadata["tokenizer.ggml.tokens"]))
        if "notes.id_ticks" in m:
            found.update(levels=len(m["notes.id_ticks"]), chord_length=len(tensors["chord_embd.weight"]))
        return found


TASK = SparseTransformerTask
