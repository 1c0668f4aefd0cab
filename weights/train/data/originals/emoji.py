# SPDX-License-Identifier: MIT
"""Reduces emoji in five styles, from checkouts of the original sets, to 32x32 pixels on white, and writes them side by side."""
import io
import os
import re
import shutil
import subprocess
import sys
import unicodedata

import numpy as np

from data import emoji
from data.originals import Original

DATASET = "emoji"
ABOUT = "some 10,800 colour emoji, 32x32 on white, in five styles"
HOW = """Nobody gives them as one file. Check the sets out into one folder, some gigabytes:
  git clone --depth 1 -b v2.038 https://github.com/googlefonts/noto-emoji noto-2023
  git clone --depth 1 -b v2018-08-10-unicode11 https://github.com/googlefonts/noto-emoji noto-2018
  git clone --depth 1 -b v2017-05-18-cook-color-fix https://github.com/googlefonts/noto-emoji noto-blob
  git clone --depth 1 https://github.com/EmojiTwo/emojitwo
  git clone --depth 1 https://github.com/mozilla/fxemoji
and give that folder: --from FOLDER. fxemoji needs rsvg-convert (Debian: librsvg2-bin). A style that is not there is left out"""
LICENCE = "Noto: Apache 2.0; EmojiTwo and FxEmoji: CC BY 4.0"
FILES = tuple(Original(style) for style in emoji.STYLES)
WRITTEN = {}                             # no hash, because the original sets change
FOLDERS = {"emojitwo": "png/128", "fxemoji": "svgs/FirefoxEmoji"}
COLUMNS = 100


def code_of(name):
    """Converts a file name to code points: emoji_u0023_20e3.png, 0023-20e3.png, u1F004-mahjong.svg -> 0023-20e3, 1f004; None if it is not
    the name of an emoji."""
    stem = os.path.splitext(name)[0].lower()
    found = re.fullmatch(r"emoji_u([0-9a-f]+(?:_[0-9a-f]+)*)|u([0-9a-f]{4,6})-[^.]*|([0-9a-f]{2,6}(?:-[0-9a-f]{2,6})*)", stem)
    return "-".join(part.zfill(4) for part in re.split("[-_]", next(filter(None, found.groups())))) if found else None


def called(code):
    return " + ".join(unicodedata.name(chr(int(part, 16)), part).lower() for part in code.split("-"))


def painted(path, reduction):
    """Renders a PNG or SVG -> (32, 32, 3) uint8 on white"""
    from PIL import Image
    with open(path, "rb") as f:
        source = f.read()
    if path.endswith(".svg"):
        made = subprocess.run(["rsvg-convert", "-w", "128", "-h", "128"], input=source, capture_output=True)
        if made.returncode:
            return None
        source = made.stdout
    with Image.open(io.BytesIO(source)) as image:
        image = image.convert("RGBA")
    side = max(image.size)
    white = Image.new("RGBA", (side, side), "white")
    white.alpha_composite(image, ((side - image.width) // 2, (side - image.height) // 2))
    return np.asarray(white.convert("RGB").resize((emoji.SIZE, emoji.SIZE), reduction))


def write(found, directory):
    from PIL import Image
    rows, pictures = [], []
    for style in emoji.STYLES:
        if style not in found:
            continue
        folder = os.path.join(found[style], FOLDERS.get(style, "png/128"))
        if not os.path.isdir(folder):
            sys.exit("%s: no such folder; %s must be a checkout of its set" % (folder, found[style]))
        if style == "fxemoji" and not shutil.which("rsvg-convert"):
            sys.exit("fxemoji is drawn as SVG, which needs rsvg-convert (Debian: librsvg2-bin); without it give a folder without fxemoji")
        before = len(rows)
        for name in sorted(os.listdir(folder)):
            code = code_of(name)
            picture = painted(os.path.join(folder, name), Image.BOX if style == "emojitwo" else Image.LANCZOS) if code else None
            if picture is not None:
                rows.append((style, code, called(code)))
                pictures.append(picture)
        print("  %s: %d emoji" % (style, len(rows) - before), flush=True)
    if not rows:
        sys.exit("no style found: a folder with %s is needed" % ", ".join(emoji.STYLES))
    mosaic = np.full((-(-len(pictures) // COLUMNS), emoji.SIZE, COLUMNS, emoji.SIZE, 3), 255, np.uint8)
    for i, picture in enumerate(pictures):
        mosaic[i // COLUMNS, :, i % COLUMNS] = picture
    Image.fromarray(mosaic.reshape(-1, COLUMNS * emoji.SIZE, 3)).save(os.path.join(directory, emoji.FILES[0]), lossless=True)
    with open(os.path.join(directory, emoji.FILES[1]), "w", encoding="utf-8") as f:
        f.writelines("\t".join(row) + "\n" for row in rows)
