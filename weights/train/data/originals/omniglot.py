# SPDX-License-Identifier: MIT
"""Reduces the drawings in the two archives of Omniglot from 105x105 to 28x28 pixels."""
import io
import json
import os
import zipfile

import numpy as np

from data.originals import Original, write_gz

DATASET = "omniglot"
ABOUT = "Omniglot: 1,623 characters of fifty alphabets, each drawn by twenty people (Lake, Salakhutdinov and Tenenbaum 2015)"
LICENCE = "MIT"
AT = "https://github.com/brendenlake/omniglot/raw/master/python/"
FILES = (
    Original("images_background.zip", AT + "images_background.zip", 9464212, "md5:68d2efa1b9178cc56df9314c21c6e718"),
    Original("images_evaluation.zip", AT + "images_evaluation.zip", 6462886, "md5:6b91aef0f799c5bb55b94e3f2daec811"),
)
WRITTEN = {
    "background_28x28.u8.gz": "493e5aff392f8d2c49d58f0095b0f5c0b0536831ac674cff6147c46b273fea7d",
    "evaluation_28x28.u8.gz": "05484662471246b83a1ca1fd2dac7e33cc1f80aaf66a06e73ccf00f3a5dd0708",
}


def drawing(png):
    """Returns a drawing (28, 28) uint8. Ink is black in the original and 255 in the result."""
    from PIL import Image
    with Image.open(io.BytesIO(png)) as image:
        ink = np.where(np.asarray(image.convert("L")) < 128, 255, 0).astype(np.uint8)
    return np.asarray(Image.fromarray(ink).resize((28, 28), Image.BOX))


def write(found, directory):
    for name, path in found.items():
        part = name[len("images_"):-len(".zip")]
        signs = {}                       # images_background/Korean/character07/0557_12.png
        with zipfile.ZipFile(path) as archive:
            for member in sorted(archive.namelist()):
                if member.endswith(".png") and not member.startswith("__MACOSX"):
                    signs.setdefault(tuple(member.split("/")[-3:-1]), []).append(drawing(archive.read(member)))
        write_gz(os.path.join(directory, part + "_28x28.u8.gz"), np.stack([d for drawings in signs.values() for d in drawings]).tobytes())
        with open(os.path.join(directory, part + "_classes.json"), "w", encoding="utf-8") as f:
            json.dump([[alphabet, sign, len(drawings)] for (alphabet, sign), drawings in signs.items()], f)
