# SPDX-License-Identifier: MIT
"""Detects the features of this machine's processor. This module does not import PyTorch, whose settings depend on these features
(memory.py)."""
import functools
import os


@functools.lru_cache(maxsize=None)
def processor(path="/proc/cpuinfo"):
    """Returns (vendor, set of instruction set names) from Linux; empty on other systems"""
    try:
        with open(path, encoding="utf-8") as f:
            lines = [line.split(":", 1) for line in f.read(16384).split("\n") if ":" in line]
    except OSError:
        lines = []
    found = {key.strip(): value.strip() for key, value in reversed(lines)}       # reversed, so that the first processor's values are kept
    return found.get("vendor_id", ""), frozenset(found.get("flags", "").split())


def has_bf16():
    """Returns whether products in bf16 are faster than those in single precision."""
    return bool(processor()[1] & {"avx512_bf16", "amx_bf16"})


def be_idle():
    """Gives this process the lowest priority. Linux may group the processes of a session and divide the processor equally among groups.
    `nice` then has an effect only within the group. The group therefore gets the lowest priority too, unless the session has a terminal. A
    session with a terminal also contains the user's other programs."""
    os.nice(19)
    try:
        os.close(os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY))
    except OSError:
        try:
            with open("/proc/self/autogroup", "w", encoding="ascii") as f:
                f.write("19")
        except OSError:
            pass  # other systems and kernels without autogroups do not have this file
