#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests music: all forms of a MIDI file give the same notes, and notes that are encoded as ids and decoded are unchanged.

    python3 weights/train/test_music.py         seconds; needs no data set
"""
import contextlib
import json
import lzma
import os
import struct
import unittest

import numpy as np
import torch

from data import chorales, files, music, typed
from models.sparse_transformer import notes
from models.sparse_transformer.golden import NOTES, randomise
from models.sparse_transformer.model import SparseTransformer
from test_data import Own


def midi(tracks, division=480, form=1, behind=b"", riff=False):
    """Returns the bytes of a MIDI file. tracks: for each track, a list of events as bytes, including their delta times"""
    body = b"MThd" + struct.pack(">IHHH", 6, form, len(tracks), division)
    for track in tracks:
        raw = b"".join(track) + b"\0\xff\x2f\0"
        body += b"MTrk" + struct.pack(">I", len(raw)) + raw
    body += behind
    return b"RIFF" + struct.pack("<I", len(body) + 12) + b"RMID" + b"data" + struct.pack("<I", len(body)) + body if riff else body


def delta(n):
    return bytes([n >> 7 | 128, n & 127]) if n > 127 else bytes([n])


def tune(pitches, ticks=480, channel=0, name=""):
    events = [b"\0\xff\x03" + bytes([len(name.encode())]) + name.encode()] if name else []
    for pitch in pitches:
        events += [b"\0" + bytes([0x90 | channel, pitch, 80]), delta(ticks) + bytes([0x90 | channel, pitch, 0])]
    return events


class Music(Own):
    MELODY = [67, 69, 71, 72]

    def grid(self, raw):
        return music.piece(self.write("a.mid", raw), notes.VOICES)

    def test_forms_of_a_melody(self):
        right = self.grid(midi([tune(self.MELODY)]))
        self.assertEqual(right[:, 0].tolist(), np.repeat(self.MELODY, 4).tolist())
        self.assertFalse(right[:, 1:].any())
        tempo = b"\0\xff\x51\x03\x07\xa1\x20"
        running = [b"\0\x90" + bytes([self.MELODY[0], 80]), delta(480) + bytes([self.MELODY[0], 0])] + [part for p in self.MELODY[1:] for part in (b"\0" + bytes([p, 80]), delta(480) + bytes([p, 0]))]
        for name, raw in dict(
                riff=midi([tune(self.MELODY)], riff=True), behind=midi([tune(self.MELODY)], behind=b"\r\n"), zeros=midi([tune(self.MELODY)], behind=bytes(64)), one=midi([tune(self.MELODY)], form=0),
                tempo=midi([[tempo], tune(self.MELODY)]), tempos=midi([[tempo, delta(480) + tempo[1:]], tune(self.MELODY)]), running=midi([running]), drums=midi([tune(self.MELODY), tune([36] * 4, channel=9)]),
                down=midi([tune([p - 12 for p in self.MELODY])]), up=midi([tune([p + 24 for p in self.MELODY])]), late=midi([tune(self.MELODY, 481)]), fine=midi([tune(self.MELODY, 96)], 96)).items():
            self.assertEqual(self.grid(raw).tolist(), right.tolist(), name)
        whole = midi([tune(self.MELODY)])
        at = whole.index(b"MTrk") + 4
        self.assertEqual(self.grid(whole[:at] + b"\x7f\0\0\0" + whole[at + 4:]).tolist(), right.tolist(), "a track said to be longer than the file")
        with self.assertRaisesRegex(files.Unreadable, "truncated"):
            self.grid(whole[:-4])

    def test_four_voices(self):
        chord = [72, 67, 60, 48]
        for parts in ([tune([p] * 2, channel=k) for k, p in enumerate(chord)], [tune([p] * 2, channel=k) for k, p in reversed(list(enumerate(chord)))],
                      [tune([p] * 2, name=name) for p, name in zip(chord, ("Soprano", "alto", "TENOR", "bass"))],
                      [[b"\0" + bytes([0x90, p, 80]) for p in chord] + [delta(960 if k == 0 else 0) + bytes([0x80, p, 0]) for k, p in enumerate(chord)]]):
            self.assertEqual(self.grid(midi(parts)).tolist(), [chord] * 8)
        for names in ("Soprano", "Tenor", "Alto", "Bass"), ("\ufeffSop\u00adrano\0", "te\u2060nor\u00a0", " Alto\u200b\r\n", "\u200ebass\ufe0f\x1f"):
            crossed = midi([tune([p] * 2, name=name) for p, name in zip(chord, names)])
            self.assertEqual(self.grid(crossed).tolist(), [[72, 60, 67, 48]] * 8, names)
        self.assertEqual(typed.sentence(" Voix\u3000 de\u200d\tte\u0302te\x85 2"), "Voix de t\u00eate 2")

    def test_what_is_no_music_is_named(self):
        for i in range(10):
            self.write("곡 %d.mid" % i, midi([tune([p + i for p in self.MELODY])]))
        whole = midi([tune(self.MELODY)])
        for name, raw in {"empty.mid": b"", "page.mid": "<html>", "cut.mid": whole[:-8], "film.mid": midi([tune(self.MELODY)], 0xe728), "silent.mid": midi([[]]), "two.mid": midi([tune(self.MELODY)], form=2),
                          "five.mid": midi([tune(self.MELODY, channel=k) for k in range(5)]), "wide.mid": midi([tune([30, 90, 60])]), "._a.mid": b""}.items():
            self.write(name, raw)
        pieces, said = self.said(lambda: music.read(self.at, "train"))
        self.assertEqual(len(pieces), 8)
        for words in ("10 pieces", "empty.mid", "page.mid", "truncated", "frames of film", "no notes", "format 2", "5 tracks or channels", "transposing does not help", "1 hidden"):
            self.assertIn(words, said)
        rng = np.random.default_rng(1)
        for _ in range(300):             # after random changes of bytes, the file is still music or raises Unreadable
            raw = bytearray(whole)
            for k in rng.integers(0, len(raw), 3):
                raw[k] = int(rng.integers(256))
            with contextlib.suppress(files.Unreadable):
                self.grid(bytes(raw))
        self.assertTrue(chorales.OWN == "music")


class Notes(unittest.TestCase):
    def test_ids_bring_back_every_chorale(self):
        rng = np.random.default_rng(3)
        for _ in range(50):
            grid = np.stack([np.repeat(rng.integers(low - 1, high + 1, 12), rng.integers(1, 20, 12))[:60] for _, low, high in notes.VOICES], 1)
            grid = np.where(grid < [low for _, low, _ in notes.VOICES], 0, grid)
            ids = notes.encode(grid)
            self.assertEqual((ids[0], ids[-1]), (notes.END, notes.END))
            np.testing.assert_array_equal(notes.decode(ids), grid)

    def test_keys(self):
        """A piece is transposed to exactly the keys in which the voices stay within their ranges; rests stay rests."""
        grid = np.array([[72, 60, 55, 40], [74, 0, 57, 41]])
        keys = dict(notes.transposed(grid))
        self.assertEqual(sorted(keys), list(range(-4, 8)))
        self.assertTrue((keys[3] == [[75, 63, 58, 43], [77, 0, 60, 44]]).all())

    def test_places(self):
        """Notes that begin together have the same time. The position within the chord restarts after a wait. The sounding note of a voice
        is the last id of this voice."""
        ids = torch.tensor([notes.encode(np.array([[72, 60, 55, 40]] * 4 + [[72, 62, 55, 0]] * 2))])
        time, chord, sounding = notes.places(torch.from_numpy(notes.TABLE), ids)
        self.assertEqual(time[0].tolist(), [0, 0, 0, 0, 0, 4, 4, 4, 6, 6])
        self.assertEqual(chord[0].tolist(), [0, 1, 2, 3, 4, 0, 1, 2, 0, 1])
        self.assertEqual(sounding[0, 0].tolist(), [-1] * 4)
        self.assertEqual(notes.TABLE[sounding[0, 7]].tolist(), [[0, 1, 72], [0, 2, 62], [0, 3, 55], [0, 4, 0]])

    def test_loss_ends_with_the_piece(self):
        model = SparseTransformer(NOTES).eval()
        randomise(model, 2)
        short, long = torch.tensor([[0, 5, 9, 30, 0]]), torch.tensor([[0, 5, 9, 30, 0, 7, 3, 0]])
        self.assertTrue(torch.allclose(model.nats(short), model.nats(long)))

    def test_batches(self):
        """Each piece occurs once per epoch; pieces of one batch have similar lengths."""
        pieces = notes.Pieces([[0] * n for n in range(2, 162)], "cpu")
        seen = np.concatenate([pieces.alike(1, step, 4) for step in range(40)])
        self.assertEqual(sorted(seen), list(range(160)))
        self.assertLess(np.mean([np.ptp(pieces.lengths[pieces.alike(1, step, 4)]) for step in range(40)]), 20)


def compose(folder):
    """Makes chorales of three or four chords; the tenor rests in the fourth chord."""
    chords = [[72, 67, 64, 48], [74, 67, 59, 55], [71, 67, 62, 43], [72, 64, 48]]
    chorales = [[[pitch + i % 5 for pitch in chord] for chord in chords[:3 + i % 2] for _ in range(2 + i % 3)] for i in range(12)]
    with lzma.open(os.path.join(folder, "jsb-chorales-16th.json.xz"), "wt") as f:
        json.dump({split: chorales for split in ("train", "valid", "test")}, f)


def sample(at):
    """Makes a folder of melodies."""
    rng = np.random.default_rng(4)
    os.makedirs(at, exist_ok=True)
    for i in range(14):
        with open(os.path.join(at, "tune %d.mid" % i), "wb") as f:
            f.write(midi([tune([int(p) for p in 67 + rng.integers(-5, 6, 8)], 240)]))


if __name__ == "__main__":
    unittest.main()
