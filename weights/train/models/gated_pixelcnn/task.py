# SPDX-License-Identifier: MIT
"""The task of gated PixelCNN: the task of PixelCNN, with classes as a second input."""
from dataclasses import dataclass

import numpy as np
import torch

from common.settings import Settings as Common
from models.gated_pixelcnn.model import Config, GatedPixelCNN
from models.pixelcnn.task import PixelCNNTask


@dataclass
class Settings(Config, Common):
    dataset: str = "binarised_mnist"
    class_drop: float = 0.5              # probability of dropping the class of a picture


class GatedPixelCNNTask(PixelCNNTask):
    Settings, Config, Model = Settings, Config, GatedPixelCNN
    architecture = "gated-pixelcnn"

    def grow(self, model, weights):
        """Loads a file. If the file's vertical stack does not read the pixel's own row, the taps of that row start at zero, so the model
        computes the same function."""
        for name, w in model.state_dict().items():
            if name.endswith("vertical.weight") and name in weights and weights[name].shape[1] < w.shape[1]:
                weights[name] = torch.nn.functional.pad(weights[name], (0, w.shape[1] - weights[name].shape[1]))
        super().grow(model, weights)

    def batch(self, train, step, device):
        x, label = super().batch(train, step, device)
        drop = np.random.default_rng([self.s.seed, step, 1]).random(len(x)) < self.s.class_drop
        label[torch.from_numpy(drop).to(device)] = -1
        return x, label

    def views(self, x, label):
        return {"": (x, torch.full_like(label, -1)), "class": (x, label)} if self.s.classes else {"": (x, label)}

    def card_metadata(self, model, card):
        classes = model.c.classes
        return {self.prefix + "classes": card.get("class_names") or [str(i) for i in range(classes)]} if classes else {}

    @classmethod
    def settings_of(cls, metadata, tensors):
        found = dict(super().settings_of(metadata, tensors), classes=len(metadata.get("gated-pixelcnn.classes", ())))
        k, taps = found["kernel"], tensors["blk.0.vertical.weight"].shape[1] // found["embedding_length"]
        return dict(found, own_row=taps > k // 2 * k)


TASK = GatedPixelCNNTask
