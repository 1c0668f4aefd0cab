#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests the recurrent models: the encoder-decoder with every kind of attention, and the memory network.

    python3 weights/train/test_attention.py        seconds
"""
import itertools
import math
import unittest
from dataclasses import replace

import numpy as np
import torch

from models.lstmn import golden as of_lstmn
from models.lstmn.model import Lstmn
from models.seq2seq import golden
from models.seq2seq.model import PADDING, Seq2seq
from models.seq2seq.recurrence import Recurrence, Turned
from models.seq2seq.segments import marginals
from models.seq2seq.task import TASK
from models.seq2seq.teacher import spans

CONFIGS = [replace(row[1], context_length=24) for row in golden.TINY if row[2] == "f32"]


def model_of(config):
    """Returns a model in double precision. Its random weights are so large that attention is far from uniform."""
    model = Seq2seq(config).double().eval()
    golden.randomise(model, 5)
    return model


def ids(*shape, seed=1):
    return torch.from_numpy(np.random.default_rng(seed).integers(1, golden.BASE.values, shape))


class Segments(unittest.TestCase):
    def test_all_assignments(self):
        generator = torch.Generator().manual_seed(1)
        theta, A = 2 * torch.randn(3, 2, 8, generator=generator).double(), torch.randn(2, 2, generator=generator).double()
        lengths = torch.tensor([8, 3, 1])
        found = marginals(theta, A, lengths)
        for b, m in enumerate(lengths.tolist()):
            for scores, p in zip(theta[b], found[b]):
                ways = torch.tensor(list(itertools.product((0, 1), repeat=m)))
                worth = torch.exp((ways * scores[:m]).sum(1) + A[ways[:, :-1], ways[:, 1:]].sum(1))
                self.assertLess(float((p[:m] - (worth[:, None] * ways).sum(0) / worth.sum()).abs().max()), 1e-12)
                self.assertEqual(float(p[m:].abs().sum()), 0)

    def test_without_transitions_each_is_a_sigmoid(self):
        theta = torch.randn(2, 3, 9).double()
        found = marginals(theta, torch.zeros(2, 2).double(), torch.tensor([9, 9]))
        self.assertLess(float((found - torch.sigmoid(theta)).abs().max()), 1e-12)

    def test_no_length_underflows(self):
        theta = (60 * torch.randn(1, 1, 500)).requires_grad_()
        found = marginals(theta, 3 * torch.eye(2), torch.tensor([500]))
        found.sum().backward()
        self.assertTrue(bool(torch.isfinite(found).all() and torch.isfinite(theta.grad).all()))


class Recurrences(unittest.TestCase):
    def test_states_are_those_of_torch(self):
        gru = torch.nn.GRU(3, 4).double()
        x, start = torch.randn(6, 2, 3).double(), torch.randn(1, 2, 4).double()
        inputs = torch.nn.functional.linear(x, gru.weight_ih_l0, gru.bias_ih_l0)[:, None]
        found = Recurrence.apply(inputs, start, gru.weight_hh_l0[None], gru.bias_hh_l0[None])[:, 0]
        self.assertLess(float((found - gru(x, start)[0]).abs().max()), 1e-12)

    def test_slopes(self):
        x, start, weight, bias = torch.randn(4, 2, 3, 12), torch.randn(2, 3, 4), torch.randn(2, 12, 4), torch.randn(2, 12)
        self.assertTrue(torch.autograd.gradcheck(Recurrence.apply, [one.double().requires_grad_() for one in (x, start, weight, bias)]))

    def test_turned(self):
        x = torch.arange(10.).view(2, 5, 1)
        self.assertEqual(Turned.apply(x, torch.tensor([3, 5]))[..., 0].tolist(), [[2, 1, 0, 3, 4], [9, 8, 7, 6, 5]])

    def test_spans_of_words(self):
        tokenizer = TASK(TASK.Settings(vocabulary="", values=257)).tokenizer
        tokenizer.tokens.append(b"ab"), tokenizer.tokens.append(b"\xc3\xa9c")
        a, b, c = (tokenizer.ids[bytes([one])] for one in b"abc")
        e = [tokenizer.ids[bytes([one])] for one in b"\xc3\xa9"]
        self.assertEqual(spans(tokenizer, [a, b] + e + [c], [257, 258]), [(0, 1), (2, 4)])


class Translating(unittest.TestCase):
    def test_padding_costs_and_changes_nothing(self):
        for c in CONFIGS:
            model, source, target = model_of(c), ids(3, 11), ids(3, 9, seed=2)
            source[1, 6:], target[1, 5:] = PADDING, PADDING
            source[2, 1:], target[2, 2:] = PADDING, PADDING
            together = model.nats(source, target)
            for b, m, n in ((0, 11, 9), (1, 6, 5), (2, 1, 2)):
                alone = model.nats(source[b:b + 1, :m], target[b:b + 1, :n])
                self.assertLess(float((together[b] - alone[0]).abs()), 1e-9, (c.score, c.order, c.range))

    def test_step_by_step_is_teacher_forced(self):
        for c in CONFIGS:
            model, source = model_of(c), ids(2, 10)
            found = model.translate(source, 0, 8)
            logits = model(source, found)
            for b in range(2):
                for p, token in enumerate(found[b].tolist()):
                    if token == PADDING:
                        break
                    self.assertEqual(int(logits[b, p].argmax()), token, (c.score, c.order, c.range))

    def test_additive_is_concatenated(self):
        model = model_of(replace(golden.BASE, score="additive"))
        s, h = torch.randn(1, 2, 32).double(), torch.randn(1, 5, 32).double()
        joined = torch.cat([s[:, :, None].expand(-1, -1, 5, -1), h[:, None].expand(-1, 2, -1, -1)], -1)
        whole = torch.cat([model.attn_q.weight, model.attn_k.weight], 1)
        self.assertLess(float((torch.tanh(joined @ whole.T) @ model.attn_v.weight - model.scores(s, model.attn_k(h))).abs().max()), 1e-12)

    def test_a_window_that_covers_all_is_global(self):
        for score in ("additive", "dot", "general", "cosine", "location"):
            whole = model_of(replace(golden.BASE, score=score))
            local = model_of(replace(golden.BASE, score=score, range="local-m", window=12))
            local.load_state_dict(whole.state_dict())
            self.assertLess(float((whole(ids(2, 12), ids(2, 7)) - local(ids(2, 12), ids(2, 7))).abs().max()), 1e-12)

    def test_settings_come_back_from_a_file(self):
        for c in CONFIGS:
            task = TASK.of(c)
            task.s.vocabulary = ""
            model = task.model()
            back = task.settings_of(task.metadata(model), model.state_dict())
            for key in ("score", "order", "range", "input_feeding", "embedding_length", "state_length"):
                if not (c.score == "none" and key in ("order", "range")):
                    self.assertEqual(back[key], getattr(c, key))

    def test_what_attentions_have_in_common_is_taken_over(self):
        one, task = model_of(replace(golden.BASE, score="additive", order="before")), TASK.of(replace(golden.BASE, score="general"))
        other = task.model().double()
        task.grow(other, {name: p.detach() for name, p in one.named_parameters()})
        for name in ("token_embd.weight", "enc.fwd.input.weight", "dec.state.weight", "output.weight"):
            self.assertTrue(torch.equal(one.state_dict()[name], other.state_dict()[name]), name)
        self.assertTrue(torch.equal(one.dec.input.weight[:, :12], other.dec.input.weight))


class Remembering(unittest.TestCase):
    def test_all_attention_on_the_last_step_is_an_lstm(self):
        model = Lstmn(of_lstmn.BASE).double().eval()
        of_lstmn.randomise(model, 3)
        text, d = ids(2, 20), of_lstmn.BASE.embedding_length
        lstm = torch.nn.LSTM(d, d, batch_first=True).double()
        order = torch.cat([torch.arange(d) + d * k for k in (0, 1, 3, 2)])          # PyTorch: i, f, g, o
        with torch.no_grad():
            lstm.weight_ih_l0.copy_(model.cell.weight[order, d:]), lstm.weight_hh_l0.copy_(model.cell.weight[order, :d])
            lstm.bias_ih_l0.copy_(model.cell.bias[order]), lstm.bias_hh_l0.zero_()
            expected = lstm(model.token_embd(text) * math.sqrt(d))[0]
            self.assertLess(float((model.states(text, last_only=True) - expected).abs().max()), 1e-12)
            self.assertGreater(float((model.states(text) - expected).abs().max()), 1e-3)

    def test_the_tape_grows_and_nothing_looks_ahead(self):
        for start, before in (("none", 0), ("zero", 1)):
            model = Lstmn(replace(of_lstmn.BASE, tape_start=start)).double().eval()
            of_lstmn.randomise(model, 3)
            text, maps = ids(1, 12), []
            with torch.no_grad():
                h = model.states(text, maps)
                shorter = model.states(text[:, :7])
            self.assertTrue(torch.allclose(h[:, :7], shorter, atol=1e-12))
            for t, row in enumerate(maps[0][0]):
                self.assertEqual(int((row > 0).sum()), t + before)
                self.assertAlmostEqual(float(row.sum()), 1.0 if t + before else 0.0)


if __name__ == "__main__":
    unittest.main()
