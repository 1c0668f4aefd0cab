# SPDX-License-Identifier: MIT
"""A list of runs that are trained in order, or alternately, at the lowest priority.

The state of the queue is in runs/queue.json and is changed under a lock, so any command may be run at any time.  SIGTSTP pauses training:
loop.py does not count the time of the pause.  A program that needs the whole machine creates a hold, a file whose name is the program's
process id; holds of ended processes do not count.  This module uses only the standard library: starting a queue does not need PyTorch.
"""
import contextlib
import fcntl
import json
import os
import signal
import subprocess
import sys
import time

from common import machine
from common.recipes import HERE, RUNS
from common.runlog import lines_of

STATE, LOCK, HOLDS = (os.path.join(RUNS, "queue" + end) for end in (".json", ".lock", ".hold"))
TRIES = 3                                # attempts for a run that fails without progress
TICK = 0.3                               # seconds


@contextlib.contextmanager
def state():
    """Yields the queue's state, and writes it back at the end of the `with` block."""
    os.makedirs(RUNS, exist_ok=True)
    with open(LOCK, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        s = dict(jobs=[], runner=0, workers=1, threads=2, turn=0.0)
        if os.path.exists(STATE):
            with open(STATE) as f:
                s.update(json.load(f))
        before = json.dumps(s)
        yield s
        if json.dumps(s) != before:
            with open(STATE + ".tmp", "w") as f:
                json.dump(s, f, indent=1)
            os.replace(STATE + ".tmp", STATE)


def look():
    with state() as s:
        return s


def condition(pid):
    """Returns the letter of /proc/PID/stat (R running, S sleeping, T stopped, ...), "" for a process that is gone."""
    try:
        with open("/proc/%d/stat" % pid) as f:
            letter = f.read().rsplit(")", 1)[1].split()[0]
        return "" if letter in "ZX" else letter
    except (OSError, IndexError):
        return ""


def held():
    """Returns the ids of the processes that hold the queue; 0 means a `pause` command."""
    found = [int(name) for name in os.listdir(HOLDS)] if os.path.isdir(HOLDS) else []
    return [pid for pid in found if pid == 0 or condition(pid)]


def tell(pid, number):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def halt(pids, wait=20.0):
    """Pauses the training processes with these ids until they receive SIGCONT; returns once they have stopped."""
    end = time.monotonic() + wait
    for pid in pids:
        tell(pid, signal.SIGTSTP)
    while time.monotonic() < end and any(condition(pid) not in ("T", "") for pid in pids):
        time.sleep(0.02)


def pause(holder=0):
    os.makedirs(HOLDS, exist_ok=True)
    with open(os.path.join(HOLDS, str(holder)), "w"):
        pass
    halt([job["pid"] for job in look()["jobs"] if job.get("pid")])


def resume(holder=0):
    """Releases one hold; training resumes when no hold is left."""
    with contextlib.suppress(FileNotFoundError):
        os.remove(os.path.join(HOLDS, str(holder)))
    if not held():
        for job in look()["jobs"]:
            if job.get("pid"):
                tell(job["pid"], signal.SIGCONT)


def log_of(job):
    return lines_of(os.path.join(RUNS, job["run"], "log.jsonl"))


def finished(job):
    """Returns whether the job's training is complete: the last measurement is a final one and reaches the end of the job's schedule."""
    lines = [line for line in log_of(job) if "final" in line]
    return bool(lines) and lines[-1]["final"] and (not job["minutes"] or lines[-1]["elapsed"] >= 59 * job["minutes"])


def python():
    """Finds a Python interpreter with PyTorch."""
    if "torch" in sys.modules:                           # PyTorch was already imported by this process
        return sys.executable
    for path in (sys.executable, "python3", "/usr/bin/python3"):
        if subprocess.call([path, "-c", "import torch"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) == 0:
            return path
    sys.exit("training needs Python 3 with NumPy and PyTorch (Debian package: python3-torch)")


def start(job, s, interpreter):
    """Starts and returns the training process, at the lowest priority; its output goes to runs/<run>/out.log"""
    folder = os.path.join(RUNS, job["run"])
    os.makedirs(folder, exist_ok=True)
    command = [interpreter, os.path.join(HERE, "train.py"), job["recipe"], "--run", job["run"], "--threads", str(s["threads"])]
    command += (["--minutes", str(job["minutes"])] if job["minutes"] else []) + job["args"]
    command += ["--limit-seconds", str(60 * s["turn"])] if s["turn"] else []
    environment = dict(os.environ, OMP_WAIT_POLICY="passive", PYTHONUNBUFFERED="1")
    with open(os.path.join(folder, "out.log"), "a") as out:
        return subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, env=environment, stdin=subprocess.DEVNULL,
                                preexec_fn=machine.be_idle)


def next_job(jobs):
    """Returns the waiting run whose last turn was longest ago."""
    waiting = [job for job in jobs if job["status"] == "waiting"]
    return min(waiting, key=lambda job: job.get("turns", 0)) if waiting else None


def settle(job, code):
    """Handles the end of a training process."""
    job["pid"], steps = 0, [line["step"] for line in log_of(job)]
    reached = max(steps, default=0)
    if finished(job):
        job["status"] = "done"
    elif code == 0:
        job.update(status="waiting", turns=job.get("turns", 0) + 1, failures=0)
    else:
        job["failures"] = 1 if reached > job.get("reached", -1) else job.get("failures", 0) + 1
        job["status"] = "failed" if job["failures"] >= TRIES else "waiting"
    job["reached"] = reached


def run(forever=False):
    """Trains until no run is waiting (or forever). If this process is terminated, it first ends its training processes, which save their
    state."""
    interpreter, children, stop = python(), {}, []
    with state() as s:
        if s["runner"] and s["runner"] != os.getpid() and condition(s["runner"]):
            sys.exit("the queue is already running (process %d)" % s["runner"])
        s["runner"] = os.getpid()
        for job in s["jobs"]:            # jobs left by a runner that was killed; their training processes may still run
            if job.get("pid") and condition(job["pid"]):
                tell(job["pid"], signal.SIGCONT), tell(job["pid"], signal.SIGTERM)
                while condition(job["pid"]):
                    time.sleep(TICK)
            if job["status"] == "running":
                settle(job, 0)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.append(True))
    while not stop:
        with state() as s:
            for job in s["jobs"]:
                child = children.get(job["run"])
                if child is not None and child.poll() is not None:
                    settle(job, child.returncode)
                    del children[job["run"]]
            for name in set(children) - {job["run"] for job in s["jobs"]}:
                children.pop(name).terminate()                           # removed
            while len(children) < s["workers"] and not held():
                job = next_job(s["jobs"])
                if job is None:
                    break
                children[job["run"]] = start(job, s, interpreter)
                job.update(status="running", pid=children[job["run"]].pid)
            if not children and not forever and not held() and next_job(s["jobs"]) is None:
                break
        stopped = bool(held())
        for child in children.values():
            if stopped and condition(child.pid) not in ("T", ""):
                tell(child.pid, signal.SIGTSTP)
            elif not stopped and condition(child.pid) == "T":
                tell(child.pid, signal.SIGCONT)
        time.sleep(TICK)
    for child in children.values():
        tell(child.pid, signal.SIGCONT), tell(child.pid, signal.SIGTERM)
    for child in children.values():
        child.wait()
    with state() as s:
        for job in s["jobs"]:
            if job["run"] in children:
                settle(job, 0)
        s["runner"] = 0
