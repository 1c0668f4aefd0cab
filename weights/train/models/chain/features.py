# SPDX-License-Identifier: MIT
"""Computes the features of a word from the word and its neighbours. A feature is a string. If the model's list of features contains the
string, the feature has an id. web/lib/media/features.js computes the same features, and tests compare the results of the two
implementations.

A template is a list of parts `atom@offset` joined by "|": word@-1|word@0 joins the previous word and the word itself. A feature is its
template, "=", and the values of its atoms joined by "|". If an atom has no value, the feature does not exist. The atoms of a word are:

    form        the word as written
    word        the word in lower case
    prefixN     the word's first N characters in lower case; no value if the word has N characters or fewer
    suffixN     the word's last N characters in lower case; no value if the word has N characters or fewer
    shape       each character as A (upper case), a (lower case), 9 (digit) or itself; runs of the same symbol are shortened to one
    cluster     the number of the word's cluster; no value if the word belongs to no cluster
    any         the empty string, the same for every word

Before the first word, every atom has the value "<s>"; after the last word, every atom has the value "</s>". The model's list contains the
FNV-1a hash (32 bits) of each feature's UTF-8 bytes. The id of a feature is 1 + its index in the list; id 0 means no feature.
"""
import functools

BEGIN, END = "<s>", "</s>"


def kind(c):
    return "9" if "0" <= c <= "9" else "A" if c != c.lower() else "a" if c != c.upper() else c


@functools.lru_cache(maxsize=1 << 17)
def shape(form):
    out = []
    for c in form:
        k = kind(c)
        if not out or out[-1] != k:
            out.append(k)
    return "".join(out)


def fnv(text):
    h = 2166136261
    for byte in text.encode("utf-8"):
        h = (h ^ byte) * 16777619 & 0xffffffff
    return h


@functools.lru_cache(maxsize=1 << 17)
def lower(form):
    return form.lower()


def atom(name, form, clusters):
    """Returns the value of an atom for the word `form`, or None if the atom has no value. clusters: {lower-case word: cluster number}"""
    if name == "form":
        return form
    if name == "any":
        return ""
    if name == "shape":
        return shape(form)
    word = lower(form)
    if name == "word":
        return word
    if name == "cluster":
        number = clusters.get(word)
        return None if number is None else str(number)
    n = int(name[6:])
    if len(word) <= n:
        return None
    return word[:n] if name.startswith("prefix") else word[-n:]


def parsed(template):
    return [(name, int(offset)) for name, offset in (part.split("@") for part in template.split("|"))]


def features(words, templates, clusters):
    """Returns a list of strings for each word: its features in the order of the templates, with None for a feature that does not exist"""
    known, n = {}, len(words)

    def value(name, i):
        if i < 0 or i >= n:
            return BEGIN if i < 0 else END
        if (name, i) not in known:
            known[name, i] = atom(name, words[i], clusters)
        return known[name, i]
    parts = [(template + "=", parsed(template)) for template in templates]
    out = []
    for i in range(n):
        row = []
        for head, atoms in parts:
            values = [value(name, i + offset) for name, offset in atoms]
            row.append(None if None in values else head + "|".join(values))
        out.append(row)
    return out


def ids_of(rows, ids, first=False):
    """Returns the feature ids of each word, with 0 for features that are not listed. first: keeps only the first listed feature of each
    word."""
    found = [[ids.get(f, 0) if f is not None else 0 for f in row] for row in rows]
    return [[next((i for i in row if i), 0)] for row in found] if first else found


def main():
    """Prints the feature ids of some words, according to the weight file of a chain or tree model:

        python3 weights/train/models/chain/features.py weights/crf-en.gguf > tests/golden/crf-en.features.json

    The test of web/lib/media/features.js reads this JSON file."""
    import json
    import os
    import sys
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
    from common import gguf
    metadata = gguf.read_raw(sys.argv[1])[0]
    architecture = metadata["general.architecture"]
    listed = lambda key: metadata.get("%s.%s" % (architecture, key), [])
    ids = {h & 0xffffffff: i + 1 for i, h in enumerate(listed("feature_hashes"))}
    numbers = {h & 0xffffffff: n for h, n in zip(listed("cluster.hashes"), listed("cluster.numbers"))}

    class Clusters:
        get = staticmethod(lambda word: numbers.get(fnv(word)))

    class Ids:
        get = staticmethod(lambda feature, missing: ids.get(fnv(feature), missing))
    out = []
    for text in ("Time flies like an arrow ; fruit flies like a banana .", "I ca n't believe it 's $ 5 , e.g. in the U.S. on 9/11 !!",
                 "naïve Ünal's Straße ΑΘΗΝΑ Москва 東京 🙂 e-mail McDonald iPhone x I", "The"):
        words = text.split()
        out.append({"words": words, "ids": ids_of(features(words, listed("templates"), Clusters), Ids, metadata.get(architecture + ".first", False))})
    print(json.dumps(out, ensure_ascii=False))


if __name__ == "__main__":
    main()
