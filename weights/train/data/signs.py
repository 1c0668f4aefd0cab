# SPDX-License-Identifier: MIT
"""Reads your own characters from a folder with a subfolder for each character. A subfolder has three or more pictures of its character,
dark on light, light on dark, or on a transparent background.

The pictures are converted to 28 x 28, ink 255. The SHA-256 of the folder's name decides the split of its character. A fifth of the
characters is held out, and another fifth is for validation. Damaged pictures are skipped and reported.
"""
import functools
import hashlib
import os

import numpy as np

import data
from data import typed
from data.files import Found, Unreadable, count
from data.folder import grounded, opened

SIZE = 28
LEAST, DRAWINGS = 10, 3                  # minimum number of characters, and of drawings of each
PARTS = ("test", "validation", "train", "train", "train")


def drawing(path):
    """Returns a drawing (28, 28) uint8, ink 255. A picture that is mostly light is inverted."""
    from PIL import Image
    with opened(path) as image:
        grey = np.asarray(grounded(image, 1).resize((SIZE, SIZE), Image.BOX))
    return 255 - grey if grey.mean() > 127.5 else grey


@functools.lru_cache(maxsize=1)
def scanned(directory):
    """Returns ([(character, [paths])], report); the characters are in the order of the split"""
    found, of = Found(directory, "pictures"), {}
    for path in found.paths():
        of.setdefault(typed.name(os.path.relpath(os.path.dirname(path), directory)), []).append(path)
    loose = of.pop(".", [])
    if loose:
        found.skip(loose[0] + (" and %d more" % (len(loose) - 1) if len(loose) > 1 else ""), "in no folder, but each character needs a folder")
    signs = []
    for name, paths in of.items():
        whole = []
        for path in paths:
            try:
                drawing(path)
                whole.append(path)
            except Unreadable as error:
                found.skip(path, error)
        if len(whole) >= DRAWINGS:
            signs.append((name, whole))
        else:
            found.skip(os.path.join(directory, name), "a folder of fewer than %d pictures" % DRAWINGS)
    return sorted(signs, key=lambda sign: hashlib.sha256(sign[0].encode("utf-8", "surrogateescape")).digest()), found


def read(directory, split, evaluation=False):
    """Returns drawings and alphabets, like omniglot.py. Every character has as many drawings as the character with the fewest drawings.
    Only this function opens your own characters."""
    if split not in ("train", "validation"):
        data.check_evaluation(evaluation, "split %r" % split)
    signs, found = scanned(directory)
    if len(signs) < LEAST:
        found.short(count(len(signs), "folder") + " of pictures", "at least %d characters with %d pictures each are needed" % (LEAST, DRAWINGS))
    drawers = min(len(paths) for _, paths in signs)
    found.say("%s, %s of each" % (count(len(signs), "sign"), count(drawers, "drawing")))
    mine = [sign for i, sign in enumerate(signs) if PARTS[i % 5] == split]
    return np.stack([np.stack([drawing(path) for path in paths[:drawers]]) for _, paths in mine]), [name for name, _ in mine]
