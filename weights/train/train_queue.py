#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Trains a list of recipes without idle time, at the lowest priority. Each recipe trains for a given number of minutes.

    train_queue.py add emoji --minutes 120 [--run NAME] [--lr 1e-3 ...]     further settings go to train.py
    train_queue.py start [--background] [--forever] [--turn 20]             trains one run after another, or each run for 20 minutes in turn
    train_queue.py status [--svg FILE]                                      prints the state, losses and curve of each run
    train_queue.py pause | resume                                           acts at once; `npm run bench` and `npm run measure` do both
    train_queue.py export emoji [--run NAME] [--out FILE] [--type q4_0]     exports the best weights so far, at any time
    train_queue.py remove RUN | stop                                        a removed or stopped run keeps its checkpoint
    train_queue.py measure [--recipe digits]                                compares one job with two threads and two jobs with one thread
    train_queue.py during COMMAND...                                        pauses, runs the command, resumes

After a stop, a crash or a restart of the machine, `start` resumes the run, which loses less than a minute of training. (The name is not
queue.py, because that name would hide the standard Python module that PyTorch needs.)
"""
import json
import os
import subprocess
import sys

from common import arguments, curve, queue
from common.recipes import HERE, RUNS, names

MEASURED = os.path.join(RUNS, "queue-measured.json")


def add(args, more):
    if args.recipe not in names():
        sys.exit("no recipe %r; there are %s" % (args.recipe, ", ".join(names())))
    run = args.run or args.recipe
    with queue.state() as s:
        job = next((job for job in s["jobs"] if job["run"] == run), None)
        if job is None:
            job = dict(run=run, recipe=args.recipe, status="waiting", pid=0)
            s["jobs"].append(job)
        job.update(minutes=args.minutes, args=more)
        if job["status"] in ("done", "failed"):
            job.update(status="waiting", failures=0)
    print("%s: %s" % (run, "%g minutes" % args.minutes if args.minutes else "as long as its recipe says"))


def begin(args, more):
    with queue.state() as s:
        measured = {}
        if os.path.exists(MEASURED):
            with open(MEASURED) as f:
                measured = json.load(f)
        s["workers"] = args.workers or measured.get("workers", 1)
        s["threads"] = args.threads or measured.get("threads", 2)
        s["turn"] = args.turn
    if args.background:
        with open(os.path.join(RUNS, "queue.log"), "a") as log:
            command = [sys.executable, os.path.abspath(__file__), "start", "--workers", str(s["workers"]), "--threads", str(s["threads"]),
                       "--turn", str(args.turn)] + (["--forever"] if args.forever else [])
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        print("process %d; `status` says where it is, `stop` ends it" % child.pid)
        return
    queue.run(args.forever)


def status(args, more):
    s, curves = queue.look(), {}
    runner = queue.condition(s["runner"]) if s["runner"] else ""
    print("%s%s, %d x %d threads" % ("running" if runner else "not running: train_queue.py start", ", paused" if queue.held() else "", s["workers"], s["threads"]))
    for job in s["jobs"]:
        lines = queue.log_of(job)
        measured = [(line["elapsed"] / 60, line["valid_nats"]) for line in lines if "valid_nats" in line]
        last = lines[-1] if lines else dict(step=0, elapsed=0.0)
        train = next((line["train_nats"] for line in reversed(lines) if line.get("train_nats") is not None), None)
        bits = next((line["valid_bits_per_dim"] for line in reversed(lines) if "valid_nats" in line), None)
        print("%-20s %-8s %7.1f of %s min  step %-7d%s%s" % (
            job["run"], job["status"], last["elapsed"] / 60, "%g" % job["minutes"] if job["minutes"] else "?", last["step"],
            "  train %.2f" % train if train is not None else "", "  valid %.2f nats (%.4f bits/dim)" % (measured[-1][1], bits) if measured else ""))
        if measured:
            print("    %s" % curve.text([nats for _, nats in measured]))
            curves[job["run"]] = measured
    if args.svg:
        with open(args.svg, "w") as f:
            f.write(curve.svg(curves))


def export(args, more):
    run = args.run or args.recipe
    job = next((job for job in queue.look()["jobs"] if job["run"] == run), dict(recipe=args.recipe))
    sys.exit(subprocess.call([queue.python(), os.path.join(HERE, "export.py"), job["recipe"], "--run", run]
                             + (["--out", args.out] if args.out else []) + more))


def remove(args, more):
    with queue.state() as s:
        s["jobs"] = [job for job in s["jobs"] if job["run"] != args.recipe]


def stop(args, more):
    runner = queue.look()["runner"]
    if runner and queue.condition(runner):
        queue.tell(runner, queue.signal.SIGTERM)
        while queue.condition(runner):
            queue.time.sleep(queue.TICK)


def speeds(jobs, threads, recipe, seconds):
    """Runs `jobs` copies of speed.py at the same time and returns their total throughput in positions per second."""
    command = [queue.python(), os.path.join(HERE, "speed.py"), recipe, "--threads", str(threads), "--seconds", str(seconds), "--plain"]
    children = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=dict(os.environ, OMP_WAIT_POLICY="passive")) for _ in range(jobs)]
    return sum(float(child.communicate()[0].split()[-1]) for child in children)


def measure(args, more):
    """Alternates between one job with two threads and two jobs with one thread each, so that other programs affect both equally."""
    found = {(1, 2): [], (2, 1): []}
    with holding():
        for _ in range(args.rounds):
            for jobs, threads in found:
                found[jobs, threads].append(speeds(jobs, threads, args.recipe, args.seconds))
    median = {key: sorted(values)[len(values) // 2] for key, values in found.items()}
    for (jobs, threads), values in found.items():
        print("%d x %d threads: %s positions/s" % (jobs, threads, ", ".join("%.0f" % v for v in values)))
    workers, threads = max(median, key=median.get)
    print("%s is %.2f times as fast; `start` does so from now on" % (
        "two jobs of one thread" if workers == 2 else "one job of two threads", median[workers, threads] / min(median.values())))
    os.makedirs(RUNS, exist_ok=True)
    with open(MEASURED, "w") as f:
        json.dump(dict(workers=workers, threads=threads, recipe=args.recipe, positions={"%d x %d" % key: values for key, values in found.items()}), f)


class holding:
    def __enter__(self):
        queue.pause(os.getpid())

    def __exit__(self, *_):
        queue.resume(os.getpid())


def during(command):
    with holding():
        code = subprocess.call(command)
    sys.exit(code)


def main():
    if sys.argv[1:2] == ["during"]:
        during(sys.argv[2:])
    parser = arguments.Parser(__doc__)
    tasks = parser.add_subparsers(dest="task", required=True)
    task = {name: tasks.add_parser(name) for name in ("add", "start", "status", "pause", "resume", "export", "remove", "stop", "measure")}
    for name in ("add", "export", "remove"):
        task[name].add_argument("recipe")
    task["add"].add_argument("--minutes", type=float, default=0.0)
    for name in ("pause", "resume"):
        task[name].add_argument("--holder", type=int, default=0, help="a process; when it ends, training goes on by itself")
    for name in ("add", "export"):
        task[name].add_argument("--run", default="")
    task["export"].add_argument("--out", default="")
    task["start"].add_argument("--turn", type=float, default=0.0, help="minutes each in turn; 0 = one after another")
    task["start"].add_argument("--workers", type=int, default=0, help="jobs at once; default: what `measure` found, else 1")
    task["start"].add_argument("--threads", type=int, default=0, help="of each; default: what `measure` found, else 2")
    task["start"].add_argument("--forever", action="store_true", help="wait for more when all is done")
    task["start"].add_argument("--background", action="store_true")
    task["status"].add_argument("--svg", default="")
    task["measure"].add_argument("--recipe", default="digits")
    task["measure"].add_argument("--seconds", type=float, default=10.0)
    task["measure"].add_argument("--rounds", type=int, default=3)
    args, more = parser.parse_known_args()
    if more and args.task not in ("add", "export"):
        parser.error("unknown: " + " ".join(more))
    if args.task in ("pause", "resume"):
        getattr(queue, args.task)(args.holder)
    else:
        dict(add=add, start=begin, status=status, export=export, remove=remove, stop=stop, measure=measure)[args.task](args, more)


if __name__ == "__main__":
    main()
