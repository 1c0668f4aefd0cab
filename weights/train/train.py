#!/usr/bin/env python3
"""Trains one recipe:  python3 weights/train/train.py digits [--minutes 30] [--lr 1e-3] [--smoke] ...

Any setting below can be overridden on the command line as --key value.  Stopping at any moment (Ctrl-C,
kill, power) is fine: the same command resumes from the last checkpoint in weights/train/runs/<run>/.
Where a command may only run for so long, --limit-seconds 570 saves in time and exits with 0.
"""
import argparse
import functools
import importlib.util
import json
import math
import os
import signal
import sys
import time
from dataclasses import asdict, dataclass, fields

import numpy as np
import torch

import attention
import data
from model import Config, ImageTransformer
from muon import Muon
from palette import k_means
from rounding import round_attention, rounded
from sheet import sample_sheet
from start import fit_output, look_around, take_over

BEGAN = time.monotonic()
HERE = os.path.dirname(os.path.abspath(__file__))


@dataclass
class Settings(Config):
    # schedule: progress is elapsed/minutes where minutes > 0, else step/steps
    minutes: float = 0.0
    steps: int = 10000
    batch: int = 16                      # images a step
    lr: float = 1e-3                     # peak; linear warm-up, then cosine
    warmup: int = 300                    # steps
    lr_floor: float = 0.02               # final lr as a fraction of the peak
    # optimiser: Adam and Polyak averaging of the weights (the average is evaluated and exported)
    beta1: float = 0.9
    beta2: float = 0.98
    clip: float = 1.0                    # gradient norm
    muon: float = 0.0                    # rate of the blocks' matrices by Muon (muon.py), 0.02 is usual; 0 = Adam for all
    ema: float = 0.999
    init: str = ""                       # begin with the averaged weights of this finished run, see start.py
    look_around: bool = False            # first blocks begin by attending to neighbours, see start.py
    pixel_gain: float = 1.0              # dmol: begin with the pixels this much larger beside the positions
    fit_output: bool = False             # dmol: the output begins at the least-squares prediction, see start.py
    round_to: str = ""                   # q8_0 | q4_0: train with what is rounded when such a file runs, see rounding.py
    flip: bool = False                   # half of the training pictures are mirrored left to right
    class_drop: float = 0.2              # probability that an image is shown without its class
    seed: int = 1
    # machine
    device: str = "auto"                 # auto | cpu | cuda
    bf16: bool = True                    # autocast; on the CPU many times faster than fp32 where AVX-512 BF16 or AMX is there
    threads: int = 2
    attention: str = "auto"              # auto (the fastest that gives the same numbers) | flex | batched | plain, see attention.py
    compile: bool = False                # torch.compile; without it where it fails
    limit_seconds: float = 0.0           # of this process: save, exit with 0; the same command goes on. 0 = none
    # files
    dataset: str = "mnist"               # a module, see data.py
    data: str = ""                       # its folder, default data/<dataset>
    run: str = ""                        # run folder name, default the recipe's name
    every: float = 3.0                   # minutes between checkpoints
    sheets: int = 1                      # a sample sheet at each SHEETS-th checkpoint, and at the end; 0 = at the end, -1 = never
    valid_images: int = 256              # at each checkpoint
    final_valid_images: int = 5000       # at the end


SMOKE = dict(block_count=2, embedding_length=32, feed_forward_length=64, head_count=2, key_length=16,
             minutes=0.0, steps=20, batch=4, warmup=5, every=0.2, valid_images=16, final_valid_images=16)
SMOKE_ENCODER = dict(encoder_block_count=1)


def load_recipe(name):
    """recipes/<name>.py -> its module, with `settings` and `card`."""
    spec = importlib.util.spec_from_file_location(name, os.path.join(HERE, "recipes", name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def parse():
    """Command line -> (recipe name, Settings).  Order: defaults, recipe, --smoke, --key value."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipe")
    parser.add_argument("--smoke", action="store_true", help="a tiny model, end to end in under a minute")
    for f in fields(Settings):
        kind = (lambda s: s.lower() in ("1", "true", "yes")) if f.type in (bool, "bool") else type(f.default)
        parser.add_argument("--" + f.name.replace("_", "-"), dest=f.name, type=kind, default=None)
    args = vars(parser.parse_args())
    name, smoke = args.pop("recipe"), args.pop("smoke")
    chosen = dict(load_recipe(name).settings)
    if smoke:
        chosen.update(SMOKE, run=name + "-smoke", **(SMOKE_ENCODER if chosen.get("encoder_block_count") else {}))
    chosen.update({k: v for k, v in args.items() if v is not None})
    s = Settings(**chosen)
    s.run = s.run or name
    return name, s


def model_config(s):
    return Config(**{f.name: getattr(s, f.name) for f in fields(Config)})


class Split:
    """The pictures of one split as the model sees them: values in generation order, labels, small inputs (or None).
    They are kept in bytes on `device`, a GPU that trains."""

    def __init__(self, images, labels, model, device="cpu"):
        c = model.c
        self.x, self.y = data.encode(images, model), labels
        self.small = data.reduce(images, c.input_height, c.input_width) if c.encoder_block_count else None
        self.mirror = torch.from_numpy(data.mirror(model)).to(device)
        small = np.arange(c.input_height * c.input_width).reshape(c.input_height, c.input_width)[:, ::-1].reshape(-1)
        self.mirror_small = torch.from_numpy(small.copy()).to(device)
        self.x, self.y, self.small = (None if a is None else torch.from_numpy(np.ascontiguousarray(a)).to(device)
                                      for a in (self.x, self.y, self.small))

    def __len__(self):
        return len(self.x)

    def take(self, pick, device, flip=None):
        """Rows `pick` (a slice or indices) -> (x, label, small) on the device; those where flip (a bool of each) is set are mirrored."""
        pick = pick if isinstance(pick, slice) else torch.from_numpy(np.asarray(pick)).to(self.x.device)
        x, label, small = (None if a is None else a[pick].to(device).long() for a in (self.x, self.y, self.small))
        if flip is not None:
            def mirrored(a, order):
                return torch.where(torch.from_numpy(flip).to(device).view((-1,) + (1,) * (a.dim() - 1)), a[:, order.to(device)], a)
            x, small = mirrored(x, self.mirror), None if small is None else mirrored(small, self.mirror_small)
        return x, label, small


@functools.lru_cache(maxsize=1)
def permutation(seed, epoch, count):
    return np.random.default_rng([seed, epoch]).permutation(count)


def batch_of(train, s, step, device):
    """Batch number `step`, a pure function of (seed, step), so that a resumed run sees the same data:
    a permutation per epoch, half of the pictures mirrored, and a class dropped (-1) with probability class_drop."""
    per_epoch = len(train) // s.batch
    order = permutation(s.seed, step // per_epoch, len(train))
    flip = np.random.default_rng([s.seed, step, 2]).random(s.batch) < 0.5 if s.flip else None
    x, label, small = train.take(order[step % per_epoch * s.batch:][:s.batch], device, flip)
    drop = np.random.default_rng([s.seed, step, 1]).random(len(x)) < s.class_drop
    label[torch.from_numpy(drop).to(device)] = -1
    return x, label, small


def learning_rate(s, step, progress):
    cosine = 0.5 * (1 + math.cos(math.pi * min(progress, 1.0)))
    return s.lr * min(1.0, (step + 1) / s.warmup) * (s.lr_floor + (1 - s.lr_floor) * cosine)


@torch.no_grad()
def validate(model, valid, count, autocast, device):
    """Mean nats per image of `count` validation images: (without class, with class)."""
    model.eval()
    total, count = [0.0, 0.0], min(count, len(valid))
    pick = data.spread(len(valid), count)
    for i in range(0, count, 16):
        x, label, small = valid.take(pick[i:i + 16], device)
        for which, y in enumerate((torch.full_like(label, -1), label)):
            with autocast():
                total[which] += float(model.nats(x, y, small).double().sum())
    model.train()
    return total[0] / count, total[1] / count


@torch.no_grad()
def polyak(average, model, decay):
    """average <- decay average + (1 - decay) model"""
    a, p = list(average.parameters()), list(model.parameters())
    if p[0].is_cuda and hasattr(torch, "_foreach_lerp_"):
        torch._foreach_lerp_(a, p, 1 - decay)
        return
    for x, y in zip(a, p):
        x.lerp_(y, 1 - decay)


def main():
    data.forbid_test_set()
    name, s = parse()
    device = s.device if s.device != "auto" else "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_num_threads(s.threads)
    torch.set_float32_matmul_precision("high")           # CUDA: TF32 for what autocast leaves in fp32
    torch.manual_seed(s.seed)
    autocast = lambda: torch.autocast(device, torch.bfloat16, enabled=s.bf16)
    folder = os.path.join(HERE, "runs", s.run)
    os.makedirs(folder, exist_ok=True)
    checkpoint, log_path = os.path.join(folder, "checkpoint.pt"), os.path.join(folder, "log.jsonl")

    model = ImageTransformer(model_config(s))
    module = data.dataset(s.dataset)
    images = {split: module.load(s.data or module.DEFAULT_DIR, split) for split in ("train", "validation")}
    fresh = not os.path.exists(checkpoint)
    if s.palette and fresh:
        model.set_palette(torch.from_numpy(k_means(images["train"][0], s.levels)))
    if s.output == "dmol" and fresh:
        with torch.no_grad():
            model.pixel_embd.weight.mul_(s.pixel_gain)
    if s.look_around and fresh:
        look_around(model)
    if s.init and fresh:
        take_over(model, torch.load(os.path.join(HERE, "runs", s.init, "checkpoint.pt"), map_location="cpu")["average"])
    if not fresh:
        c = torch.load(checkpoint, map_location="cpu")
        model.load_state_dict(c["model"])                # the pictures are encoded in its palette
    train = Split(*images.pop("train"), model, device)
    valid = Split(*images.pop("validation"), model, device)
    model = model.to(device)
    if s.fit_output and fresh:
        x, _, small = train.take(data.spread(len(train), 48), device)
        with autocast():
            fit_output(model, x, small)
    average = ImageTransformer(model_config(s)).to(device)
    average.load_state_dict(model.state_dict())
    fused = dict(fused=True) if device == "cuda" else {}
    hidden = [p for n, p in model.named_parameters() if "blk." in n and p.dim() == 2] if s.muon else []
    others = [p for p in model.parameters() if all(p is not h for h in hidden)]
    adam = torch.optim.Adam(others, lr=s.lr, betas=(s.beta1, s.beta2), eps=1e-9, **fused)
    muon = Muon(hidden, s.muon) if hidden else None
    step, elapsed, running = 0, 0.0, None                # running: smoothed training loss
    if not fresh:
        average.load_state_dict(c["average"]), adam.load_state_dict(c["adam"])
        if muon:
            muon.load_state_dict(c["muon"])
        step, elapsed, running = c["step"], c["elapsed"], c.get("running")
        torch.set_rng_state(c["rng"].cpu())
        print("resumed at step %d, %.1f minutes" % (step, elapsed / 60), flush=True)
    cuda = device == "cuda"
    if s.round_to:
        round_attention(model), round_attention(average)
    attention.choose(model, s.attention, s.batch, s.bf16, device)
    average.fast = model.fast
    parameters = sum(p.numel() for p in model.parameters())
    print("%s: %d parameters, %d training and %d validation images, %s" % (s.run, parameters, len(train), len(valid), device), flush=True)
    dims, since = s.height * s.width * s.channels, time.monotonic()

    def save(final=False):
        """Checkpoint, atomically."""
        state = dict(recipe=name, settings=asdict(s), model=model.state_dict(), average=average.state_dict(),
                     adam=adam.state_dict(), muon=muon and muon.state_dict(), step=step, elapsed=elapsed, rng=torch.get_rng_state(), running=smoothed(), final=final)
        torch.save(state, checkpoint + ".tmp")
        os.replace(checkpoint + ".tmp", checkpoint)

    def save_average(final=False):
        """The averaged weights alone, in half precision: an eighth of the checkpoint, to carry from machine to machine."""
        half = {k: v.half() if v.is_floating_point() else v for k, v in average.state_dict().items()}
        torch.save(dict(recipe=name, settings=asdict(s), average=half, step=step, elapsed=elapsed, final=final),
                   os.path.join(folder, "average.pt"))

    def report(final=False):
        """Validation losses of the averaged weights, rounded where training rounds, to the log, and a sample sheet."""
        with rounded(average, s.round_to):
            free, given = validate(average, valid, s.final_valid_images if final else s.valid_images, autocast, device)
        line = dict(step=step, elapsed=round(elapsed, 1), epoch=round(step * s.batch / len(train), 3), train_nats=smoothed(),
                    valid_nats=free, valid_nats_class=given, valid_bits_per_dim=free / dims / math.log(2), final=final)
        with open(log_path, "a") as f:
            f.write(json.dumps(line) + "\n")
        print("%svalid %.2f nats (%.2f given the class), %.4f bits/dim" % (
            "final " if final else "", free, given, line["valid_bits_per_dim"]), flush=True)
        if s.sheets < 0 or not final and (s.sheets == 0 or int(elapsed / 60 / s.every) % s.sheets):
            return
        average.eval()
        with rounded(average, s.round_to):
            sample_sheet(average, *valid.take(data.spread(len(valid), 10), device), os.path.join(folder, "samples.png"), autocast,
                         rows=4 if final else 2)

    def smoothed():
        return None if running is None else float(running)

    def compiled():
        """model.nats, by torch.compile where that is wanted and works."""
        if not (s.compile and hasattr(torch, "compile")):
            return model.nats
        try:
            began, fast = time.monotonic(), torch.compile(model.nats)
            x, label, small = batch_of(train, s, step, device)
            with autocast():
                fast(x, label, small).mean().backward()
            model.zero_grad(set_to_none=True)
            print("compiled in %.0f s" % (time.monotonic() - began), flush=True)
            return fast
        except Exception as error:       # whatever the compiler trips over, training goes on without it
            print("not compiled: %s" % str(error).strip().split("\n")[0][:200], flush=True)
            model.zero_grad(set_to_none=True)
            return model.nats

    stop = []                            # Ctrl-C or kill: finish the step, save, leave
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.append(True))
    nats, saved, since = compiled(), elapsed, time.monotonic()
    while True:
        late = s.limit_seconds and time.monotonic() - BEGAN >= s.limit_seconds
        if stop or late:
            save()
            save_average()
            print("%s at step %d, %.1f minutes; the same command resumes" % ("stopped" if stop else "out of time", step, elapsed / 60), flush=True)
            sys.exit(1 if stop else 0)
        progress = elapsed / (60 * s.minutes) if s.minutes else step / s.steps
        if progress >= 1:
            break
        for group in adam.param_groups:
            group["lr"] = learning_rate(s, step, progress)
        for group in muon.param_groups if muon else ():
            group["lr"] = learning_rate(s, step, progress) * s.muon / s.lr
        x, label, small = batch_of(train, s, step, device)
        model.zero_grad(set_to_none=True)
        with rounded(model, s.round_to):
            with autocast():
                loss = nats(x, label, small).mean()                               # nats per image
            (loss / s.n).backward()                                              # the mean over positions: what `clip` is meant for
        torch.nn.utils.clip_grad_norm_(model.parameters(), s.clip)
        adam.step()
        if muon:
            muon.step()
        polyak(average, model, min(s.ema, (1 + step) / (10 + step)))
        step += 1
        value = loss.detach()            # stays on the GPU, which need not wait for its number
        running = value if running is None else 0.98 * running + 0.02 * value
        if cuda and step % 10 == 0:
            torch.cuda.synchronize()     # the clock counts work that is done
        now = time.monotonic()
        elapsed, since = elapsed + now - since, now
        if step % 50 == 0:
            if not math.isfinite(smoothed()):
                sys.exit("diverged at step %d: the loss is not a number; the last checkpoint is kept" % step)
            line = dict(step=step, elapsed=round(elapsed, 1), lr=adam.param_groups[0]["lr"], train_nats=round(smoothed(), 3))
            with open(log_path, "a") as f:
                f.write(json.dumps(line) + "\n")
            print("step %d  %.1f min  lr %.2e  train %.2f nats" % (step, elapsed / 60, line["lr"], line["train_nats"]), flush=True)
        if elapsed - saved >= 60 * s.every:
            saved = elapsed
            save()
            report()
            since = time.monotonic()     # measuring is not training time
    save(final=True)
    save_average(final=True)
    report(final=True)


if __name__ == "__main__":
    main()
