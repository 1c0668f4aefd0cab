#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests prepare.py: it fetches files from a server on this machine, and converts small archives that have the format of the originals.

    python3 weights/train/test_prepare.py      seconds; needs no data set and no network
"""
import contextlib
import errno
import gzip
import hashlib
import http.server
import io
import lzma
import os
import pickle
import shutil
import tarfile
import tempfile
import threading
import unittest
import wave
import zipfile
from unittest import mock

import numpy as np

import data
import prepare
from common import fetch
from data import originals
from data.originals import Original

REACHABLE = bytes(range(256)) * 4000


def content(path):
    with open(path, "rb") as f:
        return f.read()


class Server(http.server.BaseHTTPRequestHandler):
    """Serves REACHABLE at /file and at /cut, with support for range requests. The first response to /cut stops half-way. /gone is a 404."""
    asked, cut = [], []

    def do_GET(self):
        span = self.headers.get("Range")
        self.asked.append((self.path, span))
        if self.path == "/gone":
            return self.send_error(404)
        first, last = (span[len("bytes="):].split("-") if span else ("0", ""))
        part = REACHABLE[int(first):int(last) + 1 if last else None]
        self.send_response(206 if span else 200)
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        if self.path == "/cut" and not self.cut:
            self.cut.append(True)
            part = part[:len(part) // 2]
        self.wfile.write(part)

    def log_message(self, *_):
        pass


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def originals_of_tatoeba(self):
        """Makes a folder with the three original files of Tatoeba. The files share many lines, and each one has lines that the others
        lack."""
        for k, name in enumerate(("deu-eng-may.zip", "deu-eng-april.zip")):
            with zipfile.ZipFile(self.at("daily", name), "w") as archive:
                archive.writestr("deu.txt", "".join("Run %d.\tLauf %d!\n" % (i, i) for i in range(100)) + "Own %d.\tEigen  %d.\n" % (k, k) + "Much %s.\tViel.\n" % ("too " * 15))
        with open(self.at("daily", "deu.txt"), "w", encoding="utf-8", newline="") as f:
            f.writelines(["1\t2\r\n"] + ["Run %d.\tLauf %d!\r\n" % (i, i) for i in range(200)])
        return self.at("daily", "x")[:-2]

    def at(self, *names):
        os.makedirs(os.path.join(self.folder, *names[:-1]), exist_ok=True)
        return os.path.join(self.folder, *names)

    def prepared(self, *args):
        """Returns the output of `prepare`."""
        with contextlib.redirect_stdout(io.StringIO()) as told:
            prepare.main(list(args))
        return told.getvalue()

    def refused(self, *args):
        with self.assertRaises(SystemExit) as ended:
            self.prepared(*args)
        return str(ended.exception)


class Fetching(Folder):
    def setUp(self):
        super().setUp()
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.url = "http://127.0.0.1:%d/" % server.server_port
        Server.asked.clear(), Server.cut.clear()

    def test_a_file_is_what_its_digest_says(self):
        path = self.at("into", "file")
        fetch.fetch(self.url + "file", path, "md5:" + hashlib.md5(REACHABLE).hexdigest())
        self.assertEqual(content(path), REACHABLE)
        with self.assertRaises(SystemExit) as ended:
            fetch.fetch(self.url + "file", self.at("other"), "md5:" + "0" * 32)
        self.assertRegex(str(ended.exception), r"not the expected file: its md5 is not 0{32}")
        self.assertEqual(os.listdir(self.folder), ["into"])

    def test_a_connection_that_ends_is_gone_on_with(self):
        path = self.at("file")
        fetch.fetch(self.url + "cut", path)
        self.assertEqual(content(path), REACHABLE)
        self.assertEqual(Server.asked, [("/cut", None), ("/cut", "bytes=%d-" % (len(REACHABLE) // 2))])

    def test_only_the_beginning(self):
        path = self.at("file")
        fetch.fetch(self.url + "file", path, first=1000)
        self.assertEqual(content(path), REACHABLE[:1000])
        self.assertEqual(Server.asked, [("/file", "bytes=0-999")])

    def test_what_is_not_there(self):
        with self.assertRaises(SystemExit) as ended:
            fetch.fetch(self.url + "gone", self.at("file"))
        self.assertRegex(str(ended.exception), "/gone: the server says 404")

    def test_a_data_set_is_fetched_once(self):
        text = "1\tA\t_\tDET\t_\t_\t2\tdet\t_\t_\n1-2\tAB\t_\t_\t_\t_\t_\t_\t_\t_\n2\tdog\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
        from data.originals import ud_ewt
        global REACHABLE
        kept, REACHABLE = REACHABLE, ("# text = A dog\n" + text).encode()
        try:
            files = tuple(Original(f.name, self.url + "file", f.size) for f in ud_ewt.FILES)
            with mock.patch.object(ud_ewt, "FILES", files):
                told = self.prepared("ud_ewt", "--to", self.at("ewt"))
                self.prepared("ud_ewt", "--to", self.at("ewt"))
        finally:
            REACHABLE = kept
        self.assertEqual(len(Server.asked), 3)
        self.assertRegex(told, r"CC BY-SA 4\.0[\s\S]*en_ewt-ud-train\.conllu, 13\.4 MB, from http://127[\s\S]*not the very files .*: train\.tsv\.xz")
        self.assertEqual(data.load("ud_ewt", self.at("ewt"), "train", None), ([["A", "dog"]], [["DET", "NOUN"]], [[2, 0]], [["det", "root"]]))


class Archives(Folder):
    def test_the_binarised_digits(self):
        rng = np.random.default_rng(1)
        pictures = {part: rng.integers(0, 2, (3, 784)) for part in ("train", "valid", "test")}
        for part, some in pictures.items():
            np.savetxt(self.at("amat", "binarized_mnist_%s.amat" % part), some, fmt="%d")
        told = self.prepared("binarised_mnist", "--from", self.at("amat", "x")[:-2], "--to", self.at("bits"))
        self.assertIn("not the very files", told)
        images, labels = data.load("binarised_mnist", self.at("bits"), "validation", (28, 28, 1))
        np.testing.assert_array_equal(images.reshape(3, 784), 255 * pictures["valid"])
        self.assertEqual(len(labels), 3)
        with open(self.at("amat", "binarized_mnist_test.amat"), "w") as f:
            f.write("0 1 2\n")
        self.assertRegex(self.refused("binarised_mnist", "--from", self.at("amat", "x")[:-2], "--to", self.at("bits")), "is not lines of 784 times 0 or 1")

    def test_cifar10(self):
        from data import cifar10
        from data.originals import cifar10 as original
        rng = np.random.default_rng(1)
        batches = {}
        with tarfile.open(self.at("cifar-10-python.tar.gz"), "w:gz") as tar:
            for name in cifar10.TRAIN + [cifar10.TEST]:
                batches[name] = dict(data=rng.integers(0, 256, (4, 3072), dtype=np.uint8), labels=[int(i) for i in rng.integers(0, 10, 4)])
                content = pickle.dumps(batches[name], protocol=2)
                entry = tarfile.TarInfo("cifar-10-batches-py/" + name)
                entry.size = len(content)
                tar.addfile(entry, io.BytesIO(content))
        self.assertRegex(self.refused("cifar10", "--from", self.at("cifar-10-python.tar.gz"), "--to", self.at("c")), "is not cifar-10-python.tar.gz as it was published")
        with mock.patch.object(original, "FILES", (original.FILES[0]._replace(digest=""),)), mock.patch.object(cifar10, "BATCH", 4):
            self.prepared("cifar10", "--from", self.at("cifar-10-python.tar.gz"), "--to", self.at("c"))
            images, labels = cifar10.read_batch(self.at("c"), "data_batch_2")
        np.testing.assert_array_equal(images, batches["data_batch_2"]["data"].reshape(4, 3, 32, 32).transpose(0, 2, 3, 1))
        self.assertEqual(list(labels), batches["data_batch_2"]["labels"])
        with self.assertRaises(pickle.UnpicklingError):              # the pickle would run code
            original.Plain(io.BytesIO(pickle.dumps(os.getcwd))).load()

    def test_omniglot(self):
        from PIL import Image
        from data.originals import omniglot as original
        for part in ("background", "evaluation"):
            with zipfile.ZipFile(self.at("images_%s.zip" % part), "w") as archive:
                for sign in range(2):
                    for drawer in range(20):
                        ink = np.ones((105, 105), bool)
                        ink[30 * sign:30 * sign + 15, :] = False                     # black is ink
                        png = io.BytesIO()
                        Image.fromarray(ink).save(png, "png")
                        archive.writestr("images_%s/Korean/character%02d/%04d_%02d.png" % (part, sign + 1, sign, drawer + 1), png.getvalue())
        with mock.patch.object(original, "FILES", tuple(f._replace(digest="") for f in original.FILES)):
            self.prepared("omniglot", "--from", self.at("images_background.zip"), "--from", self.at("images_evaluation.zip"), "--to", self.at("o"))
        drawings, alphabets = data.load("omniglot", self.at("o"), "train", None)
        self.assertEqual((drawings.shape, alphabets), ((2, 20, 28, 28), ["Korean", "Korean"]))
        self.assertEqual((drawings[0, 0, :4].min(), drawings[0, 0, 4:].max(), drawings[1, 0, 8:12].min()), (255, 0, 255))

    def test_spoken_digits(self):
        with tarfile.open(self.at("speech.tar.gz"), "w:gz") as tar:
            for take in range(9):
                content = io.BytesIO()
                with wave.open(content, "wb") as f:
                    f.setnchannels(1), f.setsampwidth(2), f.setframerate(8000)
                    f.writeframes((8000 * np.sin(np.arange(800) * 0.1 * (1 + take))).astype("<i2").tobytes())
                entry = tarfile.TarInfo("free-spoken-digit-dataset-1.0.10/recordings/3_theo_%d.wav" % take)
                entry.size = len(content.getvalue())
                tar.addfile(entry, io.BytesIO(content.getvalue()))
        self.prepared("fsdd", "--from", self.at("speech.tar.gz"), "--to", self.at("f"))
        clips, digits, speakers = data.load("fsdd", self.at("f"), "train", None)
        self.assertEqual((len(clips), list(digits), list(speakers)), (2, [3, 3], [4, 4]))
        self.assertEqual(self.refused("fsdd", "--from", self.at("nothing.tar.gz")), "--from %s: no such file or folder" % self.at("nothing.tar.gz"))

    def test_translations(self):
        for part in ("train", "val", "test_2016_flickr"):
            for language, text in (("de", "Ein  Hund .\n"), ("en", "A dog.\n")):
                with gzip.open(self.at("task1", "raw", "%s.%s.gz" % (part, language)), "wt") as f:
                    f.write(text)
        self.prepared("multi30k", "--from", self.at("task1", "x")[:-2], "--to", self.at("m"))
        self.assertEqual(data.load("multi30k", self.at("m"), "validation", None), (["Ein Hund ."], ["A dog."]))

    def test_pairs_of_daily_life(self):
        from data import tatoeba
        self.prepared("tatoeba", "--from", self.originals_of_tatoeba(), "--to", self.at("t"))
        parts = [tatoeba.read(self.at("t"), split, evaluation=split == "test") for split in ("train", "validation", "test")]
        self.assertEqual(sorted(t for _, targets in parts for t in targets), sorted(["Run %d." % i for i in range(200)] + ["Own 0.", "Own 1."]))
        self.assertTrue(all(s == "Lauf %s!" % t[4:-1] or s == "Eigen %s" % t[4:] for part in parts for s, t in zip(*part)))

    def test_stories(self):
        from data.originals import stories
        for i, number in enumerate(stories.BOOKS.values()):
            with open(self.at("books", "pg%d.txt" % number), "w", encoding="utf-8") as f:
                f.write("\ufeffThe Project Gutenberg eBook\r\n\r\n*** START OF THE PROJECT GUTENBERG EBOOK %d ***\r\n\r\nOnce there\r\nwas a \u201cking\u201d \u2014 he.\r\n\r\n"
                        "His _son_.\r\n\r\n*** END OF THE PROJECT GUTENBERG EBOOK %d ***\r\n\r\nLicence\r\n" % (i, i))
        with open(self.at("books", stories.TINY), "w") as f:
            f.writelines("Lily had needle %d.\n<|endoftext|>\n" % i for i in range(100))
        self.prepared("stories", "--from", self.at("books", "x")[:-2], "--to", self.at("s"))
        books, short = data.load("stories", self.at("s"), "train", None)
        self.assertEqual(set(books), {'Once there\nwas a "king" -- he.\nHis son.'.replace("there\nwas", "there was")})
        self.assertTrue(60 < len(short) < 100 and short[0].startswith("Lily had needle"))

    def test_short_stories(self):
        from data import short_stories, tales
        for name in (*short_stories.TINY.values(), short_stories.BOOKS):
            with lzma.open(self.at("packed", name), "wt") as f:
                f.write("\f".join("%s %d." % (name, i) for i in range(60)))
        self.prepared("short_stories", "--from", self.at("packed", "x")[:-2], "--to", self.at("both", "short_stories"))
        parts = [short_stories.read(self.at("both", "short_stories"), split, evaluation=split == "test")[1] for split in ("train", "validation", "test")]
        self.assertEqual(sum(map(len, parts)), 240)
        self.assertTrue(all(len(part) > 60 for part in parts))
        with lzma.open(self.at("both", "stories", "fairy-tales.txt.xz"), "wt") as f:
            f.write("".join("\fBook %d\nTold %d.\n" % (i, i) for i in range(40)))
        books, found = tales.load(self.at("both"), "train")
        self.assertEqual(found, tales.TIMES * parts[0])
        self.assertTrue(20 < len(books) < 40)
        self.assertRegex(self.refused("short_stories", "--from", self.at("packed", short_stories.BOOKS), "--to", self.at("few")), "tinystories_train.txt.xz and .* is missing")

    def test_emoji(self):
        from PIL import Image
        from data import emoji
        for style, names in (("noto-2023", ("emoji_u0023.png", "emoji_u0023_20e3.png", "emoji_u1f600.png", "notes.txt")), ("emojitwo", ("1f600.png",))):
            for name in names:
                path = self.at("sets", style, "png", "128", name)
                Image.new("RGBA", (128, 96), (255, 0, 0, 255)).save(path, "png")
        self.prepared("emoji", "--from", self.at("sets", "x")[:-2], "--to", self.at("e"))
        rows = emoji.read_index(self.at("e"))
        self.assertEqual(rows, [["noto-2023", "0023", "number sign"], ["noto-2023", "0023-20e3", "number sign + combining enclosing keycap"],
                                ["noto-2023", "1f600", "grinning face"], ["emojitwo", "1f600", "grinning face"]])
        with Image.open(os.path.join(self.at("e"), emoji.FILES[0])) as image:
            self.assertEqual((image.size, image.getpixel((16, 16)), image.getpixel((16, 0)), image.getpixel((130, 16))), ((3200, 32), (255, 0, 0), (255, 255, 255), (255, 255, 255)))
        from data.originals.emoji import code_of
        self.assertEqual([code_of(n) for n in ("u1F004-mahjong.svg", "u1F004.layer2.svg", "1f468-200d-2764.svg", "README.md")], ["1f004", None, "1f468-200d-2764", None])


class Words(Folder):
    def test_every_set_of_a_recipe_is_there(self):
        for name in originals.names():
            module = originals.find(name)
            self.assertTrue(module.ABOUT and module.LICENCE and (all(f.url for f in module.FILES) or module.HOW), name)
            self.assertTrue(hasattr(data.dataset(module.DATASET), "DEFAULT_DIR"))
            # A data set has the same folder name in both modules.
            self.assertEqual(os.path.basename(data.dataset(module.DATASET).DEFAULT_DIR), name)
        self.assertIn("cifar10 ", self.prepared())

    def test_what_is_missing_says_how_to_have_it(self):
        for name in originals.names():
            with self.assertRaises(SystemExit) as ended:
                data.load(name, "", "train", None) if not os.path.isdir(data.dataset(name).DEFAULT_DIR) else data.missing(name, "it")
            self.assertIn("python3 weights/train/prepare.py %s " % name, str(ended.exception))

    def test_by_the_name_of_a_recipe(self):
        self.assertEqual(prepare.set_of("sagan-emoji").DATASET, "emoji")
        self.assertEqual(prepare.set_of("fvsbn").DATASET, "binarised_mnist")
        self.assertRegex(self.refused("opened"), "opened trains on letters, a data set that needs no download")
        self.assertRegex(self.refused("nosuch"), "no data set and no recipe 'nosuch'; there are binarised_mnist, ")

    def test_what_it_is_given(self):
        shutil.copy(__file__, self.at("x", "other.txt"))
        self.assertRegex(self.refused("cifar10", "--from", self.at("x", "y")[:-2]), "none of cifar-10-python.tar.gz is there")
        self.assertRegex(self.refused("mnist", "--from", self.at("x", "other.txt")), "train-images-idx3-ubyte.gz, .* are wanted")
        self.assertRegex(self.refused("emoji"), r"git clone[\s\S]*--from FOLDER")
        with open(self.at("x", "free-spoken-digit-dataset-1.0.10.tar.gz"), "wb") as f:
            f.write(b"<html>")
        self.assertRegex(self.refused("fsdd", "--from", self.at("x", "free-spoken-digit-dataset-1.0.10.tar.gz"), "--to", self.at("f")), r"^\S+gz cannot be read as what it should be: [^\n]*$")

    def test_originals_of_noise_and_of_empty_files(self):
        for noise in (bytes(range(256)) * 20, b"", b"<html>not found</html>\n"):
            for name in originals.names():
                module = originals.find(name)
                if name == "emoji":
                    continue             # its originals are folders
                for f in module.FILES:
                    with open(self.at("noise", f.name), "wb") as out:
                        out.write(noise)
                with open(self.at(name, "before"), "w") as out:
                    out.write("kept")
                said = self.refused(name, "--from", self.at("noise", "x")[:-2], "--to", self.at(name, "x")[:-2])
                self.assertRegex(said, r"^\S+ (cannot be read as what it should be: |is not )[^\n]+$", name)
                self.assertEqual(os.listdir(self.at(name, "x")[:-2]), ["before"], name)

    def test_a_slip_of_the_pen_is_one_sentence(self):
        import subprocess
        import sys
        here = os.path.dirname(os.path.abspath(__file__))
        for args, message in ((["prepare.py", "mnist", "--form", "x"], r"prepare\.py: unrecognized arguments: --form x \(is --from meant\?\); --help says more"),
                              (["train.py", "emoji", "--minuets", "3"], r"train\.py: unrecognized arguments: --minuets 3 \(is --minutes meant\?\)"),
                              (["train_queue.py", "nonsense"], r"train_queue\.py: argument task: invalid choice")):
            done = subprocess.run([sys.executable, os.path.join(here, args[0])] + args[1:], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, "^%s[^\\n]*\\n$" % message)

    def test_a_disk_that_is_full(self):
        def write(*_):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        from data.originals import tatoeba
        with mock.patch.object(tatoeba, "write", write):
            self.assertRegex(self.refused("tatoeba", "--from", self.originals_of_tatoeba(), "--to", self.at("t")), r"^there is no room for \S+: No space left on device")
        with mock.patch.object(fetch, "read_into", write), self.assertRaises(SystemExit) as ended:
            fetch.fetch("http://127.0.0.1/", self.at("file"))
        self.assertRegex(str(ended.exception), r"file\.part: No space left on device\. Make room")


if __name__ == "__main__":
    unittest.main()
