#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Trains the byte-pair vocabulary of a model on the training texts of its data set:

    python3 weights/train/vocabulary.py stories 4096          -> weights/train/models/llama/vocabularies/stories.txt
    python3 weights/train/vocabulary.py multi30k 8000         -> weights/train/models/transformer/vocabularies/multi30k.txt, of both languages
    python3 weights/train/vocabulary.py german 10000 --grow weights/train/models/transformer/vocabularies/multi30k.txt       the same merges, and more
"""
import os

from common import arguments, needed

needed.require("numpy", "torch")

import data
from common import bpe
from models.llama.task import VOCABULARIES
from models.transformer.task import VOCABULARIES as OF_PAIRS

FOLDERS = {"stories": VOCABULARIES, "multi30k": OF_PAIRS, "german": OF_PAIRS}


def main():
    parser = arguments.Parser(__doc__)
    parser.add_argument("dataset", choices=FOLDERS)
    parser.add_argument("size", type=int, help="tokens in all, with 256 bytes and the end of a text")
    parser.add_argument("--data", default="", help="default data/<data set>")
    parser.add_argument("--grow", default="", metavar="FILE", help="a vocabulary whose tokens keep their ids")
    parser.add_argument("--out", default="")
    args = parser.parse_args()
    data.forbid_test_set()
    module = data.dataset(args.dataset)
    one, other = data.load(args.dataset, args.data, "train", None)  # books and stories of texts, or the two languages of pairs
    vocabulary = bpe.Vocabulary(bpe.train(one + other, args.size - 257, bpe.load(args.grow).merges if args.grow else ()))
    out = args.out or os.path.join(FOLDERS[args.dataset], args.dataset + ".txt")
    os.makedirs(os.path.dirname(out), exist_ok=True)
    bpe.save(out, vocabulary)
    print("%s: %d tokens" % (out, len(vocabulary)))


if __name__ == "__main__":
    main()
