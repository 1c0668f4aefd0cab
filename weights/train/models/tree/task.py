# SPDX-License-Identifier: MIT
"""The task of the tree models. An example is a sentence with a head for each word. The metric is the unlabelled attachment score of the
best trees."""
import copy
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from common import gguf
from common.settings import Settings as Common
from common.task import Task, permutation
from models.chain.features import features, ids_of
from models.chain.task import lists_of, padded
from models.tree import trees
from models.tree.model import PLACES, Config, Tree

PREFIX = "tree."
POOL = 32                                # sentences are sorted by length within groups of this many batches


@dataclass
class Settings(Config, Common):
    dataset: str = "ud_ewt"
    templates: str = ""                  # templates of features, separated by blanks (chain/features.py)
    first: bool = False
    prose: str = ""                      # a folder of text files (or .txt.xz) that also contribute to the word clusters
    clusters: int = 0                    # 0: none
    cluster_words: int = 20000
    forget: float = 0.0                  # fraction of words whose identity training hides, so that the model must rely on their form
    softened: float = 1.0                # factor of the scores in the file: the best tree stays the best, but all trees become less certain
    relations: str = ""                  # "": the relations that occur in the data; "-": none (golden cases have no data)


class Sentences:
    """Contains for each sentence: words, ids (T, F), heads (T,), tags (T,) and relations (T,)"""

    def __init__(self, words, ids, told):
        self.words, self.ids, self.told = words, ids, told
        self.lengths = np.array([len(i) for i in ids])

    def __len__(self):
        return len(self.ids)

    def take(self, pick, device="cpu"):
        """Returns ids (B, T, F), heads (B, T), lengths (B,), tags (B, T) and relations (B, T); -1 where a value is missing"""
        pick = range(*pick.indices(len(self))) if isinstance(pick, slice) else pick
        lengths = torch.tensor([len(self.ids[i]) for i in pick])
        ids = torch.zeros(len(lengths), int(lengths.max()), self.ids[0].shape[1], dtype=torch.long)
        told = [torch.full(ids.shape[:2], -1) for _ in self.told]
        for row, i in enumerate(pick):
            ids[row, :lengths[row]] = torch.from_numpy(self.ids[i].astype(np.int64))
            for to, of in zip(told, self.told):
                to[row, :lengths[row]] = torch.from_numpy(of[i])
        return (ids, told[0], lengths, *told[1:])


class TreeTask(Task):
    Settings = Settings
    architecture = "tree"
    kept = None

    @staticmethod
    def smoke(settings):
        return dict(Task.smoke(settings), steps=3, features=2000, clusters=min(settings.get("clusters", 0), 5), prose="")

    def lists(self):
        """Returns the lists (features, words, tags, relations) of all training sentences, including sentences with crossing arcs."""
        if self.kept is None:
            words, tags, _, relations = super().load("train")
            self.kept = lists_of(self.s, words, tags)
            self.kept.relations = sorted({r for row in relations for r in row})
        return self.kept

    @classmethod
    def adopted(cls, metadata, tensors):
        return dict(cls.settings_of(metadata, tensors), relations="")

    @torch.no_grad()
    def grow(self, model, weights):
        """Loads a file. If the run adopts the file's settings, the softening of the file's scores is undone. The auxiliary layers, which a
        file does not have, stay random. Weights of additional features start at zero."""
        own = model.state_dict()
        soft = self.s.softened if self.s.adopted else 1.0
        found = {name: padded(w, own[name].shape) if name == "feature.weight" else w / soft if name in ("head.weight", "head.bias", "distance.weight") else w for name, w in weights.items()}
        super().grow(model, dict({name: w for name, w in own.items() if name.startswith("beside.")}, **found))

    def load(self, split):
        """Loads the sentences whose arcs do not cross. Sentences with crossing arcs are left out of training and validation."""
        examples = list(zip(*super().load(split)))
        kept = [e for e in examples if len(e[0]) < PLACES and min(e[2]) >= 0 and trees.projective(e[2])]
        print("%s: %d of %d sentences have crossing arcs, words without a head or more than %d words and are left out" % (split, len(examples) - len(kept), len(examples), PLACES - 1), flush=True)
        return tuple(list(column) for column in zip(*kept)) if kept else ([], [], [], [])

    def model(self):
        s = self.s
        beside = () if s.relations else (len(self.lists().tags), len(self.lists().relations))
        return Tree(Config(s.features, s.width, s.embedding_length, s.feed_forward_length, s.block_count, s.head_count, s.reach, s.dropout), beside)

    def encode(self, examples, model, device="cpu"):
        lists, templates = self.lists(), self.s.templates.split()
        if len(templates) != self.s.width:
            raise SystemExit("width is %d, of %d templates" % (self.s.width, len(templates)))
        words, tags, heads, relations = examples
        numbers = [{name: i for i, name in enumerate(names)} for names in (lists.tags, lists.relations)]
        ids = [np.array(ids_of(features(w, templates, lists.clusters), lists.ids), np.int32) for w in words]
        told = [[np.array(row) for row in heads]] + [
            [np.array([number.get(name, -1) for name in row]) for row in names] for number, names in zip(numbers, (tags, relations))]
        return Sentences(words, ids, told)

    def batch(self, train, step, device):
        """Returns a batch of sentences of similar length."""
        s, size = self.s, self.s.batch
        per_epoch = len(train) // size
        epoch, at = divmod(step, per_epoch)
        order = permutation(s.seed, epoch, len(train))[:per_epoch * size]
        pools = [order[i:i + POOL * size] for i in range(0, len(order), POOL * size)]
        order = np.concatenate([pool[np.argsort(train.lengths[pool], kind="stable")] for pool in pools])
        turn = permutation(s.seed + 1, epoch, per_epoch)[at]
        batch = train.take(order[turn * size:][:size], device)
        rng = np.random.default_rng([s.seed, step])
        mine = torch.tensor([any(part in ("word@0", "form@0") for part in t.split("|")) for t in s.templates.split()])
        forget = torch.from_numpy(rng.random(batch[0].shape[:2]) < s.forget)
        return (batch[0] * ~(forget[:, :, None] & mine), *batch[1:])

    def nats(self, model, *batch):
        return model.nats(*batch)

    def matrices(self, model):
        return [p for name, p in model.named_parameters() if p.dim() == 2 and not name.startswith("beside")]

    @property
    def elements(self):
        return 16                        # typical number of words per sentence

    def measures(self, model, valid, autocast, device, final):
        """Measures the percentage of validation words, including punctuation, for which the model finds the correct head."""
        right, total = 0, 0
        order = np.argsort(valid.lengths, kind="stable")[:: 1 if final else 4]
        for at in range(0, len(order), 50):
            ids, heads, lengths = valid.take(order[at:at + 50], device)[:3]
            with autocast():
                found = model.best(ids, lengths)
            right, total = right + int((found == heads)[heads >= 0].sum()), total + int(lengths.sum())
        return {"attachment": 100.0 * right / total}

    def folded(self, model):
        """Returns a copy of the model for the file: without the auxiliary layers, and with scores multiplied by `softened`."""
        model = copy.deepcopy(model)
        model.beside = nn.ModuleList()
        with torch.no_grad():
            for p in (model.head.weight, model.head.bias, model.distance.weight):
                p.mul_(self.s.softened)
        return model

    def metadata(self, model):
        s, a = self.s, PREFIX
        m = {a + key: getattr(s, key) for key in ("features", "width", "embedding_length", "feed_forward_length", "block_count", "reach")}
        m.update({a + "attention.head_count": s.head_count, a + "context_length": PLACES - 1, a + "templates": s.templates.split()})
        if s.relations:
            return m
        lists = self.lists()
        signed = lambda values: [v - (1 << 32) if v >= 1 << 31 else v for v in values]
        m.update({a + "feature_hashes": signed(lists.hashes), a + "word_hashes": signed(lists.forms)})
        if len(lists.clusters):
            m.update({a + "cluster.hashes": signed(lists.cluster_hashes), a + "cluster.numbers": lists.cluster_numbers})
        return m

    @staticmethod
    def settings_of(metadata, tensors):
        found = {key: metadata[PREFIX + key] for key in ("features", "width", "embedding_length", "feed_forward_length", "block_count", "reach")}
        return dict(found, head_count=metadata[PREFIX + "attention.head_count"], templates=" ".join(metadata[PREFIX + "templates"]), relations="-")


TASK = TreeTask
