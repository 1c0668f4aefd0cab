#!/usr/bin/env python3
"""Fetches emoji as vectors and paints them large, for training that draws them anew each time (`train.py emoji --drawings 0.5`).

    python3 weights/train/drawings.py                # -> data/emoji-drawings/ (58 MB, about five minutes)
    python3 weights/train/drawings.py --check        # how many that may train look like held-out pictures

The sets are those that Iconify packs for the npm registry, each under its own licence; needs npm and rsvg-convert (Debian: librsvg2-bin).
Which of them training may see is decided where they are read: data/drawings.py.
"""
import argparse
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from multiprocessing.pool import ThreadPool

import numpy as np

from data import drawings, emoji

SETS = {                                 # name: package, licence; those with code points first, for the others are named after them
    "noto": ("@iconify-json/noto@1.2.9", "Apache-2.0"),
    "twemoji": ("@iconify-json/twemoji@1.2.5", "CC-BY-4.0"),
    "fluent": ("@iconify-json/fluent-emoji-flat@1.2.6", "MIT"),
    "fluent-shaded": ("@iconify-json/fluent-emoji@1.2.7", "MIT"),
    "noto-blob": ("@iconify-json/noto-v1@1.2.5", "Apache-2.0"),
    "emojione": ("@iconify-json/emojione@1.2.3", "CC-BY-4.0"),
    "fxemoji": ("@iconify-json/fxemoji@1.2.2", "CC-BY-4.0"),
}

NEAR = 0.05                              # root mean square of 16x16 means, white - black is 1


def fetch(package):
    """-> (icons.json, chars.json) of a package of the registry."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["npm", "pack", "--silent", package], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        with tarfile.open(os.path.join(folder, os.listdir(folder)[0])) as tar:
            return [json.load(tar.extractfile("package/%s.json" % name)) for name in ("icons", "chars")]


def plain(name):
    """Names of one emoji differ in what stands between the words."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def padded(codes):
    """Code points as the data set writes them: four digits or more."""
    return "-".join(code.zfill(4) for code in codes.split("-"))


def svg(icons, icon):
    box = [icon.get(key, icons.get(key, default)) for key, default in (("left", 0), ("top", 0), ("width", 16), ("height", 16))]
    return ('<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="%d" height="%d" viewBox="%g %g %g %g">%s</svg>'
            % (drawings.SIZE, drawings.SIZE, *box, icon["body"])).encode()


def paint(source):
    """-> (SIZE, SIZE, 3) uint8 on white; None where it cannot be drawn."""
    from PIL import Image
    made = subprocess.run(["rsvg-convert", "--background-color", "white"], input=source, capture_output=True)
    if made.returncode:
        return None
    return np.asarray(Image.open(io.BytesIO(made.stdout)).convert("RGB"))


def check(where, directory):
    """Counts what may train and is nearly a held-out picture: drawings, and for comparison the data set's own training pictures."""
    def means(pictures):
        side = pictures.shape[1] // 16
        return pictures.reshape(len(pictures), 16, side, 16, side, 3).mean((2, 4), dtype=np.float32).reshape(len(pictures), -1) / 255
    held_out = means(emoji.load_test_for_evaluation(directory)[0])
    for name, pictures in (("drawings", drawings.Drawings(where, emoji.read_index(directory)).images), ("training pictures", emoji.load(directory, "train")[0])):
        some = means(pictures)
        squares = (some ** 2).sum(1)[:, None] + (held_out ** 2).sum(1) - 2 * some @ held_out.T
        near = (squares.min(1) < NEAR ** 2 * some.shape[1]).sum()
        print("%d of %d %s are nearer than %.2f to a held-out picture" % (near, len(some), name, NEAR))


def main():
    a = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    a.add_argument("--out", default=drawings.DEFAULT_DIR)
    a.add_argument("--emoji", default=emoji.DEFAULT_DIR, help="folder of the data set, whose names are used too")
    a.add_argument("--check", action="store_true", help="count those that look like held-out pictures, of a folder that is there")
    a = a.parse_args()
    if a.check:
        check(a.out, a.emoji)
        return
    for tool in ("npm", "rsvg-convert"):
        if not shutil.which(tool):
            sys.exit("%s is not here; it is needed to fetch or to paint the drawings (Debian: librsvg2-bin has rsvg-convert)" % tool)
    codes = {plain(name): code for _, code, name in emoji.read_index(a.emoji)}
    found, sources = [], []
    for name, (package, licence) in SETS.items():
        icons, characters = fetch(package)
        own = {icon: padded(code) for code, icon in characters.items()}
        codes = {**{plain(icon): code for icon, code in own.items()}, **codes}
        for icon, drawing in icons["icons"].items():
            code = own.get(icon, codes.get(plain(icon)))
            if code:                     # without a code point nobody knows to which part it belongs
                found.append((name, code, icon, licence))
                sources.append(svg(icons, drawing))
        print("%s: %d drawings, %d of them known" % (package, len(icons["icons"]), sum(row[0] == name for row in found)), flush=True)
    with ThreadPool(2) as pool:
        pictures = pool.map(paint, sources, chunksize=16)
    kept = [i for i, picture in enumerate(pictures) if picture is not None]
    os.makedirs(a.out, exist_ok=True)
    drawings.write(os.path.join(a.out, drawings.FILES[0]), [pictures[i] for i in kept])
    with open(os.path.join(a.out, drawings.FILES[1]), "w", encoding="utf-8") as f:
        f.writelines("\t".join(found[i]) + "\n" for i in kept)
    print("%d painted, %d could not be; %s" % (len(kept), len(found) - len(kept), a.out))


if __name__ == "__main__":
    main()
