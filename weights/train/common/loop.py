"""The training loop: any task, resumable at any step, on one process or several."""
import math
import os
import signal
import sys
import time
from dataclasses import asdict

import torch

import data
from common import parallel
from common.muon import Muon
from common.rounding import rounded
from common.runs import Run
from common.task import spread

BEGAN = time.monotonic()


def learning_rate(s, step, progress):
    cosine = 0.5 * (1 + math.cos(math.pi * min(progress, 1.0)))
    return s.lr * min(1.0, (step + 1) / s.warmup) * (s.lr_floor + (1 - s.lr_floor) * cosine)


@torch.no_grad()
def measure(task, model, examples, count, autocast, device, batch=16):
    """Mean nats per example of `count` of them, for each view of the task: {name: nats}."""
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
    """average <- decay average + (1 - decay) model"""
    torch._foreach_lerp_(average, model, 1 - decay) if hasattr(torch, "_foreach_lerp_") else [
        a.lerp_(p, 1 - decay) for a, p in zip(average, model)]


def optimisers(task, model, s, cuda):
    """-> (Adam, Muon or None)"""
    matrices = task.matrices(model) if s.muon or s.decay else []
    ids = {id(p) for p in matrices}
    others = [p for p in model.parameters() if p.requires_grad and not (s.muon and id(p) in ids)]
    fused = dict(fused=True) if cuda else {}
    if s.decay and not s.muon:
        groups = [dict(params=matrices, weight_decay=s.decay), dict(params=[p for p in others if id(p) not in ids], weight_decay=0.0)]
        return torch.optim.AdamW(groups, lr=s.lr, betas=(s.beta1, s.beta2), eps=1e-9, **fused), None
    adam = torch.optim.Adam(others, lr=s.lr, betas=(s.beta1, s.beta2), eps=1e-9, **fused)
    return adam, Muon(matrices, s.muon) if s.muon else None


def compiled(task, model, batch, autocast):
    """task.nats by torch.compile where that works."""
    plain = lambda *b: task.nats(model, *b)
    if not hasattr(torch, "compile"):
        return plain
    try:
        began, fast = time.monotonic(), torch.compile(plain)
        with autocast():
            fast(*batch).mean().backward()
        print("compiled in %.0f s" % (time.monotonic() - began), flush=True)
    except Exception as error:           # whatever the compiler trips over, training goes on without it
        print("not compiled: %s" % str(error).strip().split("\n")[0][:200], flush=True)
        fast = plain
    model.zero_grad(set_to_none=True)
    return fast


def train(recipe, s):
    data.forbid_test_set()
    rank, processes, device = parallel.start(s.device if s.device != "auto" else "cuda" if torch.cuda.is_available() else "cpu")
    if rank:
        sys.stdout = open(os.devnull, "w")               # one of them talks
    if s.batch % processes:
        sys.exit("a batch of %d does not divide into %d processes" % (s.batch, processes))
    torch.set_num_threads(s.threads)
    torch.set_float32_matmul_precision("high")           # CUDA: TF32 for what autocast leaves in fp32
    torch.manual_seed(s.seed)
    cuda = device.startswith("cuda")
    autocast = lambda: torch.autocast("cuda" if cuda else "cpu", torch.bfloat16, enabled=s.bf16)
    run, task = Run(s.run), recipe.task(s)

    model = task.model()
    examples = {split: task.load(split) for split in ("train", "validation")}
    fresh = not run.begun()
    if fresh:
        task.begin(model, examples["train"])
        if s.start:
            task.grow(model, task.stored(s.start))
    else:
        c = torch.load(run.checkpoint, map_location="cpu")
        model.load_state_dict(c["model"])                # the pictures are encoded in its palette
    training, valid = (task.encode(examples.pop(split), model, device) for split in ("train", "validation"))
    model = model.to(device)
    if fresh and not s.start:
        with autocast():
            task.begin_on(model, training, device)
    average = task.model().to(device)
    average.load_state_dict(model.state_dict())
    adam, muon = optimisers(task, model, s, cuda)
    step, elapsed, running, least = 0, 0.0, None, math.inf               # running: smoothed training loss
    if not fresh:
        average.load_state_dict(c["average"]), adam.load_state_dict(c["adam"])
        if muon:
            muon.load_state_dict(c["muon"])
        step, elapsed, running, least = c["step"], c["elapsed"], c.get("running"), c.get("least", math.inf)
        torch.set_rng_state(c["rng"].cpu())
        print("resumed at step %d, %.1f minutes" % (step, elapsed / 60), flush=True)
    task.ready(model, device), task.ready(average, device)
    parameters = [p for p in model.parameters() if p.requires_grad]
    averaged = [a for a, p in zip(average.parameters(), model.parameters()) if p.requires_grad]
    print("%s: %d parameters, %d training and %d validation examples, %s" % (
        s.run, sum(p.numel() for p in parameters), len(training), len(valid), device), flush=True)

    def as_rounded(m):
        return rounded(task.matrices(m) if s.round_to else [], s.round_to)

    def smoothed():
        return None if running is None else float(running)

    def save(final=False):
        run.save(dict(recipe=recipe.name, settings=asdict(s), model=model.state_dict(), average=average.state_dict(), adam=adam.state_dict(),
                      muon=muon and muon.state_dict(), step=step, elapsed=elapsed, rng=torch.get_rng_state(), running=smoothed(),
                      least=least, final=final))

    def save_average(final=False, name="average.pt"):
        """The averaged weights alone, in half precision: an eighth of the checkpoint, to carry from machine to machine."""
        half = {k: v.half() if v.is_floating_point() and name == "average.pt" else v for k, v in average.state_dict().items()}
        run.save(dict(recipe=recipe.name, settings=asdict(s), average=half, step=step, elapsed=elapsed, final=final), name)

    def report(final=False):
        """Validation losses of the averaged weights, rounded where training rounds, to the log, and a sample sheet."""
        nonlocal least
        if rank:
            return
        with as_rounded(average):
            nats = measure(task, average, valid, s.final_valid_images if final else s.valid_images, autocast, device)
        first = next(iter(nats.values()))
        line = dict(step=step, elapsed=round(elapsed, 1), epoch=round(step * s.batch / len(training), 3), train_nats=smoothed(),
                    **{"valid_nats" + ("_" + name if name else ""): v for name, v in nats.items()},
                    valid_bits_per_dim=task.bits(first), final=final)
        run.log(line)
        more = ", ".join("%.2f given the %s" % (v, name) for name, v in nats.items() if name)
        print("%svalid %.2f nats%s, %.4f bits/dim" % ("final " if final else "", first, " (%s)" % more if more else "",
                                                      line["valid_bits_per_dim"]), flush=True)
        if s.best and first < least:
            least = first
            save_average(final, "best.pt")
        if s.sheets < 0 or not final and (s.sheets == 0 or int(elapsed / 60 / s.every) % s.sheets):
            return
        average.eval()
        with as_rounded(average):
            task.sheet(average, valid, run.path("samples.png"), autocast, device, final)

    stop = []                            # Ctrl-C or kill: finish the step, save, leave
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.append(True))
    first = parallel.share(task.batch(training, step, device), rank, processes)
    nats = compiled(task, model, first, autocast) if s.compile else lambda *b: task.nats(model, *b)
    loss_of = parallel.averaging(model, nats, processes)
    reported = saved = elapsed
    since = time.monotonic()
    model.train()
    while True:
        late = s.limit_seconds and time.monotonic() - BEGAN >= s.limit_seconds
        elapsed, stopping, late = parallel.agree([elapsed, float(bool(stop)), float(bool(late))], processes)
        if stopping or late:
            if not rank:
                save()
                save_average()
            print("%s at step %d, %.1f minutes; the same command resumes" % ("stopped" if stopping else "out of time", step, elapsed / 60), flush=True)
            parallel.stop(processes)
            sys.exit(1 if stopping else 0)
        progress = elapsed / (60 * s.minutes) if s.minutes else step / s.steps
        if progress >= 1:
            break
        for group in adam.param_groups:
            group["lr"] = learning_rate(s, step, progress)
        for group in muon.param_groups if muon else ():
            group["lr"] = learning_rate(s, step, progress) * s.muon / s.lr
        batch = parallel.share(task.batch(training, step, device), rank, processes)
        model.zero_grad(set_to_none=True)
        with as_rounded(model):
            with autocast():
                loss = loss_of(*batch)                                           # nats per example
            (loss / task.elements).backward()
        if s.clip:
            torch.nn.utils.clip_grad_norm_(parameters, s.clip)
        adam.step()
        if muon:
            muon.step()
        polyak(averaged, parameters, min(s.ema, (1 + step) / (10 + step)))
        step += 1
        value = parallel.mean(loss.detach(), processes)                          # stays on the GPU, which need not wait for its number
        running = value if running is None else 0.98 * running + 0.02 * value
        if cuda and step % 10 == 0:
            torch.cuda.synchronize()     # the clock counts work that is done
        now = time.monotonic()
        elapsed, since = elapsed + now - since, now
        if step % 50 == 0 and not rank:
            if not math.isfinite(smoothed()):
                sys.exit("diverged at step %d: the loss is not a number; the last checkpoint is kept" % step)
            line = dict(step=step, elapsed=round(elapsed, 1), lr=adam.param_groups[0]["lr"], train_nats=round(smoothed(), 3))
            run.log(line)
            print("step %d  %.1f min  lr %.2e  train %.2f nats" % (step, elapsed / 60, line["lr"], line["train_nats"]), flush=True)
        if elapsed - saved >= s.save_seconds and not rank:
            saved = elapsed
            save()
        if elapsed - reported >= 60 * s.every:
            reported = elapsed
            report()
            since = time.monotonic()     # measuring is not training time
    if not rank:
        report(final=True)
        save(final=True)
        save_average(final=True)
    parallel.stop(processes)
