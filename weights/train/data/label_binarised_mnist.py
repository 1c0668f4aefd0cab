#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Finds the digit that each picture of binarised MNIST shows:  python3 weights/train/data/label_binarised_mnist.py [--mnist DIR] [--data
DIR]

The binarised pictures come without labels and in another order. The probability that a binarised pixel is 1 is its grey value in MNIST.
So each picture gets the label of the MNIST picture from which it was most probably sampled. Test pictures are compared with MNIST's test
set, all others with its training set. Writes binarised_mnist_labels.gz, one byte '0' to '9' per picture: 50,000 training, 10,000
validation, 10,000 test pictures.
"""
import argparse
import gzip
import os
import sys

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")))

from data import binarised_mnist, mnist


def likeliest(bits, grey, least=1e-3):
    """Finds, for each row of bits (N, n), the row m of grey (M, n) with the largest sum_i log Ber(bits_i; grey_mi) -> (N,). bits are 0 or
    1, grey values are in 0..1"""
    p = grey.clip(least, 1 - least).astype(np.float32)
    slope, base = np.log(p / (1 - p)).T.copy(), np.log(1 - p).sum(1)
    return np.concatenate([(bits[i:i + 200].astype(np.float32) @ slope + base).argmax(1) for i in range(0, len(bits), 200)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mnist", default=mnist.DEFAULT_DIR)
    parser.add_argument("--data", default=binarised_mnist.DEFAULT_DIR)
    args = parser.parse_args()
    files, found = [os.path.join(args.mnist, name) for name in mnist.FILES], []
    for split in binarised_mnist.FILES:
        test = split == "test"
        grey, digit = (mnist.read_idx(name, evaluation=test) for name in files[2 * test:2 * test + 2])
        images = binarised_mnist.pictures(args.data, split, evaluation=test)
        found.append(digit[likeliest(images.reshape(len(images), -1) > 127, grey.reshape(len(grey), -1) / 255)])
        print(split, np.bincount(found[-1], minlength=10), flush=True)
    with open(binarised_mnist.LABELS, "wb") as f:
        f.write(gzip.compress((np.concatenate(found) + ord("0")).astype(np.uint8).tobytes(), mtime=0))


if __name__ == "__main__":
    main()
