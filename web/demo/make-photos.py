# SPDX-License-Identifier: MIT
"""Makes photos.png and photos.json, the strip of held-out photographs of the page:

    python3 web/demo/make-photos.py data/cifar10

The argument is a folder with test_batch.webp and labels.u8; needs NumPy and Pillow.
The rule: the first two pictures of each class, in the order of the test batch. Nobody picked them by hand.
"""
import hashlib
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../weights/train"))

import numpy as np
from PIL import Image

import cifar10

EACH = 2
COLUMNS = 10


def choose(labels):
    """The rule above: indices into the test batch."""
    first = [np.flatnonzero(labels == label)[:EACH] for label in range(len(cifar10.CLASSES))]
    return np.sort(np.concatenate(first))


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: python3 web/demo/make-photos.py FOLDER_WITH_CIFAR10")
    pictures, labels = cifar10.load_test_for_evaluation(sys.argv[1])
    chosen = choose(labels)
    assert len(chosen) == EACH * len(cifar10.CLASSES) and len(chosen) % COLUMNS == 0, len(chosen)
    size = cifar10.SIZE
    sprite = pictures[chosen].reshape(-1, COLUMNS, size, size, 3).transpose(0, 2, 1, 3, 4).reshape(-1, COLUMNS * size, 3)
    Image.fromarray(np.ascontiguousarray(sprite)).save(os.path.join(HERE, "photos.png"), optimize=True)
    entries = [{"name": cifar10.CLASSES[labels[i]], "number": int(i) + 1} for i in chosen]
    lines = ",\n".join("    " + json.dumps(entry) for entry in entries)
    with open(os.path.join(HERE, "photos.json"), "w", encoding="utf-8") as f:
        f.write('{\n  "size": %d,\n  "columns": %d,\n  "pictures": [\n%s\n  ]\n}\n' % (size, COLUMNS, lines))
    for name in ("photos.png", "photos.json"):
        with open(os.path.join(HERE, name), "rb") as f:
            content = f.read()
        print("%s: %d bytes, sha256 %s" % (name, len(content), hashlib.sha256(content).hexdigest()))


if __name__ == "__main__":
    main()
