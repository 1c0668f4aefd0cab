# SPDX-License-Identifier: MIT
"""The task of the GAN. A step (`update`) trains the discriminator, then the generator, each with its own loss and optimiser, on the same
generated pictures:

    L_D = E[max(0, 1 - D(x, y))] + E[max(0, 1 + D(G(z, y), y))] + recall L_z        L_G = -E[D(G(z, y), y)] + recall L_z

L_z: the mean squared error of D's prediction of the first values of z.
"""
from dataclasses import dataclass, fields

import numpy as np
import torch
import torch.nn.functional as F

from common import gguf
from common.png import mosaic
from common.settings import Settings as Common
from common.runs import Run
from common.adopted import rows
from common.task import Misfit, Task
from data.emoji_kinds import CLASSES, MIRRORED
from models.sagan.augment import augment
from models.sagan.discriminator import Discriminator
from models.sagan.model import Config, Folded, Generator

PREFIX = "sagan."
SETTLE = 16                              # number of batches whose statistics are averaged


@dataclass
class Settings(Config, Common):
    dataset: str = "emoji_kinds"
    critic: tuple = (64, 96, 96)         # channels of the discriminator's blocks
    critic_lr: float = 6e-4              # the discriminator's learning rate; the generator's is lr (two time scales)
    normed: str = "both"                 # networks with spectral normalisation: both | critic | none
    flip: bool = True                    # mirrors half of the pictures, except the kinds that must not be mirrored
    augmented: bool = True
    recalled: int = 16                   # number of latent values that the discriminator predicts
    recall: float = 0.5
    # A file contains no discriminator. So a run that starts from a file trains a new discriminator. The generator's learning rate reaches
    # its full value only after this many steps, so that the discriminator can catch up.
    critic_first: int = 60
    begun: str = ""                      # an earlier run, perhaps without attention, whose two networks this run starts with


class Pictures:
    """Pictures (N, 3, H, W) uint8, their labels, and which of them must not be mirrored."""

    def __init__(self, images, labels, classes, device):
        y = np.maximum(np.array(labels, np.int64), 0) % classes
        self.x, self.y = torch.from_numpy(np.ascontiguousarray(images)).to(device), torch.from_numpy(y).to(device)
        self.of = [np.flatnonzero(y == k) for k in range(classes)]

    def __len__(self):
        return len(self.x)

    def take(self, pick, device):
        pick = pick if isinstance(pick, slice) else torch.from_numpy(np.asarray(pick)).to(self.x.device)
        return self.x[pick].to(device).permute(0, 3, 1, 2).float() / 127.5 - 1, self.y[pick].to(device)


class SaganTask(Task):
    Settings = Settings
    architecture = "sagan"
    unit = "hinge"
    every_class = True
    first = None                         # the checkpoint that this run starts from

    @staticmethod
    def smoke(settings):
        return dict(Task.smoke(settings), height=16, channels=(32, 32, 32), latent_length=32, critic=(32, 32), attention_size=settings.get("attention_size", 16) and 8,
                    attention_value=32)

    @property
    def width(self):
        return self.s.height

    def config(self):
        return Config(**{f.name: getattr(self.s, f.name) for f in fields(Config)})

    def model(self):
        return Generator(self.config(), self.s.normed == "both")

    def fresh(self, name):
        """Selects gamma for `fresh_rate`: gamma starts at zero, and attention learns nothing until gamma has grown"""
        return name.endswith("attn.gain")

    def relabelled(self, weights, metadata):
        """Adapts the norms, which have one row per class, to other classes."""
        old, new = tuple(metadata[PREFIX + "classes"]), tuple(self.s.class_names)
        if old == new or len(new) != self.s.classes:
            return weights
        return {name: rows(w, old, new) if "norm" in name else w for name, w in weights.items()}

    def grow(self, model, weights):
        if any("norm" in name and len(w) != self.s.classes for name, w in weights.items()):
            raise Misfit("the file has other classes")
        missing = [name for name in Folded(self.config()).state_dict() if name not in weights]
        if missing:
            raise Misfit("the file has no %s" % ", ".join(missing[:3]))
        model.unfold(weights)

    # both networks

    def begin(self, model, examples):
        if self.s.begun:
            self.first = torch.load(Run(self.s.begun).checkpoint, map_location="cpu")
        if self.first:
            model.load_state_dict(self.first["model"], strict=False)     # if the checkpoint lacks attention, gamma starts at 0

    def ready(self, model, average, device):
        s = self.s
        if not hasattr(self, "critic"):
            self.critic = Discriminator(s.critic, s.classes, s.attention_size > 0, s.recalled, s.normed != "none").to(device)
            groups = {True: [], False: []}
            for name, p in self.critic.named_parameters():
                groups[self.fresh(name)].append(p)
            self.critic_adam = torch.optim.Adam([dict(params=groups[fresh], rate=s.fresh_rate if fresh else 1.0) for fresh in groups if groups[fresh]],
                                                lr=s.critic_lr, betas=(s.beta1, s.beta2), eps=1e-8)
        if self.first:
            average.load_state_dict(self.first["average"], strict=False), self.critic.load_state_dict(self.first["beside"]["critic"], strict=False)

    def beside(self):
        """Returns the parts of a checkpoint that belong to the discriminator."""
        return dict(critic=self.critic.state_dict(), critic_adam=self.critic_adam.state_dict())

    def restore(self, beside):
        self.critic.load_state_dict(beside["critic"]), self.critic_adam.load_state_dict(beside["critic_adam"])

    def update(self, trainer, batch, rate):
        """Trains both networks for one step and returns the discriminator's loss, which is near 2 until the discriminator has learned
        something. rate: factor of the learning rates, 0..1"""
        s, (x, y), critic, G = self.s, batch, self.critic, trainer.model
        known = min(1.0, (trainer.count + 1) / s.critic_first) ** 2 if s.start and s.critic_first else 1.0
        for adam, lr in ((self.critic_adam, s.critic_lr), (trainer.adam, s.lr * known)):
            for group in adam.param_groups:
                group["lr"] = lr * rate * group["rate"]
        rng = torch.Generator().manual_seed(int(np.random.default_rng([s.seed, trainer.count, 5]).integers(1 << 62)))
        changed = (lambda x: augment(x, rng)) if s.augmented else (lambda x: x)
        z, real, drawn = torch.randn(len(y), s.latent_length, generator=rng).to(y.device), torch.zeros_like(y), torch.ones_like(y)
        missed = lambda guess: s.recall * F.mse_loss(guess, z[:, :s.recalled])
        with trainer.autocast():
            fake = G(z, y)
        for p in critic.parameters():
            p.requires_grad_(True)
        seen = changed(torch.cat([x, fake.detach().float()]))
        with trainer.autocast():
            score, guess = critic(seen, y.repeat(2), torch.cat([real, drawn]))
        loss = F.relu(1 - score[:len(y)]).mean() + F.relu(1 + score[len(y):]).mean()
        told = missed(guess[len(y):])
        self.critic_adam.zero_grad(set_to_none=True)
        (loss + told).backward()
        self.critic_adam.step()
        for p in critic.parameters():
            p.requires_grad_(False)
        seen = changed(fake.float())
        with trainer.autocast():
            score, guess = critic(seen, y, drawn)
        trainer.model.zero_grad(set_to_none=True)
        (missed(guess) - score.mean()).backward()
        trainer.adam.step()
        return loss.detach()

    @torch.no_grad()
    def settle(self, average, training, device):
        average.settle(SETTLE)

    # data

    @property
    def shape(self):
        return self.s.height, self.s.height, 3

    def encode(self, examples, model, device="cpu"):
        return Pictures(*examples, self.s.classes, device)

    def batch(self, train, step, device):
        """Returns a batch with the same number of pictures of each kind, without the kinds that have no pictures. Pictures are mirrored at
        random."""
        s, rng = self.s, np.random.default_rng([self.s.seed, step])
        kinds = [of for of in train.of if len(of)]
        pick = np.array([rng.choice(kinds[k % len(kinds)]) for k in rng.permutation(max(s.batch, len(kinds)))[:s.batch]])
        x, y = train.take(pick, device)
        if s.flip:
            kept = torch.tensor(MIRRORED if tuple(s.class_names) == tuple(CLASSES) or not s.class_names else [True] * s.classes, device=device)
            flip = torch.from_numpy(rng.random(len(y)) < 0.5).to(device) & kept[y]
            x = torch.where(flip[:, None, None, None], x.flip(3), x)
        return x.contiguous(memory_format=torch.channels_last), y

    def nats(self, model, x, y):
        """Returns a tensor of shape (B,): the squared distance of each picture from the output for the latent 0. A GAN has no likelihood,
        so this distance serves to compare an exported file with the model that was trained."""
        return ((model(torch.zeros(len(y), self.s.latent_length, device=y.device), y).float() - x) ** 2).flatten(1).sum(1)

    def views(self, *batch):
        """Returns no views, because a GAN has no likelihood."""
        return {}

    @property
    def elements(self):
        return 1

    def measures(self, model, valid, autocast, device, final):
        return {"gamma": float(model.attn.gain)} if self.s.attention_size else {}

    @torch.no_grad()
    def sheet(self, model, valid, path, autocast, device, final):
        """Draws eight pictures of each class. All pictures of a column use the same latent."""
        s = self.s
        z = torch.randn(12, s.latent_length, generator=torch.Generator().manual_seed(0)).to(device).repeat(s.classes, 1)
        y = torch.arange(s.classes, device=device).repeat_interleave(12)
        x = model(z, y).float().clamp(-1, 1)
        tiles = ((x + 1) * 127.5).round().byte().permute(0, 2, 3, 1).cpu().numpy()
        mosaic(path, tiles.reshape(s.classes, 12, s.height, s.height, 3))

    # the file

    def folded(self, model):
        if not isinstance(model, Generator):
            return model
        folded = Folded(model.c)
        folded.load_state_dict(model.folded())
        return folded

    def reader(self):
        return Folded(self.config())

    def metadata(self, model):
        c, a = model.c, PREFIX
        m = {a + "image.height": c.height, a + "image.width": c.height, a + "image.channels": 3, a + "latent_length": c.latent_length, a + "channels": list(c.channels)}
        if c.attention_size:
            m.update({a + "attention.size": c.attention_size, a + "attention.pool": int(c.attention_pool),
                      a + "attention.key_length": c.attention_key, a + "attention.value_length": c.attention_value})
        return m

    def card_metadata(self, model, card):
        return {PREFIX + "classes": card.get("class_names") or [str(k) for k in range(model.c.classes)]}

    def type_of(self, name, x, kind):
        """Returns the requested type for matrices (at least F16 for the matrices of attention and of the last convolution), and F32 for
        tables and vectors."""
        if x.ndim != 2 or "norm" in name or kind == gguf.F32:
            return gguf.F32
        if name.startswith(("output", "attn")) or x.shape[1] % 32:
            return gguf.F16
        return kind

    @staticmethod
    def settings_of(metadata, tensors):
        m = {key[len(PREFIX):]: v for key, v in metadata.items() if key.startswith(PREFIX)}
        return dict(height=m["image.height"], latent_length=m["latent_length"], channels=tuple(m["channels"]), classes=len(m["classes"]),
                    attention_size=m.get("attention.size", 0), attention_pool=bool(m.get("attention.pool", 0)),
                    attention_key=m.get("attention.key_length", 0), attention_value=m.get("attention.value_length", 0))


TASK = SaganTask
