# SPDX-License-Identifier: MIT
"""runs/<run>/log.jsonl, readable while it is written."""
import json
import os


def lines_of(path):
    """Reads the lines of a log, without a last line that a crash cut short."""
    found = []
    if os.path.exists(path):
        with open(path) as f:
            for line in f:
                try:
                    found.append(json.loads(line))
                except ValueError:
                    pass
    return found
