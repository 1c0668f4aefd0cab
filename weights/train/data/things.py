# SPDX-License-Identifier: MIT
"""Lists the objects that appear in scenes (scenes.py), with the code points of their emoji. Each object is recognisable in a few pixels.

If emoji of several colours show the same object, the name of the object includes the colour.
"""
import hashlib
from typing import NamedTuple


class Thing(NamedTuple):
    noun: str
    plural: str
    colour: str                          # "" if the name has no colour
    codes: tuple


# Each line has a noun (with its plural after a slash if the plural is not the noun + s), then code points. A colour begins a new list of
# code points.
LIST = """
dog 1f415 1f436
cat 1f408 1f431
monkey 1f412 1f435
horse 1f40e 1f434
cow 1f404 1f42e
pig 1f416 1f437
sheep/sheep 1f411
camel 1f42a 1f42b
elephant 1f418
mouse/mice 1f401 1f42d
rabbit 1f407 1f430
bear 1f43b
panda 1f43c
koala 1f428
tiger 1f405 1f42f
hen 1f414
chick 1f424 1f425
penguin 1f427
frog 1f438
turtle 1f422
snake 1f40d
whale 1f433 1f40b
dolphin 1f42c
fish/fish 1f41f 1f420
octopus/octopuses 1f419
shell 1f41a
snail 1f40c
ant 1f41c
bee 1f41d
ladybird 1f41e
rose 1f339
sunflower 1f33b
tulip 1f337
tree 1f332 1f333
palm 1f334
cactus/cactuses 1f335
clover 1f340
mushroom 1f344
watermelon 1f349
lemon 1f34b
banana 1f34c
pineapple 1f34d
apple red 1f34e green 1f34f
pear 1f350
strawberry/strawberries 1f353
tomato/tomatoes 1f345
burger 1f354
pizza 1f355
doughnut 1f369
cake 1f382 1f370
sweet 1f36c
lollipop 1f36d
cup 2615 1f375
glass/glasses 1f377
moon 1f319
sun 2600 1f31e
star 2b50 1f31f
cloud 2601
rainbow 1f308
snowman/snowmen 26c4
umbrella 2614 2602
fire 1f525
drop 1f4a7
globe 1f30d 1f30e 1f30f
guitar 1f3b8
trumpet 1f3ba
violin 1f3bb
piano 1f3b9
football 26bd
basketball 1f3c0
trophy/trophies 1f3c6
camera 1f4f7
television 1f4fa
telephone 260e
clock 23f0
watch/watches 231a
hourglass/hourglasses 231b
bell 1f514
key 1f511
lock 1f512
hammer 1f528
pencil 270f
book green 1f4d7 blue 1f4d8 orange 1f4d9 red 1f4d5
envelope 2709
balloon 1f388
present 1f381
bulb 1f4a1
bomb 1f4a3
gem 1f48e
crown 1f451
hat 1f3a9 1f452
shoe 1f45f 1f460
bag 1f45c
dress/dresses 1f457
shirt 1f455
ring 1f48d
chair 1f4ba
house 1f3e0 1f3e1
castle 1f3f0
church/churches 26ea
tent 26fa
mountain 1f5fb
car 1f697 1f699
bus/buses 1f68c
lorry/lorries 1f69a 1f69b
tractor 1f69c
train 1f682 1f686
bicycle 1f6b2
ship 1f6a2
sailboat 26f5
plane 2708
helicopter 1f681
rocket 1f680
anchor 2693
ghost 1f47b
alien 1f47d
skull 1f480
heart red 2764 blue 1f499 green 1f49a yellow 1f49b purple 1f49c
circle red 1f534 blue 1f535
diamond orange 1f536 blue 1f537
"""


def listed():
    for line in LIST.split("\n"):
        if not line:
            continue
        name, *rest = line.split()
        noun, _, plural = name.partition("/")
        by_colour, colour = {}, ""
        for word in rest:
            if word.isalpha():
                colour = word
            else:
                by_colour.setdefault(colour, []).append(word)
        for colour, codes in by_colour.items():
            yield Thing(noun, plural or noun + "s", colour, tuple(codes))


THINGS = tuple(listed())
LITTLE = ("a", "an", "two", "three", "and", "left", "right", "of", "above", "below")
WORDS = LITTLE + tuple(sorted({t.colour for t in THINGS} - {""})) + tuple(sorted({w for t in THINGS for w in (t.noun, t.plural)}))
NOUNS = {word for t in THINGS for word in (t.noun, t.plural)}


def fraction(text):
    """Returns a number in [0, 1) derived from the hash of a string."""
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16) / 2 ** 32


def pair_split(a, b):
    """Returns "train" | "validation" | "test" for two nouns: the split whose scenes may contain both.  A noun paired with itself is in
    "train"."""
    if a == b:
        return "train"
    at = fraction(" ".join(sorted((a, b))))
    return "test" if at < 0.10 else "validation" if at < 0.13 else "train"


def held_out_style(noun, styles):
    """Returns the held-out style of an object. No training scene shows the object in this style."""
    return styles[int(fraction("style of a " + noun) * len(styles))]
