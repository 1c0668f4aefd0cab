# SPDX-License-Identifier: MIT
"""Reads data sets, and prevents training code from reading held-out data.

A data set is a module (mnist.py, emoji.py, ...) with
    DEFAULT_DIR, CLASSES (names); MARK, a file that identifies the folder of the data set
    OWN                                       the module that reads your own folder (`reader_of`); folder.py if OWN is missing
    load(directory, split)                    -> images (N, H, W, C) uint8, labels (N,) uint8; split: "train" | "validation"
    load_test_for_evaluation(directory)       -> the held-out pictures in the same form
For data sets of text, both functions return (long texts, short texts), or (sources, targets) of translations. The modules that read your
own folder share the code in files.py.

Training code never reads held-out examples. In each module, one function opens the files; for the held-out part it calls
`check_evaluation`. Training also calls `forbid_test_set()`, after which no code in its process can read held-out examples.
"""
import importlib
import os
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.."))
_forbidden = False


class TestSetError(RuntimeError):
    """Training code tried to read held-out pictures."""


def forbid_test_set():
    """After this call, any attempt of this process to read held-out pictures raises TestSetError."""
    global _forbidden
    _forbidden = True


def check_evaluation(evaluation, what):
    """Raises TestSetError unless `evaluation` is true and this process has not called `forbid_test_set`."""
    if _forbidden or not evaluation:
        raise TestSetError("%s is held out for measuring; training code never reads it" % what)


def missing(name, path):
    """Ends the program if a file of a data set is missing, and explains how to get it."""
    sys.exit("missing %s\npython3 weights/train/prepare.py %s writes it: it says where the original is and how large, and fetches it. "
             "If the files are elsewhere: --data FOLDER" % (path, name))


def dataset(name):
    return importlib.import_module("data." + name)


def reader_of(name):
    """Returns the name of the module that reads your own folder if you use one instead of this data set."""
    return getattr(dataset(name), "OWN", "folder")


def load(name, directory, split, shape, **how):
    """Returns a split of a data set, from the data set's folder or, if `directory` has other files, from your own files. split: "train" or
    "validation"; "test" is for evaluation only."""
    module = dataset(name)
    if split == "test":
        check_evaluation(True, "split %r" % split)       # for any folder
    if directory and not os.path.isdir(directory):
        sys.exit("--data %s: %s" % (directory, "is a file: give the folder that it is in" if os.path.exists(directory) else "no such folder"))
    directory = directory or module.DEFAULT_DIR
    if own(name, directory):
        return dataset(reader_of(name)).read(directory, split, *([] if shape is None else [shape]), evaluation=split == "test", **how)
    return module.load_test_for_evaluation(directory) if split == "test" else module.load(directory, split)


def writing(name, directory, split):
    """Returns a bool array (N,) that is true for the pictures of a split that must not be mirrored; None if all may be mirrored."""
    module = dataset(name)
    directory = directory or module.DEFAULT_DIR
    return module.writing(directory, split) if hasattr(module, "writing") and not own(name, directory) else None


def name_of(directory):
    """Returns the display name of a folder."""
    return os.path.basename(os.path.abspath(directory))


def own(name, directory):
    """Returns whether a folder contains your own files instead of the files of the data set."""
    module = dataset(name)
    if not directory:
        return False
    there = os.path.exists(os.path.join(directory, module.MARK)) or hasattr(module, "published") and module.published(directory)
    return os.path.isdir(directory) and not there
