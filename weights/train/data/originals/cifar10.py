# SPDX-License-Identifier: MIT
"""Converts the six batches in the Python archive of CIFAR-10 to lossless mosaics."""
import os
import pickle
import sys
import tarfile

import numpy as np

from data import cifar10
from data.originals import Original, reading

DATASET = "cifar10"
ABOUT = "CIFAR-10: 60,000 photographs, 32x32 in colour, of ten classes (Krizhevsky 2009)"
LICENCE = "none stated; it asks to cite the technical report"
FILES = (Original("cifar-10-python.tar.gz", "https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz", 170498071, "md5:c58f30108f718f92721af3d95e74349a"),)
WRITTEN = {
    "data_batch_1.webp": "d93cc2096d494901b144846beb7d13fa5551f7df8f3e210131cfe19a0d8b9e35",
    "data_batch_2.webp": "cffb785c7a11806425bb2069a8121758b47d27d59b56dff0545411b961c96eee",
    "data_batch_3.webp": "1bb9d2970f2450295bde09070dcc75ca489926cc0a168f733331c964bc9504a5",
    "data_batch_4.webp": "96810073b1e31c554a6dde50f9162fb7c90d2230243d40bc2204f31bda0a4f9b",
    "data_batch_5.webp": "37f54650f02a1f40db893f7a79392135091185d7d2f9c8dcc3f1c3bf08ee35a9",
    "test_batch.webp": "0adbc0653d8dd7c8ed354dc6235dba84d01e66f837fe2d4215ee477b7ed37d3b",
    "labels.u8": "3edb456524d5918aefded81f5aef7c32efab2a788211df998a4eb0c8957baa1f",
}


class Plain(pickle.Unpickler):
    """Unpickles numbers, strings and arrays, and refuses all other classes and functions."""

    def find_class(self, module, name):
        if (module, name) in (("numpy.core.multiarray", "_reconstruct"), ("numpy._core.multiarray", "_reconstruct"), ("numpy", "ndarray"), ("numpy", "dtype"),
                              ("_codecs", "encode")):
            return super().find_class(module, name)
        raise pickle.UnpicklingError("%s.%s" % (module, name))


def write(found, directory):
    from PIL import Image
    labels = []
    with reading(found[FILES[0].name]), tarfile.open(found[FILES[0].name]) as tar:
        members = {os.path.basename(m.name): m for m in tar if m.isfile()}
        for name in cifar10.TRAIN + [cifar10.TEST]:
            if name not in members:
                sys.exit("%s has no %s: cifar-10-python.tar.gz is wanted, not the archive for Matlab or the binary one" % (found[FILES[0].name], name))
            batch = Plain(tar.extractfile(members[name]), encoding="latin1").load()
            images = np.asarray(batch["data"], np.uint8).reshape(-1, 3, cifar10.SIZE, cifar10.SIZE).transpose(0, 2, 3, 1)
            side = int(round(len(images) ** 0.5))
            mosaic = images.reshape(side, side, cifar10.SIZE, cifar10.SIZE, 3).transpose(0, 2, 1, 3, 4).reshape(side * cifar10.SIZE, side * cifar10.SIZE, 3)
            Image.fromarray(mosaic).save(os.path.join(directory, name + ".webp"), lossless=True, method=0, quality=20)
            labels.append(np.asarray(batch["labels"], np.uint8))
            print("  %s" % name, flush=True)
    np.concatenate(labels).tofile(os.path.join(directory, "labels.u8"))
