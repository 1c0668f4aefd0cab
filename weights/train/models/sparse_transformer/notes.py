# SPDX-License-Identifier: MIT
"""Represents music in four voices as ids. For each moment at which a voice moves, the ids give the new notes, highest voice first. Then
they give the time until a voice moves again:

    0                    the beginning and the end, at which all notes end
    for each voice       off, then its pitches from low to high
    the last WAITS ids   wait 1 .. WAITS sixteenths; a longer wait takes several ids, the longest first

A note lasts until the next id of its voice, which is another note or "off".
"""
import numpy as np
import torch
from torch import nn

from common.task import spread

END = 0
TICKS = 4                                # ticks per quarter note: the grid has sixteenths
WAITS = 16                               # longest wait of one id: a 4/4 bar of sixteenths
VOICES = (("soprano", 60, 81), ("alto", 52, 74), ("tenor", 43, 69), ("bass", 36, 66))  # the range of each voice in the training chorales


def table():
    """Returns (V, 3) int64, one row per id: the sixteenths that pass, the number of the voice (from 1), and the pitch. A value is 0 if it
    does not apply to the id; a voice with pitch 0 is off."""
    rows = [(0, 0, 0)]
    for v, (_, low, high) in enumerate(VOICES):
        rows += [(0, v + 1, p) for p in (0, *range(low, high + 1))]
    return np.array(rows + [(k + 1, 0, 0) for k in range(WAITS)], np.int64)


TABLE = table()
IDS = {tuple(row): i for i, row in enumerate(TABLE.tolist())}


def encode(grid):
    """Encodes pitches (sixteenths, voices), where 0 is a rest, as ids that begin and end with END"""
    ids, now, waiting = [END], [0] * len(VOICES), 0
    for row in grid.tolist() + [None]:
        if row is None or row != now:
            while waiting:
                ids.append(IDS[min(waiting, WAITS), 0, 0])
                waiting -= min(waiting, WAITS)
        if row is not None:
            ids += [IDS[0, v + 1, p] for v, p in enumerate(row) if p != now[v]]
            now, waiting = row, waiting + 1
    return ids + [END]


def parts(grid, ticks, ids):
    """Splits a piece in half at a bar line, repeatedly, until each part has at most `ticks` sixteenths and `ids` ids."""
    if len(grid) <= ticks and len(encode(grid)) <= ids or len(grid) <= WAITS:
        return [grid]
    middle = max(WAITS, len(grid) // 2 // WAITS * WAITS)
    return parts(grid[:middle], ticks, ids) + parts(grid[middle:], ticks, ids)


def decode(ids):
    """Decodes well-formed ids; the inverse of `encode`."""
    rows, now = [], [0] * len(VOICES)
    for ticks, voice, pitch in TABLE[list(ids)].tolist():
        rows += [list(now)] * ticks
        if voice:
            now[voice - 1] = pitch
    return np.array(rows, np.int64).reshape(-1, len(VOICES))


def transposed(grid):
    """Returns [(semitones, grid)] for all keys in which every voice stays within its range."""
    if not grid.any():
        return [(0, grid)]
    sung = [grid[:, v][grid[:, v] > 0] for v in range(len(VOICES))]
    down = max([low - int(p.min()) for p, (_, low, _) in zip(sung, VOICES) if len(p)])
    up = min([high - int(p.max()) for p, (_, _, high) in zip(sung, VOICES) if len(p)])
    return [(shift, np.where(grid > 0, grid + shift, 0)) for shift in range(down, up + 1)]


def rows_of(count):
    """Returns `count` evenly spaced rows of TABLE, for models that have fewer ids than TABLE has rows."""
    return TABLE[spread(len(TABLE), count)]


class Table(nn.Module):

    def __init__(self, count):
        super().__init__()
        self.register_buffer("rows", torch.from_numpy(rows_of(count)), persistent=False)


def places(table, x):
    """Returns (time, chord, sounding) for table (V, 3) and ids x (B, n). time (B, n): ticks that have passed, including those of the id
    itself. chord (B, n): number of ids since the last wait. sounding (B, n, voices): last id of each voice, or -1 if the voice has none
    yet"""
    ticks, voice, _ = table[x].unbind(-1)
    i = torch.arange(x.shape[1], device=x.device).expand_as(x)
    last = lambda where: torch.where(where, i, -1).cummax(1)[0]
    chord = i - last(ticks > 0).clamp(min=0)
    sounding = []
    for v in range(1, int(table[:, 1].max()) + 1):
        at = last(voice == v)
        sounding.append(torch.where(at >= 0, x.gather(1, at.clamp(min=0)), -1))
    return ticks.cumsum(1), chord, torch.stack(sounding, -1)


def before_end(x):
    """Returns a mask (B, n) for the ids x (B, n) that follow the first id: 1 up to and including the first END, then 0"""
    ended = (x == END).long()
    return (ended.cumsum(1) - ended == 0).float()


class Pieces:
    """Pieces of different lengths, padded with END. ids: one array of ids (n,) per piece"""

    def __init__(self, ids, device):
        self.lengths = np.array([len(piece) for piece in ids])
        self.ids = torch.zeros(len(ids), self.lengths.max(), dtype=torch.long)
        for row, piece in zip(self.ids, ids):
            row[:len(piece)] = torch.tensor(piece)
        self.ids = self.ids.to(device)

    def __len__(self):
        return len(self.ids)

    def take(self, pick, device, stride=1):
        """Returns a batch as long as the longest of its pieces, padded to whole strides."""
        pick = np.arange(len(self))[pick]
        n = -(-(self.lengths[pick].max() - 1) // stride) * stride + 1
        found = torch.zeros(len(pick), n, dtype=torch.long, device=device)
        width = min(n, self.ids.shape[1])
        found[:, :width] = self.ids[torch.from_numpy(pick).to(self.ids.device), :width].to(device)
        return (found,)

    def alike(self, seed, step, batch, pool=16):
        """Returns the indices of the pieces in batch number `step`; these pieces have similar lengths. In an epoch, each piece occurs at
        most once. Every epoch has a new order."""
        per_epoch = len(self) // batch
        epoch, at = divmod(step, per_epoch)
        order = np.random.default_rng([seed, epoch]).permutation(len(self))[:per_epoch * batch]
        begin = at // pool * pool * batch
        some = order[begin:begin + pool * batch]
        groups = some[np.argsort(self.lengths[some], kind="stable")].reshape(-1, batch)
        return groups[np.random.default_rng([seed, epoch, begin]).permutation(len(groups))[at % pool]]
