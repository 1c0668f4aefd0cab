#!/usr/bin/env python3
"""Writes the held-out pictures of a data set for `npm run eval`:  python3 weights/train/held_out.py emoji build/emoji-test

NAME.u8.gz: count x height x width x channels bytes, gzip; NAME.json: {width, height, channels, labels}.  An evaluation entry
point: training code cannot reach these pictures (see data/__init__.py).
"""
import argparse
import gzip
import json

import data


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", choices=("mnist", "binarised_mnist", "emoji", "cifar10"))
    parser.add_argument("name", help="path without extension")
    parser.add_argument("--data", default="", help="default data/<data set>")
    args = parser.parse_args()
    module = data.dataset(args.dataset)
    images, labels = module.load_test_for_evaluation(args.data or module.DEFAULT_DIR)
    with open(args.name + ".u8.gz", "wb") as f:
        f.write(gzip.compress(images.tobytes(), 9, mtime=0))
    height, width, channels = images.shape[1:3] + (1,) if images.ndim == 3 else images.shape[1:]
    with open(args.name + ".json", "w") as f:
        json.dump(dict(width=width, height=height, channels=channels, labels=labels.tolist()), f)
    print("%s.u8.gz: %d pictures of %dx%dx%d" % (args.name, len(images), width, height, channels))


if __name__ == "__main__":
    main()
