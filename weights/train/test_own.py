#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests training on a user's own folders. Every shipped file can be trained further, and each command of README.md ("Your own data") works.
The tests generate tiny folders of pictures, sounds, texts and so on.

    python3 weights/train/test_own.py          half a minute; needs no data set
"""
import contextlib
import importlib
import io
import os
import re
import shutil
import tempfile
import unittest

import numpy as np
import torch

import data
import export as export_command
from common import gguf, loop, page, recipes, runs, settings
from common.task import Task
from data import files
from test_data import wav

HERE = os.path.dirname(os.path.abspath(__file__))
EVERY = bool(os.environ.get("EVERY_RECIPE"))          # set by ./build.sh test-train all
LEFT_OUT = ("opened", "opened-decoder")               # tiny models with eight numbers per token, which nobody trains on their own words


def folder(at, count=24, names=("",)):
    """Draws random coloured houses into the folder `at`."""
    from PIL import Image, ImageDraw
    rng = np.random.default_rng(2)
    for i in range(count):
        image = Image.new("RGB", (48, 48), "white")
        draw, (x, y, w) = ImageDraw.Draw(image), rng.integers(8, 18, 3)
        colour = tuple(int(v) for v in rng.integers(0, 200, 3))
        draw.rectangle([x, y + 12, x + w + 10, 42], fill=colour)
        draw.polygon([x - 2, y + 12, x + w + 12, y + 12, x + w // 2 + 5, y], fill=(200, 60, 40))
        os.makedirs(os.path.join(at, names[i % len(names)]), exist_ok=True)
        image.save(os.path.join(at, names[i % len(names)], "house %02d.png" % i))


def signs(at):
    rng = np.random.default_rng(3)
    from PIL import Image, ImageDraw
    for sign in range(12):
        points = rng.integers(6, 42, (5, 2))
        os.makedirs(os.path.join(at, "sign %d" % sign))
        for i in range(4):
            image = Image.new("L", (48, 48), 255)
            ImageDraw.Draw(image).line([tuple(int(v) for v in p) for p in points + rng.integers(-3, 4, (5, 2))], fill=0, width=4)
            image.save(os.path.join(at, "sign %d" % sign, "%d.png" % i))


def sounds(at, names=("low", "high"), rate=16000):
    for k, name in enumerate(names):
        os.makedirs(os.path.join(at, name), exist_ok=True)
        for i in range(8):
            t = np.arange(rate // 8) / rate
            with open(os.path.join(at, name, "%d.wav" % i), "wb") as f:
                f.write(wav(0.6 * np.sin(2 * np.pi * (200 + 300 * k + 10 * i) * t), rate))


WORDS = "the king went to a wood and said a word that no man had heard".split()


def sentence(rng):
    return " ".join(rng.choice(WORDS, rng.integers(4, 10))).capitalize() + "."


def texts(at):
    rng = np.random.default_rng(5)
    os.makedirs(at, exist_ok=True)
    with open(os.path.join(at, "tale.md"), "w", encoding="utf-8") as f:
        f.writelines(sentence(rng) + "\n" for _ in range(1600))


def pairs(at):
    rng = np.random.default_rng(6)
    os.makedirs(at, exist_ok=True)
    with open(os.path.join(at, "pairs.csv"), "w", encoding="utf-8") as f:
        f.write("de,en\n")
        f.writelines("%s\n" % ",".join('"%s %d"' % (sentence(rng), i) for _ in range(2)) for i in range(140))


def treebank(at):
    rng = np.random.default_rng(7)
    os.makedirs(at, exist_ok=True)
    with open(os.path.join(at, "own.conllu"), "w", encoding="utf-8") as f:
        for _ in range(140):
            words = sentence(rng).split()
            f.writelines("%d\t%s\t_\t%s\t_\t_\t%d\t%s\t_\t_\n" % (i + 1, w, "NOUN" if w in ("king", "wood") else "VERB", i, "root" if i == 0 else "dep") for i, w in enumerate(words))
            f.write("\n")


def sample_of(reader):
    """Returns the function that makes a folder for a reader. This function is either the function of this file that has the reader's name,
    or `sample` in test_READER.py."""
    return globals()[reader] if reader in globals() else importlib.import_module("test_" + reader).sample


def reader_of(name):
    return data.reader_of(recipes.find(name).dataset)


def shipped(name):
    return os.path.join(recipes.SHIPPED, name + ".gguf")


def smallest():
    """Returns {reader: recipe}. Among the recipes with a schedule for your own folder, the one with the smallest shipped file is chosen."""
    names = sorted((name for name in recipes.names() if recipes.find(name).own), key=lambda name: -os.path.getsize(shipped(name)))
    return {reader_of(name): name for name in names}


class Folders(unittest.TestCase):
    def setUp(self):
        self.at = tempfile.mkdtemp(prefix="own 자료 ")
        self.addCleanup(shutil.rmtree, self.at)
        self.kept, runs.RUNS = runs.RUNS, os.path.join(self.at, "runs")
        files._said.clear()

    def tearDown(self):
        runs.RUNS = self.kept
        data._forbidden = False

    def folder(self, reader, **how):
        """Makes a folder for a reader, and returns its path."""
        at = os.path.join(self.at, reader + "".join(how.get("names", ())))
        if not os.path.exists(at):
            sample_of(reader)(at, **how)
        return at

    def trained(self, name, *options, steps=2):
        """Trains a recipe for a few steps and returns (trainer, its output)."""
        recipe, s = settings.parse("", recipes.find, [name, "--minutes", "0", "--steps", str(steps), "--batch", "2", "--threads", "1", "--sheets", "-1", "--bf16", "0", "--final-valid-images", "4", *options])
        with contextlib.redirect_stdout(io.StringIO()) as said:
            task = recipe.task(s)
            task.adapt()
            torch.manual_seed(1)
            t = loop.Trainer(recipe, s, {split: task.load(split) for split in ("train", "validation")}, runs.Run(s.run))
            for _ in range(steps):
                self.assertTrue(np.isfinite(float(t.step())), name)
            t.save()
        return t, said.getvalue()

    def exported(self, name, run="", kind="f32"):
        out = os.path.join(self.at, (run or name) + ".gguf")
        with contextlib.redirect_stdout(io.StringIO()):
            export_command.export_run(name, run, kind=kind, out=out)
        return gguf.read(out)


class FromItself(Folders):
    def test_every_shipped_file_trains_on(self):
        """Trains one step from the smallest shipped file of each reader. With EVERY_RECIPE, the test trains two steps from every shipped
        file. The exported file has the same sizes, vocabulary and features."""
        names = [name for name in recipes.names() if name not in LEFT_OUT and os.path.exists(shipped(name))]
        for name in names if EVERY else smallest().values():
            path = shipped(name)
            with self.subTest(name):
                t, _ = self.trained(name, "--from", path, "--data", self.folder(reader_of(name)), "--labels", "file", "--lr", "0", steps=2 if EVERY else 1)
                self.assertTrue(t.s.adopted)
                before, after = gguf.read(path), self.exported(name)
                of_model = lambda metadata: {k: v for k, v in metadata.items() if k.startswith((t.task.architecture + ".", "tokenizer.")) and not k.endswith("word_hashes")}
                old, new = of_model(before[0]), of_model(after[0])
                if type(t.task).adapt is not Task.adapt:                 # the task adds entries of your own data to lists of the file
                    new.update({k: new[k][:len(v)] for k, v in old.items() if isinstance(v, list)})
                self.assertEqual(new, old)
                # The norm statistics differ, because they are computed from pictures other than those that the file was trained on.
                close = 0.05 if any(k.endswith("variance") for k, _ in t.average.named_buffers()) else 2e-3
                for k, (w, _) in before[1].items():
                    if not k.startswith((t.task.draft, "codebook.")):    # a codebook follows the sounds without a learning rate
                        self.assertEqual(after[1][k][0].shape[1:], w.shape[1:], k)
                        first = after[1][k][0][:len(w)]
                        if not name.startswith("hmm"):                   # an HMM is trained by counting
                            self.assertLess(np.abs(first - w).max(), close * (1e-6 + np.abs(w).max()), (name, k))


class Changed(Folders):
    def test_folders_become_classes(self):
        """For sounds and for a GAN, folders become classes automatically; for other pictures, folders become classes only with --labels
        folders. The exported file has the names of the folders as classes. Classes that are also in the old file keep their vectors."""
        path = lambda name: os.path.join(recipes.SHIPPED, name + ".gguf")
        t, said = self.trained("wavenet", "--from", path("wavenet"), "--data", self.folder("sounds"))
        self.assertIn("classes: high, low", said)
        metadata, tensors = self.exported("wavenet")
        self.assertEqual(metadata["wavenet.classes"], ["high", "low"])
        self.assertNotIn("wavenet.speakers", metadata)
        self.assertFalse(any("speaker" in name for name in tensors))
        t, said = self.trained("gated-pixelcnn-digits", "--from", path("gated-pixelcnn-digits"), "--data", self.folder("folder", names=("7", "cat")), "--labels", "folders", "--lr", "0")
        before, after = gguf.read(path("gated-pixelcnn-digits"))[1]["blk.0.class.weight"][0], self.exported("gated-pixelcnn-digits")
        self.assertEqual(after[0]["gated-pixelcnn.classes"], ["7", "cat"])
        after = after[1]["blk.0.class.weight"][0]
        self.assertLess(np.abs(after[0] - before[7]).max() + np.abs(after[1] - before.mean(0)).max(), 1e-4)

    @unittest.skipUnless(EVERY, "EVERY_RECIPE")
    def test_kinds_of_a_gan(self):
        path = lambda name: os.path.join(recipes.SHIPPED, name + ".gguf")
        for labels, named in (("auto", ["face", "person", "animal", "hand", "heart", "clock", "fruit", "flag"]), ("folders", ["heart", "clock"])):
            folder = self.folder("folder", names=("heart", "clock"))
            t, said = self.trained("sagan-emoji", "--from", path("sagan-emoji"), "--data", folder, "--labels", labels, "--run", "gan-" + labels, "--lr", "0")
            self.assertEqual(sorted(t.s.class_names), sorted(named))
        self.assertEqual(set(t.training.y.tolist()), {0, 1})
        before = gguf.read(path("sagan-emoji"))[1]["blk.0.norm_0.weight"][0]
        again = t.task.folded(t.average).state_dict()["blk.0.norm_0.weight"].numpy()
        self.assertEqual(t.s.class_names, ("clock", "heart"))
        for row, of in ((again[0], before[5]), (again[1], before[4])):
            self.assertLess(np.abs(row - of).max(), 0.3 * np.abs(of).max())

    def test_a_vocabulary_of_ones_own(self):
        """Tokens that are also in the file keep their rows. The exported file can be trained further."""
        t, said = self.trained("lstmn", "--from", os.path.join(recipes.SHIPPED, "lstmn.gguf"), "--data", self.folder("texts"), "--vocabulary", "own", "--values", "300", "--lr", "0")
        self.assertIn("vocabulary: ", said)
        metadata, tensors = self.exported("lstmn")
        before = gguf.read(os.path.join(recipes.SHIPPED, "lstmn.gguf"))
        old, new = before[0]["tokenizer.ggml.tokens"], metadata["tokenizer.ggml.tokens"]
        self.assertTrue(257 < len(new) <= 300)
        at = new.index("\u0120king")
        self.assertLess(np.abs(tensors["token_embd.weight"][0][at] - before[1]["token_embd.weight"][0][old.index("\u0120king")]).max(), 1e-5)
        again, _ = self.trained("lstmn", "--from", os.path.join(self.at, "lstmn.gguf"), "--data", self.folder("texts"), "--run", "again")
        self.assertEqual((again.s.values, len(again.task.tokenizer)), (len(new), len(new)))
        self.assertEqual(self.exported("lstmn", "again")[0]["tokenizer.ggml.tokens"], new)

    def test_more_tags_and_features(self):
        folder = self.folder("treebank")
        with open(os.path.join(folder, "own.conllu"), encoding="utf-8") as f:
            text = f.read().replace("\tVERB\t", "\tMYTAG\t")
        with open(os.path.join(folder, "own.conllu"), "w", encoding="utf-8") as f:
            f.write(text)
        t, said = self.trained("memm-en", "--from", os.path.join(recipes.SHIPPED, "memm-en.gguf"), "--data", folder, "--features", "90050")
        self.assertIn("tags that the file does not have begin anew: MYTAG", said)
        metadata, tensors = self.exported("memm-en")
        self.assertEqual((metadata["chain.tags"][-1], tensors["feature.weight"][0].shape), ("MYTAG", (90050, 18)))

    def test_what_the_command_line_says_comes_first(self):
        parse = lambda *argv: settings.parse("", recipes.find, list(argv))[1]
        path = os.path.join(recipes.SHIPPED, "wavenet.gguf")
        first, adopted, larger = parse("wavenet"), parse("wavenet", "--from", path), parse("wavenet", "--from", path, "--residual-length", "96", "--lr", "1")
        self.assertEqual((first.residual_length, adopted.residual_length, larger.residual_length, larger.lr), (32, 64, 96, 1.0))
        for name in smallest().values():                                 # evaluate.py
            recipe, s = settings.parse("", recipes.find, [name, "--data", self.folder(reader_of(name))])
            with contextlib.redirect_stdout(io.StringIO()):
                held = recipe.task(s).held_out()
            self.assertGreater(sum(map(len, held)) if isinstance(held, tuple) else len(held), 0, name)
        path_of = os.path.join(recipes.SHIPPED, "de-en.gguf")
        shipped, own, faster = (parse("de-en", "--from", path_of, *more) for more in ((), ("--data", "mine"), ("--data", "mine", "--lr", "1")))
        self.assertEqual([(s.values, s.dropout, s.lr, s.warmup, s.batch, s.minutes) for s in (shipped, own, faster)],
                         [(10000, 0.1, 6e-4, 100, 128, 70), (10000, 0.1, 3e-4, 20, 64, 10), (10000, 0.1, 1, 20, 64, 10)])
        # The run adopts the settings of the stage that trained the file, except for the stage's schedule.
        self.assertEqual((adopted.end_weight, adopted.minutes, adopted.batch), (20.0, first.minutes, first.batch))
        self.assertFalse(parse("wavenet", "--stage", "2", "--from", path).adopted or parse("image-transformer-digits-bw", "--from", os.path.join(recipes.SHIPPED, "digits.gguf")).adopted)


class Documented(Folders):
    """The commands of README.md, \"Your own data\"."""

    def section(self):
        with open(os.path.join(HERE, "README.md"), encoding="utf-8") as f:
            return f.read().split("## Your own data\n")[1].split("\n## ")[0]

    def test_commands(self):
        """Each command trains for one step on a generated folder, writes its file, and prints a link that opens the file on a page."""
        commands = [line.split()[2:] for line in self.section().split("```sh\n")[1].split("```")[0].splitlines()]
        self.assertEqual({name for name, *_ in commands}, {name for name in recipes.names() if recipes.find(name).own})
        cheap = sorted((name for name, *_ in commands), key=lambda name: os.path.getsize(shipped(name)))[:3]
        for name, *options in commands:
            at, path = options.index("--data") + 1, options.index("--from") + 1
            options[path] = os.path.join(recipes.SHIPPED, os.path.basename(options[path]))
            settings.parse("", recipes.find, [name, *options])
            if not EVERY and name not in cheap:
                continue
            options[at] = self.folder(reader_of(name), **dict(names=("house", "hut")) if "folders" in options else {})
            with self.subTest(name):
                kept = [option for i, option in enumerate(options) if "--minutes" not in options[i - 1:i + 1] and "--steps" not in options[i - 1:i + 1]]
                t, said = self.trained(name, *kept, steps=1)
                metadata, _ = self.exported(name, t.s.run)
                self.assertIn(page.page_of(metadata)[0], os.listdir(os.path.join(data.ROOT, "web", "pages")))

    def test_the_table_names_every_recipe(self):
        named = set(re.findall(r"`([\w-]+)`", "".join(line.split("|")[1] for line in self.section().splitlines() if line.startswith("| `"))))
        self.assertEqual({name for name in recipes.names() if name not in LEFT_OUT and not name.startswith("seq2seq-")} - named, set())

    def test_every_file_has_a_page(self):
        """Every shipped file has a page. The file's picture size and architecture satisfy the restrictions in the line `takes:` of
        page.html."""
        for name in recipes.names():
            path = os.path.join(recipes.SHIPPED, name + ".gguf")
            metadata, _ = gguf.read_raw(path)
            where, tries = page.page_of(metadata)
            with open(os.path.join(data.ROOT, "web", "pages", where, "page.html"), encoding="utf-8") as f:
                takes = re.search(r"^takes: (.*)$", f.read(), re.M).group(1).split()
            architecture = metadata["general.architecture"]
            size = "x".join(str(metadata.get("%s.image.%s" % (architecture, side), "")) for side in ("width", "height", "channels"))
            sized = [word for word in takes if re.match(r"\d", word)]
            self.assertTrue(not sized or size in sized, (name, takes))
            only = {"seq2seq", "transformer", "lstmn", "fvsbn", "pixelcnn", "gated-pixelcnn", "sparse-transformer"} & set(takes)
            self.assertTrue(not only or architecture in only or where == "transformer", (name, takes))
            self.assertEqual(page.address_of(path, metadata), "http://127.0.0.1:8080/web/pages/%s/?model=../../../weights/%s.gguf" % (where, name))
        metadata["general.architecture"] = "llama"
        self.assertEqual(page.address_of(os.path.join(data.ROOT, "build", "내 글.gguf"), metadata), "http://127.0.0.1:8080/web/pages/tokens/?model=../../../build/%EB%82%B4%20%EA%B8%80.gguf")
        self.assertEqual(page.address_of(os.path.join(self.at, "a.gguf"), metadata), "")
        self.assertIn("choose the file under", page.said(os.path.join(self.at, "a.gguf"), metadata))


class Slips(Folders):
    """A user's mistake ends the program with a message, and never with a traceback."""

    def said(self, name, *options):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            try:
                recipe, s = settings.parse("", recipes.find, [name, "--minutes", "0", "--steps", "1", "--threads", "1", "--sheets", "-1", "--run", "slip", *options])
                loop.train(recipe, s)
            except SystemExit as left:
                data._forbidden = False
                return out.getvalue() + str(left.code)
        data._forbidden = False
        return out.getvalue()

    def test_folders(self):
        empty, other, one = (os.path.join(self.at, name) for name in ("빈 폴더", "other", "one"))
        for folder in (empty, other, one):
            os.makedirs(folder)
        for name in ("a.zip", "b.pdf"):
            open(os.path.join(other, name), "wb").close()
        for reader, name in smallest().items():
            whole = self.folder(reader)
            first = next(os.path.join(at, f) for at, _, found in sorted(os.walk(whole)) for f in sorted(found))
            shutil.copy(first, one)
            for folder, wanted in ((empty, r"빈 폴더: 0 .*The folder is empty"), (other, r"other: 0 .*files with .pdf, .zip"), (one, r"one: .* (at least|none of)"), (first, "is a file: give the folder"), ("no such", "no such folder")):
                if folder == one and reader in ("texts", "pairs", "treebank"):
                    continue             # one file is enough for folders of these kinds
                said = self.said(name, "--data", folder, "--smoke")
                self.assertRegex(said, wanted, (name, folder))
            os.remove(os.path.join(one, os.path.basename(first)))

    def test_options(self):
        folder, tales = self.folder("folder"), self.folder("texts")
        for name, options, wanted in (
                ("fvsbn", ("--device", "cuda"), "sees no CUDA GPU" if not torch.cuda.is_available() else "valid"), ("fvsbn", ("--device", "mps"), "there are auto, cpu and cuda"), ("fvsbn", ("--device", "gpu"), "there are auto"),
                ("fvsbn", ("--batch", "0"), "--batch 0: 1 or more"), ("fvsbn", ("--batch", "100"), "so that a batch has"), ("fvsbn", ("--steps", "0"), "one of them says how long"), ("fvsbn", ("--lr", "nan"), "--lr nan"),
                ("fvsbn", ("--minutes", "-1"), "--minutes -1"), ("fvsbn", ("--clock", "sun"), "there are wall and cpu"), ("fvsbn", ("--run", "a/b"), "--run a/b: a name without /"), ("fvsbn", ("--threads", "0"), "--threads 0"),
                ("fvsbn", ("--warmup", "0"), "valid"), ("fvsbn", ("--round-to", "q5"), "there are q8_0, q4_0"), ("fvsbn", ("--batch", "x"), "invalid int value"), ("fvsbn", ("--stage", "2"), "has 1"), ("fvsbn", ("--bach", "2"), "is --batch meant"),
                ("fvsbn", ("--from", folder), "no such file"), ("fvsbn", ("--from", os.path.join(recipes.SHIPPED, "digits.gguf")), "is a file of the architecture image-transformer"),
                ("sagan-emoji", ("--labels", "kinds"), "--labels kinds: there are auto, folders"), ("sagan-emoji", ("--labels", "speakers"), "for recordings"), ("sagan-emoji", ("--labels", "folders"), "has no folders of pictures"),
                ("stories", ("--vocabulary", "german"), "there are .*stories, and `own`"), ("stories", ("--vocabulary", "own", "--values", "100"), "--values 100"), ("crf-en", ("--prose", "none"), "--prose none: no such folder")):
            of = tales if name == "stories" else self.folder("treebank") if name == "crf-en" else folder
            shutil.rmtree(os.path.join(runs.RUNS, "slip"), ignore_errors=True)
            self.assertRegex(self.said(name, "--data", of, *options), wanted, (name, options))


if __name__ == "__main__":
    unittest.main()
