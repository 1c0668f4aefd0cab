# SPDX-License-Identifier: MIT
"""Corpus BLEU [Papineni, Roukos, Ward and Zhu 2002], computed with the defaults of sacrebleu [Post 2018]:

    BLEU = 100 exp( min(0, 1 - reference length / translation length) + 1/4 sum_{n=1..4} log p_n )

weights/eval/bleu.js computes the same score in JavaScript; its comments define p_n, the lengths and the words. tests/js/bleu.json has test
cases for both versions.
"""
import collections
import math
import re

ENTITIES = (("<skipped>", ""), ("-\n", ""), ("\n", " "), ("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
SIGNS = ((re.compile(r"([{-~\[-` -&(-+:-@/])"), r" \1 "), (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
         (re.compile(r"([.,])([^0-9])"), r" \1 \2"), (re.compile(r"([0-9])(-)"), r"\1 \2 "))


def words(text):
    text = text.rstrip()
    for entity, sign in ENTITIES:
        text = text.replace(entity, sign)
    text = " %s " % text
    for pattern, apart in SIGNS:
        text = pattern.sub(apart, text)
    return text.split()


def grams(tokens, n):
    return collections.Counter(tuple(tokens[i:i + n]) for i in range(len(tokens) - n + 1))


def of(correct, total, length, reference_length):
    """Computes BLEU from counts of n-grams, n = 1..4, and of words."""
    if not correct[0] or not total[3]:
        return 0.0
    logs, half = 0.0, 1.0
    for right, all_of_them in zip(correct, total):
        half = half if right else half / 2
        logs += math.log((right or half) / all_of_them) / 4
    return 100 * math.exp(min(0.0, 1 - reference_length / length) + logs)


def corpus(translations, references):
    """Computes the BLEU (0..100) of translated sentences; each sentence has one reference or a list of references"""
    if len(translations) != len(references):
        raise ValueError("%d translations for %d references" % (len(translations), len(references)))
    correct, total, length, reference_length = [0] * 4, [0] * 4, 0, 0
    for translation, others in zip(translations, references):
        own, others = words(translation), [words(text) for text in ([others] if isinstance(others, str) else others)]
        length += len(own)
        reference_length += min((abs(len(other) - len(own)), len(other)) for other in others)[1]
        for n in range(4):
            found, there = grams(own, n + 1), collections.Counter()
            for other in others:
                there |= grams(other, n + 1)
            correct[n] += sum((found & there).values())
            total[n] += sum(found.values())
    return of(correct, total, length, reference_length)
