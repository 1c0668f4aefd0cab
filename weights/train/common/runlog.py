# SPDX-License-Identifier: MIT
"""Reads runs/<run>/log.jsonl, even while a run writes it."""
import json
import os


def lines_of(path):
    """Reads the lines of a log; skips the last line if a crash cut it short."""
    found = []
    if os.path.exists(path):
        with open(path) as f:
            for line in f:
                try:
                    found.append(json.loads(line))
                except ValueError:
                    pass
    return found
