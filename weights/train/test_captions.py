#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests captions: scenes match their sentences, held-out scenes are kept apart, tables with a user's captions are read, and both kinds of
attention work.

    python3 weights/train/test_captions.py        seconds
"""
import json
import os
import random
import unicodedata
import unittest

import numpy as np
import torch
from PIL import Image

import data
from data import captions, drawings, scenes
from data.things import NOUNS, THINGS, WORDS, held_out_style, pair_split
from models.show_attend_tell.model import Config, ShowAttendTell
from models.show_attend_tell.task import TASK, on_it
from test_data import Own
from test_own import folder

SMALL = dict(values=12, context_length=7, height=8, width=8, kernels=(3,), strides=(2,), channels=(8,), embedding_length=8, state_length=8, head_length=8, attention_length=8)


def sprites():
    """Makes two drawings of each object, in three sizes; each drawing is a filled rectangle."""
    return [[[scenes.Sprite(np.full((side, side + 2, 3), 60, np.uint8)) for side in (12, 20, 26)]] * 2 for _ in THINGS]


def plates():
    """Makes a rectangle of uniform colour for each object; each rectangle has a different size."""
    return [[[scenes.Sprite(np.full((12 + i % 12, 12 + i // 12, 3), 60, np.uint8))]] for i in range(len(THINGS))]


def middles(boxes):
    return [((top + bottom) / 2, (left + right) / 2) for top, left, bottom, right in boxes]


class Sentences(unittest.TestCase):
    def test_what_a_sentence_says_is_so(self):
        source = scenes.Scenes(sprites(), "train")
        seen = set()
        for i in range(2000):
            scene = source.scene("a%d" % i)
            self.assertTrue(set(scene.words) <= set(WORDS))
            for box in (b for boxes in scene.boxes for b in boxes):
                self.assertTrue(0 <= box[0] < box[2] <= 64 and 0 <= box[1] < box[3] <= 64)
            seen.add(self.relation(scene))
        self.assertEqual(seen - {None}, {"left", "right", "above", "below"})

    def relation(self, scene):
        """Finds the scene's word for a relation, and checks that the relation holds for the scene's objects. Returns the word, or None if
        there is none."""
        found = next((w for w in scene.words if w in ("left", "right", "above", "below")), None)
        if found is None:
            return None
        at = scene.words.index(found)
        axis, sign = (1 if found in ("left", "right") else 0), (1 if found in ("left", "above") else -1)
        first = [m[axis] for boxes in scene.boxes[:at] for m in middles(boxes)]
        second = [m[axis] for boxes in scene.boxes[at:] for m in middles(boxes)]
        self.assertTrue(first and second and all(sign * (b - a) > 0 for a in first for b in second), " ".join(scene.words))
        return found

    def test_a_scene_follows_from_its_number(self):
        one, other = (scenes.Scenes(sprites(), "train").scene("x 7") for _ in range(2))
        self.assertEqual(one.words, other.words)
        self.assertTrue(np.array_equal(one.picture, other.picture))

    def test_with_lines_and_other_colours_each_word_names_what_is_in_its_boxes(self):
        sides = {}
        for thing, [[plate]] in zip(THINGS, plates()):
            for noun in (thing.noun, thing.plural):
                sides[thing.colour, noun] = plate.pixels.shape[:2]
        source, seen, colours = scenes.Scenes(plates(), "train", lines=plates()), set(), set()
        for i in range(500):
            scene = source.scene("x %d" % i)
            seen.add(self.relation(scene))
            rest = scene.picture.copy()
            for before, word, boxes in zip([""] + scene.words, scene.words, scene.boxes):
                for top, left, bottom, right in boxes:
                    colour = before if (before, word) in sides else ""
                    self.assertEqual((bottom - top, right - left), sides[colour, word], " ".join(scene.words))
                    part = rest[top:bottom, left:right]
                    self.assertTrue((part == part[0, 0]).all() and (part < scenes.INK).any(), "one object, and no other over it")
                    colours.add(tuple(part[0, 0].tolist()))
                    part[:] = 255
            self.assertTrue((rest == 255).all(), "an object that no word names")
        self.assertEqual(seen - {None}, {"left", "right", "above", "below"})
        self.assertGreater(len(colours), 20)

    def test_white_stays_white_in_other_colours_and_ink_takes_the_pen(self):
        pixels = np.array([[[255, 255, 255], [200, 30, 30], [0, 0, 0]]], np.uint8)
        for i in range(50):
            self.assertEqual(scenes.coloured(pixels, random.Random(i), THINGS[0])[0, 0].tolist(), [255] * 3)
        self.assertEqual(scenes.traced(pixels, (10, 20, 30))[0, [0, 2]].tolist(), [[255] * 3, [10, 20, 30]])

    def test_the_lines_of_a_drawing_are_its_edges(self):
        from PIL import Image
        drawing = Image.fromarray(np.full((32, 32, 3), 255, np.uint8))
        drawing.paste((220, 40, 40), (6, 6, 26, 26))
        found = scenes.sketches(drawing, random.Random(1), Image)
        self.assertTrue(found)
        for sprite in found:
            h, w = sprite.pixels.shape[:2]
            self.assertTrue((sprite.pixels[h // 2, w // 2] > 200).all() and (sprite.pixels[h // 2].min() < 128), "white within, black around")

    def test_ids_end(self):
        self.assertEqual(scenes.ids_of(["a", WORDS[-1]]), [1, len(WORDS), 0])


class HeldOut(unittest.TestCase):
    def test_pairs_that_are_held_out_stand_in_no_scene_of_training(self):
        for split in ("train", "validation", "test"):
            source = scenes.Scenes(sprites(), split)
            for i in range(300):
                nouns = [t for t in source.things(random.Random("%s %d" % (split, i)))[1]]
                splits = {pair_split(THINGS[a].noun, THINGS[b].noun) for a in nouns for b in nouns if a != b}
                self.assertTrue(splits <= {"train", split}, splits)
                self.assertTrue(split == "train" or split in splits)
        self.assertEqual(pair_split("cat", "dog"), pair_split("dog", "cat"))

    def test_of_each_thing_a_style_is_held_out_by_name(self):
        styles = ["a", "b", "c", "d"]
        found = {held_out_style(noun, styles) for noun in NOUNS}
        self.assertEqual(found, set(styles))

    def test_no_further_style_is_one_of_the_data_set_which_holds_drawings_out(self):
        self.assertFalse(set(scenes.FURTHER) & set(drawings.STYLE))

    def test_training_code_reads_no_drawing_that_is_held_out(self):
        with self.assertRaises(data.TestSetError):
            scenes.read_sprites("", "test")
        with self.assertRaises(data.TestSetError):
            scenes.load("", "test")


class Attention(unittest.TestCase):
    def model(self, **more):
        torch.manual_seed(1)
        return ShowAttendTell(Config(**dict(SMALL, **more)))

    def test_soft_of_one_place_is_hard(self):
        model = self.model()
        with torch.no_grad():
            model.attn_v.weight *= 1e6
            x, ids = torch.rand(3, 8, 8, 3) * 255, torch.randint(1, 12, (3, 7))
            soft, hard = (model.unrolled(x, ids, draw)[0] for draw in (None, lambda log_alpha: log_alpha.argmax(1)))
        self.assertTrue(torch.allclose(soft, hard, atol=1e-6))

    def test_told_is_what_is_most_probable(self):
        model = self.model()
        x = torch.rand(2, 8, 8, 3) * 255
        ids, maps = model.tell(x, 0)
        self.assertTrue(torch.allclose(maps.sum(2), torch.ones(maps.shape[:2]), atol=1e-5))
        full = ids.clamp(min=0)
        logits = model(x, full)
        for b in range(2):
            for p in range(int((ids[b] >= 0).sum())):
                self.assertEqual(int(logits[b, p].argmax()), int(ids[b, p]))

    def test_reinforce_gives_the_scores_a_gradient_through_draws(self):
        task = TASK.of(Config(**dict(SMALL, attention="hard")))
        task.s.expected, task.s.entropy = 0.0, 0.0
        model = self.model(attention="hard").train()
        x, ids = torch.rand(16, 8, 8, 3) * 255, torch.randint(1, 12, (16, 4))
        task.nats(model, x, ids).mean().backward()
        for name in ("attn_q.weight", "attn_k.weight", "attn_v.weight"):
            self.assertGreater(float(model.get_parameter(name).grad.abs().max()), 0, name)

    def test_a_cell_is_on_a_thing_where_its_middle_is(self):
        self.assertTrue(on_it(9, [(8, 8, 16, 16)], 8, 8) and not on_it(9, [(13, 8, 30, 30)], 8, 8) and not on_it(0, [], 8, 8))


class OwnCaptions(Own):
    def test_captions(self):
        for i in range(24):
            Image.fromarray(np.full((40, 40, 3), 10 * i, np.uint8)).save(self.path("%02d.png" % i))
            if i < 10:
                self.write("%02d.txt" % i, "\ufeffA grey square, number %d!" % (i % 3))
        self.write("captions.tsv", "".join("%02d.png\ta darker square\n" % i for i in range(10, 20)))
        self.write("metadata.jsonl", "".join(json.dumps(dict(file_name="%02d.png" % i, text="A light square")) + "\n" for i in range(20, 23)))
        examples, said = self.said(lambda: captions.read(self.at, "train"))
        self.assertIn("23 pictures with captions", said)
        self.assertIn("no caption", said)
        self.assertEqual(len(examples), 23 - 4)
        scene = examples.scene("train 1 3")
        self.assertEqual((scene.picture.shape, set(scene.words) <= set(captions.vocabulary(self.at))), ((64, 64, 3), True))
        self.assertNotIn("other endings", said)

    def test_lines_without_a_picture_are_counted(self):
        for i in range(24):
            Image.fromarray(np.full((9, 9, 3), 10 * i, np.uint8)).save(self.path("%02d.%s" % (i // 2, ("png", "bmp")[i % 2])))
        for i in range(11):
            self.write("%02d.txt" % i, "two pictures")
        self.write("captions.tsv", "".join("%s\tA square\n" % name for name in ("11.png", "11.bmp", "11.png", "gone.png", "12.gif")))
        self.write("notes.txt", "none of them")
        examples, found = captions.scanned(self.at)
        self.assertEqual(sum(map(len, examples.values())), 24)
        for words in ("2 lines for pictures that the folder does not have: captions.tsv", "1 line replaced by a later line for the same picture: captions.tsv", "1 with other endings (.txt)"):
            self.assertIn(words, found.told())

    def test_tables_of_other_programs(self):
        names = ["%02d %s.png" % (i, unicodedata.normalize("NFD" if i % 2 else "NFC", "그림")) for i in range(24)]
        for i, name in enumerate(names):
            Image.fromarray(np.full((9, 9, 3), 10 * i, np.uint8)).save(self.path("bilder", name))
        right = [unicodedata.normalize("NFC", "bilder/" + name) for name in names]
        said = 'A grey square, "number" one'
        for name, text in {
                "captions.csv": "".join('%s,"%s"\n' % (one, said.replace('"', '""')) for one in right), "captions.tsv": "\ufeff" + "".join("%s\t%s\r\n" % (one, said) for one in right),
                "Captions.CSV": "text;width;file_name\n" + "".join('"%s";9;%s\n' % (said.replace('"', '""'), one) for one in right), "labels.csv": "".join('%s;"%s"\n' % (one.replace("/", "\\").upper(), said.replace('"', '""')) for one in right),
                "metadata.jsonl": "".join(json.dumps(dict(file_name=one, caption=said)) + "\n" for one in right), "metadata.csv": "file_name,caption\n" + "".join('%s,"%s"\n' % (one, said.replace('"', '""')) for one in right)}.items():
            self.write(name, text)
            captions.scanned.cache_clear()
            parts, found = captions.scanned(self.at)
            os.remove(self.path(name))
            self.assertEqual([words for part in parts.values() for _, words in part], [["a", "grey", "square", "number", "one"]] * 24, name)
            self.assertEqual(found.told(), "", name)
        self.write("captions.tsv", "".join("%s\t%s\n" % (one, said) for one in right) + "no sentence\n")
        captions.scanned.cache_clear()
        self.assertIn("1 line without a file and a sentence: captions.tsv", captions.scanned(self.at)[1].told())


def sample(at):
    """Makes a folder of pictures with a table of captions."""
    folder(at)
    with open(os.path.join(at, "captions.tsv"), "w", encoding="utf-8") as f:
        f.writelines("house %02d.png\ta small %s with a red roof\n" % (i, ("house", "hut")[i % 2]) for i in range(24))


if __name__ == "__main__":
    unittest.main()
