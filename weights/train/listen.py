#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Classifies spoken digits.  A small network, trained on the training takes, classifies WAV files:

    node weights/eval/kinds/sound/say.js weights/wavenet.gguf build/said
    python3 weights/train/listen.py build/said

The command prints the network's accuracy on the held-out takes and on the files of each folder, which are named DIGIT_SPEAKER_NUMBER.wav.
The network's input is a mel spectrogram with 40 bands. Its frames are 25 ms long and start every 10 ms; they are interpolated to 32 frames.
Two convolutions over time follow.
"""
import glob
import os
import wave

from common import arguments, needed

needed.require("numpy", "torch")

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

import data
from data.fsdd import DEFAULT_DIR, RATE, expand, load, load_test_for_evaluation, word

FRAME, HOP, BANDS, FRAMES = 200, 80, 40, 32


def bands():
    """Returns the triangular filters of the mel bands, an array of shape (BANDS, FRAME // 2 + 1)"""
    mel = lambda f: 2595 * np.log10(1 + f / 700)
    edges = 700 * (10 ** (np.linspace(mel(60), mel(RATE / 2), BANDS + 2) / 2595) - 1)
    f = np.fft.rfftfreq(FRAME, 1 / RATE)
    return np.stack([np.clip(np.minimum((f - a) / (b - a), (c - f) / (c - b)), 0, None) for a, b, c in zip(edges, edges[1:], edges[2:])])


MEL = bands()


def heard(x):
    """Maps samples to (BANDS, FRAMES) log energies, minus their mean."""
    x = np.pad(x, (0, max(0, FRAME + HOP - len(x))))
    frames = np.lib.stride_tricks.sliding_window_view(x, FRAME)[::HOP] * np.hanning(FRAME)
    energy = np.log(1e-5 + (np.abs(np.fft.rfft(frames)) ** 2) @ MEL.T)
    energy = torch.from_numpy((energy - energy.mean()).T.astype(np.float32))
    return F.interpolate(energy[None], FRAMES, mode="linear", align_corners=True)[0]


class Listener(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv1d(BANDS, 64, 5, padding=2), nn.BatchNorm1d(64), nn.ReLU(), nn.MaxPool1d(2), nn.Dropout(0.3),
            nn.Conv1d(64, 64, 5, padding=2), nn.BatchNorm1d(64), nn.ReLU(), nn.MaxPool1d(2), nn.Dropout(0.3),
            nn.Flatten(), nn.Linear(64 * FRAMES // 4, 10))

    def forward(self, x):
        return self.layers(x)


def train(x, y, epochs, seed):
    torch.manual_seed(seed)
    model = Listener()
    adam = torch.optim.Adam(model.parameters(), 2e-3, weight_decay=1e-4)
    steps = epochs * (len(x) // 64)
    plan = torch.optim.lr_scheduler.OneCycleLR(adam, 4e-3, total_steps=steps)
    for step in range(steps):
        pick = torch.randint(len(x), (64,))
        # Augments by random filtering and some noise.
        batch = x[pick] + 0.3 * torch.randn(64, BANDS, 1) + 0.3 * torch.randn(64, BANDS, FRAMES)
        loss = F.cross_entropy(model(batch), y[pick], label_smoothing=0.05)
        adam.zero_grad(), loss.backward(), adam.step(), plan.step()
    return model.eval()


def names(model, folder):
    """Returns, for the files of a folder, the digits in their names and the digits that the network recognises"""
    said, named = [], []
    for path in sorted(glob.glob(os.path.join(folder, "*.wav"))):
        with wave.open(path) as f:
            sound = np.frombuffer(f.readframes(f.getnframes()), "<i2") / 32768
        said.append(int(os.path.basename(path).split("_")[0]))
        loud = np.abs(sound).max() if len(sound) else 0
        named.append(int(model(heard(word(sound) if loud > 1e-3 and len(sound) >= 160 else np.zeros(800))[None]).argmax()))
    return np.array(said), np.array(named)


@torch.no_grad()
def main():
    parser = arguments.Parser(__doc__)
    parser.add_argument("folders", nargs="+", help="WAV files called DIGIT_SPEAKER_NUMBER.wav")
    parser.add_argument("--data", default=DEFAULT_DIR)
    parser.add_argument("--epochs", type=int, default=25)
    args = parser.parse_args()
    torch.set_num_threads(1)
    clips, digits, _ = load(args.data, "train")
    x, y = torch.stack([heard(expand(clip)) for clip in clips]), torch.from_numpy(digits)
    with torch.enable_grad():
        model = train(x, y, args.epochs, 1)
    clips, digits, _ = load_test_for_evaluation(args.data)
    right = model(torch.stack([heard(expand(clip)) for clip in clips])).argmax(1).numpy() == digits
    print("held-out takes: %.1f %% of %d" % (100 * right.mean(), len(right)))
    for folder in args.folders:
        said, named = names(model, folder)
        print("%s: %.1f %% of %d" % (folder, 100 * (said == named).mean(), len(said)))
        print("by digit: " + ", ".join("%d %.0f %%" % (d, 100 * (named[said == d] == d).mean()) for d in sorted(set(said))))


if __name__ == "__main__":
    main()
