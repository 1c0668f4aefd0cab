# SPDX-License-Identifier: MIT
"""The task of the Image Transformer: pictures, likelihood with and without the class, sample sheets and metadata keys."""
import functools
import re
import sys
from dataclasses import dataclass, fields, replace

import numpy as np
import torch

import data
from common import gguf, native
from common.settings import Settings as Common
from common.task import Task, picks, spread
from data.drawings import Drawings
from data.palette import k_means
from models.image_transformer import attention
from models.image_transformer.grow import blocks_of, grow
from models.image_transformer.model import Config, ImageTransformer
from models.image_transformer.pictures import Split
from models.image_transformer.sheet import sample_sheet
from models.image_transformer.pretrain import pretrain
from models.image_transformer.start import fit_output, look_around

PREFIX = "image-transformer."
CARRIED = ("attn_k", "attn_v", "attn_output")    # matrices with one of these words in the name carry values from pixel to pixel


@dataclass
class Settings(Config, Common):
    dataset: str = "mnist"
    look_around: bool = False            # heads of the first blocks start by attending to neighbours, see start.py
    four_bits: str = ""                  # regular expression; a matrix whose name begins with a match gets 4 bits if others get 8
    fit_output: bool = False             # dmol: the output starts at the least-squares prediction, see start.py
    stack: str = ""                      # "0,1,1,2" with --from: starts with copies of a shallower file's blocks in this order, see grow.py
    pretrain_encoder: int = 0            # direct, with a palette: first train only the encoder for this many steps of 48 pictures
    flip: bool = False                   # mirrors half of the training pictures left to right, except those with writing
    shift: int = 0                       # moves training pictures by up to this many pixels
    drawings: float = 0.0                # share of each batch that is rendered from larger drawings of emoji, see data/drawings.py
    class_drop: float = 0.2              # probability of dropping the class of an image
    attention: str = "auto"              # auto (the fastest with correct results) | flex | native | batched | plain, see attention.py


class ImageTransformerTask(Task):
    Settings = Settings
    architecture = "image-transformer"

    @staticmethod
    def smoke(settings):
        tiny = dict(block_count=2, embedding_length=32, feed_forward_length=64, head_count=2, key_length=16)
        encoder = dict(encoder_block_count=1) if settings.get("encoder_block_count") else {}
        return dict(Task.smoke(settings), drawings=0.0, pretrain_encoder=min(2, settings.get("pretrain_encoder", 0)), **tiny, **encoder)

    def config(self):
        return Config(**{f.name: getattr(self.s, f.name) for f in fields(Config)})

    def model(self):
        return ImageTransformer(self.config())

    def begin(self, model, examples):
        s = self.s
        if s.start:                      # the file already contains heads that were aimed
            return
        if s.palette:
            model.set_palette(torch.from_numpy(k_means(examples[0], s.levels)))
        if s.look_around:
            look_around(model)

    def begin_on(self, model, train, device):
        stored = gguf.read_raw(self.s.start)[1] if self.s.start else ()
        if self.s.direct and "direct.guess.weight" not in stored:
            x, _, small = train.take(spread(len(train), min(800, len(train))), device)
            model.direct.fit(model.direct.known(model.pixels(x), small), model.pixels(x))
        if self.s.direct and self.s.palette and "direct.near.weight" not in stored:
            model.direct.name_colours(model.output.weight)
        if self.s.pretrain_encoder and not any(name.startswith("enc.") for name in stored):
            alone = type(self)(replace(self.s, batch=min(48, len(train))))
            if self.s.drawings:
                alone.drawn = self.drawn
            pretrain(model, lambda step: alone.batch(train, step, device), self.s.pretrain_encoder, self.s.bf16)
        if self.s.fit_output and not self.s.start:
            x, _, small = train.take(spread(len(train), 48), device)
            fit_output(model, x, small)

    @property
    def logits(self):
        """Returns whether the output gives logits, which tolerate small errors, rather than locations on the grey scale."""
        return self.s.output in ("categorical", "bernoulli")

    def matrices(self, model):
        found = {name: p for name, p in model.named_parameters() if "blk." in name and p.dim() == 2}
        return [p for name, p in found.items() if not self.exact(name)]

    def exact(self, name):
        """Returns whether a matrix carries values through attention. `type_of` stores such a matrix in F16."""
        return not self.logits and any(part in name for part in CARRIED)

    def forms(self, model, form):
        narrow = {id(p) for name, p in model.named_parameters() if form == "q8_0" and self.narrow(name)}
        return [(p, "q4_0" if id(p) in narrow else form) for p, form in super().forms(model, form)]

    def narrow(self, name):
        """Returns whether `four_bits` selects this matrix."""
        return bool(self.s.four_bits and re.match(self.s.four_bits, name))

    def grow(self, model, weights):
        if not re.fullmatch(r"(\d+(,\d+)*)?", self.s.stack):
            sys.exit("--stack %s: numbers of blocks, as 0,1,1,2" % self.s.stack)
        # If the file has enough blocks, no block is copied.
        stack = [int(k) for k in self.s.stack.split(",") if k] if blocks_of(weights, "") < self.s.block_count else []
        grow(model, weights, gguf.read_raw(self.s.start)[0][PREFIX + "attention.key_length"], stack=stack)

    def fresh(self, name):
        return name.startswith("direct.") or self.s.direct and name.startswith("enc.")

    def sharp(self, name):
        """Returns whether a tensor belongs to the parts of a mixture model that carry exact pixel values: the input layer, the attention of
        the first block, and the output layer."""
        return self.s.output == "dmol" and name.startswith(("pixel_embd.", "blk.0.attn_", "output."))

    def ready(self, model, average, device):
        attention.choose(model, self.s.attention, self.s.batch, self.s.bf16, device)
        average.fast = model.fast
        model.one_pass = average.one_pass = self.s.bf16 and native.usable(*model.parameters())

    def load(self, split):
        """Returns images and labels. If training mirrors pictures, a third array marks the images that must not be mirrored; it is absent
        if all may be mirrored."""
        s = self.s
        if s.drawings and data.own(s.dataset, s.data):
            s.drawings = 0.0             # the larger drawings do not show the pictures of your own folder
        if s.drawings and (s.dataset != "emoji" or s.height != s.width or not 0 < s.drawings <= 1):
            sys.exit("drawings: a share of each batch, up to 1, for square pictures of the data set emoji")
        found = super().load(split)
        writing = data.writing(self.s.dataset, self.s.data, split) if self.s.flip else None
        return tuple(found) if writing is None else (*found, writing)

    def encode(self, examples, model, device="cpu"):
        images, labels, *writing = examples
        return Split(images, labels, model, device, *writing)

    def batch(self, train, step, device):
        """Returns a batch. Half of the pictures are mirrored if `flip` is set, and each class is dropped (-1) with probability
        class_drop."""
        s = self.s
        flip = np.random.default_rng([s.seed, step, 2]).random(s.batch) < 0.5 if s.flip else None
        pick = picks(s.seed, step, s.batch, len(train))
        if flip is not None and train.writing is not None:
            flip &= ~train.writing[pick]
        if s.shift:
            x, label, small = train.changed(pick, device, flip, np.random.default_rng([s.seed, step, 3]), s.shift)
        else:
            x, label, small = train.take(pick, device, flip)
        if s.drawings:
            count = min(s.batch, max(1, round(s.drawings * s.batch)))
            fresh = train.fresh(*self.drawn.drawn(np.random.default_rng([s.seed, step, 4]), count, s.height, s.flip), device)
            x, label, small = (None if old is None else torch.cat([new, old[count:]]) for old, new in zip((x, label, small), fresh))
        drop = np.random.default_rng([s.seed, step, 1]).random(len(x)) < s.class_drop
        label[torch.from_numpy(drop).to(device)] = -1
        return x, label, small

    @functools.cached_property
    def drawn(self):
        return Drawings.beside(self.s.data)

    def views(self, x, label, small):
        return {"": (x, torch.full_like(label, -1), small), "class": (x, label, small)}

    @property
    def shape(self):
        return self.s.height, self.s.width, self.s.channels

    @property
    def elements(self):
        return self.config().n

    @property
    def dims(self):
        return self.s.height * self.s.width * self.s.channels

    def sheet(self, model, valid, path, autocast, device, final):
        sample_sheet(model, *valid.take(spread(len(valid), 10), device), path, autocast, rows=4 if final else 2)

    def metadata(self, model):
        c, a = model.c, PREFIX
        m = {a + "image.height": c.height, a + "image.width": c.width, a + "image.channels": c.channels,
             a + "image.levels": c.levels, a + "block_count": c.block_count, a + "embedding_length": c.embedding_length,
             a + "feed_forward_length": c.feed_forward_length, a + "attention.head_count": c.head_count,
             a + "attention.key_length": c.key_length, a + "attention.layer_norm_epsilon": float(c.layer_norm_epsilon),
             a + "attention.pattern": c.pattern}
        if c.pattern == "local-1d":
            m.update({a + "attention.query_block": c.query_block, a + "attention.memory_block": c.memory_block})
        if c.pattern == "local-2d":
            m.update({a + "attention." + key: getattr(c, key) for key in ("block_rows", "block_cols", "flange_rows", "flange_cols")})
        m.update({a + "norm": c.norm, a + "position.type": c.position, a + "output.type": c.output})
        if c.output == "dmol":
            m[a + "output.mixtures"] = c.mixtures
        if c.input_height:
            m.update({a + "input.height": c.input_height, a + "input.width": c.input_width})
        if c.encoder_block_count:
            m[a + "encoder.block_count"] = c.encoder_block_count
        if c.encoder_feed_forward_length:
            m[a + "encoder.feed_forward_length"] = c.encoder_feed_forward_length
        return m

    def card_metadata(self, model, card):
        classes = model.c.classes
        return {PREFIX + "classes": card.get("class_names") or [str(i) for i in range(classes)]} if classes else {}

    def type_of(self, name, x, kind):
        """Returns the requested type for matrices of the blocks and for the output matrix; if Q4_0 is requested, the output matrix gets
        Q8_0. Tables and vectors get F32. If a quantised type is requested, a matrix whose width is not a multiple of 32 gets F32, too. If
        the output gives locations instead of logits, pixels must be exact to a fraction of a grey level. In this case, the output matrix
        and the matrices that carry values through attention are stored in F16 or F32. If the matrix of the keys is F16, the engine does not
        round its cache of keys and values."""
        if name in ("direct.input.weight", "direct.near.weight") and kind != gguf.F32:
            return gguf.F16
        matrix = x.ndim == 2 and ("blk." in name or name in ("output.weight", "direct.context.weight"))
        if not matrix or kind in (gguf.Q4_0, gguf.Q8_0) and x.shape[1] % 32:
            return gguf.F32
        if not self.logits and kind != gguf.F32:
            if name == "output.weight" or any(part in name for part in CARRIED):
                return gguf.F16
        if kind == gguf.Q8_0 and self.narrow(name):
            return gguf.Q4_0
        return gguf.Q8_0 if kind == gguf.Q4_0 and name == "output.weight" else kind

    @staticmethod
    def settings_of(metadata, tensors):
        m = {key[len(PREFIX):]: v for key, v in metadata.items() if key.startswith(PREFIX)}
        short = {key.split(".")[-1]: v for key, v in m.items() if key.split(".")[0] in ("image", "attention") or "." not in key}
        found = {key: v for key, v in short.items() if key in Config.__dataclass_fields__}
        half = "position_row.weight" not in tensors or 2 * tensors["position_row.weight"].shape[1] == m["embedding_length"]
        found.update(classes=len(m.get("classes", ())), norm=m["norm"], position=m["position.type"], output=m["output.type"],
                     mixtures=m.get("output.mixtures", 0), position_width="half" if half else "full", palette="palette.weight" in tensors,
                     output_bias="output.bias" in tensors, attention_bias="blk.0.attn_q.bias" in tensors,
                     input_height=m.get("input.height", 0), input_width=m.get("input.width", 0),
                     encoder_block_count=m.get("encoder.block_count", 0),
                     encoder_feed_forward_length=m.get("encoder.feed_forward_length", 0), direct="direct.input.weight" in tensors)
        return found


TASK = ImageTransformerTask
