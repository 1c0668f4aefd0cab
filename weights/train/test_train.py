#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Self-checks of the recipes:  python3 weights/train/test_train.py   (seconds; needs no data set)"""
import contextlib
import io
import math
import os
import sys
import tempfile
import unittest
from dataclasses import asdict, replace
from unittest import mock

import numpy as np
import torch

import data
from common import distributions, gguf, rounding
from common import native as in_c
from common.export import TYPES, export as export_task
from common.loop import optimiser
from common.machine import processor
from common.task import Misfit
from data import binarised_mnist, cifar10, emoji, mnist
from data.palette import k_means
from data.pictures import moved, reduce, to_bytes, to_levels
from models.image_transformer import attention, draft, golden
from models.image_transformer import pictures
from models.image_transformer.direct import colour
from models.image_transformer.grow import grow
from models.image_transformer.model import Config, ImageTransformer, generation
from models.image_transformer.pictures import Split
from models.image_transformer.start import NATURAL, fit_output, look_around
from models.image_transformer.pretrain import pretrain
from models.image_transformer.task import TASK, Settings

TINY = {name: (c, label) for name, c, label, kind in golden.TINY}


def tiny(name):
    """Returns (model with random weights in double precision, random values, label, small input or None)"""
    c, label = TINY[name]
    model = ImageTransformer(c).eval()
    golden.randomise(model, 1)
    shape = (1, c.n) + ((c.channels,) if c.output == "dmol" else ())
    return model.double(), torch.from_numpy(np.random.default_rng(2).integers(0, c.levels, shape)), torch.tensor([label]), golden.small_of(c, 3)


def export(path, model, kind, card):
    return export_task(path, TASK.of(model.c), model, kind, card)


def sees(c):
    """Returns a bool tensor of shape (n, n), in raster indices, that is true where query i may see key j. The tensor is computed directly
    from the definition of each pattern."""
    order = generation(c)[0]
    place = torch.empty_like(order)
    place[order] = torch.arange(c.n)
    allowed = torch.zeros(c.n, c.n, dtype=torch.bool)
    for i in range(c.n):
        for j in range(c.n):
            if c.pattern == "local-2d":
                (r, k), (rj, kj) = divmod(i, c.columns), divmod(j, c.columns)
                r0, c0 = r // c.block_rows * c.block_rows, k // c.block_cols * c.block_cols
                c1 = min(c0 + c.block_cols, c.columns)
                above = r0 - c.flange_rows <= rj < r0 and c0 - c.flange_cols <= kj < c1 + c.flange_cols
                left = r0 <= rj < r0 + c.block_rows and c0 - c.flange_cols <= kj < c0
                own = r0 <= rj < r0 + c.block_rows and c0 <= kj < c1 and place[j] <= place[i]
                allowed[i, j] = above or left or own
            else:
                allowed[i, j] = j <= i and (c.pattern == "full" or j >= i // c.query_block * c.query_block - c.memory_block)
    return allowed


class Model(unittest.TestCase):
    def test_causal(self):
        for name in TINY:
            model, x, y, small = tiny(name)
            other, at = x.clone(), model.c.n // 2
            other[0, at] = (x[0, at] + 1) % model.c.levels
            with torch.no_grad():
                change = (model(x, y, small) - model(other, y, small)).abs().amax(-1)[0]
            self.assertEqual(float(change[:at + 1].max()), 0.0, name)
            self.assertGreater(float(change[at + 1]), 0.0, name)

    def test_cached_step_is_the_full_forward(self):
        for name, (c, label) in TINY.items():
            if c.output != "categorical":
                continue
            model, x, y, small = tiny(name)
            # At temperature 1e-6, generate takes the most probable level.
            x = model.generate(y, x[:, :5], 1e-6, torch.Generator().manual_seed(3), small)
            with torch.no_grad():
                self.assertTrue(torch.equal(model(x, y, small).argmax(-1)[:, 5:], x[:, 5:]), name)

    def test_blocks_equal_one_dense_mask(self):
        for name in TINY:
            model = tiny(name)[0]
            c, h, block = model.c, torch.randn(1, model.c.n, model.c.embedding_length).double(), model.blk[0]
            dense = torch.zeros(c.n, c.n).masked_fill(~sees(c)[model.order][:, model.order], -math.inf)
            with torch.no_grad():
                a, b = block.over_blocks(model.masks)(h), block.over_blocks([(0, c.n, slice(0, c.n), dense)])(h)
            self.assertLess(float((a - b).abs().max()), 1e-12, name)

    def test_all_blocks_at_once(self):
        """All implementations in attention.py give the same numbers as the plain computation."""
        configs = [TINY["palette-2d"][0], TINY["dmol-2d-sr"][0], TINY["dmol-full"][0]]
        configs += [replace(configs[1], height=8, width=8, block_rows=2, block_cols=4, flange_rows=3, flange_cols=1),
                    replace(configs[2], height=8, width=8, pattern="local-1d", query_block=8, memory_block=12)]
        checked = 0
        for c in configs:
            model = ImageTransformer(c)
            if len({hi - lo for lo, hi, _ in model.blocks}) > 1:
                with self.assertRaises(ValueError):
                    attention.batched(model, "cpu")
                continue
            self.assertLess(attention.agrees(model, attention.batched(model, "cpu"), "cpu"), 1e-5)
            checked += 1
        self.assertGreaterEqual(checked, 3)

    def test_attention_in_c(self):
        """Tests the C code in bf16, with short last blocks, odd numbers of rows, and heads of any even width. With EVERY_RECIPE, the C code
        is also compiled for less capable processors and tested."""
        for less in ([], ["-mno-avx512bf16"], ["-mno-avx512f"]) if "avx512f" in processor()[1] and os.environ.get("EVERY_RECIPE") else ([],):
            with self.subTest(less=less), mock.patch.object(in_c, "FLAGS", in_c.FLAGS + less):
                in_c.library.cache_clear()
                self.addCleanup(in_c.library.cache_clear)
                self.attention_in_c()

    def attention_in_c(self):
        try:
            in_c.library()
        except OSError as error:
            self.skipTest(str(error))
        base = replace(TINY["dmol-full"][0], height=9, width=9, pattern="local-1d", query_block=16, memory_block=24)
        for c in (base, replace(base, key_length=40, head_count=1), replace(base, query_block=70, memory_block=9, key_length=34),
                  replace(base, key_length=24), replace(base, key_length=72, head_count=1), replace(base, pattern="full", key_length=64)):
            model = ImageTransformer(c)
            self.assertLess(attention.agrees(model, attention.native(model, "cpu"), "cpu"), 0.05)
            other = ImageTransformer(replace(c, pattern="local-1d", query_block=16, memory_block=23))
            self.assertGreater(attention.agrees(model, attention.native(other, "cpu"), "cpu"), 0.05)
        with self.assertRaises(ValueError):
            attention.native(tiny("palette-2d")[0], "cpu")

    def test_additions_and_norms_in_one_pass(self):
        """Compares the loss and the gradients of the one-pass code with those of the plain computation, both in bf16. The models have
        pre-norm or post-norm, with or without an encoder."""
        if not in_c.usable(torch.zeros(1)):
            self.skipTest("native.c does not work here")
        for name in ("local-q8_0", "palette-2d", "dmol-2d-sr", "palette-2d-sr"):
            model, x, y, small = tiny(name)
            model, found = model.float(), []
            exact = torch.autograd.grad(model.nats(x, y, small).sum(), list(model.parameters()))
            for model.one_pass in (False, True):
                with torch.autocast("cpu", torch.bfloat16):
                    loss = model.nats(x, y, small).sum()
                grads = torch.autograd.grad(loss, list(model.parameters()))
                off = sum(float((a - b).pow(2).sum()) for a, b in zip(grads, exact)) / sum(float(b.pow(2).sum()) for b in exact)
                found.append((float(loss), off ** 0.5))
            self.assertLess(abs(found[1][0] / found[0][0] - 1), 0.01, name)
            # With one_pass, the gradient is about as close to the exact gradient as without it.
            self.assertLess(found[1][1], 1.3 * found[0][1] + 0.01, name)

    def test_a_wrong_way_is_noticed(self):
        model = ImageTransformer(replace(TINY["dmol-full"][0], height=8, width=8, pattern="local-1d", query_block=8, memory_block=8))
        other = ImageTransformer(replace(model.c, memory_block=7))
        self.assertGreater(attention.agrees(model, attention.batched(other, "cpu"), "cpu"), 0.02)

    def test_wide_flanges_see_all_before(self):
        c = replace(TINY["palette-2d"][0], flange_rows=99, flange_cols=99)
        order = generation(c)[0]
        self.assertTrue(torch.equal(sees(c)[order][:, order], torch.ones(c.n, c.n).tril().bool()))
        self.assertEqual(sorted(order.tolist()), list(range(c.n)))

    def test_no_positions_no_order_of_the_input(self):
        model, x, y, small = tiny("dmol-2d-sr")
        for table in (model.enc.position_row, model.enc.position_col):
            torch.nn.init.zeros_(table.weight)
        with torch.no_grad():
            self.assertLess(float((model(x, y, small) - model(x, y, small.flip(1))).abs().max()), 1e-12)


class Start(unittest.TestCase):
    def test_heads_look_where_they_are_aimed(self):
        c = Config(height=16, width=16, channels=3, levels=8, palette=True, embedding_length=160, head_count=4, key_length=40,
                   block_count=3, classes=2, input_height=4, input_width=4, encoder_block_count=1)
        model = ImageTransformer(c).eval()
        look_around(model)
        x, row, col = torch.randint(0, 8, (1, c.n)), 12, 6
        with torch.no_grad():
            h, e = model.embed(x, torch.tensor([1])), model.enc.pixel_embd(torch.rand(1, 16, 3)) + model.enc.positions(torch.arange(16))
            best = lambda q, k: [divmod(int(i), int(math.sqrt(k.shape[2]))) for i in (q @ k.transpose(-1, -2))[0, :, row * 16 + col].argmax(-1)]
            block = model.blk[0]
            self.assertEqual(best(block.heads(block.attn_q(h)), block.heads(block.attn_k(h))), [(11, 7), (11, 6), (11, 8), (10, 7)])
            self.assertEqual(best(block.heads(block.cross_attn_q(h)), block.heads(block.cross_attn_k(e))), [(2, 1), (2, 2), (3, 1), (3, 2)])
            block = model.blk[1]
            # the mirrored column of 6 is 15 - 6, and its value is read one position later
            self.assertEqual(best(block.heads(block.attn_q(h)), block.heads(block.attn_k(h)))[1], (12, 10))


    def test_output_begins_at_a_prediction(self):
        """On smooth coloured pictures, the loss after fit_output is far lower than with the usual initialisation of the output layer, and
        the means follow the neighbours."""
        c = Config(height=12, width=12, channels=3, levels=256, output="dmol", mixtures=5, embedding_length=32, feed_forward_length=64,
                   head_count=2, key_length=16, block_count=2, position="learned")
        torch.manual_seed(1)
        model = ImageTransformer(c).eval()
        grey = torch.randn(40, 1, 1).cumsum(0).remainder(2)[..., None] * 90 + torch.arange(12.)[None, :, None, None] * 4
        images = (grey + torch.arange(12.)[None, None, :, None] * 2 + 3 * torch.randn(40, 12, 12, 3)).clamp(0, 255).numpy().astype(np.uint8)
        x = torch.from_numpy(pictures.encode(images, model)).long()
        look_around(model)
        with torch.no_grad():
            before = float(model.nats(x[32:]).mean())
            fit_output(model, x[:32])
            after = float(model.nats(x[32:]).mean())
        self.assertLess(after, 0.75 * before)

    def test_photographs_begin_with_copies_of_their_neighbours(self):
        """After all blocks, the residual stream contains the values of the neighbouring pixels to which the heads of the first block
        attend. It also contains the value of the small picture's pixel at the same place."""
        c = Config(height=16, width=16, channels=3, levels=256, output="dmol", mixtures=2, norm="pre", embedding_length=128, head_count=4,
                   key_length=32, block_count=3, classes=2, input_height=4, input_width=4, encoder_block_count=1)
        torch.manual_seed(1)
        model, kept = ImageTransformer(c).eval(), []
        look_around(model)
        x, small = torch.randint(0, 256, (2, c.n, 3)), torch.randint(0, 256, (2, 16, 3))
        with torch.no_grad():
            model(x, torch.tensor([0, 1]), small, kept)
        at = torch.tensor([i for i in range(32, c.n) if 2 <= i % 16 < 14])   # positions whose neighbours all exist
        found = kept[-1][:, at].flatten(0, 1)
        found = torch.nn.functional.normalize(found - found.mean(0), dim=0)

        def carried(wanted):
            """Returns the largest correlation between `wanted` and any dimension of the residual stream."""
            wanted = wanted.flatten().float()
            return float((torch.nn.functional.normalize(wanted - wanted.mean(), dim=0) @ found).max())
        self.assertGreater(carried(x[:, at - 1, 0]), 0.999)
        for row, column in NATURAL[0]:   # a value is read one position later
            self.assertGreater(carried(x[:, at + 16 * row + column - 1, 2]), 0.95, (row, column))
        self.assertGreater(carried(small[:, at // 64 * 4 + at % 16 // 4, 1]), 0.99)

    def test_every_head_has_an_aim_for_photographs(self):
        for heads in NATURAL:
            self.assertEqual(len(set(heads)), len(heads))
            self.assertTrue(all(row <= 0 and (row < 0 or column <= 0) for row, column in heads))


class Direct(unittest.TestCase):
    """Tests decoders that read the small picture directly, with palette models and with mixture models."""

    def setUp(self):
        torch.manual_seed(2)
        plain = Config(height=8, width=12, channels=3, block_count=1, embedding_length=32, feed_forward_length=32, head_count=2, key_length=16,
                       pattern="local-1d", query_block=24, memory_block=24, input_height=4, input_width=3, direct=True, classes=2)
        self.models = []
        for more in (dict(palette=True, levels=12), dict(levels=256, output="dmol", mixtures=3, norm="pre"),
                     dict(palette=True, levels=12, encoder_block_count=2, encoder_feed_forward_length=48)):
            model = ImageTransformer(replace(plain, **more)).double().eval()
            if model.c.palette:
                model.set_palette(torch.rand(12, 3) * 255)
            with torch.no_grad():
                for p in model.direct.parameters():
                    p.normal_(0, 0.3)
            x = torch.randint(0, model.c.levels, (2, model.c.n) + ((3,) if model.c.output == "dmol" else ()))
            self.models.append((model, x, torch.randint(0, 256, (2, 12, 3))))

    @torch.no_grad()
    def test_causal_and_looking(self):
        for model, x, small in self.models:
            changed = x.clone()
            changed[:, 40] = (changed[:, 40] + 1) % model.c.levels
            one, two, other = model(x, None, small), model(changed, None, small), model(x, None, (small + 9) % 256)
            self.assertTrue(torch.equal(one[:, :41], two[:, :41]))
            self.assertGreater(float((one[:, 41:] - two[:, 41:]).abs().max()), 1e-3)
            self.assertGreater(float((one - other).abs().max()), 1e-2)

    @torch.no_grad()
    def test_an_encoder_sees_the_whole_small_picture(self):
        """The last cell of the small picture affects the first pixel only if the model has an encoder. There is no cross-attention."""
        for model, x, small in self.models:
            other = small.clone()
            other[:, -1] = 255 - other[:, -1]
            changed = float((model(x, None, small) - model(x, None, other))[:, 0].abs().max())
            self.assertTrue(changed > 1e-3 if model.c.encoder_block_count else changed == 0)
            self.assertFalse(any("cross" in name for name in model.state_dict()))

    def test_an_encoder_is_pretrained_alone(self):
        """Each cell has one of two colours. Pretraining learns to predict the cells' colours, and changes only the encoder."""
        model = ImageTransformer(self.models[2][0].c)
        torch.manual_seed(1)
        names = torch.randint(0, 2, (48, 12)) * 7
        x, small = names[:, model.direct.cell], names[..., None].expand(-1, -1, 3) * 30
        before = {name: w.clone() for name, w in model.state_dict().items()}
        self.assertLess(pretrain(model, lambda step: (x, None, small), 300), 0.2 * model.c.n * math.log(12))
        changed = {name for name, w in model.state_dict().items() if not torch.equal(w, before[name])}
        self.assertTrue(changed and all(name.startswith("enc.") for name in changed))
        with self.assertRaisesRegex(SystemExit, "pretrain_encoder"):
            pretrain(self.models[0][0], None, 1)

    @torch.no_grad()
    def test_colours_are_named(self):
        model, x, small = self.models[0]
        direct, palette = model.direct, model.palette.weight
        self.assertTrue(torch.equal(direct.nearest(colour(palette), palette), torch.arange(12)))
        known = direct.known(model.pixels(x), small)
        # For each pixel, the index of the palette colour that is nearest to the remaining colour of its cell.
        left = ((known[..., 27:30, None] - colour(palette).T) ** 2).sum(-2).argmin(-1)
        before = direct.enter(known, palette)
        direct.near.weight[12 + int(left[0, 5])] += 1
        self.assertTrue(torch.equal((direct.enter(known, palette) - before).abs().amax(-1) > 0.5, left == left[0, 5]))
        direct.name_colours(model.output.weight)
        self.assertLess(float(direct.near.weight[:12].sum(0).abs().max()), 1e-6)

    @torch.no_grad()
    def test_a_cached_step_is_the_full_forward(self):
        label = torch.tensor([0, 1])
        for model, x, small in self.models:
            drawn, again = model.generate(label, None, 1.0, torch.Generator().manual_seed(1), small), torch.zeros_like(x)
            generator = torch.Generator().manual_seed(1)
            for i in range(model.c.n):
                again[:, i] = distributions.sample(model.c, model(again, label, small)[:, i].float(), 1.0, generator)
            self.assertTrue(torch.equal(drawn, again))


class Rounding(unittest.TestCase):
    def test_forms_are_those_of_the_file_and_the_engine(self):
        torch.manual_seed(1)
        w = torch.randn(48, 96) * torch.rand(48, 1) * 3
        w[3] = 0
        w[5, 7] = 40                     # one weight is far larger than the others
        largest = w.abs().amax(1, keepdim=True)
        q4 = torch.from_numpy(gguf.dequantize_q4_0(gguf.quantize_q4_0(w.numpy()), w.shape))
        self.assertLess(float(((rounding.q4_0(w) - q4).abs() / (largest + 1e-9)).max()), 1e-3)          # the scales of the file are in half precision
        q8 = torch.from_numpy(gguf.dequantize_q8_0(gguf.quantize_q8_0(w.numpy()), w.shape))
        engine = (q8 / (q8.abs().amax(1, keepdim=True) / 63 + 1e-30)).round() * q8.abs().amax(1, keepdim=True) / 63
        off = (rounding.q8_0(w) - engine).abs() / (largest + 1e-9)
        self.assertLess(float((off > 1e-3).float().mean()), 0.01)        # ties may round to the other side
        self.assertLess(float(off.max()), 1.1 / 63)

    def test_rounding_in_c_is_the_same(self):
        if not in_c.usable(torch.zeros(1)):
            self.skipTest("native.c does not work here")
        torch.manual_seed(1)
        for size, steps in ((32, 127), (40, 63), (7, 63), (129, 127)):
            x = torch.randn(50, size) * torch.rand(50, 1)
            x[3] = 0
            step = x.abs().amax(-1, keepdim=True) / steps
            self.assertTrue(torch.equal(in_c.to_steps(x, size, steps), torch.where(step > 0, (x / step).round() * step, x)))
            half = x.bfloat16()
            step = half.float().abs().amax(-1, keepdim=True) / steps
            self.assertTrue(torch.equal(in_c.to_steps(half, size, steps), torch.where(step > 0, (half.float() / step).round() * step, x).bfloat16()))

    def test_adam_in_c_is_the_same(self):
        """Takes a step of Adam in C, with clipped gradients and averaged weights. Afterwards, the weights, the averages and the state are
        the same as after a step in PyTorch."""
        if not in_c.usable(torch.zeros(1)):
            self.skipTest("native.c does not work here")
        torch.manual_seed(1)
        shapes, both = [(300, 70), (7,), (33, 5)], []
        start, slopes = [torch.randn(n) for n in shapes], [[torch.randn(n) * 3 for n in shapes] for _ in range(5)]
        for fused in (False, True):
            p, a = ([torch.nn.Parameter(w.clone()) for w in start] for _ in range(2))
            adam = torch.optim.Adam([dict(params=p[:2]), dict(params=p[2:], lr=3e-2)], lr=1e-2, betas=(0.9, 0.98), eps=1e-9)
            a = [w.detach() for w in a]
            one = in_c.Adam(adam, a) if fused else None
            for slope in slopes:
                for w, g in zip(p, slope):
                    w.grad = g.clone()
                if fused:
                    one.step(1.0, 0.8)
                    continue
                torch.nn.utils.clip_grad_norm_(p, 1.0)
                adam.step()
                for x, y in zip(a, p):
                    x.lerp_(y.detach(), 0.2)
            both.append([w.detach() for w in p] + a + [adam.state[w][k] for w in p for k in ("step", "exp_avg", "exp_avg_sq")])
        for x, y in zip(*both):
            self.assertLess(float((x - y).abs().max()), 2e-6 * float(x.abs().max()))

    def test_the_rate_of_each_parameter(self):
        """The parameters that `sharp` selects have their own learning rate, and every parameter is in exactly one group."""
        model = ImageTransformer(TINY["dmol-full"][0])
        task = TASK.of(model.c)
        names = {id(p): name for name, p in model.named_parameters()}

        def of(**settings):
            adam = optimiser(task, model, replace(task.s, **settings), False)
            found = {names[id(p)]: group["rate"] for group in adam.param_groups for p in group["params"]}
            self.assertEqual(sorted(found), sorted(names.values()))
            return found
        found = of(sharp_rate=0.05)
        self.assertEqual(found["blk.0.attn_v.weight"], 0.05)
        self.assertEqual(found["pixel_embd.weight"], 0.05)
        self.assertEqual(found["output.weight"], 0.05)
        self.assertEqual(found["blk.0.ffn_up.weight"], 1.0)
        self.assertEqual(found["blk.1.attn_v.weight"], 1.0)

    def test_pixels_and_means_are_exact_in_bf16(self):
        """Under autocast, the input pixels and the output mixture parameters are in single precision."""
        model = ImageTransformer(TINY["dmol-full"][0])
        x = torch.randint(0, 256, (1, model.c.n, 3))
        with torch.autocast("cpu", torch.bfloat16):
            entered = model.embed_values(x, torch.arange(model.c.n))
            left = model.head(entered.bfloat16())
        self.assertEqual((entered.dtype, left.dtype), (torch.float32, torch.float32))

    def test_weights_are_rounded_within_and_exact_afterwards(self):
        model = ImageTransformer(replace(TINY["dmol-full"][0], embedding_length=32, head_count=2, key_length=16, feed_forward_length=64))
        before, names = {k: v.clone() for k, v in model.state_dict().items()}, set()
        with rounding.rounded(TASK.of(model.c).forms(model, "q8_0")):
            for k, v in model.state_dict().items():
                if not torch.equal(v, before[k]):
                    names.add(k)
                    self.assertLessEqual(len(v[0].unique()), 127)
        self.assertTrue(all(torch.equal(v, before[k]) for k, v in model.state_dict().items()))
        kinds = {k: TASK.of(model.c).type_of(k, v, gguf.Q8_0) for k, v in model.state_dict().items()}
        self.assertEqual(names, {k for k, kind in kinds.items() if kind == gguf.Q8_0})
        self.assertEqual({k for k in kinds if kinds[k] == gguf.F16},
                         {"output.weight"} | {k for k in kinds if k.endswith(("attn_k.weight", "attn_v.weight", "attn_output.weight"))})

    def test_some_matrices_in_four_bits(self):
        """Training rounds weights as the file does: the matrices named by `four_bits` to 4 bits, all others to 8."""
        c = replace(TINY["palette-2d-sr"][0], embedding_length=32, head_count=2, key_length=16, feed_forward_length=64)
        task = TASK(TASK.Settings(**asdict(c), four_bits=r"blk\.\d+\.ffn_"))
        model = task.model()
        names = {id(p): name for name, p in model.named_parameters()}
        forms = {names[id(p)]: form for p, form in task.forms(model, "q8_0")}
        four = {name for name, form in forms.items() if form == "q4_0"}
        self.assertEqual(four, {"blk.%d.ffn_%s.weight" % (i, which) for i in range(c.block_count) for which in ("up", "down")})
        self.assertIn("enc.blk.0.ffn_up.weight", forms)
        kinds = {name: task.type_of(name, p, gguf.Q8_0) for name, p in model.named_parameters()}
        self.assertEqual({name: TYPES[form] for name, form in forms.items()}, {name: kinds[name] for name in forms})
        self.assertEqual(set(form for _, form in task.forms(model, "q4_0")), {"q4_0"})
        self.assertEqual(task.forms(model, ""), [])


class Distributions(unittest.TestCase):
    def test_probabilities_sum_to_one(self):
        for output, levels in (("logistic", 256), ("gaussian", 256), ("gaussian", 16), ("bernoulli", 2), ("categorical", 7)):
            c = Config(levels=levels, output=output)
            out = torch.randn(1, 500, distributions.width(c)).double() * 3
            p = torch.stack([torch.exp(-distributions.nats(c, out, torch.full((1, 500), v))) for v in range(levels)]).sum(0)
            self.assertLess(float((p - 1).abs().max()), 2e-5 * (1 if output != "gaussian" else 10), output)

    def test_mixture(self):
        c = Config(channels=3, levels=256, output="dmol", mixtures=4)
        out = torch.randn(1, 50, 40).double() * 2
        x = torch.randint(0, 256, (1, 50, 3))
        for k in range(3):               # tests each channel, given the channels before it
            p = 0
            for v in range(256):
                x[..., k] = v
                p = p + torch.exp(-distributions.nats(c, out, x)[..., k])
            self.assertLess(float((p - 1).abs().max()), 5e-5)

    def test_loss_is_computed_in_full_precision(self):
        """Even under autocast, the loss is computed in full precision; only the network computes in bf16."""
        model, x, y, small = tiny("dmol-full")
        model = model.float()
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
            rounded, out = model.nats(x, y, small), model(x, y, small)
        self.assertEqual(rounded.dtype, torch.float32)
        exact = distributions.nats(model.c, out.double(), x).sum()
        self.assertLess(abs(float(rounded / exact) - 1), 1e-5)

    def test_gradient_is_finite_far_away(self):
        c = Config(channels=3, levels=256, output="dmol", mixtures=2)
        for size in (1.0, 30.0, 1e4):
            out = (torch.randn(1, 200, 20) * size).requires_grad_()
            distributions.nats(c, out, torch.randint(0, 256, (1, 200, 3))).sum().backward()
            self.assertTrue(bool(torch.isfinite(out.grad).all()))

    def test_samples_follow_the_probabilities(self):
        c = Config(channels=1, levels=256, output="dmol", mixtures=2)
        out = torch.tensor([[0.3, -0.2, -0.5, 0.4, -2.0, -1.0]])
        drawn = distributions.sample(c, out.expand(20000, -1), 1.0, torch.Generator().manual_seed(1))[:, 0]
        p = torch.exp(-distributions.nats(c, out.expand(256, -1), torch.arange(256)[:, None])[:, 0])
        expected = p.view(16, 16).sum(1) * 20000
        chi = ((drawn // 16).bincount(minlength=16) - expected) ** 2 / expected
        self.assertLess(float(chi[expected > 5].sum()), 40)


class File(unittest.TestCase):
    def test_export_reads_back(self):
        c = Config(height=4, width=4, embedding_length=32, feed_forward_length=64, head_count=1, block_count=1, classes=2)
        model = ImageTransformer(c)
        golden.randomise(model, 1)
        with tempfile.TemporaryDirectory() as folder:
            for kind in (gguf.F32, gguf.F16, gguf.Q8_0, gguf.Q4_0):
                export(os.path.join(folder, "a.gguf"), model, kind, dict(name="test"))           # this function compares the tensors
            with torch.no_grad():        # rows of aimed heads start at zero and grow slowly
                model.blk[0].attn_q.weight[:, :] = 1e-4 * torch.randn(model.blk[0].attn_q.weight.shape)
            for kind in (gguf.Q8_0, gguf.Q4_0):
                export(os.path.join(folder, "a.gguf"), model, kind, dict(name="test"))

    def test_levels(self):
        for levels in (2, 4, 16, 256):
            v = np.arange(256)
            self.assertTrue((to_levels(v, levels) == np.floor(v * (levels - 1) / 255 + 0.5)).all())
            l = np.arange(levels)
            self.assertTrue((to_levels(to_bytes(l, levels), levels) == l).all())

    def test_pictures_come_back(self):
        rng = np.random.default_rng(1)
        for name in ("palette-2d", "rgb-2d", "dmol-2d-sr", "local-q8_0"):
            model = tiny(name)[0]
            x = rng.integers(0, model.c.levels, (3, model.c.n) + ((3,) if model.c.output == "dmol" else ())).astype(np.uint8)
            self.assertTrue((pictures.encode(pictures.decode(x, model), model) == x).all(), name)
        images = rng.integers(0, 256, (2, 8, 8, 3)).astype(np.uint8)
        self.assertTrue((reduce(images, 2, 2)[0, 1] == np.floor(images[0, :4, 4:].reshape(16, 3).mean(0) + 0.5)).all())

    def test_mirrored(self):
        """Mirroring an encoded picture gives the same result as encoding the mirrored picture."""
        rng = np.random.default_rng(1)
        for name in ("palette-2d", "rgb-2d", "dmol-2d-sr", "local-q8_0"):
            model = tiny(name)[0]
            c = model.c
            images = rng.integers(0, 256, (3, c.height, c.width, c.channels)).astype(np.uint8)
            a, b = (Split(each, np.zeros(3, np.uint8), model) for each in (images, images[:, :, ::-1].copy()))
            x, _, small = a.take(np.arange(3), "cpu", np.array([True, False, True]))
            for i, other in enumerate((b, a, b)):
                self.assertTrue(torch.equal(x[i], other.x[i].long()), name)
                self.assertTrue(small is None or torch.equal(small[i], other.small[i].long()), name)

    def test_changed_pictures(self):
        """The gap beside a moved picture is filled with copies of its edge. Pictures with writing are not mirrored."""
        rng = np.random.default_rng(1)
        images = rng.integers(0, 256, (3, 6, 7, 3)).astype(np.uint8)
        found = moved(images, np.array([0, 2, -1]), np.array([0, -3, 1]))
        self.assertTrue((found[0] == images[0]).all())
        self.assertTrue((found[1, 2:, :4] == images[1, :4, 3:]).all() and (found[1, :2] == found[1, 2]).all())
        self.assertTrue((found[2, :5, 1:] == images[2, 1:, :6]).all())
        self.assertEqual(emoji.has_writing(["0031-20e3", "1f1e6-1f1e8", "1f600", "1f44b-1f3fd", "1f4af", "p4p-1f5fc"]).tolist(),
                         [True, True, False, False, True, True])
        model = tiny("palette-2d")[0].float()
        c = model.c
        images = rng.integers(0, 256, (8, c.height, c.width, 3)).astype(np.uint8)
        split = Split(images, np.zeros(8, np.uint8), model, "cpu", np.arange(8) % 2 == 0)
        still, mirrored_ = (pictures.encode(each, model) for each in (images, images[:, :, ::-1].copy()))
        task, seen = TASK(Settings(batch=4, flip=True, class_drop=0.0, palette=True)), set()
        for step in range(20):
            for x in task.batch(split, step, "cpu")[0].numpy():
                i = int(np.flatnonzero((still == x).all(1) | (mirrored_ == x).all(1))[0])
                seen.add((i % 2, bool((mirrored_[i] == x).all())))
        self.assertEqual(seen, {(0, False), (1, False), (1, True)})
        task = TASK(Settings(batch=4, shift=2))
        a, b = (task.batch(split, 5, "cpu")[0] for _ in range(2))
        self.assertTrue(torch.equal(a, b))

    def test_a_batch_depends_on_seed_and_step_only(self):
        model = tiny("dmol-full")[0]
        c, rng = model.c, np.random.default_rng(1)
        split = Split(rng.integers(0, 256, (10, c.height, c.width, c.channels)).astype(np.uint8), np.arange(10, dtype=np.uint8), model)
        task = TASK(Settings(batch=4, flip=True, class_drop=0.5))
        first = [task.batch(split, step, "cpu") for step in range(6)]
        again = [task.batch(split, step, "cpu") for step in reversed(range(6))][::-1]
        for a, b in zip(first, again):
            self.assertTrue(torch.equal(a[0], b[0]) and torch.equal(a[1], b[1]))
        self.assertTrue(any(-1 in label for _, label, _ in first))

    def test_palette(self):
        images = np.random.default_rng(1).integers(0, 256, (4, 16, 16, 3)).astype(np.uint8)
        colours = k_means(images, 32)
        self.assertEqual(colours[0].tolist(), [255, 255, 255])
        self.assertTrue((colours == np.rint(colours)).all() and len(np.unique(colours, axis=0)) == 32)
        self.assertTrue((colours == k_means(images, 32)).all())


class Growing(unittest.TestCase):
    def grown(self, name, **larger):
        """Returns the loss of a model with random weights, the loss of a larger model that starts with these weights, and the number of
        weights of the larger model that have a gradient."""
        model, x, y, small = tiny(name)
        torch.manual_seed(2)
        large = ImageTransformer(replace(model.c, **larger)).eval()
        grow(large, {k: v.float() for k, v in model.state_dict().items()}, model.c.key_length)
        large = large.double()
        with torch.no_grad():
            before, after = (float(m.nats(x, y, small)) for m in (model, large))
        large.nats(x, y, small).sum().backward()
        still = {n for n, p in large.named_parameters() if p.grad is None or not bool((p.grad != 0).any())}
        return before, after, still

    def test_larger_models_begin_with_the_same_loss(self):
        for name in ("local-q8_0", "palette-2d", "dmol-2d-sr", "palette-2d-sr", "local-summed-bias", "full-sinusoidal"):
            c = TINY[name][0]
            wider = {} if c.position == "sinusoidal" else dict(embedding_length=2 * c.embedding_length)
            for larger in (dict(block_count=c.block_count + 2), dict(head_count=c.head_count + 1), dict(key_length=c.key_length + 4),
                           dict(feed_forward_length=c.feed_forward_length + 8), wider,
                           dict(wider, block_count=c.block_count + 1, head_count=c.head_count + 2, feed_forward_length=2 * c.feed_forward_length)):
                before, after, still = self.grown(name, **larger)
                self.assertLess(abs(after / before - 1), 1e-4, (name, larger))

    def test_what_was_added_learns(self):
        """The added weights change within three steps. Two consecutive matrices must not both start at zero, because the gradients of both
        would then be zero."""
        c = TINY["palette-2d"][0]
        model, x, y, small = tiny("palette-2d")
        torch.manual_seed(2)
        large = ImageTransformer(replace(c, block_count=c.block_count + 1, key_length=c.key_length + 4, head_count=c.head_count + 1))
        grow(large, {k: v.float() for k, v in model.state_dict().items()}, c.key_length)
        adam, before = torch.optim.Adam(large.parameters(), 1e-3), {n: p.clone() for n, p in large.named_parameters()}
        for _ in range(3):
            adam.zero_grad()
            large.nats(x, y, small).sum().backward()
            adam.step()
        for n, p in large.named_parameters():
            if "attn_q" in n or "attn_v" in n or "attn_output" in n or "ffn" in n:
                self.assertGreater(float((p != before[n]).float().mean()), 0.5 if "ffn" in n else 0.95, n)

    def test_stacked_blocks(self):
        """Each new block is a copy of the requested block. The last norm stays last. The original order gives the original model."""
        for name in ("palette-2d", "dmol-2d-sr"):
            model, x, y, small = tiny(name)
            c, file = model.c, {k: v.float() for k, v in model.state_dict().items()}
            last = c.block_count - 1
            order = [0] + list(range(c.block_count)) + [0]
            large = ImageTransformer(replace(c, block_count=len(order)))
            grow(large, file, c.key_length, stack=order)
            for k, source in enumerate(order):
                for part, w in large.blk[k].state_dict().items():
                    if not part.startswith("ffn_norm"):
                        self.assertTrue(torch.equal(w, file["blk.%d.%s" % (source, part)]), (name, k, part))
            if c.norm == "post":
                self.assertTrue(torch.equal(large.blk[-1].ffn_norm.weight, file["blk.%d.ffn_norm.weight" % last]))
                self.assertTrue(torch.equal(large.blk[last + 1].ffn_norm.weight, torch.ones(c.embedding_length)))
            same = ImageTransformer(c)
            grow(same, file, c.key_length, stack=range(c.block_count))
            self.assertTrue(all(torch.equal(w, file[k]) for k, w in same.state_dict().items()))
            with self.assertRaises(Misfit):
                grow(large, file, c.key_length, stack=[c.block_count])
            with self.assertRaises(Misfit):
                grow(same, file, c.key_length, stack=order)

    def test_classes_are_left_out(self):
        """A model without classes, started from a file with classes, computes what the file's model computes when no class is given."""
        model, x, y, small = tiny("palette-2d")
        plain = ImageTransformer(replace(model.c, classes=0)).eval()
        grow(plain, {k: v.float() for k, v in model.state_dict().items()}, model.c.key_length)
        none = torch.full_like(y, -1)
        with torch.no_grad():
            self.assertTrue(torch.allclose(plain.nats(x, none, small), model.float().nats(x, none, small), rtol=1e-5))

    def test_other_models_are_refused(self):
        for larger in (dict(levels=20), dict(block_count=1), dict(embedding_length=16), dict(classes=1)):
            with self.assertRaises(Misfit):
                self.grown("palette-2d", **larger)


class Drafts(unittest.TestCase):
    def test_forward_is_the_equation(self):
        """The draft equals its definition, position by position and value by value, in double precision; neighbours outside of the picture
        add zero."""
        H, W, V = 5, 6, 7
        small = draft.random_draft(H, W, V, hidden=32, rank=4)
        w = {k: v.double().numpy() for k, v in small.state_dict().items()}
        x = torch.randint(0, V, (2, H * W), generator=torch.Generator().manual_seed(1))
        expected, outside = np.zeros((2, H * W, V)), 0
        for b in range(2):
            for r in range(H):
                for c in range(W):
                    h = w["position_row.weight"][r] + w["position_col.weight"][c]
                    for o, (dr, dc) in enumerate(w["offset.weight"].astype(int)):
                        if 0 <= r + dr and 0 <= c + dc < W:
                            N_o = w["neighbour.weight"][o * 32:(o + 1) * 32]
                            h = h + N_o @ w["token_embd.weight"][x[b, (r + dr) * W + c + dc]]
                        else:
                            outside += 1
                    expected[b, r * W + c] = w["output.weight"] @ np.maximum(h, 0) + w["output.bias"]
        with torch.no_grad():
            found = small(x).numpy()
        self.assertGreater(outside, 100)
        self.assertGreater(expected.std(), 0.5)
        self.assertLess(np.abs(found - expected).max(), 1e-5)

    def test_causal(self):
        self.assertEqual(len(set(draft.OFFSETS)), 16)
        small, x = draft.random_draft(5, 6, 7), torch.randint(0, 7, (1, 30))
        other = x.clone()
        other[0, 13] = (x[0, 13] + 1) % 7
        with torch.no_grad():
            change = (small(x) - small(other)).abs().amax(-1)[0]
        self.assertEqual(float(change[:14].max()), 0.0)
        self.assertGreater(float(change[14]), 0.0)

    def test_file_keeps_its_bytes_and_a_second_draft_replaces(self):
        for kind in (gguf.F32, gguf.F16, gguf.Q8_0, gguf.Q4_0):
            c = Config(height=4, width=5, levels=8, embedding_length=32, feed_forward_length=64, head_count=1, block_count=1, classes=2)
            model = ImageTransformer(c)
            golden.randomise(model, 1)
            with tempfile.TemporaryDirectory() as folder:
                path, other = os.path.join(folder, "a.gguf"), os.path.join(folder, "b.gguf")
                export(path, model, kind, dict(name="test", dataset="none"))
                before = gguf.read_raw(path)
                gguf.write(other, *before)
                with open(path, "rb") as a, open(other, "rb") as b:
                    self.assertEqual(a.read(), b.read())
                for seed, hidden, card in ((1, 32, "first"), (2, 64, "second"), (3, 32, "")):
                    metadata, tensors, loaded = draft.load_target(other)
                    self.assertEqual(list(tensors.items()), list(before[1].items()))
                    self.assertTrue(all(torch.equal(v, torch.from_numpy(gguf.read(path)[1][k][0])) for k, v in loaded.state_dict().items()))
                    small = draft.random_draft(c.height, c.columns, c.levels, hidden, 8, seed)
                    draft.add(other, metadata, tensors, small, card)
                    metadata, tensors = gguf.read_raw(other)
                    self.assertEqual(metadata.pop(draft.CARD, ""), card)
                    self.assertEqual(list(metadata.items()), list(before[0].items()))
                    self.assertEqual(list(tensors.items())[:len(before[1])], list(before[1].items()))
                    new = {k: raw for k, raw in tensors.items() if k not in before[1]}
                    shapes = {"offset.weight": (16, 2), "token_embd.weight": (8, 8), "neighbour.weight": (16 * hidden, 8), "position_row.weight":
                              (4, hidden), "position_col.weight": (5, hidden), "output.weight": (8, hidden), "output.bias": (8,)}
                    self.assertEqual({k: raw.shape for k, raw in new.items()}, {"draft." + k: shape for k, shape in shapes.items()})
                    self.assertTrue(all(np.array_equal(gguf.decode(new["draft." + k]), v.numpy()) for k, v in small.state_dict().items()))

    def test_settings_come_back_from_the_file(self):
        checked = 0
        for name, (c, label) in TINY.items():
            model = ImageTransformer(c)
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "a.gguf")
                export(path, model, gguf.F32, dict(name="test"))
                if c.output != "categorical" or c.pattern == "local-2d" or c.encoder_block_count:
                    with self.assertRaises(SystemExit):
                        draft.load_target(path)
                    continue
                found = draft.load_target(path)[2].c
            self.assertAlmostEqual(found.layer_norm_epsilon, c.layer_norm_epsilon, 12)
            same = dict(layer_norm_epsilon=0.0, position_width="")
            self.assertEqual(replace(found, **same), replace(c, **same), name)
            if c.position == "learned":
                self.assertEqual(found.position_width, c.position_width)
            checked += 1
        self.assertGreaterEqual(checked, 4)

    def test_noise_given_the_value(self):
        """The argmax of log p plus the noise is the given value. If the values are drawn from the model, the noise is independent Gumbel
        noise."""
        generator = torch.Generator().manual_seed(1)
        log_p = torch.log_softmax(2 * torch.randn(5, generator=generator), 0).expand(40000, -1)
        x = torch.multinomial(log_p.exp(), 1, generator=generator)[:, 0]
        noise = draft.noise_given(log_p, x, generator)
        self.assertTrue(torch.equal((log_p + noise).argmax(-1), x))
        uniform = torch.exp(-torch.exp(-noise)).sort(0)[0]               # the distribution function maps Gumbel noise to uniform values
        distance = (uniform - (torch.arange(40000.)[:, None] + 0.5) / 40000).abs().amax(0)
        # The critical value of the Kolmogorov-Smirnov test for a significance level of 0.001.
        self.assertLess(float(distance.max()), 1.95 / 200)
        self.assertLess(float((noise.T.corrcoef() - torch.eye(5)).abs().max()), 0.02)
        likely = torch.log_softmax(torch.tensor([[0.0, -60.0, -200.0]]), -1).expand(100, -1)  # the last value is extremely improbable
        for v in range(3):
            noise = draft.noise_given(likely, torch.full((100,), v), generator)
            self.assertTrue(bool(torch.isfinite(noise).all() and ((likely + noise).argmax(-1) == v).all()))

    def test_looking_ahead(self):
        """If a draft is always right, each pass decides a whole window; if it is always wrong, a pass decides one position. A window
        ends early if the best score exceeds the second best by less than the margin."""
        small, V, generator = draft.random_draft(6, 6, 5), 5, torch.Generator().manual_seed(1)
        noise, x = draft.noise_given(torch.zeros(3, 36, V), torch.randint(0, V, (3, 36), generator=generator), generator), torch.zeros(3, 36).long()
        with torch.no_grad():
            for i in range(36):          # computes the values that the draft alone would draw
                x[:, i] = (small(x)[:, i] + noise[:, i]).argmax(-1)
        self.assertEqual(draft.agreement(small, x, noise), 1.0)
        for cap in (1, 4, 8):
            passes = -(-36 // cap)
            self.assertEqual(draft.simulate(small, x, noise, cap, 0.0), (36 / passes, 36 / passes))
        found = draft.simulate(small, x, noise, 8, 1.0)
        self.assertEqual(found[0], found[1])
        self.assertTrue(1 < found[0] < 36 / 5)
        wrong = torch.zeros(3, 36).long()
        with torch.no_grad():
            for i in range(36):
                wrong[:, i] = ((small(wrong)[:, i] + noise[:, i]).argmax(-1) + 1) % V
        self.assertEqual(draft.agreement(small, wrong, noise), 0.0)
        self.assertEqual(draft.simulate(small, wrong, noise, 4, 0.0), (1.0, (33 * 4 + 3 + 2 + 1) / 36))

    def test_simulation_is_the_plain_loop(self):
        """Drafts pictures sequentially, value by value; most drafted values are correct."""
        small, V, generator = draft.random_draft(6, 6, 5), 5, torch.Generator().manual_seed(2)
        noise, x = -torch.log(torch.empty(2, 36, V).exponential_(generator=generator)), torch.zeros(2, 36).long()
        with torch.no_grad():
            for i in range(36):
                x[:, i] = (small(x)[:, i] + noise[:, i]).argmax(-1)
            x = torch.where(torch.rand(2, 36, generator=generator) < 0.2, torch.randint(0, V, (2, 36), generator=generator), x)
            for cap, margin in ((4, 0.0), (8, 0.7), (16, 0.3)):
                passes = columns = 0
                for b in range(2):
                    at = 0
                    while at < 36:
                        seen, passes, width = x[b:b + 1].clone(), passes + 1, 1
                        while width < cap and at + width < 36:
                            p = at + width - 1
                            best = (small(seen)[0, p] + noise[b, p]).topk(2)
                            if best.values[0] - best.values[1] < margin:
                                break
                            seen[0, p], width = best.indices[0], width + 1
                        columns, end = columns + width, at + 1
                        while end < at + width and seen[0, end - 1] == x[b, end - 1]:
                            end += 1
                        at = end
                self.assertEqual(draft.simulate(small, x, noise, cap, margin), (72 / passes, columns / passes))

    def test_distilling_lessens_the_divergence(self):
        """Tests a draft on pictures that it was not trained on. The most probable value of a position is the value above it."""
        V, generator = 4, torch.Generator().manual_seed(1)
        x = torch.randint(0, V, (40, 30), generator=generator)
        target = torch.log_softmax(4.0 * torch.nn.functional.one_hot(torch.nn.functional.pad(x[:, :-5], (5, 0)), V), -1)
        torch.manual_seed(1)
        small, divergence = draft.Draft(6, 5, V, 32, 4), []
        for _ in range(2):
            with torch.no_grad():
                divergence.append(float((target.exp() * (target - torch.log_softmax(small(x), -1)))[30:].sum(-1).mean()))
            with contextlib.redirect_stdout(io.StringIO()):
                draft.distil(small, x[:30], target[:30], 0.04, 1e-2, 4, 30)
        self.assertLess(divergence[1], 0.1 * divergence[0])

    def test_held_out_pictures_are_forbidden(self):
        """The test set is forbidden from the start of the command, before any picture or file is read."""
        def stop(path):
            raise InterruptedError(data._forbidden)
        threads, load_target, argv = torch.get_num_threads(), draft.load_target, sys.argv
        draft.load_target, sys.argv = stop, ["draft.py", "a.gguf"]
        try:
            with self.assertRaises(InterruptedError) as caught:
                draft.main()
            self.assertTrue(caught.exception.args[0])
        finally:
            draft.load_target, sys.argv, data._forbidden = load_target, argv, False
            torch.set_num_threads(threads)


class HeldOut(unittest.TestCase):
    def test_training_code_cannot_read_it(self):
        for name in mnist.FILES[2:]:
            with self.assertRaises(data.TestSetError):
                mnist.read_idx(os.path.join("anywhere", name))
        for module in (mnist, binarised_mnist, emoji, cifar10):
            with self.assertRaises(data.TestSetError):
                module.load("anywhere", "test")
        for name in (cifar10.TEST, "test", "../cifar10/test_batch"):
            with self.assertRaises(data.TestSetError):
                cifar10.read_batch("anywhere", name)
        with self.assertRaises(data.TestSetError):
            emoji.read_pictures("anywhere", "test")
        data.forbid_test_set()
        try:
            for module in (mnist, binarised_mnist, emoji, cifar10):
                with self.assertRaises(data.TestSetError):
                    module.load_test_for_evaluation("anywhere")
            with self.assertRaises(data.TestSetError):
                emoji.read_pictures("anywhere", "test", evaluation=True)
            with self.assertRaises(data.TestSetError):
                cifar10.read_batch("anywhere", cifar10.TEST, evaluation=True)
        finally:
            data._forbidden = False

    def test_emoji_stay_together(self):
        """All styles, skin tones and sequences of a base code point are in the same part, whatever the order of the codes."""
        codes = ["%x%s" % (0x1f300 + i, tail) for i in range(500) for tail in ("", "-1f3fb", "-1f3ff", "-fe0f", "-200d-2640", "-1f3fd-200d-1f692", "")]
        part = emoji.split_of(codes)
        of = {}
        for code, p in zip(codes, part):
            of.setdefault(code.split("-")[0], set()).add(p)
        self.assertTrue(all(len(p) == 1 for p in of.values()))
        parts = [p for (p,) in of.values()]
        self.assertEqual([parts.count(p) for p in ("test", "validation", "train")], [50, 10, 440])
        self.assertTrue((emoji.split_of(codes[::-1])[::-1] == part).all())

    def test_photographs_are_split(self):
        """The training split is the first 48,000 pictures of the five training files, the validation split is the last 2,000, and the test
        split is the sixth file."""
        from PIL import Image
        with tempfile.TemporaryDirectory() as folder:
            for i, name in enumerate(cifar10.TRAIN + [cifar10.TEST]):    # each picture encodes its own number
                number = np.arange(i * 10000, (i + 1) * 10000)
                colour = np.stack([number >> 16, number >> 8 & 255, number & 255], 1).astype(np.uint8).reshape(100, 1, 100, 1, 3)
                mosaic = np.broadcast_to(colour, (100, 32, 100, 32, 3)).reshape(3200, 3200, 3)
                Image.fromarray(mosaic).save(os.path.join(folder, name + ".webp"), "BMP")    # Pillow writes and reads BMP faster than WebP
            (np.arange(60000) % 251).astype(np.uint8).tofile(os.path.join(folder, "labels.u8"))
            parts = [cifar10.load(folder, "train"), cifar10.load(folder, "validation"), cifar10.load_test_for_evaluation(folder)]
        at = 0
        for (x, y), count in zip(parts, (48000, 2000, 10000)):
            number = x[:, 7, 9].astype(np.int64) @ [65536, 256, 1]
            self.assertTrue((number == np.arange(at, at + count)).all() and (y == number % 251).all())
            at += count

    def test_no_held_out_emoji_in_the_training_pictures(self):
        """Tests the real data: the parts are disjoint and complete, and the training pictures are exactly those of the training part."""
        if not os.path.exists(os.path.join(emoji.DEFAULT_DIR, emoji.FILES[1])):
            self.skipTest("no data/emoji")
        codes = [row[1] for row in emoji.read_index(emoji.DEFAULT_DIR)]
        part = emoji.split_of(codes)
        base = lambda name: {code.split("-")[0] for code, p in zip(codes, part) if p == name}
        self.assertFalse(base("train") & base("test") or base("validation") & (base("train") | base("test")))
        for name in ("train", "validation"):
            self.assertEqual(len(emoji.load(emoji.DEFAULT_DIR, name)[0]), int((part == name).sum()))


if __name__ == "__main__":
    unittest.main()
