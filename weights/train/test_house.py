#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests the code that all recipes share: the training loop, the queue, starting from a file, training in several processes, and reading
your own pictures.

    python3 weights/train/test_house.py        a minute; needs no data set (test_train.py runs it too)
"""
import atexit
import base64
import contextlib
import functools
import io
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import wave
from dataclasses import replace
from unittest import mock

import numpy as np
import torch

import convert_llama2c
import convert_mingpt
import data
import evaluate
import export as export_command
import scaling
from common import calibrated, curve, export, golden, gguf, loop, machine, needed, recipes, runs, settings
from data import folder, scenes
from models.fvsbn.model import FVSBN, Config
from models.fvsbn.task import TASK as FVSBNTask
from test_captions import sprites
from test_music import compose

HERE = os.path.dirname(os.path.abspath(__file__))
EVERY = bool(os.environ.get("EVERY_RECIPE"))          # set by ./build.sh test-train all
os.environ.setdefault("NEXTPIXEL_NATIVE", recipes.RUNS)          # compiles native.c, which takes seconds, once for all folders of runs
QUIET = dict(sheets=-1, threads=1, attention="plain", compile=False)


def paint(directory, count=30, size=(40, 36)):
    """Makes a folder of pictures, one of them transparent, some in a subfolder."""
    from PIL import Image
    rng = np.random.default_rng(1)
    os.makedirs(os.path.join(directory, "more"), exist_ok=True)
    for i in range(count):
        image = Image.fromarray(rng.integers(0, 256, (4, 5, 4 if i == 3 else 3), dtype=np.uint8)).resize(size, Image.BILINEAR)
        image.save(os.path.join(directory, "more" if i % 3 == 0 else "", "%02d.png" % i))
    some = lambda count: " ".join(rng.choice(["the", "king", "went", "to", "a", "wood", "and", "said", "'Yes'", "17"], count)) + "."
    with open(os.path.join(directory, "more", "tale.txt"), "w") as f:    # a text for the recipes of language models
        f.writelines(some(12) + "\n" for _ in range(3000))
    with open(os.path.join(directory, "more", "tagged.conllu"), "w") as f:                # tagged sentences for recipes that tag words
        for _ in range(300):
            words = some(rng.integers(1, 12)).split()
            f.writelines("%d\t%s\t_\t%s\t_\t_\t0\t_\t_\t_\n" % (i + 1, w, "NOUN" if w in ("king", "wood") else "X") for i, w in enumerate(words))
            f.write("\n")
    os.makedirs(os.path.join(directory, "recordings"), exist_ok=True)
    for take in (5, 7, 8, 9):  # recordings for recipes of sounds: takes for validation and training
        for digit in range(10):
            with wave.open(os.path.join(directory, "recordings", "%d_theo_%d.wav" % (digit, take)), "wb") as f:
                f.setnchannels(1), f.setsampwidth(2), f.setframerate(8000)
                f.writeframes((8000 * np.sin(np.arange(2000) * (0.1 + 0.05 * digit)) + rng.normal(0, 500, 2000)).astype("<i2").tobytes())
    for sign in range(20):                                              # drawings for recipes of characters
        os.makedirs(os.path.join(directory, "signs", "%02d" % sign))
        for drawing in range(5):
            Image.fromarray(rng.integers(0, 256, (7, 7), dtype=np.uint8) // (1 + sign % 3)).resize((40, 40)).save(os.path.join(directory, "signs", "%02d" % sign, "%d.png" % drawing))
    with open(os.path.join(directory, "more", "pairs.tsv"), "w") as f:   # pairs of sentences for recipes of translation
        f.writelines("%s\t%s\n" % (some(rng.integers(1, 12)), some(rng.integers(1, 12))) for _ in range(300))


class Forked:
    """Starts scripts in a process that has already imported PyTorch (forked.py)."""
    server = None

    @classmethod
    def run(cls, argv, environment):
        if cls.server is None:
            cls.server = subprocess.Popen([sys.executable, os.path.join(HERE, "forked.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            unittest.addModuleCleanup(cls.end)
        cls.server.stdin.write(json.dumps([argv, environment]) + "\n")
        cls.server.stdin.flush()
        return json.loads(cls.server.stdout.readline())

    @classmethod
    def end(cls):
        cls.server.communicate()
        cls.server = None


# commands that have already run as a separate process, as users run them; later runs are forked
given = set()


def command(name, *args, runs_in, check=True):
    argv, environment = [os.path.join(HERE, name)] + [str(a) for a in args], dict(NEXTPIXEL_RUNS=runs_in, OMP_NUM_THREADS="1")
    if name in given and name != "train_queue.py":    # train_queue.py does not need PyTorch
        status, said = Forked.run(argv, environment)
    else:
        given.add(name)
        found = subprocess.run([sys.executable] + argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=dict(os.environ, **environment))
        status, said = found.returncode, found.stdout
    if check and status:
        raise AssertionError(said)
    return said


def text(*path):
    with open(os.path.join(*path)) as f:
        return f.read()


def chosen():
    """Returns the names of the recipes to test. By default, only the first recipe of each combination of task and output is tested, because
    the others share all tested code. If EVERY_RECIPE is set (./build.sh test-train all), all recipes are tested."""
    of = {}
    for name in recipes.names():
        recipe = recipes.find(name)
        of.setdefault(name if EVERY else (recipe.task, recipe.settings.get("output")), name)
    return list(of.values())


def settings_of(recipe, **more):
    known = recipe.task.Settings.__dataclass_fields__
    chosen = dict(recipe.settings, **recipe.task.smoke(recipe.settings))
    chosen.update({k: v for k, v in dict(QUIET, **more).items() if k in known})
    return recipe.task.Settings(**chosen)


@functools.lru_cache(maxsize=None)
def painted():
    """Makes a folder with all data sets; each test gets a copy."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    paint(folder)
    compose(folder)
    return folder


class House(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.pictures, self.runs = (os.path.join(self.folder.name, name) for name in ("pictures", "runs"))
        shutil.copytree(painted(), self.pictures)
        self.kept, runs.RUNS = runs.RUNS, self.runs

    def tearDown(self):
        runs.RUNS = self.kept
        data._forbidden = False
        self.folder.cleanup()


class Machine(unittest.TestCase):
    def of(self, text):
        with tempfile.NamedTemporaryFile("w", suffix="-cpuinfo") as f:
            f.write(text)
            f.flush()
            return machine.processor(f.name)

    def test_what_the_processor_has(self):
        one = "processor\t: %d\nvendor_id\t: GenuineIntel\nmodel name\t: A: B\nflags\t\t: fpu avx512vl%s\nvmx flags\t: x\n\n"
        self.assertEqual(self.of(one % (0, " avx512_bf16") + one % (1, "")), ("GenuineIntel", {"fpu", "avx512vl", "avx512_bf16"}))
        self.assertEqual(self.of("Hardware : other\n"), ("", frozenset()))
        self.assertEqual(machine.processor(os.path.join(HERE, "no such file")), ("", frozenset()))

    def test_bf16_only_where_it_is_fast(self):
        for sets, fast in (({"avx512_bf16"}, True), ({"amx_bf16"}, True), ({"avx512f", "avx512_vnni"}, False)):
            with mock.patch.object(machine, "processor", return_value=("", sets)):
                self.assertEqual(machine.has_bf16(), fast)


class Recipes(House):
    def test_recipes_train_save_resume_and_export(self):
        """Trains a model with the sizes of --smoke for two steps on a folder of pictures. A run that stops and resumes has the same third
        step as an uninterrupted run. The exported file gives the same loss as the run."""
        for name in chosen():
            recipe = recipes.find(name)
            s = settings_of(recipe, data=self.pictures, run=name)
            load = (lambda split: scenes.Scenes(sprites(), split)) if s.dataset == "scenes" else recipe.task(s).load
            examples = {split: load(split) for split in ("train", "validation")}
            torch.manual_seed(s.seed)
            run = runs.Run(name)
            t = loop.Trainer(recipe, s, examples, run)
            for _ in range(2):
                self.assertTrue(np.isfinite(float(t.step())), name)
            t.save()
            with contextlib.redirect_stdout(io.StringIO()):
                t.report(final=True)
            third = float(t.step())
            with contextlib.redirect_stdout(io.StringIO()):
                again = loop.Trainer(recipe, s, examples, run)
            self.assertEqual(again.count, 2)
            self.assertEqual(float(again.step()), third, name)
            task, model, checkpoint = runs.load_average(name)
            path = os.path.join(self.folder.name, name + ".gguf")
            export.export(path, task, model, gguf.F32, dict(recipe.card))
            other, fresh = evaluate.from_file(recipe, path)
            fresh.load_state_dict(other.stored(path))
            batch = task.encode(examples["validation"], model).take(slice(2), "cpu")
            with torch.no_grad():
                self.assertTrue(torch.allclose(task.nats(model, *batch), other.nats(fresh.eval(), *batch), rtol=1e-4), name)

    @unittest.skipUnless(EVERY, "EVERY_RECIPE")
    def test_smoke_is_a_command(self):
        said = command("train.py", "digits", "--smoke", "--data", self.pictures, "--steps", 4, "--sheets", -1, runs_in=self.runs)
        self.assertIn("final valid", said)
        self.assertRegex(said, r"step 1  0\.\d min  loss \d+\.\d\d nats  \d+ s left")          # printed immediately, then every few seconds
        out = os.path.join(self.folder.name, "not", "there", "a.gguf")
        said = command("export.py", "digits", "--run", "digits-smoke", "--out", out, runs_in=self.runs)
        self.assertIn("sha256", said)
        metadata, _ = gguf.read(out)         # the card must not name the recipe's data set
        self.assertEqual(metadata["general.name"], "digits-smoke")
        self.assertEqual(metadata["nextpixel.card.dataset"], "a folder of one's own, pictures")
        self.assertNotIn("MNIST", str(metadata))
        with open(out[:-5] + ".json") as f:          # NAME.json lists the held-out and validation pictures, for sheets
            self.assertEqual(len(json.load(f)["labels"]), 26)
        self.assertIn("there are " + recipes.names()[0], command("train.py", "nothing", runs_in=self.runs, check=False))

    def test_what_is_missing_is_said(self):
        """If a folder is missing, a message says so. If a module is missing, the message contains the command that installs it."""
        self.assertEqual(command("train.py", "emoji", "--smoke", "--data", "not/there", runs_in=self.runs, check=False).splitlines()[-1], "--data not/there: no such folder")
        with mock.patch.object(needed.importlib.util, "find_spec", lambda name: None if name == "torch" else 1):
            for there, said in ((False, "apt install python3-torch"), (False, "-m pip install torch"), (True, "/usr/bin/python3 has")):
                with mock.patch.object(needed.os.path, "isdir", lambda path: there), self.assertRaises(SystemExit) as left:
                    needed.require("numpy", "torch")
                self.assertIn("has no PyTorch", str(left.exception))
                self.assertIn(said, str(left.exception))

    def test_what_went_wrong_is_a_sentence(self):
        """For a wrong file, folder or run, the output is a short message with advice instead of a traceback."""
        def said(*argv):
            told = command(*argv, runs_in=self.runs, check=False)
            self.assertNotIn("Traceback", told)
            return told
        self.assertRegex(said("export.py", "fvsbn", "--run", "none"), r"no run 'none' in .*; train first: python3 weights/train/train.py NAME")
        os.makedirs(os.path.join(self.runs, "mine"))
        self.assertRegex(said("evaluate.py", "fvsbn"), r"no run 'fvsbn' in .*; there are mine")
        begin = lambda recipe, path: said("train.py", recipe, "--data", self.pictures, "--steps", "1", "--minutes", "0", "--from", path, "--threads", "1")
        self.assertRegex(begin("fvsbn", "none.gguf"), "none.gguf: no such file")
        self.assertRegex(begin("fvsbn", __file__), "is not a GGUF file: it begins with b'#!/usr/bin/env p'")
        digits = os.path.join(recipes.SHIPPED, "digits.gguf")
        self.assertRegex(begin("fvsbn", digits), "is a file of the architecture image-transformer; this recipe makes fvsbn")
        self.assertRegex(begin("emoji", digits), r"cannot begin this run: .*\nThe file has .*--levels 16.*; this run .*--levels 256.*Give train.py those of the file")
        with open(digits, "rb") as f, open(os.path.join(self.folder.name, "cut.gguf"), "wb") as cut:
            cut.write(f.read(5000))
        self.assertRegex(begin("digits", cut.name), "cut.gguf is damaged, truncated or of an unsupported form")
        with open(os.path.join(self.pictures, "07.png"), "r+b") as f:
            f.truncate(60)
        self.assertRegex(said("train.py", "fvsbn", "--data", self.pictures, "--smoke"), r"pictures: \d+ pictures; skipped 1 \(no picture that can be read: .*: 07.png\)")

    def test_a_picture_early(self):
        """The first measurement of a run comes after a few seconds of training, whatever the interval between measurements, and also draws
        a sample sheet."""
        s = settings_of(recipes.find("fvsbn"), data=self.pictures, run="early", sheets=1, every=50.0, steps=3)
        with mock.patch.object(loop, "FIRST_SHEET", 0.0), contextlib.redirect_stdout(io.StringIO()) as said:
            loop.train(recipes.find("fvsbn"), s)
        self.assertEqual(said.getvalue().count("samples: "), 2)                  # one sheet comes early, the other one at the end
        self.assertIn("valid ", said.getvalue().split("final valid")[0])

    def test_one_name_one_recipe_one_file(self):
        """Every shipped file has a recipe with the same name. The card of each recipe states the recipe's name."""
        shipped = [f[:-5] for f in os.listdir(recipes.SHIPPED) if f.endswith(".gguf")]
        self.assertGreaterEqual(len(shipped), 9)
        self.assertEqual(set(shipped) - set(recipes.names()), set())
        for name in recipes.names():
            recipe = recipes.find(name)
            self.assertEqual(recipe.card["name"], name)
            self.assertEqual(recipe.card["command"].split()[:3], ["python3", "weights/train/train.py", name])
            self.assertTrue(not recipe.start or os.path.exists(os.path.join(recipes.SHIPPED, recipe.start)))
            for stage in recipe.stages:
                recipe.task.Settings(**dict(recipe.settings, **stage))
        together = recipes.together()
        self.assertGreater(len(together), 1)
        for name, stage, of, *options in together:                       # gpu.sh passes these options to train.py
            s = settings.parse("", recipes.find, [name, "--stage", str(stage), "--from", "a.gguf", *" ".join(options).split()])[1]
            self.assertEqual((s.run, os.path.basename(data.dataset(s.dataset).DEFAULT_DIR)), ("%s-%d" % (name, stage), of))

    def test_stages_and_starts(self):
        """A stage overrides settings of the recipe, has its own run and starts from a file. Some recipes also start from a file. The
        options --smoke and --from take precedence over all other settings."""
        parse = lambda *argv: settings.parse("", recipes.find, list(argv))[1]
        first, third = parse("cifar10"), parse("cifar10", "--stage", "3", "--from", "a.gguf", "--lr", "1e-4")
        self.assertEqual((first.run, first.start, first.sharp_rate), ("cifar10", "", 1.0))
        self.assertEqual((third.run, third.start, third.sharp_rate, third.minutes, third.lr), ("cifar10-3", "a.gguf", 0.05, 42.0, 1e-4))
        self.assertEqual(parse("cifar10-sr").start, os.path.join(recipes.SHIPPED, "cifar10.gguf"))
        self.assertEqual(parse("cifar10-sr", "--from", "").start, "")
        self.assertEqual(parse("cifar10-sr", "--smoke").start, "")
        for wrong, said in ((("cifar10", "--stage", "2"), "--from FILE"), (("digits", "--stage", "2", "--from", "a.gguf"), "digits has 1")):
            with contextlib.redirect_stderr(io.StringIO()) as told, self.assertRaises(SystemExit):
                parse(*wrong)
            self.assertIn(said, told.getvalue())

    def test_where_a_file_goes(self):
        """A run overwrites a shipped file only if the run has the name of the recipe or of one of its stages, and was trained on the
        recipe's data."""
        recipe, shipped = recipes.find("cifar10"), os.path.join(recipes.SHIPPED, "cifar10.gguf")
        path = lambda run, folder="", **more: export_command.path_of(recipe, run, dict(settings=dict(dataset="cifar10", data=folder, run=run), **more))
        self.assertEqual([path("cifar10"), path("cifar10-3")], [shipped, shipped])
        self.assertEqual(path("cifar10", "on another machine", own=False), shipped)
        self.assertEqual(export_command.card_of(recipe, dict(settings=dict(data="on another machine"), own=False)), recipe.card)
        for other in (path("cifar10-4"), path("mine"), path("cifar10", self.pictures)):
            self.assertEqual(os.path.dirname(other), os.path.join(data.ROOT, "build"))

    def test_a_mean_of_weights(self):
        """The exported file is the average of the run's final weights (share 3/4) and its initial weights (share 1/4)."""
        recipe = recipes.find("emoji-sr")
        s = settings_of(recipe, data=self.pictures, run="emoji-sr")
        examples = {split: recipe.task(s).load(split) for split in ("train", "validation")}
        with contextlib.redirect_stdout(io.StringIO()):
            t = loop.Trainer(recipe, s, examples, runs.Run("emoji-sr"))
            t.save()
            before, mixed = (os.path.join(self.folder.name, name) for name in ("before.gguf", "mixed.gguf"))
            begun = {k: w.clone() for k, w in t.average.state_dict().items()}
            export_command.export_run("emoji-sr", kind="f32", out=before)
            for _ in range(3):
                t.step()
            t.save()
        export_command.export_run("emoji-sr", kind="f32", out=mixed, mixed=before, share=0.25)
        stored = recipe.task(s).stored(mixed)
        for name, w in t.average.state_dict().items():
            self.assertTrue(torch.allclose(stored[name], 0.75 * w + 0.25 * begun[name], atol=1e-6), name)
        self.assertFalse(torch.equal(stored["output.weight"], begun["output.weight"]))


class FromAFile(House):
    def test_loss_right_after_loading_is_the_files(self):
        """Exports F32 and Q4_0, and with EVERY_RECIPE also F16 and Q8_0. Each file then initialises a model of the same size, and a deeper
        model with more heads."""
        recipe = recipes.find("emoji")
        s = settings_of(recipe, data=self.pictures, run="first")
        examples = {split: recipe.task(s).load(split) for split in ("train", "validation")}
        t = loop.Trainer(recipe, s, examples)
        for _ in range(5):
            t.step()
        for kind in export.TYPES if EVERY else ("f32", "q4_0"):
            path = os.path.join(self.folder.name, "a.gguf")
            export.export(path, t.task, t.model, export.TYPES[kind], dict(recipe.card))
            model = t.task.model()
            model.load_state_dict(t.task.stored(path))
            own = loop.measure(t.task, model, t.valid, 16, t.autocast, "cpu")[""]
            for larger in ({}, dict(block_count=4, head_count=3)):
                again = loop.Trainer(recipe, replace(s, start=path, **larger), examples)
                found = loop.measure(t.task, again.model, again.valid, 16, t.autocast, "cpu")[""]
                self.assertLess(abs(found / own - 1), 0.01, (kind, larger))

    def test_pictures_of_ones_own(self):
        """Files are split independently of the folder that they are in. Training cannot read the held-out part. Pictures are cropped to the
        middle, and transparent parts become white."""
        from PIL import Image
        count = {split: len(folder.read(self.pictures, split, (8, 8, 3))[0]) for split in ("train", "validation")}
        self.assertEqual(count, dict(train=104, validation=13))
        with self.assertRaises(data.TestSetError):
            folder.read(self.pictures, "test", (8, 8, 3))
        with self.assertRaises(data.TestSetError):
            data.forbid_test_set()
            data.load("emoji", self.pictures, "test", (8, 8, 3))
        wide = np.zeros((10, 30, 4), np.uint8)
        wide[:, 10:20] = [200, 10, 10, 255]
        wide[5:, 10:20, 3] = 0
        path = os.path.join(self.folder.name, "wide.png")
        Image.fromarray(wide).save(path)
        found = folder.picture(path, 10, 10, 3)
        self.assertEqual(found[1, 4].tolist(), [200, 10, 10])
        self.assertEqual(found[8, 4].tolist(), [255, 255, 255])


class Scaling(House):
    @unittest.skipUnless(EVERY, "EVERY_RECIPE")
    def test_sizes_are_trained_once_and_tabled(self):
        from unittest import mock
        sizes = {"emoji": (scaling.Size(32, 1, 1, 32), scaling.Size(32, 2, 1, 32), scaling.Size(64, 2, 2, 32))}
        with mock.patch.multiple(scaling, SIZES=sizes, RUNS=self.runs), mock.patch.dict(os.environ, NEXTPIXEL_RUNS=self.runs):
            for _ in range(2):           # the second call finds all files present
                said = io.StringIO()
                with contextlib.redirect_stdout(said), mock.patch.object(sys, "argv", ["scaling.py", "emoji", "--smoke", "--data", self.pictures]):
                    scaling.main()
        self.assertNotIn("scaling-emoji-32x1-smoke: ", said.getvalue())
        self.assertEqual(len([line for line in said.getvalue().splitlines() if " wide, " in line and line.startswith("|")]), len(sizes["emoji"]))
        self.assertRegex(said.getvalue(), r"By the rule: an hour of two cores \([0-9.]+ times the compute\): (at (least|most) )?[0-9.]+ M parameters")
        with open(os.path.join(self.runs, "scaling-emoji-64x2-smoke", "out.log")) as f:
            self.assertIn("final valid", f.read())

    def test_rule(self):
        """The rule multiplies the best size by the square root of the growth in compute. If the best size is the smallest or the largest
        size, the rule gives only a bound."""
        rows = [scaling.Row(None, 10 ** 6 * 4 ** i, 100, 60.0, nats, 1.0) for i, nats in enumerate((30.0, 20.0, 25.0))]
        self.assertEqual(scaling.recommended(rows, 9), (12e6, ""))
        self.assertEqual(scaling.recommended(rows[:2], 9), (12e6, "at least "))
        self.assertEqual(scaling.recommended(rows[1:], 0.1), (4e6, "at most "))

    def test_minutes_of_cpu_time(self):
        """With --clock cpu, the time in which the process is stopped does not count: the run gets the CPU time that was requested, and
        hardly more."""
        command("train.py", "fvsbn", "--data", self.pictures, "--run", "a", "--minutes", 0.03, "--clock", "cpu", "--batch", 8, "--sheets", -1, "--threads", 1, runs_in=self.runs)
        last = json.loads(text(self.runs, "a", "log.jsonl").splitlines()[-1])
        self.assertTrue(last["final"] and 1.8 <= last["elapsed"] < 3)
        self.assertIn("there are wall and cpu", command("train.py", "fvsbn", "--data", self.pictures, "--clock", "sun", runs_in=self.runs, check=False))


class SeveralProcesses(House):
    # PyTorch 1.13 with Python 3.11 starts the processes only if one of their streams goes to a file (-r 1) and is copied back (-t 1)
    TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "-r", "1", "-t", "1"]

    def torchrun(self, common, here, nodes=1):
        """Runs torchrun once for each simulated machine, each time with a separate folder of runs."""
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            where = "127.0.0.1:%d" % s.getsockname()[1]
        agents = []
        for node in range(nodes):
            argv = self.TORCHRUN + ["--nproc_per_node=%d" % here, "--nnodes=%d" % nodes, "--rdzv_backend=c10d", "--rdzv_endpoint=" + where, "--rdzv_id=a", os.path.join(HERE, "train.py"), *map(str, common)]
            agents.append(subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=dict(
                os.environ, NEXTPIXEL_RUNS=self.runs + (str(node) if nodes > 1 else ""), OMP_NUM_THREADS="1", OMP_WAIT_POLICY="passive", NEXTPIXEL_MALLOC="plain")))
        said = [agent.communicate()[0] for agent in agents]
        self.assertEqual([agent.returncode for agent in agents], [0] * nodes, said)
        return said

    def test_two_processes_give_the_loss_of_one(self):
        """Starts two processes with torchrun. With EVERY_RECIPE, two processes are also started by --processes, and by torchrun on two
        machines without a shared folder. The run on the two machines stops and resumes."""
        common = ["digits", "--smoke", "--data", self.pictures, "--steps", 6, "--sheets", -1, "--bf16", 0, "--threads", 1, "--attention", "plain"]
        command("train.py", *common, "--run", "one", runs_in=self.runs)
        self.torchrun([*common, "--run", "two"], 2)
        pairs = [("one", self.runs, "two")]
        if EVERY:
            command("train.py", *common, "--run", "by processes", "--processes", 2, runs_in=self.runs)
            for steps in (3, 6):         # both runs stop after three steps and resume; the schedule of three steps differs from that of six
                command("train.py", *common, "--steps", steps, "--run", "stopped", runs_in=self.runs)
                self.torchrun([*common, "--steps", steps, "--run", "machines"], 1, 2)
            # the second machine has no checkpoint
            self.assertFalse(os.path.exists(os.path.join(self.runs + "1", "machines", "checkpoint.pt")))
            pairs += [("one", self.runs, "by processes"), ("stopped", self.runs + "0", "machines")]
        for alone, folder, run in pairs:
            one = torch.load(os.path.join(self.runs, alone, "checkpoint.pt"))
            two = torch.load(os.path.join(folder, run, "checkpoint.pt"))
            self.assertEqual((one["step"], two["step"]), (6, 6))
            self.assertLess(abs(one["running"] / two["running"] - 1), 1e-5, run)
            for name, w in one["model"].items():
                self.assertLess(float((w - two["model"][name]).abs().max()), 1e-3 * float(w.abs().max()) + 1e-5, name)


class Queue(House):
    def queue(self, *args):
        return command("train_queue.py", *args, runs_in=self.runs)

    def jobs(self):
        return {job["run"]: job for job in json.loads(text(self.runs, "queue.json"))["jobs"]}

    def until(self, what, seconds=240):             # the limit is long, because a process at the lowest priority waits on a busy machine
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if what():
                return
            time.sleep(0.1)
        out = os.path.join(self.runs, "a", "out.log")
        self.fail(text(out) if os.path.exists(out) else "nothing ran")

    def said(self, run, wanted):
        path = os.path.join(self.runs, run, "out.log")
        return os.path.exists(path) and wanted in text(path)

    def test_survives_kills_pauses_and_goes_on(self):
        own = ["--data", self.pictures, "--batch", 8, "--every", 0.1, "--sheets", -1, "--precision", 0]
        self.queue("add", "fvsbn", "--run", "a", "--steps", 100000, "--save-seconds", 0.3, *own)
        self.queue("add", "fvsbn", "--run", "b", "--steps", 20, *own)
        self.queue("start", "--background", "--threads", 1, "--workers", 1)
        try:
            self.until(lambda: os.path.exists(os.path.join(self.runs, "a", "checkpoint.pt")) and '"step": 100,' in self.log("a"))
            pid = self.jobs()["a"]["pid"]
            self.queue("pause")
            self.assertEqual(text("/proc/%d/stat" % pid).rsplit(")", 1)[1].split()[0], "T")
            before = self.log("a")
            time.sleep(1)
            self.assertEqual(self.log("a"), before)
            self.queue("resume")
            self.until(lambda: self.log("a") != before)
            os.kill(pid, signal.SIGKILL)                 # kills the training in the middle of a step
            self.until(lambda: self.said("a", "resumed at step"))
            self.assertEqual(self.jobs()["a"]["status"], "running")
            runner = json.loads(text(self.runs, "queue.json"))["runner"]
            os.kill(runner, signal.SIGKILL)              # killing the runner too simulates a restart of the machine
            os.kill(self.jobs()["a"]["pid"], signal.SIGKILL)
            out = os.path.join(self.folder.name, "a.gguf")
            self.queue("export", "a", "--out", out)
            self.assertEqual(gguf.read(out)[0]["general.architecture"], "fvsbn")
            self.queue("remove", "a")
            self.queue("start", "--threads", 1)          # trains the rest of the runs, in the foreground
            self.assertEqual(self.jobs()["b"]["status"], "done")
            said = self.queue("status", "--svg", os.path.join(self.folder.name, "a.svg"))
            self.assertRegex(said, "b +done .* step 20 .*valid")
            self.assertIn("<svg", text(self.folder.name, "a.svg"))
        finally:
            self.queue("stop")

    def log(self, run):
        return text(self.runs, run, "log.jsonl") if os.path.exists(os.path.join(self.runs, run, "log.jsonl")) else ""

    @unittest.skipUnless(EVERY, "EVERY_RECIPE")
    def test_what_was_paused_is_not_training_time(self):
        """A run of four seconds is paused for five seconds by SIGTSTP; the pause does not count as training time."""
        child = subprocess.Popen([sys.executable, os.path.join(HERE, "train.py"), "fvsbn", "--data", self.pictures, "--run", "a", "--minutes", "0.07",
                                  "--batch", "8", "--sheets", "-1", "--threads", "1"], stdout=subprocess.DEVNULL, env=dict(os.environ, NEXTPIXEL_RUNS=self.runs))
        path = os.path.join(self.runs, "a", "log.jsonl")
        self.until(lambda: os.path.exists(path) and '"step": 50' in text(path))
        os.kill(child.pid, signal.SIGTSTP)
        time.sleep(5)
        steps = max(json.loads(line)["step"] for line in text(path).splitlines())
        os.kill(child.pid, signal.SIGCONT)
        child.wait()
        last = json.loads(text(path).splitlines()[-1])
        self.assertTrue(last["final"] and last["elapsed"] < 4.2 + 2.5)
        self.assertGreater(last["step"], steps)

    def test_holds_of_dead_processes_do_not_count(self):
        from common import queue
        child = subprocess.Popen(["true"])
        child.wait()
        kept = queue.HOLDS
        queue.HOLDS = os.path.join(self.folder.name, "holds")
        try:
            os.makedirs(queue.HOLDS)
            for pid in (child.pid, os.getpid()):
                open(os.path.join(queue.HOLDS, str(pid)), "w").close()
            self.assertEqual(queue.held(), [os.getpid()])
        finally:
            queue.HOLDS = kept


class Curves(unittest.TestCase):
    def test_text(self):
        self.assertEqual(curve.text([9.0, 3.0, 2.0, 1.0]), "█▇▄▁".replace("▇", curve.text([9.0, 3.0, 2.0, 1.0])[1]).replace("▄", curve.text([9.0, 3.0, 2.0, 1.0])[2]))
        self.assertEqual(len(curve.text(list(range(1000)), 40)), 40)
        self.assertEqual(curve.text([]), "")


class FullyVisible(unittest.TestCase):
    def model(self, n=(3, 4)):
        model = FVSBN(Config(*n)).double()
        golden.module("fvsbn").randomise(model, 1)
        return model

    def test_probabilities_of_all_pictures_sum_to_one(self):
        model = self.model()
        x = torch.tensor([[i >> k & 1 for k in range(12)] for i in range(1 << 12)], dtype=torch.float64)
        with torch.no_grad():
            self.assertAlmostEqual(float(torch.exp(-model.nats(x)).sum()), 1.0, 10)

    def test_an_element_depends_on_those_before_it(self):
        model, x = self.model(), torch.zeros(1, 12, dtype=torch.float64, requires_grad=True)
        slope = torch.autograd.functional.jacobian(lambda x: model(x)[0], x)[:, 0]
        self.assertTrue(torch.equal(slope.triu(0), torch.zeros(12, 12)))
        self.assertTrue(torch.equal(slope.tril(-1), model.fvsbn.weight.detach().t().tril(-1)))
        self.assertTrue(bool((slope.tril(-1) != 0).sum() == 66))

    def test_the_running_sum_draws_what_the_product_says(self):
        model, generator = self.model().float(), torch.Generator().manual_seed(1)
        x = model.generate(20000, None, generator)
        p = torch.exp(-model.nats(torch.tensor([[i >> k & 1 for k in range(12)] for i in range(1 << 12)]))).detach()
        count = (x.long() * 2 ** torch.arange(12)).sum(1).bincount(minlength=1 << 12)
        likely = p * 20000 > 20
        self.assertGreater(int(likely.sum()), 50)
        z = ((count - 20000 * p) / (20000 * p).sqrt())[likely]
        self.assertLess(abs(float((z * z).mean()) - 1), 0.4)
        given = model.generate(3, x[:3, :7], generator)
        self.assertTrue(torch.equal(given[:, :7], x[:3, :7]))

    def test_the_file_holds_rows_by_source(self):
        task, model = FVSBNTask.of(Config(3, 4)), self.model().float()
        with tempfile.TemporaryDirectory() as at:
            path = os.path.join(at, "a.gguf")
            export.export(path, task, model, gguf.F32, dict(name="test"))
            metadata, tensors = gguf.read(path)
        self.assertEqual({k: v for k, v in metadata.items() if k.startswith("fvsbn.")}, {
            "fvsbn.image.height": 3, "fvsbn.image.width": 4, "fvsbn.image.channels": 1, "fvsbn.image.levels": 2})
        w, b = tensors["fvsbn.weight"][0], tensors["fvsbn.bias"][0]
        self.assertTrue((np.tril(w) == 0).all())
        x = np.array([1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 1, 0])
        expected = [b[i] + sum(w[j, i] for j in range(i) if x[j]) for i in range(12)]
        found = model(torch.from_numpy(x)[None].float())[0].detach().numpy()
        self.assertLess(np.abs(found - expected).max(), 1e-5)

    def test_far_pixels_weigh_less(self):
        task = FVSBNTask(FVSBNTask.Settings(height=3, width=4, precision=2.0, precision_power=1.0))
        model = task.model()
        with torch.no_grad():
            model.fvsbn.weight[0, 11] = 3.0              # the weight from pixel (0, 0) to pixel (2, 3)
        self.assertAlmostEqual(float(task.prior(model)), 2.0 / 2 * 13 ** 0.5 * 9, 4)


class Llama2c(unittest.TestCase):
    """Converts checkpoints of llama2.c."""

    def files(self, runs):
        rng = np.random.default_rng(4)
        d, inner, layers, heads, groups, ids, length = 32, 36, 2, 4, 2, 40, 24
        key = d // heads
        shapes = [(ids, d), (layers, d), (layers, d, d), (layers, groups * key, d), (layers, groups * key, d), (layers, d, d), (layers, d),
                  (layers, inner, d), (layers, d, inner), (layers, inner, d), (d,), (2, length, key // 2)]
        parts = [rng.standard_normal(s).astype("<f4") * 0.3 for s in shapes]
        path, words = os.path.join(runs, "model.bin"), os.path.join(runs, "tok.bin")
        with open(path, "wb") as f:
            f.write(struct.pack("<7i", d, inner, layers, heads, groups, ids, length) + b"".join(p.tobytes() for p in parts))
        texts = ["<unk>", "\n<s>\n", "\n</s>\n", "<0x0A>", " once"] + ["t%d" % i for i in range(ids - 5)]
        with open(words, "wb") as f:
            f.write(struct.pack("<i", 9) + b"".join(struct.pack("<fi", -i, len(t)) + t.encode() for i, t in enumerate(texts)))
        return path, words, parts

    def test_convert(self):
        with tempfile.TemporaryDirectory() as runs:
            path, words, parts = self.files(runs)
            for kind in ("f32", "f16", "q8_0", "q4_0"):
                out = os.path.join(runs, kind + ".gguf")
                convert_llama2c.convert(path, words, out, kind, licence="MIT")
                metadata, tensors = gguf.read(out)
                self.assertEqual([metadata["llama." + k] for k in ("embedding_length", "feed_forward_length", "attention.head_count_kv")], [32, 36, 2])
                self.assertEqual(metadata["tokenizer.ggml.tokens"][:5], ["<unk>", "<s>", "</s>", "<0x0A>", "\u2581once"])
                self.assertEqual(metadata["tokenizer.ggml.token_type"][:5], [2, 3, 3, 6, 1])
                self.assertEqual((metadata["tokenizer.ggml.scores"][4], metadata["tokenizer.ggml.add_bos_token"]), (-4.0, True))
                bound = dict(f32=0, f16=1e-3, q8_0=0.03, q4_0=0.4)[kind]
                for name, x in [("token_embd.weight", parts[0]), ("blk.1.attn_k.weight", parts[3][1]), ("blk.0.ffn_gate.weight", parts[7][0]),
                                ("blk.1.ffn_down.weight", parts[8][1]), ("blk.0.ffn_up.weight", parts[9][0]), ("output_norm.weight", parts[10])]:
                    self.assertLessEqual(np.abs(tensors[name][0] - x).max(), bound, name)
                kinds = {n: k for n, (_, k) in tensors.items()}
                self.assertEqual(kinds["blk.0.ffn_down.weight"], gguf.F32 if kind == "f32" else gguf.F16)    # 36 columns
                self.assertEqual(kinds["token_embd.weight"], gguf.Q8_0 if kind == "q4_0" else convert_llama2c.TYPES[kind])

    def test_rounding_keeps_products(self):
        rng = np.random.default_rng(5)
        x, w = rng.standard_normal((500, 64)) @ rng.standard_normal((64, 64)), rng.standard_normal((48, 64))
        for kind in (gguf.Q8_0, gguf.Q4_0):
            kept = gguf.decode(calibrated.round_matrix(w, x.T @ x, kind))
            nearest = gguf.decode(gguf.Raw(w.shape, kind, gguf.encode(w, kind)))
            lost, before = (((y - w) @ x.T) ** 2 for y in (kept, nearest))
            self.assertLess(lost.mean(), 0.7 * before.mean())

    def test_damaged(self):
        with tempfile.TemporaryDirectory() as runs:
            path, words, _ = self.files(runs)
            with open(path, "rb") as f:
                raw = f.read()
            for damaged in (raw[:-4], raw + bytes(4), struct.pack("<7i", 0, *[1] * 6) + raw[28:]):
                with open(path, "wb") as f:
                    f.write(damaged)
                with self.assertRaises(SystemExit):
                    convert_llama2c.convert(path, words, os.path.join(runs, "x.gguf"), "f32")


class MinGPT(unittest.TestCase):
    """Converts models of minGPT. The test writes the committed model as JSON, in the format of llm-viz. Converting this JSON must produce
    the committed files."""

    def test_convert(self):
        committed = [os.path.join(HERE, "../../tests/golden/gpt-nano-sort%s.gguf" % part) for part in ("", ".golden")]
        metadata, tensors = gguf.read(committed[0])
        _, recorded = gguf.read(committed[1])
        names = {b: a for a, b in convert_mingpt.OUTSIDE.items()}
        for i in range(metadata["gpt2.block_count"]):
            names.update({"blk.%d.%s.%s" % (i, b, kind): "transformer.h.%d.%s.%s" % (i, a, kind) for a, b in convert_mingpt.BLOCK.items() for kind in ("weight", "bias")})
        entry = lambda x: dict(shape=list(x.shape), data=base64.b64encode(x.astype("<f4").tobytes()).decode())
        model = {names[name]: entry(x) for name, (x, _) in tensors.items()}
        model["config"] = dict(model_type=metadata["general.name"], block_size=metadata["gpt2.context_length"], n_layer=metadata["gpt2.block_count"],
                               n_head=metadata["gpt2.attention.head_count"])
        suffixes = [""] + ["_%d" % i for i in range(1, sum(name.startswith("values") for name in recorded))]
        partials = {"idx": entry(np.stack([recorded["values" + suffix][0][:-1] for suffix in suffixes])),
                    "lm_head": entry(np.stack([recorded["logits" + suffix][0][1:] for suffix in suffixes]))}
        with tempfile.TemporaryDirectory() as runs:
            paths = [os.path.join(runs, name) for name in ("model.json", "partials.json", "model.gguf", "golden.gguf")]
            for path, entries in zip(paths, (model, partials)):
                with open(path, "w") as f:
                    json.dump(entries, f)
            command("convert_mingpt.py", paths[0], paths[2], "--recorded", paths[1], paths[3], runs_in=runs)
            for made, kept in zip(paths[2:], committed):
                with open(made, "rb") as a, open(kept, "rb") as b:
                    self.assertEqual(a.read(), b.read(), kept)
            with self.assertRaises(SystemExit):                      # this file contains no model
                with mock.patch.object(sys, "argv", ["convert_mingpt.py", paths[1], paths[2]]):
                    convert_mingpt.main()


if __name__ == "__main__":
    unittest.main()
