# SPDX-License-Identifier: MIT
"""Compresses the raw sentences of Multi30k, task 1, with xz."""
import gzip
import os

from data.originals import Original, reading, write_xz

DATASET = "multi30k"
ABOUT = "Multi30k, task 1: 31,014 captions of pictures in English, each translated into German by a person (Elliott et al. 2016)"
LICENCE = "none stated for the captions; the pictures of Flickr30K are for research and teaching, not for commerce"
AT = "https://raw.githubusercontent.com/multi30k/dataset/master/data/task1/raw/"
PARTS = ("train", "val", "test_2016_flickr")
FILES = tuple(Original("%s.%s.gz" % (part, language), AT + "%s.%s.gz" % (part, language), size)
              for part, size in zip(PARTS, (600000, 22000, 21000)) for language in ("de", "en"))
WRITTEN = {
    "train.de.xz": "2c2b73fd2b548fbcde3a875e0a78d6ee94d498bfdee6bd3eae3945779e9ddf72",
    "train.en.xz": "460a15fbd157e34a7a9957ee388c1ca247fe47af3ef25fb50442af6c274e0fc6",
    "val.de.xz": "660e09eb7e1da2f856ea13ee5ad3cf6d36b3d5b0b733c857e94c5747a3dfc660",
    "val.en.xz": "1f2a23d992769b5b3d209b0a10dd0b77c08cceb1f20dfb97ed0aafa49d107227",
    "test_2016_flickr.de.xz": "4be6b5b3236b79c25475c6bb829800a7ce559e9ba7a1f6c2394fe4d40be46d16",
    "test_2016_flickr.en.xz": "399a4382932c1aadd3ceb9bef1008d388a64c76d4ae4e9d4728c6f4301cac182",
}


def write(found, directory):
    lines = {}
    for name, path in sorted(found.items()):
        with reading(path), gzip.open(path) as f:
            told = f.read()
            count = len(told.decode().splitlines())
            other = lines.setdefault(name.split(".")[0], count)
            if not count:
                raise ValueError("it is empty")
            if count != other:
                raise ValueError("it has %d lines, and the other language %d" % (count, other))
        write_xz(os.path.join(directory, name[:-len(".gz")] + ".xz"), told)
