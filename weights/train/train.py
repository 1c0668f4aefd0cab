#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Trains one recipe:  python3 weights/train/train.py digits [--minutes 30] [--lr 1e-3] [--smoke] ...

    --from weights/emoji.gguf        begin with the weights of a file, whose model may be narrower or shallower
    --data FOLDER                    the data set's folder, or pictures of your own (PNG, JPEG)
    --processes 2 --threads 1        several processes share each batch; so does torchrun --nproc_per_node=2 weights/train/train.py ...

Any setting can be given as --key value.  A run can be stopped at any moment (Ctrl-C, kill, power loss); to resume from the last checkpoint
in weights/train/runs/<run>/, run the same command again.  On a machine that limits the time of a command, --limit-seconds 570 saves
the run after 570 seconds and exits with status 0.  To see the settings of a recipe: train.py RECIPE --help
"""
import os
import re
import sys

from common import memory, needed

if __name__ == "__main__":
    needed.require("numpy", "torch")
    memory.prepare()             # this must happen before PyTorch is imported

from common import loop, parallel, recipes, settings

if __name__ == "__main__":
    wanted = re.search(r"--processes[ =](\d+)", " ".join(sys.argv))
    if wanted and int(wanted.group(1)) > 1 and "RANK" not in os.environ:
        sys.exit(parallel.launch(sys.argv, int(wanted.group(1))))
    loop.train(*settings.parse(__doc__, recipes.find))
