# SPDX-License-Identifier: MIT
"""The recurrent encoder-decoder with its attention variants (Sutskever, Vinyals and Le 2014; Bahdanau, Cho and Bengio 2015; Luong, Pham and
Manning 2015).

    encoder   h_i = [fwd_i; bwd_i],   fwd_i = GRU(x_i, fwd_{i-1}),   bwd_i = GRU(x_i, bwd_{i+1}),   x_i = sqrt(d) token_embd[s_i]
    start     s_start = tanh(W_init [fwd_{m-1}; bwd_0] + b_init)
    decoder   order "after" (Luong):      s_p = GRU(y_p, s_{p-1});               a_p, c_p from s_p
              order "before" (Bahdanau):  a_p, c_p from s_{p-1};                 s_p = GRU([y_p; c_p], s_{p-1})
              input_feeding, "after":     s_p = GRU([y_p; t_{p-1}], s_{p-1}),    t_{-1} = 0
    output    t_p = tanh(W_output [c_p; s_p] + b_output);  logits_p = token_embd t_p

    context   a_p = softmax_i(score(s, h_i)),   c_p = sum_i a_pi h_i

Scores of a query s and an annotation h_i:

    none         no attention at all: t_p = tanh(W_output s_p + b_output); s_start is the decoder's only information about the source
    additive     v . tanh(W_q s + W_k h_i)          what Luong calls concat, with W = [W_q W_k]
    dot          s . h_i                            both have width 2 e
    scaled-dot   s . h_i / sqrt(2 e)
    general      s . W_k h_i
    cosine       beta s . h_i / (|s| |h_i|)         0 if s or h_i is zero
    location     (W_q s)_i                          rows of W_q beyond the source are cut before the softmax; further words get no weight

Ranges, for a source of m words; D is the window:

    global       all i
    local-m      |i - min(p, m - 1)| <= D
    local-p      centre_p = m sigmoid(v_p . tanh(W_p s));  |i - min(floor(centre_p), m - 1)| <= D; the softmax over these i is multiplied by
                 exp(-(i - centre_p)^2 / (2 (D/2)^2)) and not normalised again

Attention with a global range has one of three structures. "simple" is the softmax. With the other structures, each word has a bit, which is
1 if the model attends to the word. Attention is the expectation of the bits, so weights need not add up to 1 [Kim, Denton, Hoang and Rush
2017]:

    sigmoid        a_pi = sigmoid(score(s, h_i) + bias)
    segmentation   a_pi = p(z_i = 1) of a chain of bits, theta_i = score(s, h_i) + bias, with transitions A (segments.py)

A GRU has an input x and a state h. The rows of a GRU's matrices belong to the gates r, z, n in this order:

    r = sigmoid(W_ir x + b_ir + W_hr h + b_hr),   z likewise,   n = tanh(W_in x + b_in + r (W_hn h + b_hn)),   h' = (1 - z) n + z h

Ids have the same meaning as in the Transformer (models/transformer/model.py). At target position p, the decoder reads y_p = sqrt(d)
token_embd[t_{p-1}], or zeros if p = 0.

The file:

    general.architecture                "seq2seq"
    seq2seq.context_length              u32   maximum length of a source and of a target, end token included
    seq2seq.embedding_length            u32   d, a multiple of 4
    seq2seq.encoder.state_length        u32   e, of each direction, a multiple of 4; the decoder's state has 2 e
    seq2seq.attention.score             one of the names above
    seq2seq.attention.length            u32   A, rows of additive's W_q and W_k, of local-p's W_p; a multiple of 4
    seq2seq.attention.order             "after" | "before"
    seq2seq.attention.range             "global" | "local-m" | "local-p"
    seq2seq.attention.window            u32   D, at least 1; local ranges only
    seq2seq.attention.structure         "simple" | "sigmoid" | "segmentation"
    seq2seq.attention.positions         u32   rows of location's W_q
    seq2seq.input_feeding               u32   0 | 1
    seq2seq.cell                        "gru"
    seq2seq.vocab_size                  u32   V
    tokenizer.ggml.*                    as in llama files; eos_token_id ends sources and targets
    tokenizer.source                       "tokens" | "characters"   units of a source: tokens of the tokenizer, or characters

    token_embd.weight                               (V, d)
    enc.{fwd,bwd}.input.{weight,bias}               (3 e, d), (3 e)
    enc.{fwd,bwd}.state.{weight,bias}               (3 e, e), (3 e)
    init.{weight,bias}                              (2 e, 2 e), (2 e)
    dec.input.{weight,bias}                         (6 e, d), with "before" (6 e, d + 2 e), with input feeding (6 e, 2 d)
    dec.state.{weight,bias}                         (6 e, 2 e), (6 e)
    attn_q.weight                                   additive (A, 2 e); location (positions, 2 e)
    attn_k.weight                                   additive (A, 2 e); general (2 e, 2 e)
    attn_v.weight                                   additive (A)
    attn_scale.weight                               cosine (1): beta
    attn_position.weight, attn_centre.weight        local-p: W_p (A, 2 e), v_p (A)
    attn_bias.weight                                sigmoid, segmentation (1)
    attn_transition.weight                          segmentation (2, 2): A[from][to]; 1 means attended
    output.{weight,bias}                            (d, 4 e), "none" (d, 2 e); (d)

state_dict() names are the file's tensor names.  In a batch, sentences are padded with PADDING, to which the model never attends. Shapes: B
sentences, m source positions, n target positions, V ids.
"""
import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

from models.transformer.model import PADDING, dropped, fast
from models.seq2seq.recurrence import Turned, run
from models.seq2seq.segments import marginals
from common import native

SCORES = ("none", "additive", "dot", "scaled-dot", "general", "cosine", "location")
RANGES = ("global", "local-m", "local-p")
FEW = -3.0                               # initial bias of the bits, so that the model attends to few characters at first
STRUCTURES = ("simple", "sigmoid", "segmentation")


@dataclass
class Config:
    """Hyper-parameters, named as in the weight file's metadata."""
    values: int = 512                    # V
    context_length: int = 64
    embedding_length: int = 64           # d
    state_length: int = 64               # e, state length of each encoder direction
    score: str = "general"
    order: str = "after"                 # "after" | "before"
    range: str = "global"
    attention_length: int = 64           # A
    window: int = 3                      # D
    positions: int = 48                  # number of rows of W_q for the score "location"
    structure: str = "simple"
    input_feeding: bool = False
    turns: bool = False                  # picks a random structure for each training batch; later runs can continue with any structure
    dropout: float = 0.0                 # dropout of the word vectors, of the annotations and of t


class Cell(nn.Module):
    """Weights of a GRU, for its input and for its state."""

    def __init__(self, inputs, states):
        super().__init__()
        self.input, self.state = nn.Linear(inputs, 3 * states), nn.Linear(states, 3 * states)
        for name, p in self.named_parameters():
            if p.dim() == 1:
                nn.init.zeros_(p)
        nn.init.xavier_uniform_(self.input.weight)
        for gate in self.state.weight.data.chunk(3):
            nn.init.orthogonal_(gate)

    def step(self, inputs, h):
        """Computes the next state. inputs (B, 3 e): W_i x + b_i; h (B, e): the state"""
        r, z, n = inputs.chunk(3, -1)
        hr, hz, hn = self.state(h).chunk(3, -1)
        z, n = torch.sigmoid(z + hz), torch.tanh(n + torch.sigmoid(r + hr) * hn)
        return n + z * (h - n)


class Encoder(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.fwd, self.bwd = Cell(c.embedding_length, c.state_length), Cell(c.embedding_length, c.state_length)

    def forward(self, x, lengths):
        """Encodes x (B, m, d) with lengths (B) -> (annotations (B, m, 2 e), final states of both directions (B, 2 e))"""
        start = x.new_zeros(2, x.shape[0], self.fwd.state.weight.shape[1])
        states, back = run([self.fwd, self.bwd], [x, Turned.apply(x, lengths)], start)
        last = (torch.arange(len(x), device=x.device), lengths - 1)
        return torch.cat([states, Turned.apply(back, lengths)], -1), torch.cat([states[last], back[last]], -1)


class Seq2seq(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c, d, s = c, c.embedding_length, 2 * c.state_length
        self.token_embd = nn.Embedding(c.values, d)
        nn.init.normal_(self.token_embd.weight, std=1 / math.sqrt(d))
        self.enc = Encoder(c)
        self.init = nn.Linear(s, s)
        self.dec = Cell(d + (s if c.order == "before" else d if c.input_feeding else 0), s)
        if c.score in ("additive", "location"):
            self.attn_q = nn.Linear(s, c.attention_length if c.score == "additive" else c.positions, bias=False)
        if c.score in ("additive", "general"):
            self.attn_k = nn.Linear(s, c.attention_length if c.score == "additive" else s, bias=False)
        if c.turns:
            self.attn_k.weight.data.mul_(0.1)            # broad attention at first: a sharp softmax would never explore other words
        if c.score == "additive":
            self.attn_v = Row(c.attention_length, 1 / math.sqrt(c.attention_length))
        if c.score == "cosine":
            self.attn_scale = Row(1, 0.0, 10.0)
        if c.range == "local-p":
            self.attn_position, self.attn_centre = nn.Linear(s, c.attention_length, bias=False), Row(c.attention_length, 0.1)
        if c.structure != "simple":
            self.attn_bias = Row(1, 0.0, FEW)
        if c.structure == "segmentation":
            self.attn_transition = Transitions()
        self.output = nn.Linear(s if c.score == "none" else 2 * s, d)

    def rows(self, ids):
        """Embeds ids (B, n) -> (B, n, d), zeros for PADDING"""
        x = self.token_embd(ids.clamp(min=0)) * math.sqrt(self.c.embedding_length)
        x = x * (ids >= 0)[..., None]
        return dropped(x, self.c.dropout) if self.training else x

    def encode(self, source, annotations=None):
        """Encodes source (B, m) -> memory: h (B, m, 2 e), keys (B, m, A or 2 e), s_start (B, 2 e), lengths (B). annotations: a list that
        receives h without dropout."""
        lengths = (source >= 0).sum(1)
        h, last = self.enc(self.rows(source), lengths)
        if annotations is not None:
            annotations.append(h)
        h = dropped(h, self.c.dropout) if self.training else h
        keys = self.attn_k(h) if self.c.score in ("additive", "general") else h
        return h, keys, torch.tanh(self.init(last)), lengths

    def scores(self, s, keys):
        """Scores each word for each state: s (B, n, 2 e), keys (B, m, .) -> (B, n, m)"""
        kind, m = self.c.score, keys.shape[1]
        if kind == "additive":
            return torch.tanh(self.attn_q(s)[:, :, None] + keys[:, None]) @ self.attn_v.weight
        if kind == "location":
            logits = self.attn_q(s)[:, :, :m]
            return F.pad(logits, (0, max(m - self.c.positions, 0)), value=-math.inf)
        if kind == "cosine":
            unit = lambda x: x / x.norm(dim=-1, keepdim=True).clamp(min=1e-30)
            return self.attn_scale.weight * (unit(s) @ unit(keys).transpose(1, 2))
        found = s @ keys.transpose(1, 2)
        return found / math.sqrt(s.shape[-1]) if kind == "scaled-dot" else found

    def attend(self, s, memory, first):
        """Attends from the states s (B, n, 2 e) of the positions first .. first + n - 1 -> weights (B, n, m), contexts (B, n, 2 e), centres
        (B, n) or None"""
        h, keys, _, lengths = memory
        m, last = h.shape[1], (lengths - 1)[:, None]
        i, centre, bell = torch.arange(m, device=h.device), None, None
        hidden = i > last[:, None]                       # (B, 1, m)
        if self.c.range != "global":
            if self.c.range == "local-m":
                centre = middle = torch.minimum(torch.arange(first, first + s.shape[1], device=h.device)[None], last)
            else:
                centre = lengths[:, None] * torch.sigmoid(torch.tanh(self.attn_position(s)) @ self.attn_centre.weight)
                middle = torch.minimum(centre.detach().floor().long(), last)
                bell = torch.exp(-2 * ((i - centre[..., None]) / self.c.window) ** 2)
            hidden = hidden | ((i - middle[..., None]).abs() > self.c.window)
        structure = STRUCTURES[int(torch.randint(len(STRUCTURES), ()))] if self.c.turns and self.training else self.c.structure
        if structure != "simple":
            return self.bits(structure, s, keys, h, lengths)
        if self.c.score == "location":                   # weights are zero if all words of a window are beyond the rows of W_q
            scores = self.scores(s, keys).masked_fill(hidden, -math.inf)
            some = (scores > -math.inf).any(-1, keepdim=True)
            weights = scores.masked_fill(~some, 0).softmax(-1) * some
        else:
            weights = self.scores(s, keys).masked_fill(hidden, -math.inf).softmax(-1)
        weights = weights if bell is None else weights * bell
        return weights, weights @ h, centre

    def bits(self, structure, s, keys, h, lengths):
        """Returns weights, contexts and centres like `attend`, for the structures with a bit per word."""
        theta = self.scores(s, keys) + self.attn_bias.weight             # in single precision, like the bias
        if structure == "segmentation":
            weights = marginals(theta, self.attn_transition.weight, lengths)
        else:
            weights = torch.sigmoid(theta) * (torch.arange(h.shape[1], device=h.device) < lengths[:, None])[:, None]
        return weights, weights.to(h.dtype) @ h, None

    def behind(self, source, target, maps=None, annotations=None):
        """Runs encoder and decoder: source (B, m), target (B, n) -> t (B, n, d); the product of t and the embedding table gives the logits.
        maps: two lists that receive weights and centres."""
        c, memory = self.c, self.encode(source, annotations)
        h, _, s, _ = memory
        y = F.pad(self.rows(target[:, :-1]), (0, 0, 1, 0))
        if c.order == "after" and not c.input_feeding:
            states = run([self.dec], [y], s[None])[0]
            if c.score == "none":
                return self.read(states)
            weights, contexts, centre = self.attend(states, memory, 0)
            t = self.read(torch.cat([contexts, states], -1))
        else:
            found, t = [], y.new_zeros(y.shape[0], 1, c.embedding_length)
            word, fed = self.inputs()
            for p, inputs in enumerate(F.linear(y, word, self.dec.input.bias).unbind(1)):
                s, t, weights, centre = self.step(inputs, fed, s, t, memory, p)
                found.append((t, weights, centre))
            t, weights = (torch.cat([step[k] for step in found], 1) for k in (0, 1))
            centre = None if centre is None else torch.cat([step[2] for step in found], 1)
        if maps is not None:
            maps[0].append(weights), maps[1].append(centre)
        return t

    def inputs(self):
        """Returns two parts of the decoder's input weights: the weights for the word, and those for the vector that is fed in with it."""
        parts = self.dec.input.weight.split([self.c.embedding_length, self.dec.input.weight.shape[1] - self.c.embedding_length], 1)
        return [part.bfloat16() for part in parts] if torch.is_autocast_cpu_enabled() else parts

    def step(self, inputs, fed, s, t, memory, p):
        """Computes one step: inputs (B, 6 e) of the word, fed: see `inputs`, s (B, 2 e), t (B, 1, d) of the previous step -> s, t, weights
        (B, 1, m) or None, centre"""
        c = self.c
        weights = contexts = centre = None
        if c.order == "before":
            weights, contexts, centre = self.attend(s[:, None], memory, p)
            inputs = inputs + F.linear(contexts[:, 0], fed)
        elif c.input_feeding:
            inputs = inputs + F.linear(t[:, 0], fed)
        s = self.dec.step(inputs, s)
        if c.score == "none":
            return s, self.read(s[:, None]), None, None
        if c.order == "after":
            weights, contexts, centre = self.attend(s[:, None], memory, p)
        return s, self.read(torch.cat([contexts, s[:, None]], -1)), weights, centre

    def read(self, x):
        t = torch.tanh(self.output(x))
        return dropped(t, self.c.dropout) if self.training else t

    def forward(self, source, target, maps=None):
        """Maps source (B, m) and target (B, n) to logits (B, n, V) of each target id, given the source and the target ids before it."""
        return F.linear(self.behind(source, target, maps), self.token_embd.weight)

    def each(self, source, target, smoothing=0.0, annotations=None):
        """Returns a tensor of shape (B, n): -log p(t_p | source, t_<p), 0 after the end of the target. smoothing: fraction of the
        probability that is spread evenly over all V ids."""
        x, there = self.behind(source, target, annotations=annotations), target >= 0
        x, wanted = x[there], target[there]
        if fast(x):
            nats = native.CrossEntropy.apply(x.to(torch.bfloat16), self.token_embd.weight, wanted, smoothing)
        else:
            logits = F.linear(x, self.token_embd.weight)
            logits = logits if logits.dtype == torch.float64 else logits.float()
            nats = F.cross_entropy(logits, wanted, reduction="none", label_smoothing=smoothing)
        return nats.new_zeros(target.shape).masked_scatter(there, nats)

    def nats(self, source, target):
        """Returns a tensor of shape (B,): -log p(target | source)"""
        return self.each(source, target).sum(1)

    @torch.no_grad()
    def translate(self, source, end, longest=0):
        """Translates source (B, m) -> (B, n): the most probable id at each position, up to and including the end token, then PADDING."""
        count, B, d = min(longest or self.c.context_length, self.c.context_length), len(source), self.c.embedding_length
        memory, (word, fed) = self.encode(source), self.inputs()
        s, t, ids = memory[2], memory[2].new_zeros(B, 1, d), []
        done = torch.zeros(B, dtype=torch.bool, device=source.device)
        last = torch.full((B, 1), PADDING, device=source.device)
        for p in range(count):
            s, t, _, _ = self.step(F.linear(self.rows(last)[:, 0], word, self.dec.input.bias), fed, s, t, memory, p)
            chosen = F.linear(t, self.token_embd.weight)[:, 0].argmax(-1).masked_fill(done, PADDING)
            ids.append(chosen)
            done = done | (chosen == end)
            last = chosen[:, None]
            if done.all():
                break
        return torch.stack(ids, 1)


class Transitions(nn.Module):
    """The transitions of a chain of bits; initially, neighbours tend to be equal."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(1.5 * torch.eye(2))


class Row(nn.Module):
    """A learned vector."""

    def __init__(self, n, spread, around=0.0):
        super().__init__()
        self.weight = nn.Parameter(around + spread * torch.randn(n))
