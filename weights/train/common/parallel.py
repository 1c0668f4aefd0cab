# SPDX-License-Identifier: MIT
"""Connects the processes of one training run, for example the processes that torchrun starts. The backend is gloo on CPUs and nccl on
GPUs."""
import os
import signal
import socket
import subprocess
import sys

import torch
import torch.distributed as dist
from torch import nn


def start(device):
    """Returns (rank, processes, device of this process).  Without torchrun, this is the only process."""
    if "WORLD_SIZE" not in os.environ or int(os.environ["WORLD_SIZE"]) < 2:
        return 0, 1, device
    if device == "cuda":
        device = "cuda:%d" % int(os.environ.get("LOCAL_RANK", 0))
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if device.startswith("cuda") else "gloo")
    return dist.get_rank(), dist.get_world_size(), device


def share(batch, rank, processes):
    """Returns this process's examples of a batch."""
    if processes == 1:
        return batch
    return tuple(None if t is None else t[rank::processes] for t in batch)


def agree(values, processes):
    """Sends the first process's list of numbers, such as the elapsed time, to all processes."""
    if processes == 1:
        return values
    t = torch.tensor(values, dtype=torch.float64, device="cuda" if dist.get_backend() == "nccl" else "cpu")
    dist.broadcast(t, 0)
    return t.tolist()


def same(state, processes):
    """Sends the first process's checkpoint to all processes, because other machines may not be able to read the file."""
    if processes == 1:
        return state
    shared = [state if dist.get_rank() == 0 else None]
    dist.broadcast_object_list(shared, 0, **(dict(device=torch.device("cuda", torch.cuda.current_device())) if dist.get_backend() == "nccl" else {}))
    return shared[0]


def alike(numbers, processes):
    """Returns (rank, numbers) of the first process whose list of numbers differs from that of process 0; None if all agree."""
    if processes == 1:
        return None
    device = "cuda" if dist.get_backend() == "nccl" else "cpu"
    own = torch.tensor(numbers, dtype=torch.float64, device=device)
    found = [torch.empty_like(own) for _ in range(processes)]
    dist.all_gather(found, own)
    return next(((i, t.tolist()) for i, t in enumerate(found) if t.tolist() != found[0].tolist()), None)


def mean(value, processes):
    """Returns the mean of a scalar tensor over all processes."""
    if processes > 1:
        value = value.clone()
        dist.all_reduce(value)
        value /= processes
    return value


class Loss(nn.Module):
    """The mean loss of a batch as a module, as required by DistributedDataParallel, which averages the gradients."""

    def __init__(self, model, nats):
        super().__init__()
        self.model, self.nats = model, nats

    def forward(self, *batch):
        return self.nats(*batch).mean()


def averaging(model, nats, processes):
    """Returns a function that maps this process's share of a batch to the mean nats per example of this share. The backward pass averages
    the gradients over the processes."""
    loss = Loss(model, nats)
    return nn.parallel.DistributedDataParallel(loss, find_unused_parameters=True) if processes > 1 else loss


def stop(processes):
    if processes > 1:
        dist.destroy_process_group()


def launch(argv, processes):
    """Runs `train.py ... --processes N` and returns its exit code. This function does the work of torchrun on one machine, even where
    torchrun does not start (PyTorch 1.13 with Python 3.11)."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    children = [subprocess.Popen([sys.executable] + argv, env=dict(
        os.environ, RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(processes), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port)))
        for rank in range(processes)]
    for number in (signal.SIGINT, signal.SIGTERM):       # the first process receives the signal and notifies the others
        signal.signal(number, lambda number, _: children[0].send_signal(number))
    return max(abs(child.wait()) for child in children)
