# SPDX-License-Identifier: MIT
"""What the processor of this machine has.  Knows no PyTorch, which is told of it before it starts (memory.py)."""
import functools


@functools.lru_cache(maxsize=None)
def processor(path="/proc/cpuinfo"):
    """-> (vendor, set of the names of its instruction sets) as Linux has them; elsewhere nothing"""
    try:
        with open(path, encoding="utf-8") as f:
            lines = [line.split(":", 1) for line in f.read(16384).split("\n") if ":" in line]
    except OSError:
        lines = []
    found = {key.strip(): value.strip() for key, value in reversed(lines)}       # of the first of several
    return found.get("vendor_id", ""), frozenset(found.get("flags", "").split())


def has_bf16():
    """Whether products of bf16 are faster than those of single precision."""
    return bool(processor()[1] & {"avx512_bf16", "amx_bf16"})
