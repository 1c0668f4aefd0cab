# SPDX-License-Identifier: MIT
"""Pictures of one's own: a folder of PNG, JPEG or WebP files, in folders or not.

Each is cut square (the middle), set on white where it is transparent, and reduced.  The split is by file, in the order of the
SHA-256 of its bytes, so that two copies stay together: a tenth is held out, a tenth is for validation.  Classes are not known.
"""
import contextlib
import hashlib
import os
import sys

import numpy as np

import data
from common.needed import require

ENDINGS = (".png", ".jpg", ".jpeg", ".webp")
HELD_OUT, VALIDATION = 0.1, 0.1
LEAST = 10                               # pictures


def files(directory):
    """{SHA-256: path}, in the order of the hash."""
    paths = [os.path.join(at, name) for at, _, names in os.walk(directory) for name in names if name.lower().endswith(ENDINGS)]
    found = {}
    for path in sorted(paths):
        with open(path, "rb") as f:
            found.setdefault(hashlib.sha256(f.read()).hexdigest(), path)
    return dict(sorted(found.items()))


def split_of(count):
    """-> {split: slice} of the files in their order."""
    test = max(1, round(HELD_OUT * count))
    valid = test + max(1, round(VALIDATION * count))
    return {"test": slice(0, test), "validation": slice(test, valid), "train": slice(valid, None)}


@contextlib.contextmanager
def opened(path):
    """A picture; ends the program where the file is none, or is cut short."""
    require("PIL")
    from PIL import Image
    try:
        with Image.open(path) as image:
            image.load()
            yield image
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        sys.exit("%s cannot be read as a picture (%s): take it out of the folder, or save it anew" % (path, error))


def picture(path, height, width, channels):
    """-> (height, width, channels) uint8"""
    from PIL import Image, ImageOps
    with opened(path) as image:
        image = ImageOps.exif_transpose(image).convert("RGBA")
    image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image).convert("RGB" if channels == 3 else "L")
    scale = min(image.width / width, image.height / height)             # the largest part of this shape, square where it is
    w, h = max(1, round(scale * width)), max(1, round(scale * height))
    left, top = (image.width - w) // 2, (image.height - h) // 2
    image = image.crop((left, top, left + w, top + h)).resize((width, height), Image.LANCZOS)
    return np.asarray(image).reshape(height, width, channels)


def read(directory, split, shape, evaluation=False):
    """-> images (N,) + shape, labels (N,) all -1.  The only place that opens pictures."""
    if split not in ("train", "validation"):
        data.check_evaluation(evaluation, "split %r" % split)
    paths = list(files(directory).values())
    if len(paths) < LEAST:
        sys.exit("%s: %d pictures (%s); at least %d are needed" % (directory, len(paths), ", ".join(ENDINGS), LEAST))
    chosen = paths[split_of(len(paths))[split]]
    return np.stack([picture(path, *shape) for path in chosen]), np.full(len(chosen), -1, np.int8)
