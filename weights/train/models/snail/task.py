# SPDX-License-Identifier: MIT
"""The task of SNAIL: episodes of characters. The number of ways (characters in an episode) grows during training."""
from dataclasses import dataclass, fields

import numpy as np
import torch
import torch.nn.functional as F

from common import gguf
from common.settings import Settings as Common
from common.task import Task
from models.snail.model import Config, Snail

PREFIX = "snail."
EPISODES = 2000                          # number of validation episodes
CALIBRATION = 1500                       # number of pictures from which the norms' statistics are computed


@dataclass
class Settings(Config, Common):
    dataset: str = "omniglot"
    pictures: int = 320                  # queries per batch; --batch is ignored
    first_ways: int = 5                  # number of ways (characters in an episode) at the beginning
    grow_from: int = 150                 # step from which the ways increase, up to `ways`
    grow_to: int = 800                   # step from which all ways are used
    beside: float = 1.0                  # weight of the additional loss, which only concerns the embeddings
    turn: float = 0.2                    # largest random rotation (radians), shear and change of scale of a training picture
    shift: float = 2.0                   # largest random shift in pixels


class Signs:
    """Drawings (number of characters, number of people who drew each character, height, width). For validation, an example is an episode
    with a fixed seed."""

    def __init__(self, drawings, ways, device):
        self.x, self.ways = torch.from_numpy(np.ascontiguousarray(drawings)).to(device), ways

    def __len__(self):
        return EPISODES

    def episodes(self, rng, count, ways, queries, shots=1):
        """Samples `count` episodes: support (B, N, H, W), labels (B, N), query (B, Q, H, W), truth (B, Q). The characters of an episode are
        distinct, their labels are in random order, and no drawing is used twice"""
        signs, drawers = self.x.shape[:2]
        ways = min(ways, signs)
        support, query, labels, truth = [], [], [], []
        for _ in range(count):
            sign = rng.permutation(signs)[:ways]
            shown = np.argsort(rng.random((ways, drawers)), 1)
            label = rng.permutation(ways)
            order = rng.permutation(ways * shots)
            support.append((np.repeat(sign, shots) * drawers + shown[:, :shots].reshape(-1))[order])
            labels.append(np.repeat(label, shots)[order])
            asked = np.resize(rng.permutation(ways), queries)
            query.append(sign[asked] * drawers + shown[asked, (shots + np.arange(queries) // ways) % drawers])
            truth.append(label[asked])
        flat = self.x.reshape((-1,) + self.x.shape[2:])
        pictures = lambda pick: flat[torch.from_numpy(np.stack(pick)).to(flat.device)]
        return pictures(support), torch.from_numpy(np.stack(labels)).long(), pictures(query), torch.from_numpy(np.stack(truth)).long()

    def take(self, pick, device):
        """Returns one episode for each index. An episode has one query, and each index has its own seed."""
        pick = range(*pick.indices(len(self))) if isinstance(pick, slice) else pick
        found = [self.episodes(np.random.default_rng([7, int(i)]), 1, min(self.ways, len(self.x)), 1) for i in pick]
        return tuple(torch.cat(part).to(device) for part in zip(*found))


class SnailTask(Task):
    Settings = Settings
    architecture = "snail"

    @staticmethod
    def smoke(settings):
        return dict(Task.smoke(settings), steps=4, pictures=24, ways=4, first_ways=3, grow_from=2, grow_to=4, label_length=32, kernels=(5, 3), strides=(4, 4),
                    channels=(32, 32), embedding_length=32, layers=2, dense_length=32, keys=(32, 32, 32), values=(32, 32, 32))

    @classmethod
    def adopted(cls, metadata, tensors):
        """Adopts a file's settings, except that the norms are not folded and that all ways are used from the first step."""
        return dict(super().adopted(metadata, tensors), folded=False, grow_from=0, grow_to=1)

    def grow(self, model, weights):
        """Loads a file. In a file, norms are folded into the convolutions, so the norms of the run start as identities. `Snail.unfold` then
        computes their statistics."""
        state = model.state_dict()
        for i in range(0 if model.c.folded else model.embd.count):
            at = "embd.%d." % i
            weights = dict(weights, **{at + key: state[at + key] for key in ("gain", "mean", "variance") if at + key not in weights})
        super().grow(model, weights)

    @torch.no_grad()
    def begin_on(self, model, train, device):
        if self.s.start and self.s.adopted:
            model.unfold(self.some(train))

    def turned(self, train):
        """Returns the training characters, rotated by quarter turns; each rotation counts as another character."""
        if not hasattr(train, "turned"):
            train.turned = Signs(np.concatenate([np.rot90(train.x.cpu().numpy(), k, (2, 3)) for k in range(4)]), self.s.ways, train.x.device)
        return train.turned

    def some(self, train):
        """Returns pictures (n, H, W) for the norms' statistics."""
        rng = np.random.default_rng(3)
        flat = self.turned(train).x
        flat = flat.reshape((-1,) + flat.shape[2:])
        pick = torch.from_numpy(rng.integers(0, len(flat), CALIBRATION)).to(flat.device)
        return self.distorted(flat[pick][None], rng)[0]

    def model(self):
        found = {f.name: getattr(self.s, f.name) for f in fields(Config)}
        return Snail(Config(**{k: tuple(v) if isinstance(v, (list, tuple)) else v for k, v in found.items()}))

    def encode(self, examples, model, device="cpu"):
        return Signs(examples[0], self.s.ways, device)

    def batch(self, train, step, device):
        s = self.s
        rng = np.random.default_rng([s.seed, step])
        grown = min(1.0, max(0.0, (step - s.grow_from) / max(1, s.grow_to - s.grow_from)))
        most = s.first_ways + int(round(grown * (s.ways - s.first_ways)))
        ways = most if rng.random() < 0.5 else int(rng.integers(min(s.first_ways, most), most + 1))
        shots = int(rng.integers(2, 4)) if grown >= 1 and ways * 3 <= s.ways and rng.random() < 0.3 else 1
        queries = 2 * ways if ways <= 10 else ways
        count = max(1, s.pictures // (ways * shots + queries))
        support, labels, query, truth = self.turned(train).episodes(rng, count, ways, queries, shots)
        return self.distorted(support, rng), labels, self.distorted(query, rng), truth

    def distorted(self, pictures, rng):
        """Converts bytes (B, n, H, W) to float32 and rotates, shears, scales and moves each picture by small random amounts."""
        s, (B, n, H, W) = self.s, pictures.shape
        x, count = pictures.reshape(-1, 1, H, W).float(), B * n
        angle, shear, move = (rng.uniform(-1, 1, (count, k)) for k in (1, 2, 2))
        angle, scale = angle[:, 0] * s.turn, np.exp(rng.uniform(-s.turn, s.turn, (count, 2)) / 1.5)
        a = np.stack([np.cos(angle) * scale[:, 0], -np.sin(angle) + shear[:, 0] * s.turn, move[:, 0] * 2 * s.shift / W,
                      np.sin(angle) + shear[:, 1] * s.turn, np.cos(angle) * scale[:, 1], move[:, 1] * 2 * s.shift / H], 1)
        a = torch.from_numpy(a.reshape(-1, 2, 3)).float().to(x.device)
        return F.grid_sample(x, F.affine_grid(a, x.shape, align_corners=False), align_corners=False).reshape(B, n, H, W)

    def nats(self, model, *batch):
        return model.nats(*batch, beside=self.s.beside if model.training else 0.0)

    def settle(self, average, train, device):
        """Computes the norms' statistics with the averaged weights, on training pictures."""
        average.calibrate(self.some(train))

    @property
    def elements(self):
        return 1

    @torch.no_grad()
    def measures(self, model, valid, autocast, device, final):
        """Measures the one-shot accuracy on validation alphabets: with 5 ways, and with the full number of ways."""
        found = {}
        for ways in (5, self.s.ways):
            if ways > len(valid.x):
                continue
            right, total = 0, 0
            for i in range(20 if final else 6):
                support, labels, query, truth = valid.episodes(np.random.default_rng([9, ways, i]), 20, ways, ways)
                with autocast():
                    right += int((model(support, labels, query).argmax(2) == truth).sum())
                total += truth.numel()
            found["%d_way" % ways] = 100.0 * right / total
        return found

    def folded(self, model):
        if model.c.folded:
            return model
        plain = Snail(Config(**dict({f.name: getattr(model.c, f.name) for f in fields(Config)}, folded=True)))
        state = {k: v for k, v in model.state_dict().items() if not k.endswith((".gain", ".mean", ".variance"))}
        for i in range(model.embd.count):
            name = "embd.%d." % i
            state[name + "weight"], state[name + "bias"] = getattr(model.embd, str(i)).fold()
        plain.load_state_dict(state)
        return plain

    def metadata(self, model):
        c, a = model.c, PREFIX
        many = lambda x: [int(v) for v in x]
        return {a + "image.height": c.height, a + "image.width": c.width, a + "ways": c.ways, a + "label_length": c.label_length,
                a + "kernels": many(c.kernels), a + "strides": many(c.strides), a + "embedding_length": c.embedding_length,
                a + "layers": c.layers, a + "dense_length": c.dense_length, a + "key_length": many(c.keys), a + "value_length": many(c.values)}

    def matrices(self, model):
        return [p for name, p in model.named_parameters() if p.dim() == 2 and not p.shape[1] % 32]

    @staticmethod
    def settings_of(metadata, tensors):
        m = {key[len(PREFIX):]: v for key, v in metadata.items() if key.startswith(PREFIX)}
        n = len(m["kernels"])
        return dict(height=m["image.height"], width=m["image.width"], ways=m["ways"], label_length=m["label_length"], kernels=tuple(m["kernels"]),
                    strides=tuple(m["strides"]), channels=tuple(tensors["embd.%d.bias" % i].shape[0] for i in range(n)),
                    embedding_length=m["embedding_length"], layers=m["layers"], dense_length=m["dense_length"], keys=tuple(m["key_length"]),
                    values=tuple(m["value_length"]), folded=True)


TASK = SnailTask
