# SPDX-License-Identifier: MIT
"""Shows a training run in a notebook while it trains: the loss curve and the latest sample sheet, updated every few seconds."""
import os
import subprocess
import sys
import tempfile
import time

from common import curve, runlog
from common.recipes import HERE, RUNS

EVERY = 3.0                              # seconds


def points(run):
    """Reads the log of a run: {\"training\": [(minutes, nats)], \"validation\": the same}"""
    lines = runlog.lines_of(os.path.join(RUNS, run, "log.jsonl"))
    of = lambda key: [(line["elapsed"] / 60, line[key]) for line in lines if line.get(key) is not None]
    return {"training": of("train_nats"), "validation": of("valid_nats")}


def train(recipe, *settings, run):
    """Runs train.py RECIPE --run RUN SETTINGS and shows the run in the calling cell. Interrupting the cell saves the training state and
    stops; running the cell again resumes the training."""
    from IPython.display import SVG, Image, display
    command = [sys.executable, os.path.join(HERE, "train.py"), recipe, "--run", run] + [str(s) for s in settings]
    places = {}

    def show(place, thing):
        if place in places:
            places[place].update(thing)
        else:
            places[place] = display(thing, display_id=True)

    def look():
        if any(points(run).values()):
            show("curve", SVG(curve.svg(points(run))))
        sheet = os.path.join(RUNS, run, "samples.png")
        if os.path.exists(sheet):
            with open(sheet, "rb") as f:
                show("samples", Image(f.read(), format="png"))

    with tempfile.TemporaryFile("w+") as said:
        training = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT)
        try:
            while training.poll() is None:
                time.sleep(EVERY)
                look()
        except KeyboardInterrupt:
            training.terminate()         # on SIGTERM, the training finishes its step and saves
            training.wait()
        look()
        said.seek(0)
        told = said.read().strip()
    if training.returncode:
        raise RuntimeError(told)
    print(told.split("\n")[-1])
