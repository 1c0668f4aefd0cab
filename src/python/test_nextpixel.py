# SPDX-License-Identifier: MIT
"""Tests the package: set NEXTPIXEL_LIBRARY and run python3 src/python/test_nextpixel.py (tests/js/c-library.test.js does so)."""
import ctypes
import json
import os
import re
import unittest

import numpy as np

import nextpixel
from nextpixel import _c

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
WEIGHTS = os.path.join(ROOT, 'weights')


def opened(name):
    return nextpixel.open(os.path.join(WEIGHTS, f'{name}.gguf'))


class Header(unittest.TestCase):
    def test_structs_are_those_of_the_header(self):
        with open(os.path.join(ROOT, 'include', 'nextpixel.h')) as file:
            header = re.sub(r'/\*.*?\*/', '', file.read(), flags=re.S)
        bodies = {name: body for body, name in re.findall(r'typedef struct \{([^}]*)\} (nx_\w+);', header)}
        for name, struct in _c.STRUCTS.items():
            fields = [re.match(r'\w+', f.strip().lstrip('*').strip()).group() for line in bodies[name].split(';') if line.strip()
                      for f in re.sub(r'^\s*(const )?\w+ ', '', line.strip()).split(',')]
            self.assertEqual([field for field, *_ in struct._fields_], fields, name)
        defined = dict(re.findall(r'#define NX_(\w+) (\w+)', header))
        self.assertEqual(_c.ABI_VERSION, int(defined['ABI_VERSION']))
        self.assertEqual((_c.PORTS, _c.ALIGN, _c.NAME_BYTES), tuple(int(defined[name]) for name in ('PORTS', 'ALIGN', 'NAME_BYTES')))
        self.assertEqual(nextpixel.version(), re.search(r'NX_VERSION "([\d.]+)"', header).group(1))

    def test_version_of_the_package(self):
        with open(os.path.join(ROOT, 'src', 'python', 'pyproject.toml')) as file:
            self.assertIn(f'version = "{nextpixel.version()}"', file.read())


class Pictures(unittest.TestCase):
    def test_draw_score_logits(self):
        model = opened('fvsbn')
        ids = model.generate(784, seed=5)
        self.assertEqual(ids.shape, (784, 1, 1))
        run = model.run(seed=5)
        again, nats = run.draw(784)
        np.testing.assert_array_equal(ids, again)
        np.testing.assert_array_equal(model.score(ids[:, 0]), nats[:, 0])
        logits = model.logits(ids[:40, 0])[:, 0].astype(np.float64)  # logits of a Bernoulli distribution
        np.testing.assert_allclose(np.logaddexp(0, -logits * np.where(ids[:40, 0, 0] == 1, 1, -1)), nats[:40, 0, 0], atol=2e-5)
        self.assertEqual(run.position, 784)

    def test_samples_and_known_ids(self):
        model = opened('fvsbn')
        two = model.generate(30, known=np.ones(50, int), seed=9, samples=2)
        self.assertEqual(two.shape, (30, 2, 1))
        one = model.generate(30, known=np.ones(50, int), seed=9, samples=1, first_sample=1)
        np.testing.assert_array_equal(two[:, 1:], one)

    def test_a_part_without_a_sequence(self):
        results = opened('sagan-emoji').encode({'class': [3]}, seed=1, maps=True)
        self.assertEqual(results['image'].shape, (32, 32, 3))
        self.assertEqual(results['image'].dtype, np.uint32)
        self.assertEqual(results['pixels'].dtype, np.float32)


class Texts(unittest.TestCase):
    def test_logits_and_attention(self):
        model, ids = opened('stories'), [0, 704, 500, 33, 12, 7]
        nats, logits = model.score(ids), model.logits(ids).astype(np.float64)
        self.assertEqual(logits.shape, (6, 4096))
        np.testing.assert_allclose(np.logaddexp.reduce(logits, axis=1) - logits[np.arange(6), ids], nats[:, 0], atol=2e-5)
        [attention] = model.attention(ids)
        self.assertEqual(attention.weights.shape, (20, 6, 6))  # 5 layers of 4 heads
        np.testing.assert_allclose(attention.weights.sum(axis=2), 1, atol=1e-5)
        self.assertEqual(attention.weights[:, 2, 3:].max(), 0)

    def test_a_translation(self):
        model = opened('de-en')
        run = model.run(length=8, inputs={'source': [5, 6, 7, 8]}, maps=True, temperature=0)
        run.draw(2)
        past, source, encoder = run.attention()
        self.assertEqual((past.keys, source.keys, encoder.keys), ('positions', 'source', 'source'))
        self.assertEqual(encoder.weights.shape[1:], (4, 4))
        np.testing.assert_allclose(encoder.weights.sum(axis=2), 1, atol=1e-5)


class HiddenStates(unittest.TestCase):
    """Compares hidden states with PyTorch's, computed in double precision: tests/golden/hidden.json, from weights/train/golden.py
    --hidden."""

    def test_every_layer_of_every_kind(self):
        golden = os.path.join(ROOT, 'tests', 'golden')
        with open(os.path.join(golden, 'hidden.json')) as file:
            recorded = json.load(file)
        self.assertGreater(len(recorded), 8)
        for name, one in recorded.items():
            model = nextpixel.open(os.path.join(golden, f'{name}.gguf'))
            inputs = {'source': one['source']} if 'source' in one else {}
            states = model.hidden_states(one['values'], inputs=inputs)
            self.assertEqual(states.shape, (model.part.hidden_layers, len(one['values']), model.part.hidden_width), name)
            wanted = np.array(one['layers'], np.float32).reshape(states.shape)
            np.testing.assert_allclose(states, wanted, atol=1e-4, rtol=1e-5, err_msg=name)
            np.testing.assert_array_equal(model.hidden_states(one['values'], [1], inputs=inputs), states[1:2], name)
            np.testing.assert_array_equal(model.score(one['values'], hidden=True, inputs=inputs), model.score(one['values'], inputs=inputs), name)

    def test_samples_each_have_theirs(self):
        model = opened('digits')
        run = model.run(hidden=True, samples=2, seed=3, inputs={'class': [3]})
        ids = run.draw(60)[0]
        states = run.hidden_states()
        for sample in range(2):
            alone = model.hidden_states(ids[:, sample], inputs={'class': [3]})
            np.testing.assert_array_equal(states[:, sample], alone[:, -1])

    def test_refusals(self):
        with self.assertRaisesRegex(nextpixel.Error, r'hidden: must be 0: the part has no hidden states'):
            opened('fvsbn').run(hidden=True)
        model = opened('stories')
        with self.assertRaisesRegex(ValueError, f'layer 99: part llama has layers 0 to {model.part.hidden_layers - 1}'):
            model.hidden_states([0, 704], [99])
        with self.assertRaisesRegex(nextpixel.Error, 'open the run with hidden=True'):
            run = model.run(length=4)
            run.draw(1)
            run.hidden_states()


class Refusals(unittest.TestCase):
    def test_each_says_what_is_wrong(self):
        model = opened('fvsbn')
        with self.assertRaisesRegex(nextpixel.Error, r'NX_E_ARGUMENT: the run cannot be opened \(samples: must be from 1 to 64\)'):
            model.run(samples=65)
        with self.assertRaisesRegex(nextpixel.Error, r'top_p'):
            model.run(top_p=0)
        with self.assertRaisesRegex(nextpixel.Error, r'NX_E_FORMAT: .* cannot be opened \(not a GGUF file\)'):
            nextpixel.open(__file__)
        with self.assertRaises(FileNotFoundError):
            nextpixel.open('nothing.gguf')
        with self.assertRaisesRegex(TypeError, 'no setting tempreature; it has seed, '):
            model.run(tempreature=1)
        with self.assertRaisesRegex(TypeError, 'no input class; it has none'):
            model.run(inputs={'class': [1]})
        with self.assertRaisesRegex(TypeError, 'integers'):
            model.score([0.5])
        with self.assertRaises(ValueError):
            model.score([-1])
        with self.assertRaises(ValueError):
            model.run(seed=-1)
        with self.assertRaisesRegex(nextpixel.Error, 'NX_E_ARGUMENT'):
            model.score([2])
        with self.assertRaisesRegex(nextpixel.Error, 'open the run with maps=True'):
            run = opened('stories').run(length=4)
            run.draw(1)
            run.attention()


if __name__ == '__main__':
    unittest.main()
