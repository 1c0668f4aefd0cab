# SPDX-License-Identifier: MIT
"""Creates photos.png and photos.json, the strip of held-out photographs on the page:

    python3 web/pictures/make-photos.py data/cifar10

The argument is a folder with test_batch.webp and labels.u8. The script needs NumPy and Pillow.
It takes the first two pictures of each class, in the order of the test batch. No picture is selected by hand.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../weights/train"))

import numpy as np

from data import cifar10
import sprite

EACH = 2
COLUMNS = 10


def choose(labels):
    """Applies the rule above; returns indices into the test batch."""
    first = [np.flatnonzero(labels == label)[:EACH] for label in range(len(cifar10.CLASSES))]
    return np.sort(np.concatenate(first))


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: python3 web/pictures/make-photos.py FOLDER_WITH_CIFAR10")
    pictures, labels = cifar10.load_test_for_evaluation(sys.argv[1])
    chosen = choose(labels)
    entries = [{"name": cifar10.CLASSES[labels[i]], "number": int(i) + 1} for i in chosen]
    sprite.save("photos", pictures[chosen], COLUMNS, entries)


if __name__ == "__main__":
    main()
