"""BLEU [Papineni, Roukos, Ward and Zhu 2002] of a corpus with one reference a sentence, as sacrebleu computes it by default [Post 2018]:

    BLEU = 100 exp( min(0, 1 - reference length / hypothesis length) + 1/4 sum_{n=1..4} log p_n )

p_n: the share of n-grams of the translations that stand in their references, each as often as there.  The first p_n of which none stands there
counts as half of one, the next as a quarter, ("exp" smoothing); where there are no n-grams at all, BLEU is 0.  Words are those of mteval-v13a: entities
of SGML resolved, signs apart from words, full stop and comma apart unless digits stand on both sides, a dash apart after a digit.
tests/bench/bleu.js is the same in JavaScript; both are held to one fixture.
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


def corpus(hypotheses, references):
    """Two lists of sentences -> BLEU, 0..100"""
    if len(hypotheses) != len(references):
        raise ValueError("%d translations for %d references" % (len(hypotheses), len(references)))
    correct, total, lengths = [0] * 4, [0] * 4, [0, 0]
    for hypothesis, reference in zip(map(words, hypotheses), map(words, references)):
        lengths = [lengths[0] + len(hypothesis), lengths[1] + len(reference)]
        for n in range(4):
            own = grams(hypothesis, n + 1)
            correct[n] += sum((own & grams(reference, n + 1)).values())
            total[n] += sum(own.values())
    if not correct[0] or not total[3]:
        return 0.0
    logs, half = 0.0, 1.0
    for right, all_of_them in zip(correct, total):
        half = half if right else half / 2
        logs += math.log((right or half) / all_of_them) / 4
    return 100 * math.exp(min(0.0, 1 - lengths[1] / lengths[0]) + logs)
