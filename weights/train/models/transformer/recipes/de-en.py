# SPDX-License-Identifier: MIT
"""German to English: a Transformer that has read 29,000 captions of pictures in both languages.

    python3 weights/train/train.py de-en
"""
settings = dict(
    # model: 6.0 M parameters, 2 M of them the vocabulary of both languages
    dataset="multi30k", vocabulary="multi30k", values=8000, context_length=128,
    block_count=3, encoder_block_count=3, embedding_length=256, feed_forward_length=512, head_count=4,
    # schedule: 70 minutes of training, whatever the machine's speed
    minutes=70.0, batch=128, lr=1.5e-3, warmup=400, every=5.0, valid_images=256, final_valid_images=1014,
    dropout=0.3, attention_dropout=0.1, smoothing=0.1, merge_dropout=0.1, lower=0.1, unstopped=0.1, ema=0.998,
)
card = dict(
    name="de-en",
    description="A Transformer that translates short German sentences about what a picture shows into English.",
    languages=["de", "en"],
    license="other",                     # the authors of the data state none for the sentences
    dataset="Multi30k, German and English captions of task 1 (Elliott, Frank, Sima'an and Specia 2016): 29,000 pairs",
    dataset_license="none stated for the sentences; they describe pictures of Flickr30K, which are for non-commercial research and education",
    command="python3 weights/train/train.py de-en",
)
