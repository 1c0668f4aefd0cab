# SPDX-License-Identifier: MIT
"""Reads your own pictures from a folder of PNG, JPEG, WebP, GIF, BMP, TIFF, AVIF or HEIC files, with or without subfolders.

Each picture is rotated according to its EXIF orientation, cropped to a square in the middle, placed on white if it is transparent, and
scaled down. Only the first frame of an animation is used. Files are split in the order of the SHA-256 of their bytes, so two copies of a
file are in the same split. A tenth of the files is held out, and another tenth is for validation. A damaged file is skipped and reported.
Held-out files are opened once to check that they can be read; their pixels are not kept.
"""
import contextlib
import functools
import hashlib
import importlib.util
import io
import os
import struct
import warnings

import numpy as np

import data
from common.needed import require
from data import typed
from data.files import Found, Unreadable, count

HELD_OUT, VALIDATION = 0.1, 0.1
LEAST = 10                               # minimum number of pictures
LIGHT = {1: 192, 3: 250}                 # by number of channels: a drawing whose values are all at least this would be invisible on white
HEIF = "HEIC needs the package pillow-heif: pip install pillow-heif"
# The package or version that a picture needs, by the file-type brand in its first bytes.
NEEDS = {b"avif": "AVIF needs Pillow 11.3 or later", b"heic": HEIF, b"mif1": HEIF}
TURNS = {2: "FLIP_LEFT_RIGHT", 3: "ROTATE_180", 4: "FLIP_TOP_BOTTOM", 5: "TRANSPOSE", 6: "ROTATE_270", 7: "TRANSVERSE", 8: "ROTATE_90"}


def bare(raw):
    """Removes the metadata (EXIF, profiles, comments) from the bytes of a JPEG or PNG, because a decoder may fail on metadata. Other files
    are unchanged."""
    if raw[:3] == b"\xff\xd8\xff":
        kept, at = raw[:2], 2
        while at + 4 <= len(raw) and raw[at] == 0xff and raw[at + 1] != 0xda:
            size = 2 + struct.unpack(">H", raw[at + 2:at + 4])[0]
            if not (0xe1 <= raw[at + 1] <= 0xed or raw[at + 1] in (0xef, 0xfe)):  # keeps APP14, which defines how colours are stored
                kept += raw[at:at + size]
            at += size
        return kept + raw[at:]
    if raw[:8] == b"\x89PNG\r\n\x1a\n":
        kept, at = raw[:8], 8
        while at + 12 <= len(raw):
            size, name = struct.unpack(">I4s", raw[at:at + 8])
            if name in (b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"):
                kept += raw[at:at + 12 + size]
            at += 12 + size
        return kept
    return raw


def upright(image):
    """Rotates a picture according to its EXIF orientation; a damaged EXIF block is ignored."""
    from PIL import Image
    try:
        turn = TURNS.get(image.getexif().get(0x0112))
    except Exception:                    # a damaged block may cause any error in Pillow
        turn = None
    return image.transpose(getattr(Image, turn)) if turn else image


def in_bytes(image):
    """Converts pictures with more than 8 bits per channel to the 8-bit grey modes L or LA of Pillow. For integers, white is 65,535. For
    floating point, white is the smallest of 1, 255 and 65,535 that no value exceeds; if values exceed 65,535, white is their maximum."""
    from PIL import Image
    if image.mode.startswith("I") or image.mode == "F":
        v, clear = np.asarray(image).astype(np.float64), image.info.get("transparency")
        v = np.nan_to_num(v, nan=0.0, posinf=np.nanmax(v[np.isfinite(v)], initial=1.0), neginf=0.0)
        most = v.max(initial=0.0)
        scale = most if most > 65535 else 65535.0 if image.mode != "F" or most > 255 else 255.0 if most > 1 else 1.0
        grey = np.rint(255 * (v / (scale or 1)).clip(0, 1)).astype(np.uint8)
        if isinstance(clear, int):
            return Image.fromarray(np.stack([grey, np.where(v == clear, 0, 255).astype(np.uint8)], -1), "LA")
        return Image.fromarray(grey, "L")
    return image


@contextlib.contextmanager
def opened(path):
    """Reads a picture, upright, with 8 bits per channel.  Raises Unreadable if the file is not a picture or is truncated."""
    require("PIL")
    from PIL import Image
    if importlib.util.find_spec("pillow_heif"):
        importlib.import_module("pillow_heif").register_heif_opener()
    try:
        with open(path, "rb") as f:
            raw = f.read()
    except OSError as error:
        raise Unreadable(error.strerror)
    if not raw:
        raise Unreadable("empty")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Pillow warns about damaged metadata, which does not matter here
        try:
            image = Image.open(io.BytesIO(raw))
            image.load()
        except Exception:                # makes a second attempt without the metadata
            try:
                image = Image.open(io.BytesIO(bare(raw)))
                image.load()
            except Exception as error:
                needs = next((needs for brand, needs in NEEDS.items() if raw[4:8] == b"ftyp" and brand in raw[8:64]), None)
                if needs:
                    raise Unreadable("%s, or save it as PNG or JPEG" % needs)
                raise Unreadable("no picture that can be read: %s" % (str(error).split(" <")[0] or type(error).__name__))
        try:
            image = in_bytes(upright(image))
        except Exception as error:
            raise Unreadable("%s, %s" % (image.mode, error))
        yield image


def grounded(image, channels):
    """Converts a picture to RGB or L; transparent parts become white, or black if a light drawing would be invisible on white."""
    from PIL import Image
    if image.mode not in ("RGBA", "RGB", "L"):
        try:
            image = image.convert("RGBA")
        except ValueError:
            image = image.convert("RGB").convert("RGBA")
    if image.mode == "RGBA" or "transparency" in image.info:
        image = image.convert("RGBA")
        seen = np.asarray(image)
        alpha = seen[:, :, 3]
        shown = seen[alpha >= 128] if (alpha >= 128).any() else seen[alpha > 0]
        ground = "white"
        if (alpha < 255).any() and len(shown):
            shown = shown.astype(np.int64)
            darkest = shown[:, :3].min() if channels == 3 else ((299 * shown[:, 0] + 587 * shown[:, 1] + 114 * shown[:, 2]) // 1000).min()
            ground = "black" if darkest >= LIGHT[channels] else "white"
        image = Image.alpha_composite(Image.new("RGBA", image.size, ground), image)
    return image.convert("RGB" if channels == 3 else "L")


def picture(path, height, width, channels):
    """Returns the picture (height, width, channels) uint8"""
    from PIL import Image
    with opened(path) as image:
        image = grounded(image, channels)
    scale = min(image.width / width, image.height / height)             # scale of the largest centred part with this aspect ratio
    w, h = max(1, round(scale * width)), max(1, round(scale * height))
    left, top = (image.width - w) // 2, (image.height - h) // 2
    image = image.crop((left, top, left + w, top + h)).resize((width, height), Image.LANCZOS)
    return np.asarray(image).reshape(height, width, channels)


def split_of(count):
    """Returns {split: slice}: the files of each split, in the order of their hashes."""
    test = max(1, round(HELD_OUT * count))
    valid = test + max(1, round(VALIDATION * count))
    return {"test": slice(0, test), "validation": slice(test, valid), "train": slice(valid, None)}


def class_of(path, directory, classes):
    """Returns the index of the class whose name is the name of a folder around the file, or -1 if there is none. If several folders have
    the name of a class, the outermost counts."""
    names = [typed.name(name).lower() for name in classes]
    parts = typed.name(os.path.relpath(path, directory)).split(os.sep)[:-1]
    return next((names.index(part.lower()) for part in parts if part.lower() in names), -1)


def subfolders(directory, kind, least=2):
    """Returns the names of the top-level folders that have at least `least` files of this kind. Names that are numbers come first, sorted
    by value; all other names follow in alphabetical order."""
    counts = {}
    for path in Found(directory, kind).paths():
        first, *rest = typed.name(os.path.relpath(path, directory)).split(os.sep)
        if rest:
            counts[first] = counts.get(first, 0) + 1
    return sorted((name for name, n in counts.items() if n >= least), key=lambda name: (not name.isdigit(), int(name) if name.isdigit() else 0, name))


def files(directory, found=None):
    """Returns {SHA-256: path}, in the order of the hash."""
    found, by_hash, copies = found or Found(directory, "pictures"), {}, 0
    for path in found.paths():
        try:
            with open(path, "rb") as f:
                digest = hashlib.sha256(f.read()).hexdigest()
        except OSError as error:
            found.skip(path, error.strerror)
            continue
        copies += digest in by_hash
        by_hash.setdefault(digest, path)
    if copies:
        found.notes.append("%s of the same bytes count once" % count(copies, "copy", "copies"))
    return dict(sorted(by_hash.items()))


def scan(directory, kind, read_one):
    """Returns ({split: [(path, read_one(path))]}, report). For files of the test part, None takes the place of the result of read_one.
    Files for which read_one raises Unreadable are skipped and named in the report."""
    found, read_in = Found(directory, kind), []
    for path in files(directory, found).values():
        try:
            read_in.append((path, read_one(path)))
        except Unreadable as error:
            found.skip(path, error)
    parts = {split: read_in[part] for split, part in split_of(len(read_in)).items()}
    parts["test"] = [(path, None) for path, _ in parts["test"]]
    return parts, found


@functools.lru_cache(maxsize=1)
def scanned(directory, shape):
    """Returns ({split: [(path, picture)]}, report), without the pictures of the test part"""
    return scan(directory, "pictures", lambda path: picture(path, *shape))


def read(directory, split, shape, evaluation=False, classes=()):
    """Returns images (N, *shape) and labels (N,). A label is the class of the file's folder, or -1 if no class has the name of the folder.
    Only this function opens pictures."""
    if split not in ("train", "validation"):
        data.check_evaluation(evaluation, "split %r" % split)
    parts, found = scanned(directory, tuple(shape))
    total = sum(map(len, parts.values()))
    if total < LEAST:
        found.short(count(total, "picture"), "at least %d are needed" % LEAST)
    found.say(count(total, "picture"))
    images = [picture(path, *shape) if image is None else image for path, image in parts[split]]
    return np.stack(images), np.array([class_of(path, directory, classes) for path, _ in parts[split]], np.int8)
