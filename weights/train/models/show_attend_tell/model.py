# SPDX-License-Identifier: MIT
"""Show, attend and tell [Xu, Ba, Kiros, Cho, Courville, Salakhutdinov, Zemel and Bengio 2015]: describes a picture in a sentence, word by
word, and attends to one part of the picture for each word.

    encoder     a_i = conv(picture)_i + position_i,   i = 1 .. L cells, relu after each convolution, zeros outside; the picture is (255 - byte) / 255
    start       h = tanh(W_h mean_i a_i + b_h),   c = tanh(W_c mean_i a_i + b_c)
    attention   alpha_p = softmax_i(v . tanh(W_k a_i + W_q h_{p-1}))
    soft        z_p = sum_i alpha_pi a_i
    hard        z_p = a_s,   s drawn from alpha_p
    selector    z_p <- sigmoid(w . h_{p-1} + b) z_p
    cell        gates i, f, o, g = W [y_p; z_p; h_{p-1}] + b;  c_p = sigmoid(f) c_{p-1} + sigmoid(i) tanh(g);  h_p = sigmoid(o) tanh(c_p)
    word        logits_p = W_o tanh(W_t [h_p; z_p; y_p] + b_t) + b_o,       y_p = token_embd[word p-1], zeros at p = 0

Soft attention is trained with the loss -log p(words) + spread * sum_i (1 - sum_p alpha_pi)^2, where `spread` is a setting.  Hard attention
samples locations, which is not differentiable. Training therefore adds two terms to the gradient of -log p(words | locations):

    the gradient of (R_p - baseline_p) log alpha_p(s_p), where R_p is -log p of the words from p on, and the
        baseline is the moving average of R_p
    the gradient of an entropy bonus

Half of the batches use the expectation instead of samples (section 4.1 of the paper).

The file:

    general.architecture                        "show-attend-tell"
    show-attend-tell.context_length             u32   maximum number of ids of a sentence, end included
    show-attend-tell.image.{height,width}       u32   of the picture
    show-attend-tell.image.channels             u32   3
    show-attend-tell.kernels, .strides          u32 arrays, one per convolution; kernels are odd, with (k - 1) / 2 zeros around
    show-attend-tell.embedding_length           u32   E, width of a word vector; a multiple of 4, like the next three
    show-attend-tell.state_length               u32   H
    show-attend-tell.head_length                u32   T
    show-attend-tell.attention.length           u32   A
    show-attend-tell.attention.type             "soft" | "hard"
    show-attend-tell.attention.selector         u32   0 | 1
    show-attend-tell.words                      V strings, one per id; "" is the end, tokenizer.ggml.eos_token_id

    enc.blk.N.{weight,bias}                     (channels, taps x channels before), taps row by row
    position.weight                             (L, D), D the channels of the last convolution
    init_h.{weight,bias}, init_c.{weight,bias}  (H, D), (H)
    attn_k.weight, attn_q.weight, attn_v.weight (A, D), (A, H), (A)
    selector.{weight,bias}                      (1, H), (1)
    token_embd.weight                           (V, E)
    cell.{weight,bias}                          (4 H, E + D + H), (4 H)
    head.{weight,bias}                          (T, H + D + E), (T)
    output.{weight,bias}                        (V, T), (V)

Shapes: B pictures, n positions, L cells.
"""
import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

PADDING = -1


@dataclass
class Config:
    """Hyper-parameters, named as in the weight file's metadata."""
    values: int = 256                    # V
    context_length: int = 16
    height: int = 64
    width: int = 64
    kernels: tuple = (5, 3, 3, 3, 3)
    strides: tuple = (2, 2, 2, 1, 1)
    channels: tuple = (32, 64, 128, 128, 128)
    embedding_length: int = 96           # E
    state_length: int = 224              # H
    head_length: int = 128               # T
    attention_length: int = 64           # A
    attention: str = "soft"              # "soft" | "hard"
    selector: bool = True


class Convolution(nn.Module):
    """Computes relu(W * x + b) of x (B, in, H, W)"""

    def __init__(self, inputs, outputs, kernel, stride):
        super().__init__()
        self.kernel, self.stride = kernel, stride
        self.weight = nn.Parameter(torch.randn(outputs, kernel * kernel * inputs) * math.sqrt(2 / (kernel * kernel * inputs)))
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x):
        weight = self.weight.view(len(self.weight), self.kernel, self.kernel, -1).permute(0, 3, 1, 2)
        return F.relu(F.conv2d(x, weight, self.bias, self.stride, (self.kernel - 1) // 2))


class Encoder(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.blk, inputs = nn.ModuleList(), 3
        for kernel, stride, outputs in zip(c.kernels, c.strides, c.channels):
            self.blk.append(Convolution(inputs, outputs, kernel, stride))
            inputs = outputs

    def forward(self, pictures):
        """Encodes pictures (B, H, W, 3), 0..255, as annotations (B, L, D)"""
        x = 1 - pictures.to(self.blk[0].weight.dtype) / 255
        x = x.permute(0, 3, 1, 2)        # in memory the channels stay last
        for layer in self.blk:
            x = layer(x)
        return x.permute(0, 2, 3, 1).flatten(1, 2)


class Table(nn.Module):
    def __init__(self, *shape, spread):
        super().__init__()
        self.weight = nn.Parameter(spread * torch.randn(shape))


def draw(log_alpha):
    """Samples locations (B,), given the logarithms of the weights (B, L)."""
    return torch.distributions.Categorical(logits=log_alpha).sample()


def grid(c):
    """Returns the number of rows and columns of cells."""
    rows, columns = c.height, c.width
    for stride in c.strides:
        rows, columns = -(-rows // stride), -(-columns // stride)
    return rows, columns


class ShowAttendTell(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c, D, H, E = c, c.channels[-1], c.state_length, c.embedding_length
        rows, columns = grid(c)
        self.enc = Encoder(c)
        self.position = Table(rows * columns, D, spread=0.3)
        self.init_h, self.init_c = nn.Linear(D, H), nn.Linear(D, H)
        self.attn_k, self.attn_q = nn.Linear(D, c.attention_length, bias=False), nn.Linear(H, c.attention_length, bias=False)
        self.attn_v = Table(c.attention_length, spread=1 / math.sqrt(c.attention_length))
        if c.selector:
            self.selector = nn.Linear(H, 1)
        self.token_embd = Table(c.values, E, spread=1.0)
        self.cell = nn.Linear(E + D + H, 4 * H)
        self.head = nn.Linear(H + D + E, c.head_length)
        self.output = nn.Linear(c.head_length, c.values)
        with torch.no_grad():
            self.cell.bias[H:2 * H] += 1                 # with this bias, the cell keeps its content at first

    def encode(self, pictures):
        """Encodes pictures -> (annotations (B, L, D), their keys (B, L, A), initial h (B, H), initial c (B, H))"""
        a = self.enc(pictures)
        a = (a if a.dtype == torch.float64 else a.float()) + self.position.weight
        mean, keys = a.mean(1), self.attn_k(a)
        c = torch.tanh(self.init_c(mean))
        return a.to(keys.dtype), keys, torch.tanh(self.init_h(mean)), c if c.dtype == torch.float64 else c.float()

    def rows(self, ids):
        """Embeds the word before each position: (B, n) -> (B, n, E)"""
        y = self.token_embd.weight[ids[:, :-1].clamp(min=0)]
        return F.pad(y, (0, 0, 1, 0))

    def look(self, keys, h):
        """Returns the logarithms of the attention weights (B, L)"""
        scores = torch.tanh(keys + self.attn_q(h)[:, None]) @ self.attn_v.weight.to(keys.dtype)
        return (scores if scores.dtype == torch.float64 else scores.float()).log_softmax(-1)

    def context(self, a, log_alpha, h, draw):
        """Returns the context z (B, D) and the locations. draw: a function from log alpha (B, L) to locations (B,); None: z is the
        expectation"""
        place = draw(log_alpha) if draw else None
        z = a[torch.arange(len(a), device=a.device), place] if draw else (log_alpha.exp().to(a.dtype)[:, None] @ a)[:, 0]
        return (torch.sigmoid(self.selector(h)).to(z.dtype) * z if self.c.selector else z), place

    def step(self, y, memory, h, c, draw):
        """Computes one step: y (B, E) -> h, c, z, log alpha, locations"""
        a, keys = memory
        log_alpha = self.look(keys, h)
        z, place = self.context(a, log_alpha, h, draw)
        i, f, o, g = self.cell(torch.cat([y, z.to(y.dtype), h.to(y.dtype)], -1)).to(c.dtype).chunk(4, -1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c, z, log_alpha, place

    def read(self, h, z, y):
        return self.output(torch.tanh(self.head(torch.cat([h.to(y.dtype), z.to(y.dtype), y], -1))))

    def unrolled(self, pictures, ids, draw=None):
        """Returns logits (B, n, V), log alpha (B, n, L), and locations (B, n) or None"""
        a, keys, h, c = self.encode(pictures)
        y, found = self.rows(ids), []
        for p in range(ids.shape[1]):
            h, c, z, log_alpha, place = self.step(y[:, p], (a, keys), h, c, draw)
            found.append((h, z, log_alpha, place))
        h, z, log_alpha = (torch.stack([f[k] for f in found], 1) for k in range(3))
        return self.read(h, z, y), log_alpha, torch.stack([f[3] for f in found], 1) if draw else None

    def drawn(self):
        """Returns the function that draws locations if the attention is hard, else None."""
        return draw if self.c.attention == "hard" else None

    def forward(self, pictures, ids):
        return self.unrolled(pictures, ids, self.drawn())[0]

    @staticmethod
    def each(logits, ids):
        """Returns a tensor of shape (B, n): -log p of each word, 0 after the end"""
        logits = logits if logits.dtype == torch.float64 else logits.float()
        return F.cross_entropy(logits.transpose(1, 2), ids, reduction="none", ignore_index=PADDING)

    def nats(self, pictures, ids):
        """Returns a tensor of shape (B,): -log p(words | picture); for hard attention, also given the locations that this call draws"""
        return self.each(self(pictures, ids), ids).sum(1)

    @torch.no_grad()
    def tell(self, pictures, end, draw=None):
        """Captions pictures with the most probable word at each position. Returns ids (B, n), which are PADDING after the end, and
        attention weights (B, n, L)"""
        a, keys, h, c = self.encode(pictures)
        B = len(pictures)
        y, ids, maps = a.new_zeros(B, self.c.embedding_length), [], []
        done = torch.zeros(B, dtype=torch.bool, device=a.device)
        for _ in range(self.c.context_length):
            h, c, z, log_alpha, place = self.step(y, (a, keys), h, c, draw)
            word = self.read(h, z, y).argmax(-1).masked_fill(done, PADDING)
            ids.append(word), maps.append(log_alpha.exp() if place is None else F.one_hot(place, a.shape[1]).float())
            done = done | (word == end)
            y = self.token_embd.weight[word.clamp(min=0)]
            if done.all():
                break
        return torch.stack(ids, 1), torch.stack(maps, 1)
