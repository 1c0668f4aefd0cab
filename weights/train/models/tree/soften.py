# SPDX-License-Identifier: MIT
"""Tries ten factors for a model's scores. For each factor, prints the loss on the validation sentences in nats per word. Set `softened` in
the model's recipe to the factor with the lowest loss.

    python3 weights/train/models/tree/soften.py parents-en
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))

import torch

from common.runs import load_average
from models.tree import trees


@torch.no_grad()
def main():
    task, model, _ = load_average(sys.argv[1])
    model.eval()
    valid = task.encode(task.load("validation"), model)
    factors = [0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.9, 1.0]
    nats = dict.fromkeys(factors, 0.0)
    for at in range(0, len(valid), 50):
        ids, heads, lengths = valid.take(slice(at, at + 50))[:3]
        scores = model(ids, lengths).float()
        gold = (scores[:, :, 1:].gather(1, heads.clamp(min=0)[:, None])[:, 0] * (heads >= 0)).sum(1)
        for factor in factors:
            nats[factor] += float((trees.sums(scores * factor, lengths)[0] - gold * factor).sum())
    for factor in factors:
        print("%.2f  %.4f nats a word" % (factor, nats[factor] / valid.lengths.sum()))


if __name__ == "__main__":
    main()
