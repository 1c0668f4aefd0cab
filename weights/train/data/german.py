# SPDX-License-Identifier: MIT
"""Combines the German-English captions of multi30k.py with the German-English everyday sentences of tatoeba.py.

In each epoch, training uses each caption twice. It uses the greetings, questions and answers that a traveller needs (DAILY) three times,
and all other everyday sentences once. Training also uses variants of everyday sentences, with other names, places, days and numbers on both
sides (swaps.py). A sentence about Tom has one variant, because a quarter of the sentences are about him; the other sentences have four
each. Sentences without a replaceable word have none.

Your own folder needs two subfolders, multi30k and tatoeba.
"""
import os
import random
import re

import data
from data import multi30k, swaps, tatoeba

CLASSES = []
OWN = "pairs"
MARK = os.path.join("tatoeba", tatoeba.MARK)
DEFAULT_DIR = os.path.join(data.ROOT, "data")
CAPTIONS, DAILY_TIMES, SWAPS = 2, 3, 4   # times per epoch
COMMON = "Tom"                           # the name that occurs in a quarter of the sentences
DAILY = re.compile(r"\b(Guten|Gute|Hallo|Tschüss|Wiedersehen|Dank|Danke|Bitte|Entschuldigung|Entschuldigen|Willkommen|Herzlichen|Prost|Uhr|heiße|heißt|heißen|Name|komme aus|kommst du|"
                   r"kommen Sie|Jahre alt|kostet|kosten|wohne|wohnt|möchte|hätte gern|Bahnhof|Hotel|Zimmer|Restaurant|Apotheke|Arzt|Toilette|Kaffee|Tee|Brot|Wasser|Rechnung|Wetter|Zug|Bus|"
                   r"Wie geht|Wo ist|Wo sind|Können Sie|Kannst du|Haben Sie|Gibt es)\b")


def varied(sources, targets):
    """Returns the everyday pairs, repeated as often as training uses them, and their variants. The result depends only on the
    pairs."""
    rng, found = random.Random(1), []
    for pair in zip(sources, targets):
        found += [pair] * (DAILY_TIMES if DAILY.search(pair[0]) else 1)
        for _ in range(1 if COMMON in pair[0] else SWAPS):
            other = swaps.swapped(*pair, rng)
            found += [other] if other else []
    return [list(side) for side in zip(*found)]


def load(directory, split):
    """Loads the split "train" or "validation" -> (sources, targets)"""
    captions, daily = (part.load(os.path.join(directory, name), split) for name, part in (("multi30k", multi30k), ("tatoeba", tatoeba)))
    if split == "train":
        questions, daily = tatoeba.asked(), varied(*daily)
        daily = [list(side) for side in zip(*(pair for pair in zip(*daily) if tatoeba.plain(pair[0]) not in questions))]
    return tuple((CAPTIONS if split == "train" else 1) * a + b for a, b in zip(captions, daily))


def load_test_for_evaluation(directory):
    """Returns the held-out pairs of both data sets, which are measured separately: held_out.py multi30k, held_out.py tatoeba."""
    return tuple(a + b for a, b in zip(multi30k.load_test_for_evaluation(os.path.join(directory, "multi30k")),
                                       tatoeba.load_test_for_evaluation(os.path.join(directory, "tatoeba"))))
