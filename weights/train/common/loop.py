# SPDX-License-Identifier: MIT
"""The training loop for every task. Training can stop and resume at any step, and it runs in one process or in several processes."""
import math
import os
import signal
import sys
import time
from dataclasses import asdict

import torch

import data
from common import native, parallel
from common.rounding import FORMS, rounded
from common.runs import Run
from common.task import spread

BEGAN = time.monotonic()
SAY = 5.0                                # seconds between lines of progress
SHORT = 60.0                             # if training took less than this many seconds, a model that samples slowly draws no sample sheet
FIRST_SHEET = 30.0                       # seconds of training before a run's first measurement and first sample sheet
CLOCKS = dict(wall=time.monotonic, cpu=time.process_time)


def learning_rate(s, step, progress):
    cosine = 0.5 * (1 + math.cos(math.pi * min(progress, 1.0)))
    return s.lr * min(1.0, (step + 1) / max(1, s.warmup)) * (s.lr_floor + (1 - s.lr_floor) * cosine)


@torch.no_grad()
def measure(task, model, examples, count, autocast, device, batch=16):
    """Measures the mean nats per example over `count` of the examples, for each view of the task: {name: nats}."""
    model.eval()
    total, pick = {}, spread(len(examples), min(count, len(examples)))
    for i in range(0, len(pick), batch):
        for name, view in task.views(*examples.take(pick[i:i + batch], device)).items():
            with autocast():
                total[name] = total.get(name, 0.0) + float(task.nats(model, *view).double().sum())
    model.train()
    return {name: nats / len(pick) for name, nats in total.items()}


@torch.no_grad()
def polyak(average, model, decay):
    """Updates the average: average <- decay average + (1 - decay) model"""
    torch._foreach_lerp_(average, model, 1 - decay) if hasattr(torch, "_foreach_lerp_") else [
        a.lerp_(p, 1 - decay) for a, p in zip(average, model)]


def optimiser(task, model, s, cuda):
    """Returns an Adam optimiser with one parameter group per learning-rate factor."""
    groups = {}
    for name, p in model.named_parameters():
        if p.requires_grad:
            groups.setdefault(s.fresh_rate if task.fresh(name) else s.sharp_rate if task.sharp(name) else 1.0, []).append(p)
    return torch.optim.Adam([dict(params=params, rate=rate) for rate, params in groups.items()],
                            lr=s.lr, betas=(s.beta1, s.beta2), eps=1e-9, **(dict(fused=True) if cuda else {}))


def compiled(task, model, batch, autocast):
    """Returns task.nats, compiled by torch.compile if that works."""
    plain = lambda *b: task.nats(model, *b)
    if not hasattr(torch, "compile"):
        return plain
    try:
        began, fast = time.monotonic(), torch.compile(plain)
        with autocast():
            fast(*batch).mean().backward()
        print("compiled in %.0f s" % (time.monotonic() - began), flush=True)
    except Exception as error:           # after any compiler error, training continues without compilation
        print("not compiled: %s" % str(error).strip().split("\n")[0][:200], flush=True)
        fast = plain
    model.zero_grad(set_to_none=True)
    return fast


class Trainer:
    """A run of a task: resumed from its checkpoint, or newly started."""

    def __init__(self, recipe, s, examples, run=None, device="cpu", rank=0, processes=1):
        self.recipe, self.s, self.run, self.device, self.rank, self.processes = recipe, s, run, device, rank, processes
        native.enabled = s.native
        self.task, self.cuda = recipe.task(s), device.startswith("cuda")
        self.autocast = lambda: torch.autocast("cuda" if self.cuda else "cpu", torch.bfloat16, enabled=s.bf16)
        self.count, self.elapsed, self.running, self.least = 0, 0.0, None, math.inf      # `running` is the smoothed training loss
        task, saved = self.task, torch.load(run.checkpoint, map_location="cpu") if run and run.begun() and not rank else None
        saved = parallel.same(saved, processes)
        model = task.model()
        if saved:
            model.load_state_dict(saved["model"])        # this also loads the palette with which the pictures are encoded below
        else:
            task.begin(model, examples["train"])
            if s.start:
                task.begin_with(model, s.start)
        self.training, self.valid = (task.encode(examples[split], model, device) for split in ("train", "validation"))
        self.enough()
        self.model = model.to(device)
        if not saved:
            with self.autocast():
                task.begin_on(model, self.training, device)
        self.average = task.model().to(device)
        self.average.load_state_dict(model.state_dict())
        self.adam = optimiser(task, model, s, self.cuda)
        task.ready(model, self.average, device)
        if saved:
            self.restore(saved)
        trained = [(p, a) for p, a in zip(model.parameters(), self.average.parameters()) if p.requires_grad]
        self.parameters, self.averaged = [p for p, _ in trained], [a for _, a in trained]
        beside = {id(p): a for p, a in trained}
        grouped = [p for group in self.adam.param_groups for p in group["params"]]
        plain = not task.update and type(self.adam) is torch.optim.Adam and len(grouped) == len(trained)
        # Adam, clipping and averaging in one pass
        self.fused = native.Adam(self.adam, [beside[id(p)] for p in grouped]) if plain and native.usable(*self.parameters) else None
        nats = compiled(task, model, self.batch(), self.autocast) if s.compile else lambda *b: task.nats(model, *b)
        self.loss = parallel.averaging(model, nats, processes)
        model.train()

    def enough(self):
        """Ends the program if the training part or the validation part is empty; makes the batch no larger than the training part."""
        s, have = self.s, len(self.training)
        for what, part in (("training", self.training), ("validation", self.valid)):
            if not len(part):
                sys.exit("%s: no %s example is left of what is in the folder; more files are needed" % (s.data or "data/" + s.dataset, what))
        other = parallel.alike([have, len(self.valid)], self.processes)
        if other:
            sys.exit("process %d has %d training and %d validation examples, others have more or fewer: every machine needs the same folder" % (other[0], *other[1]))
        most = have // self.processes * self.processes
        if not most:
            sys.exit("%s: %d training examples for %d processes; more files are needed" % (s.data, have, self.processes))
        if s.batch > most:
            print("--batch %d: there are %d training examples, so that a batch has %d" % (s.batch, have, most), flush=True)
            s.batch = most

    def restore(self, saved):
        self.average.load_state_dict(saved["average"]), self.adam.load_state_dict(saved["adam"])
        self.count, self.elapsed, self.running, self.least = saved["step"], saved["elapsed"], saved.get("running"), saved.get("least", math.inf)
        torch.set_rng_state(saved["rng"].cpu())
        if "beside" in saved:
            self.task.restore(saved["beside"])
        print("resumed at step %d, %.1f minutes" % (self.count, self.elapsed / 60), flush=True)

    def batch(self):
        """Returns this process's share of the next batch."""
        return parallel.share(self.task.batch(self.training, self.count, self.device), self.rank, self.processes)

    def rounded(self, model):
        return rounded(self.task.forms(model, self.s.round_to))

    def progress(self):
        return self.elapsed / (60 * self.s.minutes) if self.s.minutes else self.count / self.s.steps

    def step(self):
        """Trains on the next batch and returns the batch's mean nats per example as a tensor on the device."""
        s, rate = self.s, learning_rate(self.s, self.count, self.progress())
        if self.task.update:
            value = self.task.update(self, self.batch(), rate / s.lr if s.lr else 0.0)
            polyak(self.averaged, self.parameters, min(s.ema, (1 + self.count) / (10 + self.count)))
            return self.counted(value)
        for group in self.adam.param_groups:
            group["lr"] = rate * group.get("rate", 1)
        batch = self.batch()
        self.model.zero_grad(set_to_none=True)
        with self.rounded(self.model):
            with self.autocast():
                loss = self.loss(*batch)
            prior = self.task.prior(self.model)
            ((loss if prior is None else loss + prior / len(self.training)) / self.task.elements).backward()
        decay = min(s.ema, (1 + self.count) / (10 + self.count))
        if self.fused:
            self.fused.step(s.clip, decay)
        else:
            if s.clip:
                torch.nn.utils.clip_grad_norm_(self.parameters, s.clip)
            self.adam.step()
            polyak(self.averaged, self.parameters, decay)
        return self.counted(loss.detach())

    def counted(self, value):
        """Counts a step and updates the smoothed loss. value: the loss of the step"""
        self.count += 1
        value = parallel.mean(value, self.processes)                     # the value stays on the GPU: reading it would stall the GPU
        # the first 50 losses have equal weights; otherwise the first batch, which may have short sentences, would weigh too much
        kept = min(0.98, 1 - 1 / self.count)
        self.running = value if self.running is None else kept * self.running + (1 - kept) * value
        return value

    def smoothed(self):
        return None if self.running is None else float(self.running)

    def save(self, final=False):
        if not self.rank:
            self.task.settle(self.average, self.training, self.device)
            beside = dict(beside=self.task.beside()) if self.task.update else {}
            self.run.save(dict(self.head(final), **beside, model=self.model.state_dict(), average=self.average.state_dict(), adam=self.adam.state_dict(),
                               rng=torch.get_rng_state(), running=self.smoothed(), least=self.least))

    def save_average(self, final=False, name="average.pt"):
        """Writes only the averaged weights, to average.pt in half precision. This file is an eighth of the checkpoint's size, so it is easy
        to copy to another machine."""
        if not self.rank:
            half = {k: v.half() if v.is_floating_point() and name == "average.pt" else v for k, v in self.average.state_dict().items()}
            self.run.save(dict(self.head(final), average=half), name)

    def head(self, final):
        return dict(recipe=self.recipe.name, settings=asdict(self.s), step=self.count, elapsed=self.elapsed, final=final, own=data.own(self.s.dataset, self.s.data))

    def progress_line(self):
        if self.rank:
            return
        if not math.isfinite(self.smoothed()):
            sys.exit("diverged at step %d: the loss is not a number; the last checkpoint is kept" % self.count)
        self.run.log(dict(step=self.count, elapsed=round(self.elapsed, 1), lr=self.adam.param_groups[0]["lr"], train_nats=round(self.smoothed(), 3)))

    def say(self):
        """Prints progress: step, minutes, the smoothed loss, time left. On a terminal, each progress line replaces the one before."""
        if self.rank:
            return
        left = max(0, self.elapsed * (1 - self.progress()) / max(self.progress(), 1e-9))
        line = "step %d  %.1f min  loss %.2f %s  %s left" % (
            self.count, self.elapsed / 60, self.smoothed(), self.task.unit, "%.0f s" % left if left < 90 else "%.0f min" % (left / 60) if left < 5400 else "%.1f h" % (left / 3600))
        print("\r\x1b[K" + line if sys.stdout.isatty() else line, end="" if sys.stdout.isatty() else "\n", flush=True)

    def new_line(self):
        """Ends the progress line that `say` left on a terminal."""
        if sys.stdout.isatty():
            print(flush=True)

    def report(self, final=False, first=False):
        """Logs the validation losses of the averaged weights (rounded as in training) and draws a sample sheet.  first: measures the
        initial file, without a sheet."""
        if self.rank:
            return
        s, task = self.s, self.task
        task.settle(self.average, self.training, self.device)
        self.new_line()
        with self.rounded(self.average):
            nats = measure(task, self.average, self.valid, s.final_valid_images if final else s.valid_images, self.autocast, self.device)
            self.average.eval()
            measures = task.measures(self.average, self.valid, self.autocast, self.device, final)
        alone = next(iter(nats.values()), math.nan)      # a GAN has no likelihood
        line = dict(step=self.count, elapsed=round(self.elapsed, 1), epoch=round(self.count * s.batch / len(self.training), 3),
                    train_nats=self.smoothed(), **{"valid_nats" + ("_" + name if name else ""): v for name, v in nats.items()},
                    **({"valid_bits_per_dim": task.bits(alone)} if nats else {}), final=final, **measures)
        self.run.log(line)
        more = ", ".join("%.2f given the %s" % (v, name) for name, v in nats.items() if name)
        when = "final " if final else "as it is: " if first else ""
        told = ["%svalid %.2f nats%s, %.4f bits/dim" % (when, alone, " (%s)" % more if more else "", line["valid_bits_per_dim"])] if nats else []
        if told or measures:
            print(", ".join(told + ["%s %.2f" % m for m in measures.items()]), flush=True)
        if first:
            return
        if s.best and alone < self.least:
            self.least = alone
            self.save_average(final, "best.pt")
        if s.sheets >= 0 and task.slow_sheet and s.minutes and self.elapsed < SHORT:
            print("no sample sheet after %.0f s of training: it would take longer than that; a minute of training or more ends with one" % self.elapsed, flush=True)
            return
        if s.sheets < 0 or not final and (s.sheets == 0 or int(self.elapsed / 60 / s.every) % s.sheets):
            return
        self.average.eval()
        if task.slow_sheet:
            print("drawing samples, which takes a while; --sheets -1 leaves them out", flush=True)
        with self.rounded(self.average):
            task.sheet(self.average, self.valid, self.run.path("samples.png"), self.autocast, self.device, final)
        print("samples: %s" % ", ".join(os.path.relpath(path) for path in map(self.run.path, ("samples.png", "samples.txt")) if os.path.exists(path)), flush=True)


def device_of(name):
    """Returns PyTorch's name for the device that --device selects; ends the program if this machine does not have this device."""
    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    kind, _, number = name.partition(":")
    if kind not in ("cpu", "cuda") or number and not number.isdigit():
        sys.exit("--device %s: there are auto, cpu and cuda" % name)
    if kind == "cuda" and not torch.cuda.is_available():
        sys.exit("--device %s: PyTorch %s sees no CUDA GPU on this machine; without --device it trains on the CPU" % (name, torch.__version__))
    if kind == "cuda" and number and int(number) >= torch.cuda.device_count():
        sys.exit("--device %s: there are %d GPUs, cuda:0 to cuda:%d" % (name, torch.cuda.device_count(), torch.cuda.device_count() - 1))
    return name


def checked(s):
    """Ends the program if a setting is invalid."""
    for name in ("batch", "threads", "valid_images", "final_valid_images"):
        if getattr(s, name) < 1:
            sys.exit("--%s %d: 1 or more" % (name.replace("_", "-"), getattr(s, name)))
    for name in ("minutes", "steps", "lr", "every", "warmup", "clip", "save_seconds", "limit_seconds"):
        if not 0 <= getattr(s, name) < math.inf:
            sys.exit("--%s %s: 0 or more" % (name.replace("_", "-"), getattr(s, name)))
    for name in ("lr_floor", "ema"):
        if not 0 <= getattr(s, name) <= 1:
            sys.exit("--%s %s: 0 to 1" % (name.replace("_", "-"), getattr(s, name)))
    if not s.minutes and not s.steps:
        sys.exit("--minutes 0 --steps 0: one of them says how long training takes")
    if s.clock not in CLOCKS:
        sys.exit("--clock %s: there are %s" % (s.clock, " and ".join(CLOCKS)))
    if s.round_to not in ("", *FORMS):
        sys.exit("--round-to %s: there are %s" % (s.round_to, ", ".join(FORMS)))
    if s.run in (".", "..") or os.path.basename(s.run) != s.run:
        sys.exit("--run %s: a name without %s" % (s.run, os.sep))


def train(recipe, s):
    data.forbid_test_set()
    checked(s)
    rank, processes, device = parallel.start(device_of(s.device))
    if rank:
        sys.stdout = open(os.devnull, "w")               # only the first of several processes prints
    if s.batch % processes:
        sys.exit("a batch of %d does not divide into %d processes" % (s.batch, processes))
    torch.set_num_threads(s.threads)
    torch.set_float32_matmul_precision("high")           # CUDA: TF32 for products that autocast leaves in single precision
    torch.manual_seed(s.seed)
    clock = CLOCKS[s.clock]
    stop, away = [], [0.0]               # on Ctrl-C or kill: finish the step, save and exit
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.append(True))

    def stand_still(*_):                 # waits until SIGCONT; the waiting does not count as training time
        began = clock()
        os.kill(os.getpid(), signal.SIGSTOP)
        away[0] += clock() - began
    signal.signal(signal.SIGTSTP, stand_still)
    task = recipe.task(s)
    if s.data and not os.path.isdir(s.data):
        data.load(s.dataset, s.data, "train", task.shape)               # ends the program if the folder cannot be used
    task.adapt()
    if s.adopted:
        print("begins with %s, and has its sizes" % s.start, flush=True)
    print("%s: reading %s" % (s.run, s.data or "data/" + s.dataset), flush=True)
    t = Trainer(recipe, s, {split: task.load(split) for split in ("train", "validation")}, Run(s.run), device, rank, processes)
    print("%s: %d parameters, %d training and %d validation examples, %s" % (
        s.run, sum(p.numel() for p in t.parameters), len(t.training), len(t.valid), device), flush=True)
    saved = t.elapsed
    due = t.elapsed + 60 * s.every       # time of the next measurement; a run's first measurement comes early, to draw a sample sheet soon
    if not t.count and (not s.minutes or s.every < s.minutes):
        due = min(due, FIRST_SHEET)
    if s.start and not t.count:
        t.report(first=True)
    told = -math.inf
    since, away[0] = clock(), 0.0
    while True:
        late = s.limit_seconds and time.monotonic() - BEGAN >= s.limit_seconds
        t.elapsed, stopping, late = parallel.agree([t.elapsed, float(bool(stop)), float(bool(late))], processes)
        if stopping or late:
            t.save(), t.save_average()
            t.new_line()
            print("%s at step %d, %.1f minutes; the same command resumes" % ("stopped" if stopping else "out of time", t.count, t.elapsed / 60), flush=True)
            parallel.stop(processes)
            sys.exit(1 if stopping else 0)
        if t.progress() >= 1:
            break
        t.step()
        if t.cuda and t.count % 10 == 0:
            torch.cuda.synchronize()     # CUDA runs asynchronously; the clock must count completed work only
        now = clock()
        t.elapsed, since, away[0] = t.elapsed + now - since - away[0], now, 0.0
        if t.count % 50 == 0:
            t.progress_line()
        # in a log file, the interval between progress lines grows with the length of the run
        if time.monotonic() - told >= (SAY if sys.stdout.isatty() else max(SAY, t.elapsed / 60)):
            t.say()
            told = time.monotonic()
        if t.elapsed - saved >= s.save_seconds:
            saved = t.elapsed
            t.save()
        if t.elapsed >= due:
            due = t.elapsed + 60 * s.every
            t.report()
            since, away[0] = clock(), 0.0                                  # measuring does not count as training time
    t.report(final=True)
    t.save(final=True), t.save_average(final=True)
    parallel.stop(processes)
