# SPDX-License-Identifier: MIT
"""Byte-pair encoding of text [Sennrich, Haddow and Birch 2016] on bytes [Radford et al. 2019]: training, encoding, the form in which GGUF keeps it.

Text is cut into words first, by the rule that files call "gpt-2": an English ending after an apostrophe, letters, digits, or other signs, each with the
blank before it, or blanks.  Merges never cross words.  A vocabulary is the special tokens, the 256 bytes, then one token a merge:

    ids 0 .. S-1    special tokens, S of them          S .. S+255    bytes          S+256 + k    the merge of rank k

A vocabulary file has one merge a line, both sides as `printable` shows bytes; the first line holds the special tokens.
"""
import collections
import functools
import heapq
import random
import re

# In the rule's own terms \p{L} and \p{N}; Python's classes differ from them on a few letters that stand for numbers.
WORD = re.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?[^\W\d_]+| ?\d+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+")

WAYS = 8                                 # in which a word is cut in training, see Vocabulary.sampled


@functools.lru_cache(maxsize=None)
def printable():
    """[byte] -> a character that can be seen: itself where it can be, else the next one from 256 on.  The map of GPT-2."""
    seen = [*range(0x21, 0x7f), *range(0xa1, 0xad), *range(0xae, 0x100)]
    rest = iter(range(256, 512))
    return [chr(b) if b in seen else chr(next(rest)) for b in range(256)]


def shown(token):
    return "".join(printable()[b] for b in token)


def hidden(text):
    """The inverse of `shown`."""
    back = {c: b for b, c in enumerate(printable())}
    return bytes(back[c] for c in text)


def train(texts, count, known=()):
    """-> `count` merges [(bytes, bytes)], the pair that is most frequent first; of equals the one whose bytes come first.  known: merges that they begin with.

    Words are counted once; the pairs' counts follow each merge, and a heap with stale entries knows the largest.
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
    """parts with each occurrence of the pair, from the left, as one."""
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
        """Ids of a word: the pair of lowest rank is merged, everywhere, until none is left."""
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
        """-> ids; special tokens in the text are text like any other."""
        return [i for word in WORD.findall(text) for i in self.word(word)]

    def characters(self, text):
        """-> ids of a text cut into its characters: merges never cross these"""
        return [i for character in text for i in self.word(character)]

    def ways(self, word, dropout):
        """WAYS cuts of a word at random: BPE-dropout [Provilkov, Emelianenko and Voita 2020], each possible merge left out with this probability, in
        each round anew.  They depend on nothing but the word and the probability."""
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
        """-> ids, each word cut in one of its ways; rng: a random.Random"""
        return [i for word in WORD.findall(text) for i in self.ways(word, dropout)[int(rng.random() * WAYS)]]

    def decode(self, ids):
        return b"".join(self.tokens[i] for i in ids).decode("utf-8", "replace")

    def metadata(self):
        """{key: value} of tokenizer.ggml.*: types 1 (normal) and 3 (control)."""
        t, s = "tokenizer.ggml.", len(self.special)
        return {t + "model": "gpt2", t + "pre": "gpt-2", t + "tokens": self.special + [shown(token) for token in self.tokens[s:]],
                t + "token_type": [3] * s + [1] * (len(self) - s), t + "merges": ["%s %s" % (shown(a), shown(b)) for a, b in self.merges]}


class Signs(Vocabulary):
    """A vocabulary without merges of these characters alone, each of one byte; others are passed over, as the library does where a file has no unknown token."""

    def __init__(self, signs, special=("<end>",)):
        super().__init__([], special)
        self.tokens = [s.encode() for s in special] + [sign.encode() for sign in signs]
        self.ids = {token: i for i, token in enumerate(self.tokens) if i >= len(special)}

    def word(self, word):
        return [self.ids[bytes([b])] for b in word.encode() if bytes([b]) in self.ids]


def save(path, vocabulary):
    with open(path, "w", encoding="utf-8") as f:
        f.write(" ".join(vocabulary.special) + "\n")
        f.writelines("%s %s\n" % (shown(a), shown(b)) for a, b in vocabulary.merges)


def load(path):
    with open(path, encoding="utf-8") as f:
        special, *lines = f.read().splitlines()
    return Vocabulary([tuple(hidden(side) for side in line.split(" ")) for line in lines], special.split(" "))
