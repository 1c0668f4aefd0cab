#!/usr/bin/env python3
"""Trains the byte-pair vocabulary of a language model on the training texts of its data set:

    python3 weights/train/vocabulary.py stories 4096          -> weights/train/models/llama/vocabularies/stories.txt
"""
import argparse
import os

import data
from common import bpe
from models.llama.task import VOCABULARIES


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset")
    parser.add_argument("size", type=int, help="tokens in all, with 256 bytes and the end of a text")
    parser.add_argument("--data", default="", help="default data/<data set>")
    parser.add_argument("--out", default="")
    args = parser.parse_args()
    data.forbid_test_set()
    books, stories = data.load(args.dataset, args.data, "train", None)
    vocabulary = bpe.Vocabulary(bpe.train(books + stories, args.size - 257))
    out = args.out or os.path.join(VOCABULARIES, args.dataset + ".txt")
    os.makedirs(os.path.dirname(out), exist_ok=True)
    bpe.save(out, vocabulary)
    print("%s: %d tokens" % (out, len(vocabulary)))


if __name__ == "__main__":
    main()
