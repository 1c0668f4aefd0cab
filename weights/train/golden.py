#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes golden values for the C and JS tests to tests/golden/ (see common/golden.py and models/<name>/golden.py).

    python3 weights/train/golden.py                    tiny random models: <name>.gguf, <name>.golden.gguf
    python3 weights/train/golden.py digits             the trained model:  digits.golden.gguf, digits-test100.*
    python3 weights/train/golden.py fvsbn --pictures   fvsbn-test100.* alone
    python3 weights/train/golden.py --hidden           hidden.json: hidden states of some of the tiny models, with their stored weights
    python3 weights/train/golden.py NAME --shipped   NAME.golden.gguf of weights/NAME.gguf, without the run that made it
"""
import os

from common import arguments, needed

needed.require("numpy", "torch")

import torch

from common import golden


def main():
    parser = arguments.Parser(__doc__)
    parser.add_argument("recipe", nargs="?", help="a trained recipe; without it the tiny random models")
    parser.add_argument("--run", default="", help="run folder, default the recipe's name; files are named after the recipe")
    parser.add_argument("--data", default="", help="default data/<data set>")
    parser.add_argument("--pictures", action="store_true", help="only the held-out pictures and their nats")
    parser.add_argument("--shipped", action="store_true", help="of the file that ships, where its run is gone")
    parser.add_argument("--hidden", action="store_true", help="only hidden.json, of the tiny models that are there")
    args = parser.parse_args()
    torch.set_num_threads(2)
    os.makedirs(golden.OUT, exist_ok=True)
    if args.hidden:
        golden.hidden()
        return
    if not args.recipe:
        golden.tiny()
        return
    if args.shipped:
        golden.shipped(args.recipe, args.data)
        return
    if not args.pictures:
        golden.trained(args.recipe, args.run or args.recipe, args.data)
    golden.pictures(args.recipe, args.run or args.recipe, args.data)


if __name__ == "__main__":
    main()
