#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Self-checks of redrawn training pictures:  python3 weights/train/test_drawings.py   (seconds; needs no data set)"""
import atexit
import io
import os
import shutil
import tarfile
import tempfile
import unittest
from dataclasses import replace
from unittest import mock

import numpy as np
import torch

import drawings as command
from data import drawings, emoji
from models.image_transformer import golden
from models.image_transformer.model import ImageTransformer
from models.image_transformer.pictures import Split
from models.image_transformer.task import TASK, Settings

BASES = ["%04x" % code for code in range(0x1F600, 0x1F664)]              # a hundred base code points
INDEX = [("noto-2023", base, "face") for base in BASES]
PART = dict(zip(BASES, emoji.split_of(BASES)))
TRAINS = next(base for base in BASES if PART[base] == "train")


def temporary():
    at = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, at, ignore_errors=True)
    return at


def folder(rows, paint=lambda i, picture: None):
    """Makes a folder of drawings in the format that drawings.py writes. A drawing is white before `paint` changes it."""
    at = temporary()
    pictures = np.full((len(rows), drawings.SIZE, drawings.SIZE, 3), 255, np.uint8)
    for i, picture in enumerate(pictures):
        paint(i, picture)
    drawings.write(at, rows, list(pictures))
    return at


class Guard(unittest.TestCase):
    def test_what_is_held_out_is_never_given(self):
        """The base code point alone decides whether training may use a drawing. The emoji set (such as Noto), the skin tone and the
        sequence do not matter. Training may use a drawing whose base code point is not in the emoji data set."""
        self.assertEqual(set(PART.values()), {"train", "validation", "test"})
        rows = [(name, code, "x", "MIT") for base in BASES for name in ("noto", "twemoji") for code in (base, base + "-1f3fd", base + "-200d-2642")]
        rows.append(("fluent", "1fae8", "new", "MIT"))

        def paint(i, picture):
            picture[:] = i % 251, i // 251, 7
        found = drawings.Drawings(folder(rows, paint), INDEX)
        given = {rows[red + 251 * green][1].split("-")[0] for red, green, _ in found.images[:, 0, 0].astype(int)}
        self.assertEqual(given, {base for base in BASES if PART[base] == "train"} | {"1fae8"})
        x, _ = found.drawn(np.random.default_rng(1), 500, 32)            # the drawings, identified by the colour in their middle
        for red, green, _ in np.rint(x[:, 14:18, 14:18].mean((1, 2))).astype(int):
            self.assertIn(rows[red + 251 * green][1].split("-")[0], given)

    def test_styles(self):
        rows = [(name, TRAINS, "x", "MIT") for name in (*command.SETS, *command.PICTURES)]
        found = drawings.Drawings(folder(rows), INDEX)
        names = {row[0]: None if label < 0 else emoji.CLASSES[label] for row, label in zip(rows, found.labels)}
        self.assertEqual(names, {"noto": "Noto 2023", "noto-2018": "Noto 2018", "noto-blob": "Noto Blob 2017", "emojione": "EmojiTwo", "fxemoji": "FxEmoji", "twemoji": None, "fluent": None,
                                 "fluent-shaded": None})

    def test_several_files(self):
        """The drawings continue in a second file, and only the requested drawings are returned, in the requested order."""
        rows = [("noto", TRAINS, "%d" % i, "MIT") for i in range(5)]

        def paint(i, picture):
            picture[:] = i
        with mock.patch.object(drawings, "IN_A_FILE", 2):
            at = folder(rows, paint)
            self.assertEqual(sorted(os.listdir(at)), ["drawings-1.webp", "drawings-2.webp", "drawings-3.webp", "drawings.tsv"])
            self.assertEqual(drawings.read(at, np.array([4, 0, 3]))[:, 5, 5, 0].tolist(), [4, 0, 3])
            self.assertEqual(drawings.Drawings(at, INDEX).images[:, 0, 0, 0].tolist(), [0, 1, 2, 3, 4])
            os.remove(os.path.join(at, "drawings-2.webp"))
            with self.assertRaisesRegex(SystemExit, "drawings-2.webp"):
                drawings.Drawings(at, INDEX)

    def test_missing(self):
        with self.assertRaisesRegex(SystemExit, "drawings.py"):
            drawings.Drawings(temporary(), INDEX)


class Drawn(unittest.TestCase):
    def test_a_square_stays_one(self):
        """The area and the position of a dark square in the middle change only within the limits of scale, stretch and shift, and its
        surroundings stay white."""
        def paint(i, picture):
            picture[24:72, 24:72] = 0
        x, label = drawings.Drawings(folder([("noto", TRAINS, "x", "MIT")], paint), INDEX).drawn(np.random.default_rng(1), 300, 32)
        self.assertEqual((x.shape, x.dtype, set(label)), ((300, 32, 32, 3), np.uint8, {0}))
        dark = (255.0 - x[..., 0]) / 255
        area = dark.sum((1, 2))
        self.assertTrue((area > 0.75 ** 2 * 256 - 2).all() and (area < 1.3 ** 2 * 256 + 2).all())
        self.assertGreater(area.max() / area.min(), 2.5)
        for axis in (1, 2):
            centre = (dark.sum(3 - axis) * (np.arange(32) + 0.5)).sum(1) / area
            # A square is moved by up to 2 pixels on each axis; scale (up to 1.3) and rotation increase this to at most 3.4 pixels.
            self.assertTrue((abs(centre - 16) < 3.4).all())
            self.assertGreater(centre.std(), 0.8)
        # The edges are nearly white: the third lobe of the Lanczos window is positive, which leaves a light grey.
        self.assertTrue((x[:, 0] > 248).all() and (x[:, :, -1] > 248).all())

    def test_a_crowd_is_drawn_less_often(self):
        """Nine drawings with the same base code point are together sampled as often as three drawings whose base code points differ.
        Each set is counted separately. Drawings in a style that the data set lacks are sampled half as often."""
        rows = [("noto", TRAINS + end, "x", "MIT") for end in [""] + ["-%d" % i for i in range(8)]] + [("twemoji", TRAINS, "x", "MIT"), ("noto", "1fae8", "x", "MIT")]
        self.assertTrue(np.allclose(drawings.Drawings(folder(rows), INDEX).share, np.array([3 / 9] * 9 + [0.5, 1]) / 4.5))

    def test_they_are_reduced_as_the_data_set_was(self):
        """The result equals that of Pillow, which reduces one set by plain averages and the other sets with a Lanczos window."""
        from PIL import Image
        fine = np.random.default_rng(1).integers(0, 256, (2, 96, 96, 3)).astype(np.uint8)
        found = drawings.reduced(torch.from_numpy(fine).permute(0, 3, 1, 2).float(), 32, np.array([True, False])).permute(0, 2, 3, 1).numpy()
        for picture, small, method in zip(fine, found, (Image.BOX, Image.LANCZOS)):
            # Pillow rounds between its two passes
            self.assertLessEqual(abs(small - np.asarray(Image.fromarray(picture).resize((32, 32), method), np.float32)).max(), 1)
        rows = [("noto", TRAINS, "x", "MIT"), ("emojione", TRAINS, "x", "MIT")]
        self.assertEqual(drawings.Drawings(folder(rows), INDEX).means.tolist(), [False, True])

    def test_what_is_written_is_not_mirrored(self):
        def paint(i, picture):
            picture[:, :48] = 0                                          # the left half
        found = drawings.Drawings(folder([("noto", TRAINS, "x", "MIT"), ("noto", "0031-20e3", "one", "MIT")], paint), INDEX)

        def left(flip):
            x, _ = found.drawn(np.random.default_rng(2), 200, 32, flip)
            return x[:, 8:24, 6].mean((1, 2)) < x[:, 8:24, -6].mean((1, 2))
        self.assertTrue(left(False).all())
        self.assertTrue(0.6 < left(True).mean() < 0.9)                   # a quarter is mirrored: half of the drawings without writing
        found.writing[:] = True
        self.assertTrue(left(True).all())

    def test_a_share_of_a_batch(self):
        """The first pictures of a batch are rendered from larger drawings, in the model's palette; the same step gives the same
        pictures."""
        def paint(i, picture):
            picture[30:60, 30:60] = 250, 0, 0
        made = drawings.Drawings(folder([("noto", TRAINS, "x", "MIT")], paint), INDEX)
        model = ImageTransformer(replace(next(c for name, c, _, _ in golden.TINY if name == "palette-2d"), height=8, width=8)).eval()
        golden.randomise(model, 1)
        c = model.c
        images = np.random.default_rng(1).integers(0, 256, (8, c.height, c.width, 3)).astype(np.uint8)
        split = Split(images, np.full(8, 1, np.uint8), model.float())
        for share, count in ((0.5, 2), (0.1, 1), (1.0, 4)):
            task = TASK(Settings(batch=4, drawings=share, class_drop=0.0, palette=True, height=c.height, width=c.width))
            with mock.patch("models.image_transformer.task.Drawings.beside", return_value=made):
                a, b = (task.batch(split, 3, "cpu") for _ in range(2))
            self.assertTrue(all((one == other).all() for one, other in zip(a[:2], b[:2])))
            old = [bool((split.x.long() == x).all(1).any()) for x in a[0]]
            self.assertEqual(old, [i >= count for i in range(4)])
            self.assertEqual(a[1].tolist(), [0] * count + [1] * (4 - count))

    def test_where_they_are(self):
        at = folder([("noto", TRAINS, "x", "MIT")])
        home = temporary()
        os.mkdir(os.path.join(home, "emoji"))
        os.rename(at, os.path.join(home, drawings.FOLDER))
        with open(os.path.join(home, "emoji", emoji.FILES[1]), "w", encoding="utf-8") as f:
            f.writelines("\t".join(row) + "\n" for row in INDEX)
        self.assertEqual(len(drawings.Drawings.beside(os.path.join(home, "emoji"))), 1)

    def test_where_they_make_no_sense(self):
        for more in (dict(dataset="cifar10"), dict(dataset="emoji", width=16), dict(dataset="emoji", drawings=1.5)):
            with self.assertRaisesRegex(SystemExit, "drawings"):
                TASK(Settings(**dict(dict(height=32, width=32, drawings=0.5), **more))).load("train")


class Command(unittest.TestCase):
    def test_names_and_pictures(self):
        self.assertEqual(command.plain("Man: Light Skin-Tone"), command.plain("man-light_skin tone"))
        self.assertEqual(command.padded("23-20e3"), "0023-20e3")
        source = command.svg({"width": 64, "height": 32}, {"body": "<path d='M0 0h9v9z'/>", "left": 2}).decode()
        self.assertIn('viewBox="2 0 64 32"', source)
        self.assertIn('width="%d" height="%d"' % (drawings.SIZE, drawings.SIZE), source)

    def test_a_set_of_pictures(self):
        """Reads the drawings in one folder of an archive, as {code points: PNG}. A rendered drawing is full size on a white background."""
        from PIL import Image
        png, packed = io.BytesIO(), io.BytesIO()
        Image.fromarray(np.full((64, 64, 4), [200, 0, 0, 0], np.uint8)).save(png, "png")
        with tarfile.open(fileobj=packed, mode="w") as tar:
            for name in ("img/64/A9-FE0F.png", "img/64/a.txt", "img/32/ae.png"):
                entry = tarfile.TarInfo("package/" + name)
                entry.size = len(png.getvalue())
                tar.addfile(entry, io.BytesIO(png.getvalue()))
        with tarfile.open(fileobj=io.BytesIO(packed.getvalue())) as tar:
            found = command.pictures_below("package/img/64/")(tar)
        self.assertEqual(found, {"00a9-fe0f": png.getvalue()})
        painted = command.paint(found["00a9-fe0f"])
        self.assertEqual((painted.shape, painted.min()), ((drawings.SIZE, drawings.SIZE, 3), 255))


if __name__ == "__main__":
    unittest.main()
