#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fetches vector emoji and renders them as large drawings for training (`train.py emoji --drawings 0.5`).

    python3 weights/train/drawings.py                # -> data/emoji-drawings/ (74 MB, about five minutes)
    python3 weights/train/drawings.py --check    # counts drawings that resemble held-out pictures; finds the data set's reduction filter

Iconify publishes the vectors in the npm registry, each set under its own licence. The command needs npm and rsvg-convert (Debian:
librsvg2-bin). Noto 2018 is not available as vectors; its pictures of 64 pixels come from emoji-datasource. data/drawings.py reads the
drawings and selects those that training may use.
"""
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

from common import arguments, needed

needed.require("numpy", "torch", "PIL")

import numpy as np
import torch

from data import drawings, emoji

SETS = {                                 # name: package, licence; sets with code points come first, so that other sets can look codes up by name
    "noto": ("@iconify-json/noto@1.2.9", "Apache-2.0"),
    "twemoji": ("@iconify-json/twemoji@1.2.5", "CC-BY-4.0"),
    "fluent": ("@iconify-json/fluent-emoji-flat@1.2.6", "MIT"),
    "fluent-shaded": ("@iconify-json/fluent-emoji@1.2.7", "MIT"),
    "noto-blob": ("@iconify-json/noto-v1@1.2.5", "Apache-2.0"),
    "emojione": ("@iconify-json/emojione@1.2.3", "CC-BY-4.0"),
    "fxemoji": ("@iconify-json/fxemoji@1.2.2", "CC-BY-4.0"),
}

PICTURES = {                             # name: package, licence and the folder in the package; the names of the pictures are code points
    "noto-2018": ("emoji-datasource-google@4.1.0", "Apache-2.0", "package/img/google/64/"),
}

PNG = b"\x89PNG"
NEAR = 0.05                              # limit of the root mean square difference over 16x16 cell means, black 0, white 1


def fetch(package, read):
    """Returns the result of `read` for the archive of a package in the registry."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["npm", "pack", "--silent", package], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        with tarfile.open(os.path.join(folder, os.listdir(folder)[0])) as tar:
            return read(tar)


def icons_and_characters(tar):
    return [json.load(tar.extractfile("package/%s.json" % name)) for name in ("icons", "chars")]


def pictures_below(folder):
    """Returns a function that reads the pictures of this folder in an archive, as {code points: PNG}"""
    return lambda tar: {padded(entry.name[len(folder):-4].lower()): tar.extractfile(entry).read()
                        for entry in tar if entry.name.startswith(folder) and entry.name.endswith(".png")}


def plain(name):
    """Normalises a name: names of the same emoji differ in the separators between words."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def padded(codes):
    """Returns code points in the data set's notation: at least four digits."""
    return "-".join(code.zfill(4) for code in codes.split("-"))


def svg(icons, icon):
    box = [icon.get(key, icons.get(key, default)) for key, default in (("left", 0), ("top", 0), ("width", 16), ("height", 16))]
    return ('<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="%d" height="%d" viewBox="%g %g %g %g">%s</svg>'
            % (drawings.SIZE, drawings.SIZE, *box, icon["body"])).encode()


def paint(source):
    """Renders SVG or PNG -> (SIZE, SIZE, 3) uint8 on white; None if it cannot be rendered."""
    from PIL import Image
    if not source.startswith(PNG):
        made = subprocess.run(["rsvg-convert", "--background-color", "white"], input=source, capture_output=True)
        if made.returncode:
            return None
        source = made.stdout
    picture = Image.open(io.BytesIO(source)).convert("RGBA")
    white = Image.new("RGBA", picture.size, "white")
    return np.asarray(Image.alpha_composite(white, picture).convert("RGB").resize((drawings.SIZE, drawings.SIZE), Image.LANCZOS))


def filters(given, directory):
    """Prints the distances between drawings and the data set's training pictures of the same emoji and style. The drawings are reduced in
    two ways: by plain averages, and with a Lanczos window."""
    images, _ = emoji.load(directory, "train")
    index = emoji.read_index(directory)
    train = [row for row, part in zip(index, emoji.split_of([row[1] for row in index])) if part == "train"]
    at = {(style, code): i for i, (style, code, _) in enumerate(train)}
    for name, style in drawings.STYLE.items():
        pairs = [(i, at[style, row[1]]) for i, row in enumerate(given.rows) if row[0] == name and (style, row[1]) in at]
        if not pairs:
            continue
        large, small = (np.array(side) for side in zip(*pairs))
        fine = torch.from_numpy(255 - given.images[large]).permute(0, 3, 1, 2).float()
        wanted = torch.from_numpy(255 - images[small]).permute(0, 3, 1, 2).float()
        off = [(drawings.reduced(fine, emoji.SIZE, np.full(len(fine), means)) - wanted).pow(2).mean((1, 2, 3)).sqrt().median() for means in (True, False)]
        print("%s: %d that the data set has too; they differ by %.1f of 255 (median) reduced by means, by %.1f by Lanczos' window" % (name, len(fine), *off))


def check(where, directory):
    """Counts training drawings that nearly equal a held-out picture. For comparison, also counts the data set's own training pictures that
    nearly equal a held-out picture."""
    def means(pictures):
        side = pictures.shape[1] // 16
        return pictures.reshape(len(pictures), 16, side, 16, side, 3).mean((2, 4), dtype=np.float32).reshape(len(pictures), -1) / 255
    held_out = means(emoji.load_test_for_evaluation(directory)[0])
    given = drawings.Drawings(where, emoji.read_index(directory))
    filters(given, directory)
    for name, pictures in (("drawings", given.images), ("training pictures", emoji.load(directory, "train")[0])):
        some = means(pictures)
        squares = (some ** 2).sum(1)[:, None] + (held_out ** 2).sum(1) - 2 * some @ held_out.T
        near = (squares.min(1) < NEAR ** 2 * some.shape[1]).sum()
        print("%d of %d %s are nearer than %.2f to a held-out picture" % (near, len(some), name, NEAR))


def main():
    a = arguments.Parser(__doc__.split("\n")[0])
    a.add_argument("--out", default=drawings.DEFAULT_DIR)
    a.add_argument("--emoji", default=emoji.DEFAULT_DIR, help="folder of the data set, whose names are used too")
    a.add_argument("--check", action="store_true", help="of a folder that is there: count those that look like held-out pictures, measure filters")
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
        icons, characters = fetch(package, icons_and_characters)
        own = {icon: padded(code) for code, icon in characters.items()}
        codes = {**{plain(icon): code for icon, code in own.items()}, **codes}
        for icon, drawing in icons["icons"].items():
            code = own.get(icon, codes.get(plain(icon)))
            if code:                     # without a code point, the split of a drawing is unknown
                found.append((name, code, icon, licence))
                sources.append(svg(icons, drawing))
        print("%s: %d drawings, %d of them known" % (package, len(icons["icons"]), sum(row[0] == name for row in found)), flush=True)
    for name, (package, licence, folder) in PICTURES.items():
        painted = fetch(package, pictures_below(folder))
        found += [(name, code, code, licence) for code in painted]
        sources += painted.values()
        print("%s: %d pictures" % (package, len(painted)), flush=True)
    with ThreadPool(2) as pool:
        pictures = pool.map(paint, sources, chunksize=16)
    kept = [i for i, picture in enumerate(pictures) if picture is not None]
    drawings.write(a.out, [found[i] for i in kept], [pictures[i] for i in kept])
    print("%d painted, %d could not be; %s" % (len(kept), len(found) - len(kept), a.out))


if __name__ == "__main__":
    main()
