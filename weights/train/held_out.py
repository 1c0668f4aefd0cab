#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the held-out pictures or texts of a data set for `npm run eval`:  python3 weights/train/held_out.py emoji build/emoji-test

NAME.u8.gz: count x height x width x channels bytes, gzip; NAME.json: {width, height, channels, labels}.  Of stories NAME.txt: the books, a form
feed between them; NAME-short.txt: the short ones.  Of fsdd a folder NAME of WAV files, DIGIT_SPEAKER_TAKE.wav.  Of chorales NAME.json: a list of notes of
each, as the library has them.  Of scenes NAME.u8.gz
and NAME.json (words of each, and boxes of what they name), 1,000 of pairs that never stood together, and NAME-styles, 1,000 in drawings of a style that is
held out.  Of multi30k, tatoeba and letters NAME.tsv: a sentence, a tab and its translation a line.  An evaluation entry point: training code cannot reach these (see data/__init__.py).
"""
import json
import os
import wave

from common import arguments, needed

needed.require("numpy", "torch")

import data
from data import pictures


def main():
    parser = arguments.Parser(__doc__)
    parser.add_argument("dataset", choices=("mnist", "binarised_mnist", "emoji", "cifar10", "stories", "multi30k", "tatoeba", "letters", "fsdd", "scenes", "chorales"))
    parser.add_argument("name", help="path without extension")
    parser.add_argument("--data", default="", help="default data/<data set>")
    parser.add_argument("--split", default="test", choices=("test", "validation"), help="validation: what settings may be chosen by")
    args = parser.parse_args()
    module = data.dataset(args.dataset)
    folder = args.data or module.DEFAULT_DIR
    if args.dataset == "scenes":
        for name, some in module.held_out(folder, args.split).items():
            print(pictures.write_scenes(args.name + name, some))
        return
    examples = module.load_test_for_evaluation(folder) if args.split == "test" else module.load(folder, args.split)
    if args.dataset == "stories":
        for name, texts in zip((".txt", "-short.txt"), examples):
            with open(args.name + name, "w", encoding="utf-8") as f:
                f.write("\f".join(texts))
            print("%s%s: %d texts, %d characters" % (args.name, name, len(texts), sum(map(len, texts))))
        return
    if args.dataset == "fsdd":
        os.makedirs(args.name, exist_ok=True)
        for i, (clip, digit, speaker) in enumerate(zip(*examples)):
            with wave.open(os.path.join(args.name, "%d_%s_%d.wav" % (digit, module.SPEAKERS[speaker], i)), "wb") as f:
                f.setnchannels(1), f.setsampwidth(2), f.setframerate(module.RATE)
                f.writeframes((32767 * module.expand(clip)).round().astype("<i2").tobytes())
        print("%s: %d sounds" % (args.name, len(examples[0])))
        return
    if args.dataset == "chorales":
        with open(args.name + ".json", "w", encoding="utf-8") as f:
            json.dump([module.notes(chorale) for chorale in examples], f)
        print("%s.json: %d chorales" % (args.name, len(examples)))
        return
    if args.dataset in ("multi30k", "tatoeba", "letters"):
        with open(args.name + ".tsv", "w", encoding="utf-8") as f:
            f.writelines("%s\t%s\n" % pair for pair in zip(*examples))
        print("%s.tsv: %d sentences and their translations" % (args.name, len(examples[0])))
        return
    images, labels = examples
    print(pictures.write(args.name, images, labels))


if __name__ == "__main__":
    main()
