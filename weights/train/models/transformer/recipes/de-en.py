# SPDX-License-Identifier: MIT
"""Translates German to English. The Transformer is trained on 29,000 pairs of image captions, and then also on 173,000 pairs of short
everyday sentences.

    python3 weights/train/train.py de-en
    python3 weights/train/export.py de-en --type f32 --out build/de-en-1.gguf
    python3 weights/train/train.py de-en --stage 2 --from build/de-en-1.gguf
    python3 weights/train/export.py de-en --run de-en-2 --out build/de-en-2.gguf
    python3 weights/train/train.py de-en --stage 3 --from build/de-en-2.gguf
"""
settings = dict(
    # model: 6.0 M parameters, of which 2 M are embeddings of both languages; the second run adds 0.5 M for new tokens
    dataset="multi30k", vocabulary="multi30k", values=8000, context_length=128,
    block_count=3, encoder_block_count=3, embedding_length=256, feed_forward_length=512, head_count=4,
    # schedule
    minutes=70.0, batch=128, lr=1.5e-3, warmup=400, every=5.0, valid_images=256, final_valid_images=1014,
    dropout=0.3, attention_dropout=0.1, smoothing=0.1, merge_dropout=0.1, lower=0.1, unstopped=0.1, ema=0.998,
)
stages = (                               # the later stages add everyday sentences and use a larger vocabulary
    # the second stage had the 47,909 shortest pairs from Tatoeba, four times per epoch
    dict(dataset="german", vocabulary="german", values=10000, minutes=16.0, clock="cpu", threads=1, lr=1e-3, warmup=100, dropout=0.15, final_valid_images=2038),
    # the third stage has four times as many pairs from Tatoeba, and variants in which names, places and numbers are replaced
    dict(dataset="german", vocabulary="german", values=10000, minutes=66.0, lr=6e-4, warmup=100, every=8.0, dropout=0.1, final_valid_images=2000),
)
own = dict(minutes=10.0, batch=64, lr=3e-4, warmup=20)
card = dict(
    name="de-en",
    description="A Transformer that translates German captions of pictures and short sentences of daily life into English.",
    languages=["de", "en"],
    license="other",                     # the authors of Multi30k state no licence for its sentences
    dataset="Multi30k, German and English captions of task 1 (Elliott, Frank, Sima'an and Specia 2016): 29,000 pairs; "
            "Tatoeba, short sentences of daily life (the contributors of tatoeba.org): 172,663 pairs",
    dataset_license="none stated for the sentences; they describe pictures of Flickr30K, which are for non-commercial research and education; "
                    "those of Tatoeba: CC BY 2.0 FR",
    command="python3 weights/train/train.py de-en",
)
