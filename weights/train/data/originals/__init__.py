# SPDX-License-Identifier: MIT
"""Converts data sets from the form in which their authors publish them to the files that the recipes read. prepare.py uses the modules of
this folder, one per data set.

A module has
    DATASET      the module of data/ that reads the files written here
    ABOUT        a description in one line
    LICENCE      the licence, as the author states it
    HOW          for originals without an address: how to get them
    FILES        the originals, each an `Original`
    WRITTEN      {written file: SHA-256 of its contents}, for the files that the shipped weights were trained on, if known
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
    url: str = ""                        # address of the file, or "" if HOW explains how to get the file
    size: int = 0                        # approximate number of bytes
    digest: str = ""                     # "md5:..." or "sha256:..."
    first: int = 0                       # number of bytes to fetch from the beginning; 0: all


class Unreadable(Exception):
    """Raised if an original is not the expected file."""


@contextlib.contextmanager
def reading(path):
    """Reports an error inside the `with` block as a fault of the original at `path`, unless the disk is full."""
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
    """Returns the decompressed contents of a written file. (The compressed bytes depend on the version of the compressor.)"""
    if path.endswith(".webp"):
        from PIL import Image
        Image.MAX_IMAGE_PIXELS = None
        with Image.open(path) as image:
            return image.convert("RGB").tobytes()
    with (gzip.open if path.endswith(".gz") else lzma.open if path.endswith(".xz") else open)(path, "rb") as f:
        return f.read()


def others(module, directory):
    """Returns the names of the files in `directory` that differ from the files that the shipped weights were trained on."""
    return [name for name, wanted in module.WRITTEN.items() if hashlib.sha256(content(os.path.join(directory, name))).hexdigest() != wanted]


def write_gz(path, content):
    with open(path, "wb") as f:
        f.write(gzip.compress(content, 9, mtime=0))


def write_xz(path, content):
    with open(path, "wb") as f:
        f.write(lzma.compress(content, preset=9 if len(content) > 1 << 20 else 6))
