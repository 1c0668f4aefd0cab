# SPDX-License-Identifier: MIT
"""The task of the chain models. An example is a tagged sentence; the metric is the accuracy of the best tags."""
import lzma
import os
from collections import Counter
from dataclasses import dataclass

import numpy as np
import torch

from common import gguf
from common.settings import Settings as Common
from common.task import Task, picks
from data.files import Unreadable, hidden, read_text
from models.chain.clusters import clusters_of, cut
from models.chain.features import features, fnv, ids_of
from models.chain.model import Chain, Config

PREFIX = "chain."
HEAVY = 300.0                            # if your own sentences are added to an HMM file, the file counts as this many words per tag
LEAST = 2                                # a feature that occurs only once in the training sentences does not generalise


@dataclass
class Settings(Config, Common):
    dataset: str = "ud_ewt"
    bf16: bool = False
    templates: str = ""                  # templates of features, separated by blanks (features.py)
    first: bool = False                  # uses only the first listed feature of a word
    prose: str = ""                      # a folder of text files (or .txt.xz) that also contribute to the word clusters
    clusters: int = 0                    # 0: none
    cluster_words: int = 20000
    drop: float = 0.0                    # fraction of words whose identity training hides, so that the model must rely on their form
    precision: float = 0.0               # precision of the weights' Gaussian prior
    tags: str = ""                       # tags of a model that has no data set (golden cases)


class Lists:
    """Collects the lists that a model stores: the tags, features, known words and word clusters of the training sentences."""

    def __init__(self, s, sentences, taggings):
        self.tags = sorted(set(tag for tags in taggings for tag in tags))
        self.clusters = {}
        if s.clusters:
            texts = [[w.lower() for w in words] for words in sentences] + [cut(line) for line in prose(s.prose)]
            self.clusters = clusters_of(texts, s.cluster_words, s.clusters, 3)
        templates, counts = s.templates.split(), Counter()
        for words in sentences:
            for row in features(words, templates, self.clusters):
                counts.update(f for f in row if f is not None)
        listed, taken = {}, set()
        for f, n in sorted(counts.items(), key=lambda x: (-x[1], x[0])):
            if len(listed) == s.features - 1 or (n < LEAST and not s.first):
                break
            h = fnv(f)
            if h not in taken:                           # if two features share a hash, keep the more frequent one
                taken.add(h)
                listed[f] = len(listed) + 1
        self.ids, self.forms = listed, sorted({fnv(w) for words in sentences for w in words})
        self.hashes = [fnv(f) for f in listed]
        known = sorted(self.clusters)
        self.cluster_hashes, self.cluster_numbers = [fnv(w) for w in known], [self.clusters[w] for w in known]


class Hashed:
    """A mapping {string: number} that stores only the hashes of the strings."""

    def __init__(self, hashes, numbers):
        self.numbers = {h & 0xffffffff: n for h, n in zip(hashes, numbers)}

    def get(self, text, missing=None):
        return self.numbers.get(fnv(text), missing)

    def __len__(self):
        return len(self.numbers)


class Stored(Lists):
    """The lists of a file, extended by the words and tags of your own sentences. Features of your sentences are also added if --features
    allows more features than the file has."""

    def __init__(self, s, metadata, sentences, taggings):
        prefix = metadata["general.architecture"] + "."
        of = lambda key: [h & 0xffffffff for h in metadata.get(prefix + key, [])]
        self.hashes, self.cluster_hashes, self.cluster_numbers = of("feature_hashes"), of("cluster.hashes"), list(metadata.get(prefix + "cluster.numbers", []))
        self.clusters = Hashed(self.cluster_hashes, self.cluster_numbers)
        own = {tag for tags in taggings for tag in tags}
        listed = list(metadata.get(prefix + "tags", ()))
        self.tags = listed + sorted(own - set(listed))
        if listed and own - set(listed):
            print("tags that the file does not have begin anew: %s" % ", ".join(sorted(own - set(listed))), flush=True)
        known, counts = set(self.hashes), Counter()
        if s.features - 1 > len(self.hashes):
            for words in sentences:
                for row in features(words, s.templates.split(), self.clusters):
                    counts.update(h for h in (fnv(f) for f in row if f is not None) if h not in known)
        self.hashes += [h for h, n in sorted(counts.items(), key=lambda x: (-x[1], x[0])) if n >= LEAST][:max(0, s.features - 1 - len(self.hashes))]
        self.ids = Hashed(self.hashes, range(1, len(self.hashes) + 1))
        self.forms = sorted(set(of("word_hashes")) | {fnv(w) for words in sentences for w in words})


def lists_of(s, sentences, taggings):
    """Returns the lists of the file that a run starts from, or builds them from the training sentences."""
    return Stored(s, gguf.read_raw(s.start)[0], sentences, taggings) if s.start and s.adopted else Lists(s, sentences, taggings)


def prose(folder):
    """Reads the lines of the text files in a folder; the files may be compressed (.txt.xz)."""
    if folder and not os.path.isdir(folder):
        raise SystemExit("--prose %s: no such folder" % folder)
    for name in sorted(os.listdir(folder)) if folder else []:
        path = os.path.join(folder, name)
        if name.endswith(".txt.xz"):
            with lzma.open(path, "rt", encoding="utf-8") as f:
                yield from f
        elif name.endswith((".txt", ".md")) and not hidden(name):
            try:
                yield from read_text(path).splitlines(keepends=True)
            except Unreadable as error:
                print("--prose: skipped %s (%s)" % (path, error), flush=True)


def padded(w, shape):
    """Returns w padded with zeros to `shape`; if w does not fit into that shape, returns w unchanged."""
    if w.dim() != len(shape) or any(a > b for a, b in zip(w.shape, shape)):
        return w
    found = w.new_zeros(shape)
    found[tuple(slice(n) for n in w.shape)] = w
    return found


class Sentences:
    """The words, ids (T, F) and tags (T,) of each sentence"""

    def __init__(self, words, ids, tags):
        self.words, self.ids, self.tags = words, ids, tags

    def __len__(self):
        return len(self.ids)

    def take(self, pick, device="cpu"):
        """Returns ids (B, T, F), tags (B, T) with -1 after the end of a sentence, lengths (B,)"""
        pick = range(*pick.indices(len(self))) if isinstance(pick, slice) else pick
        lengths = torch.tensor([len(self.ids[i]) for i in pick])
        ids = torch.zeros(len(lengths), int(lengths.max()), self.ids[0].shape[1], dtype=torch.long)
        tags = torch.full(ids.shape[:2], -1)
        for row, i in enumerate(pick):
            ids[row, :lengths[row]], tags[row, :lengths[row]] = torch.from_numpy(self.ids[i].astype(np.int64)), torch.from_numpy(self.tags[i])
        return ids, tags, lengths


class ChainTask(Task):
    Settings = Settings
    architecture = "chain"
    kept = None

    @staticmethod
    def smoke(settings):
        return dict(Task.smoke(settings), steps=3, features=2000, clusters=min(settings.get("clusters", 0), 5), prose="")

    def load(self, split):
        """Loads the words and tags of all sentences in which every word has a tag."""
        words, tags = super().load(split)[:2]
        kept = [(w, t) for w, t in zip(words, tags) if not {"", "_"} & set(t)]
        if len(kept) < len(words):
            print("%s: %d of %d sentences have words without a tag and are left out" % (split, len(words) - len(kept), len(words)), flush=True)
        return tuple(list(column) for column in zip(*kept)) if kept else ([], [])

    def held_out(self):
        return super().held_out()[:2]

    def lists(self):
        if self.kept is None:
            self.kept = lists_of(self.s, *self.load("train"))
        return self.kept

    def model(self):
        if not self.s.tags:
            self.s.states = len(self.lists().tags)
        return Chain(Config(self.s.type, self.s.states, self.s.features, self.s.width))

    @classmethod
    def adopted(cls, metadata, tensors):
        found = cls.settings_of(metadata, tensors)
        return dict(found, tags="", templates=" ".join(metadata[PREFIX + "templates"]), first=metadata[PREFIX + "first"])

    def begin(self, model, examples):
        self.examples = examples
        if self.s.type == "hmm" and not self.s.start:
            count(model, self.lists(), examples, self.s.templates.split())

    @torch.no_grad()
    def grow(self, model, weights):
        """Loads a file, which may have fewer tags and features than the model. The model's additional tags and features come last, and
        their weights start at zero. For an HMM, the file's probabilities are converted to counts, to which the counts of your own sentences
        are added."""
        own = model.state_dict()
        grown = {name: padded(w, own[name].shape) if name in own else w for name, w in weights.items()}
        super().grow(model, grown)
        if self.s.type == "hmm":
            count(model, self.lists(), self.examples, self.s.templates.split(), prior=HEAVY)

    def encode(self, examples, model, device="cpu"):
        lists, templates = self.lists(), self.s.templates.split()
        if (1 if self.s.first else len(templates)) != self.s.width:
            raise SystemExit("width is %d, of %d templates" % (self.s.width, len(templates)))
        number = {tag: i for i, tag in enumerate(lists.tags)}
        ids = [np.array(ids_of(features(words, templates, lists.clusters), lists.ids, self.s.first), np.int32) for words in examples[0]]
        return Sentences(examples[0], ids, [np.array([number.get(tag, -1) for tag in tags]) for tags in examples[1]])

    def batch(self, train, step, device):
        ids, tags, lengths = train.take(picks(self.s.seed, step, self.s.batch, len(train)), device)
        if self.s.drop:
            rng = np.random.default_rng([self.s.seed, step])
            mine = torch.tensor([any(part in ("word@0", "form@0") for part in t.split("|")) for t in self.s.templates.split()])
            forget = torch.from_numpy(rng.random(ids.shape[:2]) < self.s.drop)
            ids = ids * ~(forget[:, :, None] & mine)
        return ids, tags, lengths

    def nats(self, model, ids, tags, lengths):
        return model.nats(ids, tags, lengths)

    def prior(self, model):
        return self.s.precision / 2 * (model.feature.weight ** 2).sum() if self.s.precision else None

    def matrices(self, model):
        return [model.feature.weight]

    def forms(self, model, form):
        return []

    @property
    def elements(self):
        return 16                        # typical number of words per sentence

    def measures(self, model, valid, autocast, device, final):
        """Measures the accuracy of the tags of the validation words: for all words, and for words that do not occur in the training
        sentences."""
        known, right, total, unseen, unseen_right = set(self.lists().forms), 0, 0, 0, 0
        for at in range(0, len(valid) if final else min(len(valid), 400), 50):
            ids, tags, lengths = valid.take(slice(at, min(at + 50, len(valid))), device)
            hit = (model.best(ids, lengths) == tags).numpy()
            for row, n in enumerate(lengths.tolist()):
                new = np.array([fnv(w) not in known for w in valid.words[at + row]])
                right, total = right + hit[row, :n].sum(), total + n
                unseen, unseen_right = unseen + new.sum(), unseen_right + hit[row, :n][new].sum()
        return {"accuracy": 100.0 * right / total, "unseen": 100.0 * unseen_right / max(1, unseen)}

    def metadata(self, model):
        s, a = self.s, PREFIX
        m = {a + "type": s.type, a + "states": s.states, a + "features": s.features, a + "width": s.width, a + "context_length": 131072}
        if s.tags:
            m.update({a + "tags": s.tags.split(), a + "templates": s.templates.split()})
            return m
        lists = self.lists()
        signed = lambda values: [v - (1 << 32) if v >= 1 << 31 else v for v in values]
        m.update({a + "tags": lists.tags, a + "templates": s.templates.split(), a + "first": s.first,
                  a + "feature_hashes": signed(lists.hashes), a + "word_hashes": signed(lists.forms)})
        if len(lists.clusters):
            m.update({a + "cluster.hashes": signed(lists.cluster_hashes), a + "cluster.numbers": lists.cluster_numbers})
        return m

    def type_of(self, name, x, kind, **options):
        """Returns F16 for feature.weight unless F32 is requested, and F32 for the other tensors."""
        return gguf.F32 if name != "feature.weight" or kind == gguf.F32 else gguf.F16

    @staticmethod
    def settings_of(metadata, tensors):
        found = {key: metadata[PREFIX + key] for key in ("type", "states", "features", "width")}
        return dict(found, tags=" ".join(metadata[PREFIX + "tags"]))


@torch.no_grad()
def count(model, lists, examples, templates, smoothing=0.1, prior=0.0):
    """Sets an HMM's weights from counts. The examples are counted, and the file's probabilities are added as if they were counts of `prior`
    words per tag. Words that occur once also represent unseen words. Each such word is counted once as itself, and once more as an unseen
    word with the same form features."""
    number, C = {tag: i for i, tag in enumerate(lists.tags)}, len(lists.tags)
    start, end, step = np.full(C, smoothing), np.full(C, smoothing), np.full((C, C), smoothing)
    there = model.feature.weight.double().numpy()
    before = np.where(there.any(1, keepdims=True), np.exp(there), 0) * prior
    if prior:
        start, end, step = (a + prior * np.where(w != 0, np.exp(w), 0) for a, w in (
            (start, model.start.weight.double().numpy()), (end, model.end.weight.double().numpy()), (step, model.transition.weight.double().numpy())))
    seen, forms = np.zeros((model.c.features, C)), Counter(w for words in examples[0] for w in words)
    whole = sum(template.startswith(("form", "word")) for template in templates)
    for words, tags in zip(*examples):
        z = [number[tag] for tag in tags]
        start[z[0]] += 1
        end[z[-1]] += 1
        for a, b in zip(z, z[1:]):
            step[a, b] += 1
        for word, row, c in zip(words, features(words, templates, lists.clusters), z):
            row = [lists.ids.get(f, 0) if f is not None else 0 for f in row]
            seen[next((i for i in row if i), 0), c] += 1
            if forms[word] == 1:
                for i in row[whole:]:    # the form features of the word
                    seen[i, c] += 1
    seen += before
    total = seen.sum(0)
    tag = total / total.sum()
    given = seen + smoothing * tag       # mixes a little of p(tag) into p(tag | feature)
    model.feature.weight.copy_(torch.from_numpy(np.where(seen.sum(1, keepdims=True) > 0, np.log(given / total), 0)))
    leaving = step.sum(1) + end
    model.transition.weight.copy_(torch.from_numpy(np.log(step / leaving[:, None])))
    model.end.weight.copy_(torch.from_numpy(np.log(end / leaving)))
    model.start.weight.copy_(torch.from_numpy(np.log(start / start.sum())))
    model.feature.weight[0] = 0


TASK = ChainTask
