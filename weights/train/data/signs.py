# SPDX-License-Identifier: MIT
"""Signs of one's own: a folder of folders, each of which has pictures (PNG, JPEG, WebP) of one sign, dark on light or light on dark, three or more.

They become 28 x 28, ink 255.  By the SHA-256 of the folder's name a fifth of the signs is held out and a fifth validates.
"""
import hashlib
import os
import sys

import numpy as np

import data
from data.folder import opened

SIZE = 28
ENDINGS = (".png", ".jpg", ".jpeg", ".webp")


def drawing(path):
    from PIL import Image
    with opened(path) as image:
        grey = np.asarray(image.convert("L").resize((SIZE, SIZE), Image.BOX))
    return 255 - grey if grey.mean() > 127.5 else grey


def read(directory, split, evaluation=False):
    """-> as omniglot.py gives them; of each sign as many drawings as the sign with the fewest has."""
    if split not in ("train", "validation"):
        data.check_evaluation(evaluation, "split %r" % split)
    found = []
    for folder, _, names in sorted(os.walk(directory)):
        pictures = sorted(name for name in names if name.lower().endswith(ENDINGS))
        if folder != directory and len(pictures) >= 3:
            found.append((os.path.relpath(folder, directory), [os.path.join(folder, name) for name in pictures]))
    found.sort(key=lambda sign: hashlib.sha256(sign[0].encode()).digest())
    if len(found) < 10:
        sys.exit("%s: %d folders of three or more pictures each; at least ten signs are needed" % (directory, len(found)))
    part = ("test", "validation", "train", "train", "train")
    mine = [sign for i, sign in enumerate(found) if part[i % 5] == split]
    drawers = min(len(paths) for _, paths in found)
    return np.stack([np.stack([drawing(path) for path in paths[:drawers]]) for _, paths in mine]), [name for name, _ in mine]
