# SPDX-License-Identifier: MIT
"""Settings that the recipes of all attention variants share: everything except the attention, so that their results can be compared."""


def settings(**attention):
    base = dict(
        # model: 1.7 M parameters, of which 1 M are embeddings of the vocabulary of both languages
        dataset="multi30k", vocabulary="multi30k", values=8000, context_length=128,
        embedding_length=128, state_length=128, attention_length=128,
        # schedule: `minutes` counts the CPU time of one thread, which other programs do not affect
        clock="cpu", threads=1, batch=128, lr=2e-3, warmup=200, every=4.0, valid_images=256, final_valid_images=1014,
        dropout=0.2, smoothing=0.1, lower=0.1, unstopped=0.1, ema=0.995)
    return dict(base, **attention)


def card(name, does, command=None):
    return dict(
        name=name,
        description="A recurrent network that translates short German sentences about what a picture shows into English; " + does,
        languages=["de", "en"],
        license="other",                 # the authors of the data state no licence for the sentences
        dataset="Multi30k, German and English captions of task 1 (Elliott, Frank, Sima'an and Specia 2016): 29,000 pairs",
        dataset_license="none stated for the sentences; they describe pictures of Flickr30K, which are for non-commercial research and education",
        command=command or "python3 weights/train/train.py " + name,
        type="q4_0")                     # 4 bits, except for the word embeddings (task.py)


def characters(**attention):
    """Settings of the models that read characters. All these models start from the weights of one run, which alternated between the
    structures of attention; then each model trains separately."""
    base = dict(source="characters", context_length=256, score="general", batch=64, minutes=3.0, lr=1.5e-3, warmup=50, fresh_rate=10.0)
    return settings(**dict(base, **attention))


def characters_card(name, does):
    return card(name, "it reads them character by character, and " + does, "python3 weights/train/train.py %s --from build/seq2seq-characters.gguf" % name)
