# SPDX-License-Identifier: MIT
"""Composes scenes with captions. A scene has one to three emoji (emoji.py) of any size, anywhere on a white picture of 64x64 pixels:

    a red heart left of a green book            a cat above a guitar
    two cats right of a bus                     a cat and a dog below a bus            (*)
    three keys        two keys        a key

(*) A caption names the pair before the single object, and within the pair, the left or upper object first. So there is exactly one correct
caption for each scene, and a caption is either correct or wrong. Scenes are generated from a seed. Many more scenes exist than training
ever uses. The held-out part is not a random sample of the scenes. One held-out set has pairs of nouns that never occur together in a
training scene (things.pair_split); the other set shows each object in a drawing style that training never uses for this object
(things.held_out_style). The function that opens the file discards the pixels of held-out drawings.
"""
import math
import os
import random
import sys
from typing import NamedTuple

import numpy as np

import data
from common.needed import require
from data import drawings, emoji
from data.things import THINGS, WORDS, held_out_style, pair_split

MARK, DEFAULT_DIR = emoji.MARK, emoji.DEFAULT_DIR
CLASSES = []
OWN = "captions"                         # the module that reads your own pictures with captions
SIDE = 64
SIZES = (15, 18, 21, 24, 27, 30)         # sizes of a drawing in pixels, including its margins
TURNS = (-12, 0, 12)                     # rotations in degrees
INK = 235                                # a pixel darker than this in any channel belongs to the object
END = 0                                  # id of the end token; word i of WORDS has id i + 1
IDS = {word: i + 1 for i, word in enumerate(WORDS)}
FURTHER = ("twemoji", "fluent", "fluent-shaded")      # sets of large drawings (drawings.py) in which no held-out drawing occurs
LARGE = drawings.SIZE
SKETCHED = 0.12                          # fraction of the scenes that consist of line drawings, if there are line drawings
COLOURS = dict(red=(215, 35, 35), green=(40, 160, 70), blue=(45, 100, 220), orange=(240, 140, 20), yellow=(240, 200, 40), purple=(140, 60, 200))
KINDS = dict(one=0.06, alike=0.10, alike3=0.04, two=0.32, pair=0.20, three=0.28)


class Sprite(NamedTuple):
    pixels: np.ndarray                   # (h, w, 3) uint8, cropped to the part that is not white


class Scene(NamedTuple):
    picture: np.ndarray                  # (64, 64, 3) uint8
    words: list
    boxes: list                          # for each word, (top, left, bottom, right) of the objects that it names; empty for other words


def styles_of(thing, index):
    """Returns the styles that have a drawing of the object, in the order of emoji.STYLES"""
    return [style for style in emoji.STYLES if any((style, code) in index for code in thing.codes)]


def read_sprites(directory, which, evaluation=False):
    """Returns a list of drawings for each object; a drawing is a list of sprites. which: "train" for all drawings that are not held out,
    "test" for the held-out drawings"""
    from PIL import Image
    return [[variants(picture, Image) for picture in pictures] for pictures in read_pictures(directory, which, evaluation)]


def read_pictures(directory, which, evaluation=False):
    """Returns, for each object, its drawings as pictures of 32x32.  Only this function opens the mosaic; it discards the pixels of
    all other drawings."""
    if which != "train":
        data.check_evaluation(evaluation, "drawings of a style that is held out")
    path = os.path.join(directory, emoji.FILES[0])
    if not os.path.exists(path):
        sys.exit("missing %s\nPut %s and %s in one folder and pass it with --data DIR." % ((path,) + emoji.FILES))
    require("PIL")
    from PIL import Image
    Image.MAX_IMAGE_PIXELS = None
    index = {(row[0], row[1].replace("-fe0f", "")): i for i, row in enumerate(emoji.read_index(directory))}
    mosaic = Image.open(path).convert("RGB")
    across = mosaic.width // emoji.SIZE
    found = []
    for thing in THINGS:
        styles, mine = styles_of(thing, index), []
        out = held_out_style(thing.noun, styles)
        for style in styles:
            for code in thing.codes:
                at = index.get((style, code))
                if at is None or (style == out) != (which == "test"):
                    continue
                left, top = at % across * emoji.SIZE, at // across * emoji.SIZE
                mine.append(mosaic.crop((left, top, left + emoji.SIZE, top + emoji.SIZE)))
        found.append(mine)
    return found


def read_further(directory):
    """Returns, for each object, its drawings in the styles of FURTHER, as pictures of 32x32."""
    from PIL import Image
    folder = os.path.join(os.path.dirname(os.path.abspath(directory)), drawings.FOLDER)
    rows = drawings.read_index(folder)
    of = {code: i for i, thing in enumerate(THINGS) for code in thing.codes}
    pick = np.array([i for i, row in enumerate(rows) if row[0] in FURTHER and row[1].replace("-fe0f", "") in of])
    found = [[] for _ in THINGS]
    for i, pixels in zip(pick, drawings.read(folder, pick)):
        found[of[rows[i][1].replace("-fe0f", "")]].append(Image.fromarray(pixels).resize((emoji.SIZE, emoji.SIZE), Image.LANCZOS))
    return found


def variants(drawing, Image):
    """Returns sprites of a drawing in all sizes, slightly rotated and mirrored."""
    found = []
    for mirrored in (False, True):
        base = drawing.transpose(Image.FLIP_LEFT_RIGHT) if mirrored else drawing
        for turn in TURNS:
            turned = base.rotate(turn, Image.BICUBIC, fillcolor=(255, 255, 255)) if turn else base
            for size in SIZES:
                found.append(cropped(turned.resize((size, size), Image.LANCZOS)))
    return found


def cropped(drawing):
    """Crops the white rows and columns around a drawing and returns the sprite"""
    pixels = np.asarray(drawing)
    ink = (pixels < INK).any(2)
    rows, cols = np.flatnonzero(ink.any(1)), np.flatnonzero(ink.any(0))
    return Sprite(np.ascontiguousarray(pixels[rows[0]:rows[-1] + 1, cols[0]:cols[-1] + 1]))


def widened(drawing, rng, Image):
    """Returns sprites of a drawing, with larger changes than in `variants`: each sprite is rotated by up to 15 degrees and stretched by up
    to 12 %, and half of the sprites are mirrored."""
    found = []
    for size in SIZES * 6:
        base = drawing.transpose(Image.FLIP_LEFT_RIGHT) if rng.random() < 0.5 else drawing
        stretch = math.exp(rng.uniform(-0.12, 0.12) / 2)
        sides = round(min(size * stretch, SIZES[-1])), round(min(size / stretch, SIZES[-1]))
        found.append(cropped(base.rotate(rng.uniform(-15, 15), Image.BICUBIC, fillcolor=(255, 255, 255)).resize(sides, Image.LANCZOS)))
    return found


def edges_of(picture):
    """Returns, for each pixel, the largest difference between two values of its 3 x 3 neighbourhood in one channel: (h, w)"""
    from PIL import ImageChops, ImageFilter
    found = np.asarray(ImageChops.subtract(picture.filter(ImageFilter.MaxFilter(3)), picture.filter(ImageFilter.MinFilter(3))))
    return found.max(2) if found.ndim == 3 else found


def sketches(drawing, rng, Image):
    """Returns sprites with the edges of a drawing as black lines, one or two pixels wide, drawn by an unsteady hand"""
    from PIL import ImageFilter
    found = []
    for size in SIZES[1:] * 2:
        large = drawing.transpose(Image.FLIP_LEFT_RIGHT) if rng.random() < 0.5 else drawing
        large = large.resize((LARGE, LARGE), Image.BICUBIC).rotate(rng.uniform(-10, 10), Image.BICUBIC, fillcolor=(255, 255, 255))
        outside = Image.fromarray(255 * (np.asarray(large) > INK).all(2).astype(np.uint8))
        edges, around = (edges_of(picture.filter(ImageFilter.GaussianBlur(rng.uniform(1.2, 2.5)))) for picture in (large, outside))
        lines = (edges > rng.uniform(0.3, 0.6) * np.quantile(edges, 0.98)) | (around > 100)
        wide = max(1, round(LARGE / size * rng.uniform(0.6, 1.3)) // 2 * 2 - 1)
        ink = Image.fromarray(255 - 255 * lines.astype(np.uint8))
        if wide > 1:
            ink = ink.filter(ImageFilter.MinFilter(wide))
        corners = [(x + rng.uniform(-5, 5), y + rng.uniform(-5, 5)) for x, y in ((0, 0), (0, LARGE), (LARGE, LARGE), (LARGE, 0))]
        ink = ink.transform(ink.size, Image.QUAD, [part for corner in corners for part in corner], Image.BILINEAR, fillcolor=255)
        small = ink.resize((size, size), Image.BOX).convert("RGB")
        if (np.asarray(small) < 160).any():
            found.append(cropped(small))
    return found


def article(word):
    return "an" if word[0] in "aeiou" or word == "hourglass" else "a"


def named(things):
    """Names a pair of objects, or one object alone -> words, and the objects that each word names."""
    if len(things) > 1 and all(t is things[0] for t in things):
        first, nouns = ("two", "three")[len(things) - 2], [(things[0].plural, list(range(len(things))))]
        words = [(first, [])] + ([(things[0].colour, [])] if things[0].colour else []) + nouns
        return words
    words = []
    for i, t in enumerate(things):
        rest = ([(t.colour, [])] if t.colour else []) + [(t.noun, [i])]
        words += ([("and", [])] if i else []) + [(article(rest[0][0]), [])] + rest
    return words


class Scenes:
    """Generates scenes by index. split: the split of the pairs of nouns. Every scene of \"validation\" or \"test\" contains a pair of nouns
    from that split. If `any_pair` is true, all pairs are from the training split instead."""

    def __init__(self, sprites, split, any_pair=False, lines=None):
        """lines: line drawings of each object; if given, the colours of drawings vary, and some scenes consist of line drawings only"""
        self.sprites, self.split, self.any_pair, self.lines = sprites, split, any_pair, lines
        self.usable = [i for i, drawings in enumerate(sprites) if drawings]

    def fitting(self, things):
        """Returns whether these objects may occur together."""
        splits = {pair_split(a.noun, b.noun) for i, a in enumerate(things) for b in things[:i]}
        if self.split == "train" or self.any_pair:
            return splits <= {"train"}
        return self.split in splits and splits <= {"train", self.split}

    def things(self, rng):
        """Returns the kind of a scene, and the indices of its objects"""
        while True:
            kind = rng.choices(list(KINDS), list(KINDS.values()))[0]
            if self.split != "train" and not self.any_pair and kind in ("one", "alike", "alike3"):
                continue
            count = dict(one=1, alike=1, alike3=1, two=2, pair=2, three=3)[kind]
            pick = rng.sample(self.usable, count)
            things = [THINGS[i] for i in pick]
            if len({t.noun for t in things}) == count and self.fitting(things):
                copies = dict(alike=2, alike3=3).get(kind, 1)
                return kind, pick * copies if copies > 1 else [pick[0]] + pick if kind == "pair" else pick

    def scene(self, seed):
        rng = random.Random(seed)
        kind, pick = self.things(rng)
        drawn = self.lines if self.lines and rng.random() < SKETCHED else self.sprites
        sprites = [rng.choice(rng.choice(drawn[i])).pixels for i in pick]
        if self.lines:
            pen = rng.choice(((0, 0, 0), (0, 0, 0), tuple(rng.randrange(150) for _ in range(3))))
            sprites = [traced(pixels, COLOURS.get(THINGS[i].colour, pen)) if drawn is self.lines else coloured(pixels, rng, THINGS[i]) for i, pixels in zip(pick, sprites)]
        places, words = self.compose(rng, kind, pick, sprites)
        picture = np.full((SIDE, SIDE, 3), 255, np.uint8)
        boxes = []
        for (top, left), pixels in zip(places, sprites):
            h, w = pixels.shape[:2]
            part = picture[top:top + h, left:left + w]
            np.minimum(part, pixels, out=part)
            boxes.append((top, left, top + h, left + w))
        return Scene(picture, [word for word, _ in words], [[boxes[i] for i in names] for _, names in words])

    def compose(self, rng, kind, pick, sprites):
        """Returns the positions (top, left) of the sprites, and the words with the objects that they name"""
        things = [THINGS[i] for i in pick]
        n = len(pick)
        sides = [s.shape[:2] for s in sprites]
        within = lambda low, high, size: low + int(rng.random() * (high - low - size + 1)) if high - low > size else max(0, min(low, SIDE - size))
        if n == 1:
            return [(within(0, SIDE, sides[0][0]), within(0, SIDE, sides[0][1]))], named(things)
        upright = rng.random() < 0.5     # whether the dividing line is vertical, with objects left and right of it
        long = lambda i: sides[i][1] if upright else sides[i][0]      # size of an object across the dividing line
        wide = lambda i: sides[i][0] if upright else sides[i][1]      # size of an object along the dividing line
        spot = lambda across, along: (along, across) if upright else (across, along)
        if n == 2:
            cut = int(rng.uniform(max(long(0), 26), min(SIDE - long(1), 38) + 0.99)) if max(long(0), 26) <= min(SIDE - long(1), 38) else long(0)
            a, b = within(0, cut, long(0)), within(cut, SIDE, long(1))
            distance = abs(b + long(1) / 2 - a - long(0) / 2)
            middle = wide(0) / 2 + rng.random() * (SIDE - wide(0))
            low, high = max(wide(1) / 2, middle - 0.7 * distance), min(SIDE - wide(1) / 2, middle + 0.7 * distance)
            other = rng.uniform(low, high) if high > low else min(max(middle, wide(1) / 2), SIDE - wide(1) / 2)
            places = [spot(a, int(middle - wide(0) / 2)), spot(b, min(int(other - wide(1) / 2), SIDE - wide(1)))]
            if kind == "alike":
                return places, named(things)
            return places, self.sentence([things[0]], "left" if upright else "above", [things[1]])
        first = rng.random() < 0.5       # whether the pair, objects 0 and 1, comes before object 2
        pair_long, cut = max(long(0), long(1)), 0
        low, high = (max(pair_long, 26), min(SIDE - long(2), 38)) if first else (max(long(2), 26), min(SIDE - pair_long, 38))
        cut = int(rng.uniform(low, high + 0.99)) if low <= high else (low if first else high)
        low, high = (0, cut) if first else (cut, SIDE)
        half = int(rng.uniform(max(wide(0), 28), min(SIDE - wide(1), 36) + 0.99)) if max(wide(0), 28) <= min(SIDE - wide(1), 36) else SIDE // 2
        at = [(within(low, high, long(0)), within(0, half, wide(0))), (within(low, high, long(1)), within(half, SIDE, wide(1)))]
        middle = sum(along + wide(i) / 2 for i, (_, along) in enumerate(at)) / 2 + rng.uniform(-6, 6)
        other = (cut, SIDE) if first else (0, cut)
        at.append((within(*other, long(2)), int(min(max(middle - wide(2) / 2, 0), SIDE - wide(2)))))
        places = [spot(*p) for p in at]
        if kind == "alike3":
            return places, named(things)
        relation = ("left" if first else "right") if upright else ("above" if first else "below")
        return places, self.sentence(things[:2], relation, things[2:])

    @staticmethod
    def sentence(subject, relation, thing):
        between = [(relation, [])] + ([("of", [])] if relation in ("left", "right") else [])
        return named(subject) + between + [(w, [i + len(subject) for i in names]) for w, names in named(thing)]


def traced(pixels, pen):
    """Recolours black lines in the colour of a pen."""
    return (255 - (255 - pixels.astype(np.float32)) * (255 - np.array(pen, np.float32)) / 255).astype(np.uint8)


TINTS = np.array(((1, 0.956, 0.621), (1, -0.272, -0.647), (1, -1.106, 1.703)), np.float32)      # YIQ to RGB


def coloured(pixels, rng, thing):
    """Changes the colours of half of the drawings: rotates the hue by up to 25 degrees (6 if the object's name contains a colour), and
    changes saturation and lightness."""
    if rng.random() < 0.5:
        return pixels
    turn = rng.uniform(-1, 1) * math.pi / 180 * (6 if thing.colour else 25)
    strong, gain = rng.uniform(0.6, 1.4), rng.uniform(0.8, 1.15)
    c, s = strong * math.cos(turn), strong * math.sin(turn)
    to = gain * TINTS @ np.array(((1, 0, 0), (0, c, -s), (0, s, c)), np.float32) @ np.linalg.inv(TINTS)
    return (255 - ((255 - pixels.astype(np.float32)) @ to.T.astype(np.float32)).clip(0, 255)).astype(np.uint8)


def ids_of(words):
    return [IDS[word] for word in words] + [END]


def load(directory, split, further=False):
    """Returns the Scenes of split \"train\" or \"validation\", made of training drawings. With `further`, training scenes also use the
    styles of FURTHER, changed colours, and line drawings."""
    if split not in ("train", "validation"):
        data.check_evaluation(False, "split %r" % split)
    if split == "train" and further:
        from PIL import Image
        rng = random.Random(1)
        pictures = [old + new for old, new in zip(read_pictures(directory, "train"), read_further(directory))]
        drawn = lambda change: [[sprites for sprites in (change(picture, rng, Image) for picture in mine) if sprites] for mine in pictures]
        return Scenes(drawn(widened), split, lines=drawn(sketches))
    return Scenes(read_sprites(directory, "train"), split)


def load_test_for_evaluation(directory, new_drawings=False):
    """Returns the held-out scenes; only evaluation may call this function. By default, the scenes combine objects that never occur together
    in training, and the objects are drawn as in training. With `new_drawings`, the scenes combine objects as in training, but each object
    has a drawing style that training never uses for this object."""
    if new_drawings:
        return Scenes(read_sprites(directory, "test", evaluation=True), "test", any_pair=True)
    data.check_evaluation(True, "scenes of pairs that are held out")
    return Scenes(read_sprites(directory, "train"), "test")


def held_out(directory, split, count=1000):
    """Returns the sets to measure, {name: scenes}. The set \"\" has pairs of nouns of the split; the test split also has the set
    \"-styles\" with held-out drawings."""
    if split != "test":
        source = load(directory, split)
        return {"": [source.scene("%s %d" % (split, i)) for i in range(count)]}
    both = {"": load_test_for_evaluation(directory), "-styles": load_test_for_evaluation(directory, new_drawings=True)}
    return {name: [scenes.scene("test%s %d" % (name, i)) for i in range(count)] for name, scenes in both.items()}
