# SPDX-License-Identifier: MIT
"""Data sets as their authors publish them, and the parts that the recipes read: one file a data set, for prepare.py.

A module has
    DATASET      the module of data/ that reads the files written here
    ABOUT        a description, in a line; LICENCE, as its author states it; HOW, for originals without an address: how to get them
    FILES        the originals, each an `Original`
    WRITTEN      {written file: SHA-256 of its contents}, for those that the shipped weights were trained on, if known
    write(found, directory)      found: {name of an original: path}
"""
import contextlib
import errno
import gzip
import hashlib
import importlib
import lzma
import os
import pickle
import tarfile
import zipfile
from typing import NamedTuple

WRONG = (OSError, EOFError, LookupError, TypeError, ValueError, lzma.LZMAError, pickle.UnpicklingError, tarfile.TarError, zipfile.BadZipFile)
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Original(NamedTuple):
    name: str                            # its published name
    url: str = ""                        # "": it has no address; HOW says more
    size: int = 0                        # bytes, about
    digest: str = ""                     # "md5:..." or "sha256:..."
    first: int = 0                       # only so many bytes from the beginning are needed


class Unreadable(Exception):
    """An original is not the expected file."""


@contextlib.contextmanager
def reading(path):
    """What goes wrong in here is wrong with this original; a full disk is not."""
    try:
        yield
    except WRONG as error:
        if getattr(error, "errno", None) in FULL:
            raise
        raise Unreadable("%s cannot be read as what it should be: %s" % (path, str(error).split("\n")[0] or type(error).__name__)) from error


def names():
    here = os.path.dirname(os.path.abspath(__file__))
    return sorted(f[:-3] for f in os.listdir(here) if f.endswith(".py") and f != "__init__.py")


def find(name):
    return importlib.import_module("data.originals." + name)


def content(path):
    """What is in a file that is written here: the same whatever version of a program compressed it."""
    if path.endswith(".webp"):
        from PIL import Image
        Image.MAX_IMAGE_PIXELS = None
        with Image.open(path) as image:
            return image.convert("RGB").tobytes()
    with (gzip.open if path.endswith(".gz") else lzma.open if path.endswith(".xz") else open)(path, "rb") as f:
        return f.read()


def others(module, directory):
    """Files of `directory` that are not those that the shipped weights were trained on."""
    return [name for name, wanted in module.WRITTEN.items() if hashlib.sha256(content(os.path.join(directory, name))).hexdigest() != wanted]


def write_gz(path, content):
    with open(path, "wb") as f:
        f.write(gzip.compress(content, 9, mtime=0))


def write_xz(path, content):
    with open(path, "wb") as f:
        f.write(lzma.compress(content, preset=9 if len(content) > 1 << 20 else 6))
