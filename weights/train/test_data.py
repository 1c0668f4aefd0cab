#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests the modules that read a user's own files: all file formats of a medium give the same values, and unreadable files are skipped and
listed.

    python3 weights/train/test_data.py         seconds; needs no data set
"""
import contextlib
import io
import json
import os
import shutil
import struct
import subprocess
import tempfile
import unicodedata
import unittest
import zlib
from unittest import mock

import numpy as np
from PIL import Image

import data
from data import files, folder, fsdd, pairs, signs, sounds, texts, treebank, typed


class Own(unittest.TestCase):
    def setUp(self):
        self.at = tempfile.mkdtemp(prefix="내 자료 ")                     # every path contains blanks and Hangul
        self.addCleanup(shutil.rmtree, self.at)
        files._said.clear()

    def path(self, *name):
        path = os.path.join(self.at, *name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def write(self, name, what):
        with open(self.path(*name.split("/")), "wb") as f:
            f.write(what.encode() if isinstance(what, str) else what)
        return self.path(*name.split("/"))

    def said(self, read):
        """Runs a reader and returns its result and its output"""
        for reader in vars(data).values():                              # modules of data that have been imported
            if hasattr(reader, "scanned"):
                reader.scanned.cache_clear()
        with contextlib.redirect_stdout(io.StringIO()) as told_:
            return read(), told_.getvalue()

    def refused(self, read):
        with self.assertRaises(SystemExit) as left:
            self.said(read)
        return str(left.exception)


def png(side, depth, kind, f, more=()):
    """Returns a PNG of a kind that Pillow does not write. f(x, y) returns the bytes of a pixel."""
    chunk = lambda name, body: struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
    rows = b"".join(b"\0" + b"".join(bytes(f(x, y)) for x in range(side)) for y in range(side))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, depth, kind, 0, 0, 0)) + b"".join(chunk(*one) for one in more)
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class Typed(unittest.TestCase):
    def test_sentences_are_normalised_as_by_the_library(self):
        rng = np.random.default_rng(1)
        signs = ("a Z 7 . , ' \" - \u2019 \u201c \u201d \u00ab \u203a \u2011 \u2212 \u00b4 ` \uff21 \uff0c \uff02 \uff07 \ufb01 e\u0301 o\u0308 \u1112\u1161\u11ab \ud55c \u3131 \u0300 \u05d0 \u0645 \u200f \u202b \u00ad \u200b \u200d \u2060 \ufeff "
                 "\ufe0f \0 \x07 \x1f \x7f \x85 \u3164 \u2764\ufe0f \U0001f469\u200d\U0001f680 \U0001f44d\U0001f3fd \U0001f1f0\U0001f1f7 1\ufe0f\u20e3 \U0001f3f4\U000e0067\U000e0062\U000e007f \u2194\ufe0f \u00a9").split(" ") + [" ", "  ", "\t", "\u00a0", "\u3000", "\n", "\r\n"]
        given = ["".join(signs[k] for k in rng.integers(0, len(signs), rng.integers(1, 12))) for _ in range(3000)]
        known = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) not in ("Cn", "Co", "Cs")]
        given += ["".join("a%sb " % sign for sign in known[at:at + 64]) for at in range(0, len(known), 64)]
        script = "import { sentenceOf, plain } from %s; let text = ''; for await (const part of process.stdin) text += part; console.log(JSON.stringify(JSON.parse(text).map((one) => [sentenceOf(one), plain(one)])));"
        module = "file://" + os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "web", "lib", "base", "typed.js")).replace(" ", "%20")
        found = json.loads(subprocess.run(["node", "--input-type=module", "-e", script % json.dumps(module)], input=json.dumps(given), capture_output=True, text=True, check=True).stdout)
        for text, (sentence, plain) in zip(given, found):
            self.assertEqual((typed.sentence(text), typed.plain(text)), (sentence, plain), ascii(text))


class Pictures(Own):
    SIDE = 32

    def forms(self):
        """Reads the same picture, a grey ramp, in all file formats."""
        n, ramp = self.SIDE, lambda x, y: 255 * (x + y) // (2 * self.SIDE - 2)
        made = {
            "8.png": png(n, 8, 0, lambda x, y: [ramp(x, y)]), "16.png": png(n, 16, 0, lambda x, y: [ramp(x, y)] * 2),
            "rgb16.png": png(n, 16, 2, lambda x, y: [ramp(x, y)] * 6), "opacity.png": png(n, 8, 4, lambda x, y: [0, 255 - ramp(x, y)]),
            "opacity16.png": png(n, 16, 4, lambda x, y: [0, 0] + [255 - ramp(x, y)] * 2), "rgba.png": png(n, 8, 6, lambda x, y: [0, 0, 0, 255 - ramp(x, y)]),
            "palette.png": png(n, 8, 3, lambda x, y: [ramp(x, y)], [(b"PLTE", bytes(i // 3 for i in range(768)))]),
            "palette-opacity.png": png(n, 8, 3, lambda x, y: [ramp(x, y)], [(b"PLTE", bytes(768)), (b"tRNS", bytes(255 - i for i in range(256)))]),
            "broken-profile.png": png(n, 8, 0, lambda x, y: [ramp(x, y)], [(b"iCCP", b"x\0\0broken"), (b"eXIf", b"MM\0*\xff\xff\xff\xff"), (b"gAMA", b"\0")]),
        }
        for name, raw in made.items():
            self.write(name, raw)
        base = Image.open(self.path("8.png"))
        grey = np.asarray(base)
        base.convert("RGB").convert("CMYK").save(self.path("cmyk.jpg"), quality=100, subsampling=0)
        base.save(self.path("progressive.jpg"), quality=100, progressive=True)
        base.save(self.path("a.webp"), lossless=True), base.save(self.path("a.bmp")), base.save(self.path("a.tiff"))
        Image.fromarray(grey.astype(np.uint16) * 257).save(self.path("16.tif"))
        Image.fromarray(grey.astype(np.float32) / 255).save(self.path("hdr.tif"))
        base.convert("P").save(self.path("a.gif"), save_all=True, append_images=[Image.new("P", base.size, 0)])
        base.convert("RGB").save(self.path("moving.webp"), lossless=True, save_all=True, append_images=[Image.new("RGB", base.size)])
        for turn in range(1, 9):         # orientation tags, as written by a rotated camera
            back = {2: 2, 3: 3, 4: 4, 5: 5, 6: 8, 7: 7, 8: 6}.get(turn)
            exif = Image.Exif()
            exif[0x0112] = turn
            (base.transpose(getattr(Image, folder.TURNS[back])) if back else base).save(self.path("turned-%d.jpg" % turn), quality=100, exif=exif)
        whole = io.BytesIO()
        base.save(whole, "JPEG", quality=100, exif=exif)
        at, rng = whole.getvalue().index(b"Exif\0\0"), np.random.default_rng(1)
        for i in range(40):              # damaged EXIF blocks
            raw = bytearray(whole.getvalue())
            for k in rng.integers(at + 6, at + 30, 6):
                raw[k] = int(rng.integers(256))
            self.write("exif/%02d.jpg" % i, bytes(raw))
        for name in ("SHOUTED.PNG", "a # b 100%.png", unicodedata.normalize("NFD", "그림 é.png"), "really a png.jpg", "really a png.webp"):
            self.write("names/" + name, made["8.png"])

    def test_all_forms_are_one_picture(self):
        self.forms()
        right = folder.picture(self.path("8.png"), self.SIDE, self.SIDE, 3).astype(int)
        for channels in (1, 3):
            for path in files.Found(self.at, "pictures").paths():
                found = folder.picture(path, self.SIDE, self.SIDE, channels).astype(int)
                lossy = path.endswith((".jpg", ".webp", ".gif"))
                off = min(np.abs(turned - right[:, :, :channels]).max() for turned in ([found] if "/exif/" not in path else [found] + [np.rot90(f, k) for f in (found, found[::-1]) for k in range(4)]))
                self.assertLessEqual(off, 8 if lossy else 1, (path, channels))

    def test_other_forms(self):
        base = Image.fromarray(np.tile(np.arange(0, 256, 8, dtype=np.uint8), (32, 1)))
        base.convert("1", dither=0).save(self.path("1.png"))
        self.assertEqual(set(np.unique(folder.picture(self.path("1.png"), 32, 32, 1))), {0, 255})
        self.write("cut.png", b"")
        for mode in ("LA", "RGBA", "PA", "HSV", "YCbCr", "LAB", "I", "F", "I;16B"):
            path = self.path("a.tiff")
            try:
                base.convert(mode).save(path)
            except (OSError, ValueError, KeyError):
                continue
            try:
                self.assertEqual(folder.picture(path, 8, 8, 3).shape, (8, 8, 3), mode)
            except files.Unreadable:
                self.assertIn(mode, ("LAB", "YCbCr"))  # Pillow cannot convert LAB, and cannot read the YCbCr files that it writes
        with self.assertRaises(files.Unreadable):
            folder.picture(self.path("cut.png"), 8, 8, 3)

    def test_light_ink_on_nothing_is_seen(self):
        for ink, ground in ((255, 0), (0, 255)):
            mark = np.zeros((16, 16, 4), np.uint8)
            mark[4:12, 4:12] = (ink, ink, ink, 255)
            Image.fromarray(mark).save(self.path("a.png"))
            for channels in (1, 3):
                found = folder.picture(self.path("a.png"), 16, 16, channels)
                self.assertEqual((int(found[8, 8, 0]), int(found[0, 0, 0])), (ink, ground))

    def test_what_is_skipped_is_named(self):
        for i in range(20):
            Image.fromarray(np.full((9, 7, 3), 12 * i, np.uint8)).save(self.path("그림", "%d 번.png" % i))
        with open(self.path("그림", "3 번.png"), "rb") as f:
            raw = f.read()
        self.write("copy.png", raw), self.write("cut.png", raw[:40]), self.write("empty.jpg", b""), self.write("._3.png", b"mac"), self.write("__MACOSX/a.png", b"mac")
        self.write("page.png", "<html>"), self.write("notes.txt", "no picture"), self.write(".git/a.png", raw)
        parts = {}
        for split in ("train", "validation"):
            (images, labels), told_ = self.said(lambda: folder.read(self.at, split, (8, 8, 3)))
            parts[split], said = images, said + told_ if parts else told_
            self.assertEqual(set(labels), {-1})
        self.assertEqual({split: len(images) for split, images in parts.items()}, dict(train=16, validation=2))
        self.assertIn("20 pictures", said)
        for words in ("1 hidden", "(empty: empty.jpg)", "cut.png", "page.png", "1 copy"):
            self.assertIn(words, said)
        with self.assertRaises(data.TestSetError):
            folder.read(self.at, "test", (8, 8, 3))

    def test_files_of_other_kinds_are_counted(self):
        for i in range(12):
            Image.fromarray(np.full((9, 9), 20 * i, np.uint8)).save(self.path("%d.png" % i))
        self.write("a.jpg", b"\0\0\0\x18ftypheic\0"), self.write("b.avif", b"\0\0\0\x18ftypmif1\0\0\0\0avif"), self.write("c.svg", "<svg/>"), self.write("d", b"x"), self.write("e.SVG", "<svg/>")
        _, said = self.said(lambda: folder.read(self.at, "train", (8, 8, 1)))
        for words in ("12 pictures", "HEIC needs the package pillow-heif: pip install pillow-heif, or save it as PNG or JPEG: a.jpg", "AVIF needs Pillow 11.3", "3 with other endings (.svg, no ending)"):
            self.assertIn(words, said)

    def test_too_few_says_what_is_there(self):
        self.assertIn("0 pictures", self.refused(lambda: folder.read(self.at, "train", (8, 8, 3))))
        self.assertIn("The folder is empty", self.refused(lambda: folder.read(self.at, "train", (8, 8, 3))))
        self.write("a.wav", b"RIFF"), self.write("b.wav", b"RIFF"), self.write("x.zip", b"PK")
        said = self.refused(lambda: folder.read(self.at, "train", (8, 8, 3)))
        self.assertIn("at least 10 are needed. It has 2 files of sounds, which %s read and files with .zip" % ", ".join(files.trained_on("sounds")), said)
        for medium, (_, reader) in files.KINDS.items():
            self.assertTrue(files.trained_on(reader), medium)
        self.assertIn("wavenet", files.trained_on("sounds"))
        self.assertNotIn("wavenet", files.trained_on("folder"))

    def test_classes_are_folders(self):
        for name, count in (("7", 9), ("10", 9), ("cat", 1)):
            for i in range(count):
                Image.fromarray(np.full((8, 8), 8 * len(os.listdir(self.at)) + i * 25, np.uint8)).save(self.path(name, "%s %d.png" % (name, i)))
        self.assertEqual(folder.subfolders(self.at, "pictures"), ["7", "10"])
        (_, labels), _ = self.said(lambda: folder.read(self.at, "train", (8, 8, 1), classes=("10", "7")))
        self.assertEqual(set(labels.tolist()) | {-1}, {0, 1, -1})

    def test_names_of_folders_have_composed_letters(self):
        for k, name in enumerate(("고양이", "dég")):
            for i in range(8):
                Image.fromarray(np.full((8, 8), 100 * k + 5 * i, np.uint8)).save(self.path(unicodedata.normalize("NFD", name), "%d.png" % i))
        self.assertEqual(folder.subfolders(self.at, "pictures"), ["dég", "고양이"])
        (_, labels), _ = self.said(lambda: folder.read(self.at, "train", (8, 8, 1), classes=("고양이", "dég")))
        self.assertEqual(set(labels.tolist()), {0, 1})


class Signs(Own):
    def test_signs_as_they_are_seen(self):
        ink = lambda x, y: 8 < y < 56 and abs(x - 20) < 4 or abs(y - 50) < 4 and 16 < x < 50
        made = {
            "white": png(64, 8, 0, lambda x, y: [0 if ink(x, y) else 255]), "black": png(64, 8, 0, lambda x, y: [255 if ink(x, y) else 0]),
            "nothing": png(64, 8, 6, lambda x, y: [0, 0, 0, 255] if ink(x, y) else [0, 0, 0, 0]), "light": png(64, 8, 6, lambda x, y: [255, 255, 255, 255 if ink(x, y) else 0]),
            "grey": png(64, 8, 4, lambda x, y: [0, 255 if ink(x, y) else 0]), "16": png(64, 16, 0, lambda x, y: [0, 40] if ink(x, y) else [255, 255]),
            "palette": png(64, 8, 3, lambda x, y: [int(ink(x, y))], [(b"PLTE", bytes(6)), (b"tRNS", bytes([0, 255]))]),
        }
        right = signs.drawing(self.write("right.png", made["white"])).astype(int)
        self.assertEqual((right.max(), right.min()), (255, 0))
        for name, raw in made.items():
            self.assertLess(np.abs(signs.drawing(self.write(name + ".png", raw)).astype(int) - right).mean(), 1, name)

    def test_a_folder_is_a_sign(self):
        rng = np.random.default_rng(1)
        for sign in range(12):
            for i in range(4):
                Image.fromarray(rng.integers(0, 256, (9, 9), dtype=np.uint8)).save(self.path("글자 %d" % sign, "%d.png" % i))
        self.write("글자 3/3.png", b"broken"), self.write("loose.png", b""), self.write("few/1.png", b"")
        (drawings, names), said = self.said(lambda: signs.read(self.at, "train"))
        self.assertEqual(drawings.shape[1:], (3, 28, 28))
        for words in ("12 signs, 3 drawings of each", "글자 3/3.png", "loose.png", "few"):
            self.assertIn(words, said)
        shutil.rmtree(self.path("글자 1"))
        shutil.rmtree(self.path("글자 2"))
        shutil.rmtree(self.path("글자 4"))
        self.assertIn("at least 10 characters with 3 pictures each are needed", self.refused(lambda: signs.read(self.at, "train")))


def wav(x, rate, width=2, encoding=1, channels=1, before=b"", size=None, extensible=False):
    """Returns the bytes of a WAV file. x: the samples, -1..1"""
    x = np.repeat(np.asarray(x)[:, None], channels, 1)
    if encoding == 3:
        raw = x.astype("<f4" if width == 4 else "<f8").tobytes()
    elif encoding == 7:
        bias = np.minimum(np.abs(x) * 32768, 32635).astype(int) + 132
        exponent = np.floor(np.log2(bias)).astype(int) - 7
        raw = (~(np.where(x < 0, 128, 0) | exponent << 4 | bias >> exponent + 3 & 15) & 255).astype(np.uint8).tobytes()
    elif width == 1:
        raw = np.rint(x * 127 + 128).astype(np.uint8).tobytes()
    else:
        raw = np.rint(x * (2 ** (8 * width - 1) - 1)).astype("<i8").tobytes()
        raw = b"".join(raw[i:i + width] for i in range(0, len(raw), 8))
    form = struct.pack("<HHIIHH", 0xfffe if extensible else encoding, channels, rate, rate * channels * width, channels * width, 8 * width)
    if extensible:
        form += struct.pack("<HHIH", 22, 8 * width, 0, encoding) + bytes(14)
    chunk = lambda name, body, told=None: name + struct.pack("<I", len(body) if told is None else told) + body + b"\0" * (len(body) & 1)
    body = before + chunk(b"fmt ", form) + chunk(b"LIST", b"INFOx") + chunk(b"data", raw, size)
    return b"RIFF" + struct.pack("<I", 4 + len(body)) + b"WAVE" + body


class Sounds(Own):
    def tone(self, rate, seconds=0.5, frequency=440):
        t = np.arange(int(rate * seconds)) / rate
        return 0.5 * np.sin(2 * np.pi * frequency * t) * np.minimum(1, np.minimum(t, seconds - t) / 0.05)

    def test_all_forms_are_one_sound(self):
        right, _ = sounds.heard(self.write("right.wav", wav(self.tone(8000), 8000, 4, 3)))
        for name, how in dict(
                pcm8=dict(width=1), pcm16=dict(width=2), pcm24=dict(width=3), pcm32=dict(width=4), double=dict(width=8, encoding=3), law=dict(width=1, encoding=7), stereo=dict(channels=2),
                six=dict(channels=6), seven=dict(channels=7), extensible=dict(extensible=True), junk=dict(before=b"JUNK" + struct.pack("<I", 5) + b"abcde\0"), untold=dict(size=0), streamed=dict(size=0xffffffff)).items():
            for rate in (8000, 11025, 16000, 44100, 48000):
                x = sounds.resampled(*sounds.heard(self.write("a.wav", wav(self.tone(rate), rate, **how))), 8000)
                n = min(len(x), len(right)) - 60
                self.assertLess(np.abs(x[60:n] - right[60:n]).max(), 0.02 if how.get("width") == 1 else 0.002, (name, rate))

    def test_containers(self):
        with mock.patch.object(sounds.importlib.util, "find_spec", lambda name: None):
            right, _ = sounds.heard(self.write("a.wav", wav(self.tone(8000), 8000)))
            behind = b"LIST" + struct.pack("<I", 6) + b"INFOxy"
            long = wav(self.tone(8000), 8000, before=b"ds64" + struct.pack("<IQQQI", 28, 0, 2 * len(right), len(right), 0), size=0xffffffff)
            for name, raw in {"RF64": b"RF64\xff\xff\xff\xff" + long[8:] + behind, "BW64": b"BW64\xff\xff\xff\xff" + long[8:] + behind, "behind": wav(self.tone(8000), 8000) + behind,
                              "no length": wav(self.tone(8000), 8000, size=0), "of a stream": wav(self.tone(8000), 8000, size=0xffffffff)}.items():
                x, rate = sounds.heard(self.write("A # 1.WAV", raw))
                self.assertEqual((x.tolist(), rate), (right.tolist(), 8000), name)
            with self.assertRaises(files.Unreadable):
                sounds.levels(self.write("nothing.wav", wav(np.zeros(0), 8000, size=0) + behind), 8000)

    def test_folders_are_classes_and_speakers(self):
        for k, name in enumerate(("개", "고양이")):
            for speaker in ("anna", "ben"):
                for i in range(4):
                    self.write("%s/%s/%d.wav" % (name, speaker, i), wav(self.tone(16000, 0.3, 300 + 100 * k + 10 * i + (speaker == "ben")), 16000))
        self.assertEqual((sounds.classes_of(self.at), sounds.speakers_of(self.at)), (["개", "고양이"], ["anna", "ben"]))
        (clips, labels, speakers), said = self.said(lambda: sounds.read(self.at, "train", classes=("고양이", "개"), speakers=("ben", "anna")))
        self.assertEqual((len(clips), set(labels), set(speakers)), (12, {0, 1}, {0, 1}))
        self.assertIn("16 recordings", said)
        self.assertEqual(set(self.said(lambda: sounds.read(self.at, "train"))[0][1]), {-1})

    def test_names_of_files_have_composed_letters(self):
        for i in range(12):
            self.write(unicodedata.normalize("NFD", "%d_%s_%d.wav" % (i % 2, ("jörg", "유나")[i % 3 == 0], i)), wav(self.tone(8000, 0.3, 300 + 50 * i), 8000))
        self.assertEqual((sounds.classes_of(self.at), sounds.speakers_of(self.at)), (["0", "1"], ["jörg", "유나"]))
        (_, labels, speakers), _ = self.said(lambda: sounds.read(self.at, "train", classes=("0", "1"), speakers=("유나", "jörg")))
        self.assertEqual((set(labels), set(speakers)), ({0, 1}, {0, 1}))

    def test_what_is_skipped_is_named(self):
        for i in range(10):
            self.write("%d.wav" % i, wav(self.tone(8000, 0.3, 300 + 50 * i), 8000))
        padded = wav(self.tone(8000), 8000, 4)
        self.write("24 in 32.wav", padded.replace(struct.pack("<HH", 4, 32), struct.pack("<HH", 4, 24), 1))
        self.write("a.wav", b""), self.write("silent.wav", wav(np.zeros(4000), 8000)), self.write("short.wav", wav(self.tone(8000, 0.01), 8000)), self.write("page.wav", "<html>")
        self.write("adpcm.wav", wav(self.tone(8000), 8000, 1, 2)), self.write("a.mp3", b"ID3"), self.write("._1.wav", b"")
        with mock.patch.object(sounds.importlib.util, "find_spec", lambda name: None):
            (clips, _, _), said = self.said(lambda: sounds.read(self.at, "train"))
        self.assertEqual(len(clips), 8)
        for words in ("10 recordings", "(empty: a.wav)", "(silent: silent.wav)", "shorter than 0.05 seconds", "page.wav", "encoding 2", "1 channel of 24 bits do not fit its frames of 4 bytes: 24 in 32.wav", ".mp3 needs the package soundfile: pip install soundfile", "1 hidden"):
            self.assertIn(words, said)

    def test_long_recordings_are_cut(self):
        for i in range(10):
            self.write("%d.wav" % i, wav(self.tone(8000, 2.6, 300 + 50 * i), 8000))
        (clips, _, _), _ = self.said(lambda: sounds.read(self.at, "train", longest=8000))
        self.assertEqual([len(clip) for clip in clips[:2]], [8000, 8000])
        self.assertEqual(len(clips), 3 * 8)

    def test_the_data_set_as_it_is_published_keeps_its_split(self):
        for take in (1, 5, 7):
            self.write("recordings/3_theo_%d.wav" % take, wav(self.tone(8000, 0.3), 8000))
        self.assertTrue(fsdd.published(self.at) and not data.own("fsdd", self.at))
        self.assertEqual([len(fsdd.read(self.at, split)[0]) for split in ("train", "validation")], [1, 1])
        self.write("recordings/hello.wav", b"")
        self.assertIn("at least 10 are needed", self.refused(lambda: fsdd.read(self.at, "train")))
        self.assertTrue(data.own("fsdd", self.at))


class Texts(Own):
    def test_encodings(self):
        for text, name in (("Grüße aus Köln, naïve café\n", "cp1252"), ("옛날 옛적에 왕이 살았습니다.\n", "cp949"), ("Once 왕 é\n", "utf-8"), ("\ufeffOnce\n", "utf-8"), ("Once 왕\n", "utf-16"), ("Once 왕\n", "utf-32"), ("Once upon a time\n" * 20, "utf-16-le")):
            self.assertEqual(files.decoded(text.replace("\n", "\r\n").encode(name))[0], text.lstrip("\ufeff"), name)
        self.assertEqual(files.decoded("naïve 왕".encode()[:-1])[0], "naïve ")
        for raw in (b"\x89PNG\r\n\0\0\0", b"\xff\xfe\0"):
            with self.assertRaises(files.Unreadable):
                files.decoded(raw)

    def test_forms(self):
        line = "The king went to a wood and said 'Yes'.\n"
        self.write("이야기/a.txt", "\ufeff" + line * 1500), self.write("b.MD", line.upper() * 1500), self.write("one line.txt", "word " * 9000)
        self.write("c.jsonl", "".join(json.dumps(value) + "\n" for value in (dict(text="Short 1."), "Short 2.", dict(content="Short 3."), dict(other=1), 7, dict(text=""))) + "{broken\n")
        self.write("empty.txt", ""), self.write("picture.txt", b"\x89PNG\0\0\0\0"), self.write("._a.txt", b"\0"), self.write("old.txt", "Grüße aus Köln.".encode("cp1252"))
        (books, short), said = self.said(lambda: texts.read(self.at, "train"))
        self.assertEqual(books, [])
        self.assertFalse(any("\ufeff" in text for text in short))
        self.assertTrue(all(len(text) <= 2.2 * texts.PIECE for text in short))
        for words in ("old.txt is read as CP1252", "(empty: empty.txt)", "4 lines without a text", "picture.txt", "1 hidden", "in 7 files"):
            self.assertIn(words, said)

    def test_too_few(self):
        self.write("a.txt", "Once upon a time.")
        self.assertIn("1 piece of text in 1 file (.txt, .md, .jsonl, .ndjson); at least 10 pieces of 4000 characters are needed", self.refused(lambda: texts.read(self.at, "train")))


class Pairs(Own):
    PAIRS = [("Sätze, Nummer %d." % i if i % 2 else "Satz Nummer %d." % i, "Sentence %d, \"it\" says." % i) for i in range(120)]

    def read(self):
        (sources, targets), said = self.said(lambda: pairs.read(self.at, "train"))
        return dict(zip(sources, targets)), said

    def test_forms(self):
        quoted = lambda side: '"%s"' % side.replace('"', '""')
        unit = "<tu><tuv xml:lang='en-GB'><seg>%s</seg></tuv><tuv xml:lang='de'><seg>%s</seg></tuv></tu>"
        forms = {
            "a.tsv": "".join("%s\t%s\n" % pair for pair in self.PAIRS), "mark.tsv": "\ufeff" + "".join("%s\t%s\r\n" % pair for pair in self.PAIRS),
            "tatoeba.tsv": "".join("%s\t%s\tCC-BY 2.0 (France) by x\n" % pair for pair in self.PAIRS), "turned.tsv": "en\tde\n" + "".join("%s\t%s\n" % pair[::-1] for pair in self.PAIRS),
            "named.csv": "source,target\n" + "".join(",".join(map(quoted, pair)) + "\n" for pair in self.PAIRS), "semicolons.csv": "".join(";".join(map(quoted, pair)) + "\n" for pair in self.PAIRS),
            "spreadsheet.tsv": "".join("%s\t%s\n" % (a, quoted(b)) for a, b in self.PAIRS), "letters.tsv": "".join("%s\t%s\n" % tuple(unicodedata.normalize("NFD", side) for side in pair) for pair in self.PAIRS),
            "pasted.csv": "".join("\u200e%s\ufeff;%s\n" % (a.replace(" ", "\u00a0"), b.replace('"', "\u201c")) for a, b in self.PAIRS),
            "a.tmx": "<?xml version='1.0'?><tmx version='1.4'><header srclang='en'/><body>%s</body></tmx>" % "".join(unit % (b.replace('"', "&quot;"), "<hi>%s</hi>" % a) for a, b in self.PAIRS)}
        right = None
        for name, text in forms.items():
            self.write(name, text)
            found, _ = self.read()
            os.remove(self.path(name))
            right = right or found
            self.assertEqual(found, right, name)
        self.assertEqual(right, dict(pair for pair in self.PAIRS if texts.split_of(pair[0]) == "train"))

    def test_what_is_skipped_is_named(self):
        self.write("a.tsv", "".join("%s\t%s\n" % pair for pair in self.PAIRS) + "no translation\n\tno source\n"), self.write("b.tmx", "<tmx><body>"), self.write("c.csv", b"\0\0"), self.write("._a.tsv", "")
        found, said = self.read()
        for words in ("120 pairs of sentences", "a.tsv, lines 121, 122", "b.tmx", "c.csv", "1 hidden"):
            self.assertIn(words, said)

    def test_a_quote_without_its_end_spoils_one_line(self):
        for sign, ending in ((",", ".csv"), (";", ".csv"), ("\t", ".tsv")):
            rows = [sign.join((a.replace(",", ""), b.replace(",", "").replace('"', ""))) for a, b in self.PAIRS]
            rows[50:50] = ['"open%snever closed' % sign, '"closed" early%sx' % sign, '"in two\nlines"%sx' % sign]
            found = dict(files.table("\n".join(rows), ending))
            self.assertGreaterEqual(len([row for row in found.values() if len(row) == 2]), 122 if ending == ".csv" else 121, sign)
            self.assertEqual(found[len(rows) + 1], rows[-1].split(sign))
        self.assertEqual([len(row) for _, row in files.table("a,b\nc\0,d\ne,f", ".csv")][::2], [2, 2])


class Treebanks(Own):
    def row(self, i, word, tag="NOUN", head=0):
        return "\t".join(map(str, (i, word, word, tag, "_", "_", head, "root" if head == 0 else "dep", "_", "_")))

    def test_forms(self):
        plain = "\n".join((self.row(1, "Dogs", "NOUN", 2), self.row(2, "bark", "VERB"), self.row(3, ".", "PUNCT", 2)))
        right = (["Dogs", "bark", "."], ["NOUN", "VERB", "PUNCT"], [2, 0, 2], ["dep", "root", "dep"])
        for name, text in {
                "plain": "# sent_id = 1\n%s\n\n", "mark": "\ufeff# sent_id = 1\n%s\n\n", "mark before a word": "\ufeff%s\n\n", "no blank": "#sent_id=1\n%s\n\n", "empty comment": "#\n%s\n\n", "several": "\n\n\n%s\n\n\n\n",
                "blanks": "%s\n \t \n", "no end": "%s", "range": "1-2\tDogsbark" + "\t_" * 8 + "\n%s\n3.1\tx" + "\t_" * 8 + "\n"}.items():
            found = list(treebank.sentences(self.write("a.conllu", (text.replace("%s", plain)))))
            self.assertEqual(found, [right], name)
            self.assertEqual(list(treebank.sentences(self.write("a.conllu", text.replace("%s", plain).replace("\n", "\r\n")))), [right], name)
        self.assertEqual(next(treebank.sentences(self.write("a.conllu", plain.replace("\t0\troot", "\t_\t_"))))[2], [2, -1, 2])
        words = "\n".join((self.row(1, "cafe\u0301", "NOUN", 2), self.row(2, "\u2019s\u200b", "PART"), self.row(3, "\u201c", "PUNCT", 2), self.row(4, "\u200b", "X", 2)))
        self.assertEqual(next(treebank.sentences(self.write("a.conllu", words)))[0], ["caf\u00e9", "'s", '"', "\u200b"])

    def test_what_is_skipped_is_named(self):
        good = "".join("%s\n%s\n\n" % (self.row(1, "dog%d" % i, "NOUN", 2), self.row(2, "barks", "VERB")) for i in range(110))
        long = "\n".join(self.row(i + 1, "dog", "NOUN", i) for i in range(150)) + "\n\n"
        self.write("a.conllu", good + long + self.row(1, "dog", "NOUN", 9) + "\n\nnine columns\n\n"), self.write("b.conllu", b"\0"), self.write("._a.conllu", "")
        (words, *_), said = self.said(lambda: treebank.read(self.at, "train"))
        for part in ("110 sentences in 2 files", "1 sentence of more than 128 words left out", "a head that is no word of its sentence: a.conllu", "ten columns", "b.conllu", "1 hidden"):
            self.assertIn(part, said)
        self.assertTrue(60 < len(words) < 110)


if __name__ == "__main__":
    unittest.main()
