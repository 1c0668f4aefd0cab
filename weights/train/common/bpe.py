# SPDX-License-Identifier: MIT
"""Byte-pair encoding [Sennrich, Haddow and Birch 2016] of the bytes of a text [Radford et al. 2019]. This module trains vocabularies,
encodes texts, and writes GGUF metadata.

Text is first cut into words by the rule that GGUF files call "gpt-2". A word is one of these:

    a run of blanks
    an apostrophe with an English ending ('s, 've, ...)
    a run of letters, of digits or of other characters, together with the blank before the run

Merges never cross word boundaries. A vocabulary has the special tokens, the 256 bytes, then one token per merge:

    ids 0 .. S-1    special tokens, S of them          S .. S+255    bytes          S+256 + k    the merge of rank k

The first line of a vocabulary file lists the special tokens; each further line holds one merge. Both parts of a merge are written in the
characters of `printable`.
"""
import collections
import functools
import heapq
import os
import random
import re
import sys

import numpy as np

# GPT-2's rule uses \p{L} and \p{N}. Here, numerals that are not decimal digits, such as ² and Ⅷ, count as letters.
WORD = re.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?[^\W\d_]+| ?\d+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+")

WAYS = 8                                 # number of random segmentations of a word in training, see Vocabulary.sampled


@functools.lru_cache(maxsize=None)
def printable():
    """Returns a printable character for each byte: its own character if that is printable, otherwise the next unused code point from 256
    on.  GPT-2 uses the same table."""
    seen = [*range(0x21, 0x7f), *range(0xa1, 0xad), *range(0xae, 0x100)]
    rest = iter(range(256, 512))
    return [chr(b) if b in seen else chr(next(rest)) for b in range(256)]


def shown(token):
    return "".join(printable()[b] for b in token)


def hidden(text):
    """Returns the bytes of a printable text; the inverse of `shown`."""
    back = {c: b for b, c in enumerate(printable())}
    return bytes(back[c] for c in text)


def train(texts, count, known=()):
    """Learns `count` merges [(bytes, bytes)]. Each step merges the most frequent pair; among equally frequent pairs, it
    merges the pair whose bytes sort first.
     known: merges to start from.

    Each distinct word is processed once and weighted by its count. Each merge updates the pair counts. A heap, which may contain outdated
    entries, finds the most frequent pair.
    """
    counts = collections.Counter()
    for text in texts:
        counts.update(WORD.findall(text))
    cut = Vocabulary(known)
    words = [([cut.tokens[i] for i in cut.word(word)], n) for word, n in sorted(counts.items())]
    pairs, where = collections.Counter(), collections.defaultdict(set)
    for i, (parts, n) in enumerate(words):
        for pair in zip(parts, parts[1:]):
            pairs[pair] += n
            where[pair].add(i)
    heap = [(-n, pair) for pair, n in pairs.items()]
    heapq.heapify(heap)
    merges = list(known)
    while heap and len(merges) < count:
        n, pair = heapq.heappop(heap)
        if -n != pairs[pair] or n == 0:
            if pairs[pair] > 0:
                heapq.heappush(heap, (-pairs[pair], pair))
            continue
        merges.append(pair)
        changed = set()
        for i in where.pop(pair):
            parts, times = words[i]
            for old in zip(parts, parts[1:]):
                pairs[old] -= times
                changed.add(old)
            parts[:] = merged(parts, pair)
            for new in zip(parts, parts[1:]):
                pairs[new] += times
                where[new].add(i)
                changed.add(new)
        for other in changed:
            if pairs[other] > 0:
                heapq.heappush(heap, (-pairs[other], other))
    return merges


def merged(parts, pair):
    """Replaces each occurrence of the pair by one part, from the left."""
    out, i = [], 0
    while i < len(parts):
        both = i + 1 < len(parts) and parts[i] == pair[0] and parts[i + 1] == pair[1]
        out.append(pair[0] + pair[1] if both else parts[i])
        i += 2 if both else 1
    return out


class Vocabulary:
    def __init__(self, merges, special=("<|endoftext|>",)):
        self.merges, self.special = list(merges), list(special)
        self.tokens = [s.encode() for s in special] + [bytes([b]) for b in range(256)] + [a + b for a, b in merges]
        self.rank = {pair: k for k, pair in enumerate(self.merges)}
        self.ids = {token: i for i, token in enumerate(self.tokens) if i >= len(special)}
        self.cache = {}

    def __len__(self):
        return len(self.tokens)

    def word(self, word):
        """Encodes a word: repeatedly merges every occurrence of the pair of lowest rank."""
        if word not in self.cache:
            parts = [bytes([b]) for b in word.encode()]
            while len(parts) > 1:
                rank, pair = min((self.rank.get(pair, len(self.rank)), pair) for pair in zip(parts, parts[1:]))
                if rank == len(self.rank):
                    break
                parts = merged(parts, pair)
            self.cache[word] = [self.ids[part] for part in parts]
        return self.cache[word]

    def encode(self, text):
        """Encodes a text; special tokens in the text are treated as plain text."""
        return [i for word in WORD.findall(text) for i in self.word(word)]

    def characters(self, text):
        """Splits a text into its characters and encodes each one; merges never cross the boundary between two characters."""
        return [i for character in text for i in self.word(character)]

    def ways(self, word, dropout):
        """Returns WAYS random segmentations of a word by BPE-dropout [Provilkov, Emelianenko and Voita 2020]: in each round, each possible
        merge is skipped with probability `dropout`.  The segmentations depend only on the word and the probability."""
        if (word, dropout) not in self.cache:
            rng, found = random.Random("%s %r" % (word, dropout)), []
            for _ in range(WAYS):
                parts = [bytes([b]) for b in word.encode()]
                while True:
                    left = [(self.rank[pair], i) for i, pair in enumerate(zip(parts, parts[1:])) if pair in self.rank and rng.random() >= dropout]
                    if not left:
                        break
                    i = min(left)[1]
                    parts[i:i + 2] = [parts[i] + parts[i + 1]]
                found.append([self.ids[part] for part in parts])
            self.cache[word, dropout] = found
        return self.cache[word, dropout]

    def sampled(self, text, dropout, rng):
        """Encodes a text, with each word in one of the segmentations that `ways` returns. rng: a random.Random"""
        return [i for word in WORD.findall(text) for i in self.ways(word, dropout)[int(rng.random() * WAYS)]]

    def decode(self, ids):
        return b"".join(self.tokens[i] for i in ids).decode("utf-8", "replace")

    def metadata(self):
        """Returns the tokenizer.ggml.* metadata {key: value}; a token's type is 1 (normal) or 3 (control)."""
        t, s = "tokenizer.ggml.", len(self.special)
        return {t + "model": "gpt2", t + "pre": "gpt-2", t + "tokens": self.special + [shown(token) for token in self.tokens[s:]],
                t + "token_type": [3] * s + [1] * (len(self) - s), t + "merges": ["%s %s" % (shown(a), shown(b)) for a, b in self.merges]}


class Signs(Vocabulary):
    """A vocabulary of the given one-byte characters, without merges. Other characters are skipped. The library also skips them if a file
    has no unknown token."""

    def __init__(self, signs, special=("<end>",)):
        super().__init__([], special)
        self.tokens = [s.encode() for s in special] + [sign.encode() for sign in signs]
        self.ids = {token: i for i, token in enumerate(self.tokens) if i >= len(special)}

    def word(self, word):
        return [self.ids[bytes([b])] for b in word.encode() if bytes([b]) in self.ids]


def written(vocabulary):
    """Formats a vocabulary as the text of a file, the inverse of `parsed`."""
    return " ".join(vocabulary.special) + "\n" + "".join("%s %s\n" % (shown(a), shown(b)) for a, b in vocabulary.merges)


def parsed(text):
    special, *lines = text.splitlines()
    return Vocabulary([tuple(hidden(side) for side in line.split(" ")) for line in lines], special.split(" "))


def save(path, vocabulary):
    with open(path, "w", encoding="utf-8") as f:
        f.write(written(vocabulary))


def load(path):
    if not os.path.exists(path):
        there = sorted(name[:-4] for name in os.listdir(os.path.dirname(path)) if name.endswith(".txt"))
        sys.exit("--vocabulary %s: there are %s, and `own`, which is learned from your texts" % (os.path.basename(path)[:-4], ", ".join(there)))
    with open(path, encoding="utf-8") as f:
        return parsed(f.read())


def of_file(metadata):
    """Returns the vocabulary of a GGUF file written by this module."""
    kinds, tokens = metadata["tokenizer.ggml.token_type"], metadata["tokenizer.ggml.tokens"]
    return Vocabulary([tuple(hidden(side) for side in merge.split(" ")) for merge in metadata.get("tokenizer.ggml.merges", [])],
                      [token for token, kind in zip(tokens, kinds) if kind == 3])


class Chosen:
    """The vocabulary of a task that trains on texts. There are three kinds:
        a named vocabulary from a folder
        a vocabulary stored as text in the settings: copied from the initial file, or learned from your own texts
        the plain bytes

    --vocabulary own: learns byte pairs from the training texts until there are --values tokens. Tokens that are also in the initial file
    keep their vectors. The vector of any other token starts as the mean of the vectors of the token's two parts.
    """
    vocabularies = ""                    # the folder of named vocabularies
    words = None

    @classmethod
    def named(cls, metadata, found, names):
        """Returns the settings that select a file's vocabulary: its name if the folder has a vocabulary with the same tokens, otherwise its
        text."""
        own = of_file(metadata)
        for name in names:
            if load(os.path.join(cls.vocabularies, name + ".txt")).tokens == own.tokens:
                return dict(found, vocabulary=name, merges="")
        return dict(found, vocabulary="", merges=written(own) if own.merges else "")

    @classmethod
    def adopted(cls, metadata, tensors):
        found = super().adopted(metadata, tensors)
        if metadata.get("tokenizer.ggml.model") != "gpt2" or len(metadata["tokenizer.ggml.tokens"]) < 257:
            return found                 # the file has a vocabulary of single characters
        return cls.named(metadata, found, sorted(name[:-4] for name in os.listdir(cls.vocabularies) if name.endswith(".txt")))

    def adapt(self):
        super().adapt()
        s = self.s
        if s.vocabulary == "own":
            texts = [text for part in self.load("train") for text in part]
            least = 257
            if s.values < least:
                sys.exit("--values %d: your own vocabulary needs the 256 bytes, an end token and some merges" % s.values)
            own = Vocabulary(train(texts, s.values - least))
            s.vocabulary, s.merges, s.values = "", written(own), len(own)
            print("vocabulary: %d tokens of your texts" % len(own), flush=True)

    @property
    def tokenizer(self):
        if self.words is None:
            s = self.s
            self.words = parsed(s.merges) if s.merges else load(os.path.join(self.vocabularies, s.vocabulary + ".txt")) if s.vocabulary else Vocabulary([])
            if len(self.words) != s.values:
                raise SystemExit("the vocabulary %r has %d tokens, the model %d" % (s.vocabulary, len(self.words), s.values))
        return self.words

    def relabelled(self, weights, metadata):
        """Reorders the rows of a file's token table to match this vocabulary."""
        weights = super().relabelled(weights, metadata)
        table = weights.get("token_embd.weight")
        if not self.s.merges or table is None or "tokenizer.ggml.merges" not in metadata:
            return weights
        old, new = of_file(metadata), self.tokenizer
        if old.tokens == new.tokens:
            return weights
        at = {token: i for i, token in enumerate(old.tokens)}
        sides = dict((a + b, (a, b)) for a, b in new.merges)

        def row(token):
            if token in at:
                return ((1.0, at[token]),)
            a, b = (row(side) for side in sides[token])
            return tuple((0.5 * share, i) for share, i in a + b)
        rows = [row(token) for token in new.tokens]
        for name in ("token_embd.weight", "output.weight", "output.bias"):
            if name in weights and len(weights[name]) == len(old):
                weights[name] = weights[name][0].new_tensor(np.stack([sum(share * weights[name][i].numpy() for share, i in of) for of in rows]))
        return weights
