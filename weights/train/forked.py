#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs scripts for the tests. Importing PyTorch takes more than a second, so this process imports it once and runs each script in a fork.

This process reads one line of JSON per script, [arguments, environment], and answers with one line, [exit status, output].
"""
import json
import os
import runpy
import sys
import tempfile
import traceback

from common import memory

memory.prepare()

import numpy  # noqa: F401
import torch  # noqa: F401


def run(argv, environment):
    """Runs a script and returns its exit status"""
    os.environ.update(environment)
    sys.argv = argv
    try:
        runpy.run_path(argv[0], run_name="__main__")
    except SystemExit as left:
        if left.code is None or isinstance(left.code, int):
            return left.code or 0
        print(left.code, file=sys.stderr)
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


for line in sys.stdin:
    argv, environment = json.loads(line)
    with tempfile.TemporaryFile("w+") as said:
        child = os.fork()
        if not child:
            for stream in (1, 2):
                os.dup2(said.fileno(), stream)
            status = run(argv, environment)
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        said.seek(0)
        print(json.dumps([status, said.read()]), flush=True)
