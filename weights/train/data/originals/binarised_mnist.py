# SPDX-License-Identifier: MIT
"""Converts the binarised digits of Larochelle and Murray. In the original files, each picture is a line of 784 characters, 0 or 1; in the
converted files, each pixel is one bit."""
import os
import sys

import numpy as np

from data.originals import Original, write_gz

DATASET = "binarised_mnist"
ABOUT = "MNIST in black and white, the fixed binarisation of Larochelle and Murray (2011): 50,000, 10,000 and 10,000 digits"
LICENCE = "none stated; of MNIST, CC BY-SA 3.0"
AT = "http://www.cs.toronto.edu/~larocheh/public/datasets/binarized_mnist/"
FILES = tuple(Original("binarized_mnist_%s.amat" % part, AT + "binarized_mnist_%s.amat" % part, size)
              for part, size in (("train", 78400000), ("valid", 15680000), ("test", 15680000)))
WRITTEN = {
    "train.bits.gz": "727146c35424b019f3e350e1e69faa05644a0abaf787e3f4e1a9632220a13906",
    "valid.bits.gz": "a256ac44ae26be720fad8616a05ed6ecfd1619930d9a208379bb2a4405df5b6d",
    "test.bits.gz": "9fcd8da6f0fdf09b2ba30fe63a0bb784042a0de82563172530229b983e294ff2",
}
PIXELS = 784


def write(found, directory):
    for name, path in found.items():
        with open(path, "rb") as f:
            digits = np.frombuffer(f.read().translate(None, b" \r\n\t"), np.uint8) - ord("0")
        if not len(digits) or len(digits) % PIXELS or digits.max() > 1:
            sys.exit("%s is not lines of %d times 0 or 1: it holds %d signs" % (path, PIXELS, len(digits)))
        part = name[len("binarized_mnist_"):-len(".amat")]
        write_gz(os.path.join(directory, part + ".bits.gz"), np.packbits(digits).tobytes())
