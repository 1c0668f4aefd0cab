# SPDX-License-Identifier: MIT
"""held_out.py writes every data set with a held-out part in the form that `npm run eval` reads.  python3 -m unittest test_held_out"""
import contextlib
import gzip
import io
import json
import os
import tempfile
import unittest
from unittest import mock

import numpy as np

import data
import held_out

SIDES = dict(mnist=(28, 28), binarised_mnist=(28, 28), cifar10=(32, 32, 3), emoji=(32, 32, 3), emoji_kinds=(32, 32, 3))


def examples(name, module):
    """Returns two held-out examples, as `load_test_for_evaluation` of this data set returns them."""
    writer = held_out.WRITERS[data.reader_of(name)]
    if writer is held_out.write_texts:
        return [] if name == "short_stories" else ["A book.", "Another."], ["One day.", "The end."]
    if writer is held_out.write_pairs:
        return ["Ein Hund.", "Zwei Hunde."], ["A dog.", "Two dogs."]
    if writer is held_out.write_sounds:
        return [np.full(80, 128, np.uint8)] * 2, [3, 7], [0, 1]
    if writer is held_out.write_music:
        return [np.array([[60, 55, 52, 48], [60, 55, 52, 48]])] * 2
    if writer is held_out.write_treebank:
        return [["Dogs", "run"], ["Go"]], [["NOUN", "VERB"], ["VERB"]], [[2, 0], [0]], [["nsubj", "root"], ["root"]]
    if writer is held_out.write_signs:
        return np.zeros((2, 20, 28, 28), np.uint8), ["Greek", "Korean"]
    return np.zeros((2,) + SIDES[name], np.uint8), np.array([1, 2])


class HeldOut(unittest.TestCase):
    def written(self, name, at):
        module = data.dataset(name)
        with mock.patch.object(module, "load_test_for_evaluation", lambda folder: examples(name, module)), contextlib.redirect_stdout(io.StringIO()) as said:
            held_out.main([name, os.path.join(at, "new", name + "-test"), "--data", at])
        return said.getvalue()

    def test_every_set(self):
        names = [name for name in held_out.sets() if name != "scenes"]          # test_captions.py tests scenes
        self.assertEqual({data.reader_of(name) for name in names}, set(held_out.WRITERS))
        for name in names:
            with self.subTest(name), tempfile.TemporaryDirectory() as at:
                said = self.written(name, at)
                path = os.path.join(at, "new", name + "-test")
                made = sorted(os.listdir(os.path.dirname(path)))
                self.assertTrue(made and all(one.startswith(name + "-test") for one in made), made)
                self.assertRegex(said, r"\b[23]\b", said)
                writer = held_out.WRITERS[data.reader_of(name)]
                if writer is held_out.write_pictures:
                    with gzip.open(path + ".u8.gz") as pixels, open(path + ".json", encoding="utf-8") as about:
                        self.assertEqual((len(pixels.read()), json.load(about)["labels"]), (2 * int(np.prod(SIDES[name])), [1, 2]))
                if writer is held_out.write_signs:
                    with gzip.open(os.path.join(path, "evaluation_28x28.u8.gz")) as pixels:
                        self.assertEqual(len(pixels.read()), 2 * 20 * 28 * 28)

    def test_a_treebank_is_a_word_a_line(self):
        with tempfile.TemporaryDirectory() as at:
            self.written("ud_ewt", at)
            with open(os.path.join(at, "new", "ud_ewt-test.tsv"), encoding="utf-8") as f:
                self.assertEqual(f.read(), "Dogs\tNOUN\t2\tnsubj\nrun\tVERB\t0\troot\n\nGo\tVERB\t0\troot\n\n")


if __name__ == "__main__":
    unittest.main()
