#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs first.ipynb, cell by cell, with seconds of training:  python3 weights/train/test_notebook.py

A small runner replaces Jupyter. The runner has one namespace, inserts settings after the cell tagged `parameters`, and provides a module
IPython.display that records the displayed objects.
"""
import ast
import contextlib
import io
import json
import os
import sys
import tempfile
import types
import unittest
import urllib.parse
import urllib.request
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "../.."))


class Shown:
    """Replaces the classes of IPython.display. `data` is the content that was displayed last."""

    def __init__(self, data, **_):
        self.data = data

    def update(self, thing):
        self.data = thing.data


def displays(shown):
    """Returns substitutes for the modules IPython and IPython.display, as {name: module}. `display` appends to the list `shown`."""
    module = types.ModuleType("IPython.display")
    for name in ("SVG", "Image", "HTML"):
        setattr(module, name, type(name, (Shown,), {}))

    def display(thing, display_id=False):
        shown.append(thing)
        return thing if display_id else None
    module.display = display
    return {"IPython": types.ModuleType("IPython"), "IPython.display": module}


def run(path, parameters, shown, after):
    """Runs a notebook.  The value of a cell's last expression is also shown. `parameters` override the settings in the cell that has the
    tag "parameters". after(namespace) is called after each cell."""
    with open(path, encoding="utf-8") as f:
        notebook = json.load(f)
    space = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        body = ast.parse("".join(cell["source"]), cell["id"])
        last = ast.Expression(body.body.pop().value) if isinstance(body.body[-1], ast.Expr) else None
        exec(compile(body, cell["id"], "exec"), space)
        value = eval(compile(last, cell["id"], "eval"), space) if last else None
        if isinstance(value, Shown):
            shown.append(value)
        if "parameters" in cell["metadata"].get("tags", ()):
            space.update(parameters)
        after(space)


class Notebook(unittest.TestCase):
    def setUp(self):
        self.own = os.path.join(ROOT, "weights", "own", "first.gguf")
        if os.path.exists(self.own):
            self.skipTest("%s is there: this test writes it" % self.own)
        folder = tempfile.TemporaryDirectory()
        self.runs = folder.name
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        self.addCleanup(lambda: os.path.exists(self.own) and os.remove(self.own))
        os.chdir(HERE)

    def test_first(self):
        from common import live, recipes, runs
        shown, answers = [], []

        def after(space):
            if "address" in space and not answers:
                for url in (space["address"], urllib.parse.urljoin(space["address"], space["address"].split("model=")[1])):
                    with urllib.request.urlopen(url) as answer:
                        answers.append(answer.read())
        settings = dict(MINUTES=0, START="", MORE=["--smoke", "--steps", 4, "--threads", 1, "--save-seconds", 0])
        with mock.patch.dict(sys.modules, displays(shown)), mock.patch.dict(os.environ, NEXTPIXEL_RUNS=self.runs, NEXTPIXEL_NATIVE=recipes.RUNS, PORT="0"), \
                mock.patch.object(live, "RUNS", self.runs), mock.patch.object(runs, "RUNS", self.runs), mock.patch.object(live, "EVERY", 0.5), \
                contextlib.redirect_stdout(io.StringIO()) as told:
            run(os.path.join(HERE, "first.ipynb"), settings, shown, after)
        self.assertIn("96 pictures to learn from", told.getvalue())
        self.assertRegex(told.getvalue(), r"weights/own/first\.gguf: [\d.]+ MB, \d+ parameters")
        kinds = [type(thing).__name__ for thing in shown]
        # The objects in order: the given pictures; the curve and the samples, which are updated in place; the sheets; the link.
        self.assertEqual(kinds, ["Image", "SVG", "Image", "Image", "Image", "HTML"])
        self.assertIn("<polyline", shown[1].data)
        self.assertEqual(shown[2].data[:4], b"\x89PNG")
        self.assertRegex(shown[5].data, r'href="http://127\.0\.0\.1:\d+/web/pages/colour/\?model=\.\./\.\./\.\./weights/own/first\.gguf"')
        with open(self.own, "rb") as f:
            self.assertEqual((answers[0][:15], answers[1]), (b"<!doctype html>", f.read()))

    def test_it_is_as_it_is_written(self):
        """The notebook has no saved outputs, and its cells have names."""
        with open(os.path.join(HERE, "first.ipynb"), encoding="utf-8") as f:
            notebook = json.load(f)
        self.assertEqual((notebook["nbformat"], notebook["nbformat_minor"]), (4, 5))
        for cell in notebook["cells"]:
            self.assertRegex(cell["id"], r"^[a-z0-9-]+$")
            self.assertFalse(cell.get("outputs") or cell.get("execution_count"), cell["id"])


if __name__ == "__main__":
    unittest.main()
