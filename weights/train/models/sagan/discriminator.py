# SPDX-License-Identifier: MIT
"""The discriminator, used only in training: D(x, y) = w . h(x) + e_y . h(x), where h sums over locations [Miyato and Koyama 2018], with
spectral normalisation.

    conv 3x3, ReLU, conv 4x4 stride 2 (in parallel: mean 2x2, conv 1x1) -> attention at half size -> blocks, each half as wide
      -> concatenation with deviations (twice as many channels) -> a block half as wide -> ReLU, sum

Two additions discourage mode collapse. First, the discriminator receives the standard deviation of each value over the pictures of the same
class in the batch [after Karras 2018, who uses the mean of the deviations]. Second, the discriminator also predicts the first values of the
latent, and the generator is trained to make this prediction easy [Chen 2016].
"""
import torch
import torch.nn.functional as F
from torch import nn

from models.sagan.layers import Attention, Conv, Linear


class Down(nn.Module):
    def __init__(self, into, out, first=False, stride=2, normed=True):
        super().__init__()
        self.first, self.stride = first, stride
        middle = out // 2 if first else into
        self.conv_0 = Conv(into, middle, normed=normed)
        self.conv_1 = Conv(middle, out, 4 if stride == 2 else 3, stride, normed=normed)
        self.skip = Conv(into, out, 1, normed=normed) if into != out else None

    def forward(self, x):
        h = self.conv_1(F.relu(self.conv_0(x if self.first else F.relu(x))))
        x = F.avg_pool2d(x, 2) if self.stride == 2 else x
        return h + (self.skip(x) if self.skip else x)


def deviation(x, group, groups):
    """Returns a tensor of shape (B, C, H, W): the standard deviation of each value over the pictures of the picture's group. x (B, C, H,
    W), group (B,)"""
    flat, member = x.float().flatten(1), F.one_hot(group, groups).float()
    share = (member / member.sum(0).clamp(min=1)).t()
    variance = share @ (flat - (share @ flat)[group]) ** 2
    return (variance + 1e-8).sqrt()[group].view_as(x).to(x.dtype)


class Discriminator(nn.Module):
    def __init__(self, channels, classes, attention, recalled, normed=True):
        super().__init__()
        self.classes = classes
        widths = (3,) + tuple(channels)
        self.blk = nn.ModuleList(Down(a, b, i == 0, normed=normed) for i, (a, b) in enumerate(zip(widths, channels)))
        self.attn = Attention(channels[0], channels[0] // 8, channels[0] // 2, True, normed) if attention else None
        self.last = Down(2 * channels[-1], channels[-1], stride=1, normed=normed)
        self.real = Linear(1, channels[-1], normed=normed)
        self.kind = Linear(classes, channels[-1], bias=False, normed=normed)
        self.recall = Linear(recalled, channels[-1], normed=False)

    def forward(self, x, label, drawn):
        """Maps pictures x (B, 3, H, W) in -1..1 to scores (B,) and predictions of the latent (B, recalled). label (B,): classes; drawn
        (B,): whether a picture is generated"""
        for i, block in enumerate(self.blk):
            x = block(x)
            if i == 0 and self.attn:
                x = self.attn(x)
        apart = deviation(x, label + self.classes * drawn, 2 * self.classes)
        h = F.relu(self.last(torch.cat([x, apart], 1))).float().sum((2, 3))
        with torch.autocast(h.device.type, enabled=False):
            return self.real(h)[:, 0] + (self.kind.matrix()[label] * h).sum(1), self.recall(h)
