#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the held-out examples of a data set for `npm run eval`:  python3 weights/train/held_out.py emoji build/emoji-test

    pictures       NAME.u8.gz: count x height x width x channels bytes, gzip; NAME.json: {width, height, channels, labels}
    texts          NAME.txt: the books, separated by form feeds; NAME-short.txt: the short texts
    translations   NAME.tsv: per line a sentence, a tab and its translation (multi30k, tatoeba, german, letters)
    sounds         NAME: a folder of WAV files, DIGIT_SPEAKER_TAKE.wav
    music          NAME.json: a list of notes for each piece, in the library's form
    treebanks      NAME.tsv: one word per line (form, part of speech, number of the head, relation), an empty line after each sentence
    characters     NAME: a folder with the characters, in the form of the evaluation part of `data/omniglot`
    scenes         NAME.u8.gz and NAME.json: 1,000 scenes with pairs of objects that never occur together in training. NAME.json has the
                   words of each scene, and the boxes of the objects that the words name.
                   NAME-styles.u8.gz and NAME-styles.json: 1,000 scenes in held-out drawing styles

Training code cannot read these examples (see data/__init__.py).
"""
import gzip
import json
import os
import re
import wave

from common import arguments, needed

needed.require("numpy", "torch")

import data
from data import pictures

HERE = os.path.dirname(os.path.abspath(data.__file__))


def sets():
    """Returns the names of the data sets with a held-out part."""
    def holds(name):
        with open(os.path.join(HERE, name), encoding="utf-8") as f:
            return re.search(r"^def load_test_for_evaluation", f.read(), re.M)
    return sorted(name[:-3] for name in os.listdir(HERE) if name.endswith(".py") and name != "__init__.py" and holds(name))


def write_texts(name, lists, module):
    said = []
    for end, texts in zip((".txt", "-short.txt"), lists):
        if texts:
            with open(name + end, "w", encoding="utf-8") as f:
                f.write("\f".join(texts))
            said.append("%s%s: %d texts, %d characters" % (name, end, len(texts), sum(map(len, texts))))
    return "\n".join(said)


def write_pairs(name, examples, module):
    with open(name + ".tsv", "w", encoding="utf-8") as f:
        f.writelines("%s\t%s\n" % pair for pair in zip(*examples))
    return "%s.tsv: %d sentences and their translations" % (name, len(examples[0]))


def write_sounds(name, examples, module):
    os.makedirs(name, exist_ok=True)
    for i, (clip, digit, speaker) in enumerate(zip(*examples)):
        with wave.open(os.path.join(name, "%d_%s_%d.wav" % (digit, module.SPEAKERS[speaker], i)), "wb") as f:
            f.setnchannels(1), f.setsampwidth(2), f.setframerate(module.RATE)
            f.writeframes((32767 * module.expand(clip)).round().astype("<i2").tobytes())
    return "%s: %d sounds" % (name, len(examples[0]))


def write_music(name, examples, module):
    with open(name + ".json", "w", encoding="utf-8") as f:
        json.dump([module.notes(piece) for piece in examples], f)
    return "%s.json: %d pieces" % (name, len(examples))


def write_treebank(name, examples, module):
    with open(name + ".tsv", "w", encoding="utf-8") as f:
        for sentence in zip(*examples):
            f.write("".join("%s\t%s\t%d\t%s\n" % word for word in zip(*sentence)) + "\n")
    return "%s.tsv: %d sentences, %d words" % (name, len(examples[0]), sum(map(len, examples[0])))


def write_signs(name, examples, module):
    drawings, alphabets = examples
    os.makedirs(name, exist_ok=True)
    with open(os.path.join(name, "evaluation_28x28.u8.gz"), "wb") as f:
        f.write(gzip.compress(drawings.tobytes(), mtime=0))
    with open(os.path.join(name, "evaluation_classes.json"), "w", encoding="utf-8") as f:
        json.dump([[alphabet, "%d" % i, drawings.shape[1]] for i, alphabet in enumerate(alphabets)], f)
    return "%s: %d signs, %d drawings" % (name, len(drawings), len(drawings) * drawings.shape[1])


def write_pictures(name, examples, module):
    return pictures.write(name, *examples)


# the writer of each medium, by the name of the module that reads your own files of this medium
WRITERS = dict(folder=write_pictures, texts=write_texts, pairs=write_pairs, sounds=write_sounds, music=write_music, treebank=write_treebank, signs=write_signs)


def main(argv=None):
    parser = arguments.Parser(__doc__)
    parser.add_argument("dataset", choices=sets())
    parser.add_argument("name", help="path without extension")
    parser.add_argument("--data", default="", help="default data/<data set>")
    parser.add_argument("--split", default="test", choices=("test", "validation"), help="validation: what settings may be chosen by")
    args = parser.parse_args(argv)
    module = data.dataset(args.dataset)
    folder = args.data or module.DEFAULT_DIR
    os.makedirs(os.path.dirname(os.path.abspath(args.name)), exist_ok=True)
    if args.dataset == "scenes":
        for name, some in module.held_out(folder, args.split).items():
            print(pictures.write_scenes(args.name + name, some))
        return
    examples = module.load_test_for_evaluation(folder) if args.split == "test" else module.load(folder, args.split)
    print(WRITERS[data.reader_of(args.dataset)](args.name, examples, module))


if __name__ == "__main__":
    main()
