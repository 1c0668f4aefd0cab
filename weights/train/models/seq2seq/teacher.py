# SPDX-License-Identifier: MIT
"""An encoder that reads words teaches one that reads characters. At the last character of each token, the left-to-right state should equal
the teacher's left-to-right state at that token. At the first character of the token, the right-to-left states of both encoders should be
equal. There is no target for the attention."""
import torch

from models.transformer.model import PADDING
from models.transformer.task import END, padded


def spans(tokenizer, characters, words):
    """Returns [(first, last)] for each of `words`: the range of `characters` that have the same bytes as the word. `characters`
    and `words` are ids of the same text, in two segmentations."""
    where = [i for i, id in enumerate(characters) for _ in tokenizer.tokens[id]]
    found, at = [], 0
    for id in words:
        size = len(tokenizer.tokens[id])
        found.append((where[at], where[at + size - 1]))
        at += size
    return found


class Teacher:
    """Provides the teacher's states for sentences that are given as characters. model: a Seq2seq that reads the tokens of `tokenizer`"""

    def __init__(self, model, tokenizer):
        self.model, self.tokenizer, self.known = model.eval(), tokenizer, {}

    def lesson(self, ids):
        """Maps the character ids of a sentence to the sentence's word ids, and to the first and last character of each word. Both lists of
        ids end with END."""
        key = tuple(ids)
        if key not in self.known:
            text = ids[:-1]
            words = self.tokenizer.encode(self.tokenizer.decode(text))
            self.known[key] = words + [END], spans(self.tokenizer, text, words) + [(len(text), len(text))]
        return self.known[key]

    def loss(self, source, states):
        """Returns a tensor of shape (B,): the squared distance between `states` (B, m, 2 e) and the teacher's states, summed over tokens
        and dimensions. source: (B, m)"""
        lessons = [self.lesson([id for id in row if id != PADDING]) for row in source.tolist()]
        words = padded([ids for ids, _ in lessons])
        with torch.no_grad():
            wanted = self.model.enc(self.model.rows(words), (words >= 0).sum(1))[0].float()
        ends = torch.zeros(2, *words.shape, dtype=torch.long)
        for row, (_, places) in enumerate(lessons):
            ends[:, row, :len(places)] = torch.tensor(places).T
        row, half = torch.arange(len(words))[:, None], states.shape[-1] // 2
        found = torch.cat([states[row, ends[1], :half], states[row, ends[0], half:]], -1).float()
        return (((found - wanted) ** 2).sum(-1) * (words >= 0)).sum(1)
