# SPDX-License-Identifier: MIT
"""The coins as a task: pictures of two levels."""
from dataclasses import dataclass

from common import gguf
from common.settings import Settings as Common
from common.task import Task
from models.coins.model import Coins, Config


@dataclass
class Settings(Config, Common):
    dataset: str = "binarised_mnist"


class CoinsTask(Task):
    Settings = Settings
    architecture = "coins"

    def model(self):
        return Coins(Config(self.s.height, self.s.width))

    def metadata(self, model):
        a = "coins.image."
        return {a + "height": self.s.height, a + "width": self.s.width, a + "channels": 1, a + "levels": 2}

    def type_of(self, name, x, kind):
        return gguf.F32

    @staticmethod
    def settings_of(metadata, tensors):
        return {key: metadata["coins.image." + key] for key in ("height", "width")}


TASK = CoinsTask
