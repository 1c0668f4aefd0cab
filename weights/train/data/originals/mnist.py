# SPDX-License-Identifier: MIT
"""Copies the four idx files of MNIST unchanged."""
import os
import shutil

from data.originals import Original

DATASET = "mnist"
ABOUT = "MNIST: 60,000 and 10,000 handwritten digits, 28x28 in grey (LeCun, Cortes and Burges 1998)"
LICENCE = "CC BY-SA 3.0, as it is commonly given"
AT = "https://ossci-datasets.s3.amazonaws.com/mnist/"
FILES = (
    Original("train-images-idx3-ubyte.gz", AT + "train-images-idx3-ubyte.gz", 9912422, "md5:f68b3c2dcbeaaa9fbdd348bbdeb94873"),
    Original("train-labels-idx1-ubyte.gz", AT + "train-labels-idx1-ubyte.gz", 28881, "md5:d53e105ee54ea40749a09fcbcd1e9432"),
    Original("t10k-images-idx3-ubyte.gz", AT + "t10k-images-idx3-ubyte.gz", 1648877, "md5:9fb629c4189551a2d022fa330f9573f3"),
    Original("t10k-labels-idx1-ubyte.gz", AT + "t10k-labels-idx1-ubyte.gz", 4542, "md5:ec29112dd5afa0611ce80d1b7f02629c"),
)
WRITTEN = {}


def write(found, directory):
    for name, path in found.items():
        if os.path.abspath(path) != os.path.abspath(os.path.join(directory, name)):
            shutil.copyfile(path, os.path.join(directory, name))
