# SPDX-License-Identifier: MIT
"""SNAIL [Mishra, Rohaninejad, Chen and Abbeel 2018], which classifies characters, given one example of each.

A sequence consists of the examples (embedding of the picture, one-hot label), then the query (embedding, zeros); the output at the query is
the label.  Each layer appends channels to its input x (T, C):

    dense(x, R, D)      tanh(W_f [x_{t-R}; x_t] + b_f) sigma(W_g [x_{t-R}; x_t] + b_g)        D channels; x_t = 0 for t < 0
    tc(x, D)            dense(x, 2^i, D), i = 1 .. layers                                        layers D channels
    attention(x, k, v)  softmax(q_t . k_s / sqrt(k)) over keys s <= t, of the values             v channels

    attention 0, tc 0, attention 1, tc 1, attention 2, output

The embedding consists of convolutions with batch norm and relu, and of a linear map of the final feature map. The convolutions have
strides, whereas the paper uses pooling. Queries share the examples and do not see each other: each is at the position after the last
example, so the examples are computed once.

In the file, the norms are folded into the convolutions (`folded`).  A convolution's weight is (out, taps x in), taps row by row.
"""
import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

from common.settings import of_file

EPS, MOMENTUM = 1e-5, 0.05


@dataclass
class Config:
    """Hyper-parameters, named as in the weight file's metadata."""
    height: int = 28
    width: int = 28
    ways: int = 20                       # number of labels
    label_length: int = 32               # channels of a label, at least the number of labels
    kernels: tuple = (5, 3, 3, 3)
    strides: tuple = (2, 2, 1, 2)
    channels: tuple = (64, 96, 96, 128)
    embedding_length: int = 64
    layers: int = 5                      # layers of a temporal convolution, which reaches back 2 + 4 + .. + 2^layers positions
    dense_length: int = 64               # D
    keys: tuple = (64, 128, 256)
    values: tuple = (32, 64, 128)
    folded: bool = of_file(False)


def wide(x):
    """Returns x in at least single precision."""
    return x if x.dtype == torch.float64 else x.float()


class Convolution(nn.Module):
    """Maps x (B, in, H, W) to relu(norm(W * x)), with zeros outside; folded: relu(W * x + b)"""

    def __init__(self, inputs, outputs, kernel, stride, folded):
        super().__init__()
        self.kernel, self.stride, self.folded = kernel, stride, folded
        self.weight = nn.Parameter(torch.randn(outputs, kernel * kernel * inputs) * math.sqrt(2 / (kernel * kernel * inputs)))
        self.bias = nn.Parameter(torch.zeros(outputs))
        if not folded:
            self.gain = nn.Parameter(torch.ones(outputs))
            self.register_buffer("mean", torch.zeros(outputs))
            self.register_buffer("variance", torch.ones(outputs))

    def forward(self, x):
        weight = self.weight.view(len(self.weight), self.kernel, self.kernel, -1).permute(0, 3, 1, 2)
        x = F.conv2d(x, weight, self.bias if self.folded else None, self.stride, (self.kernel - 1) // 2)
        if not self.folded:
            x = F.batch_norm(x, self.mean, self.variance, self.gain, self.bias, self.training, MOMENTUM, EPS)
        return F.relu(x)

    def fold(self):
        """Returns weight and bias of the folded convolution"""
        scale = self.gain / (self.variance + EPS).sqrt()
        return self.weight * scale[:, None], self.bias - self.mean * scale


class Embedding(nn.Module):
    def __init__(self, c):
        super().__init__()
        rows, columns, inputs = c.height, c.width, 1
        for i, (kernel, stride, outputs) in enumerate(zip(c.kernels, c.strides, c.channels)):
            setattr(self, str(i), Convolution(inputs, outputs, kernel, stride, c.folded))
            rows, columns, inputs = -(-rows // stride), -(-columns // stride), outputs
        self.count = len(c.kernels)
        self.out = nn.Linear(rows * columns * inputs, c.embedding_length)

    def forward(self, pictures):
        """Embeds pictures: bytes of shape (..., H, W), in which ink is 255. Returns (..., e)"""
        x = pictures.reshape((-1, 1) + pictures.shape[-2:]).to(self.out.weight.dtype).div(255).contiguous(memory_format=torch.channels_last)
        for i in range(self.count):
            x = getattr(self, str(i))(x)
        return self.out(x.permute(0, 2, 3, 1).flatten(1)).view(pictures.shape[:-2] + (-1,))


class Dense(nn.Module):
    def __init__(self, length, D, reach):
        super().__init__()
        self.reach = reach
        self.gate = nn.Linear(2 * length, 2 * D)         # rows: f, then g; columns: x_{t-R}, then x_t

    def forward(self, x, y):
        """Computes the layer for the examples x (B, N, C) and the queries y (B, Q, C), each at position N"""
        N = x.shape[1]
        before = F.pad(x, (0, 0, self.reach, 0))                                     # row t: the input at position t - R
        last = before[:, N:N + 1].expand(-1, y.shape[1], -1)
        f, g = self.gate(torch.cat([torch.cat([before[:, :N], x], 2), torch.cat([last, y], 2)], 1)).chunk(2, 2)
        new = f.tanh() * g.sigmoid()
        return torch.cat([x, new[:, :N]], 2), torch.cat([y, new[:, N:]], 2)


class Attention(nn.Module):
    def __init__(self, length, k, v):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(length, k), nn.Linear(length, k), nn.Linear(length, v)

    def weights(self, x, y):
        """Returns the attention weights: for the examples (B, N, N), for queries (B, Q, N + 1), where the last column is the query
        itself"""
        N, scale = x.shape[1], 1 / math.sqrt(self.k.out_features)
        qx, kx, qy, ky = self.q(x), self.k(x), self.q(y), self.k(y)
        later = torch.ones(N, N, dtype=torch.bool, device=x.device).triu(1)
        inside = wide(qx @ kx.transpose(1, 2) * scale).masked_fill(later, -math.inf).softmax(2)
        beside = wide(torch.cat([qy @ kx.transpose(1, 2), (qy * ky).sum(2, keepdim=True)], 2) * scale).softmax(2)
        return inside, beside

    def forward(self, x, y):
        inside, beside = self.weights(x, y)
        vx, vy = self.v(x), self.v(y)
        read = beside[:, :, :-1].to(vx.dtype) @ vx + beside[:, :, -1:].to(vy.dtype) * vy
        return torch.cat([x, inside.to(vx.dtype) @ vx], 2), torch.cat([y, read], 2)


class Snail(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = c
        self.embd = Embedding(c)
        blocks, length = [], c.embedding_length + c.label_length
        for i, (k, v) in enumerate(zip(c.keys, c.values)):
            block = nn.Module()
            block.attn = Attention(length, k, v)
            length += v
            for j in range(c.layers if i + 1 < len(c.keys) else 0):
                setattr(block, str(j), Dense(length, c.dense_length, 2 ** (j + 1)))
                length += c.dense_length
            blocks.append(block)
        self.blk = nn.ModuleList(blocks)
        self.output = nn.Linear(length, c.ways)

    def sequence(self, support, labels, query):
        """Returns the inputs of the first layer, which are embeddings joined with labels: (B, N, C) for the examples and (B, Q, C) for the
        queries. The labels of queries are zeros. Also returns the embeddings without labels"""
        N, e = support.shape[1], self.embd(torch.cat([support, query], 1))
        told = F.one_hot(labels, self.c.label_length).to(e.dtype)
        x, y = e[:, :N], e[:, N:]
        return torch.cat([x, told], 2), F.pad(y, (0, self.c.label_length)), x, y

    def layers(self):
        """Returns [(attention, [dense])], one pair per block"""
        return [(b.attn, [getattr(b, str(j)) for j in range(self.c.layers if i + 1 < len(self.blk) else 0)]) for i, b in enumerate(self.blk)]

    def forward(self, support, labels, query, maps=None):
        """Classifies the queries: support (B, N, H, W), labels (B, N), query (B, Q, H, W) -> log p (B, Q, ways), -inf for labels without an
        example; maps: a list that receives the weights of the queries"""
        return self.answer(*self.sequence(support, labels, query)[:2], labels, maps)

    def answer(self, x, y, labels, maps=None):
        for attention, dense in self.layers():
            if maps is not None:
                maps.append(attention.weights(x, y)[1])
            x, y = attention(x, y)
            for layer in dense:
                x, y = layer(x, y)
        there = F.one_hot(labels, self.c.ways).sum(1, keepdim=True) > 0
        return wide(self.output(y)).masked_fill(~there, -math.inf).log_softmax(2)

    def nats(self, support, labels, query, truth, beside=0.0):
        """Returns a tensor of shape (B,): the mean -log p of the queries' labels `truth` (B, Q). beside: weight of an additional loss. The
        additional loss is that of prototypical networks [Snell et al. 2017] with one example per class: the cross-entropy of a softmax over
        -|e_q - e_s|^2 / 8, where e_q and e_s are the embeddings of a query and of an example."""
        x, y, ex, ey = self.sequence(support, labels, query)
        loss = -self.answer(x, y, labels).gather(2, truth[:, :, None])[:, :, 0]
        if beside:
            near = -torch.cdist(ey.float(), ex.float()).square().div(8)
            mine = (truth[:, :, None] == labels[:, None, :])
            near = torch.logsumexp(near, 2) - torch.logsumexp(near.masked_fill(~mine, -math.inf), 2)
            loss = loss + beside * near
        return loss.mean(1)

    @torch.no_grad()
    def unfold(self, pictures):
        """Converts the folded convolutions of a file to convolutions with norms. The statistics of the norms are computed from these
        pictures (n, H, W). The network's outputs stay the same."""
        x = pictures[:, None].to(self.output.weight.dtype).div(255).contiguous(memory_format=torch.channels_last)
        for i in range(self.embd.count):
            layer = getattr(self.embd, str(i))
            weight = layer.weight.view(len(layer.weight), layer.kernel, layer.kernel, -1).permute(0, 3, 1, 2)
            h = F.conv2d(x, weight, None, layer.stride, (layer.kernel - 1) // 2)
            mean, variance = h.mean((0, 2, 3)), h.var((0, 2, 3), unbiased=False)
            x = F.relu(h + layer.bias[None, :, None, None])
            layer.mean.copy_(mean), layer.variance.copy_(variance), layer.gain.copy_((variance + EPS).sqrt())
            layer.bias.add_(mean)

    @torch.no_grad()
    def calibrate(self, pictures):
        """Recomputes the norms' statistics from these pictures (n, H, W)."""
        global MOMENTUM
        training, momentum = self.training, MOMENTUM
        self.train()
        MOMENTUM = 1.0
        self.embd(pictures)
        MOMENTUM = momentum
        self.train(training)
