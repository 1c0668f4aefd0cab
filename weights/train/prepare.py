#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Gets a data set that recipes train on:  python3 weights/train/prepare.py cifar10 [--from FILE-OR-FOLDER] [--to FOLDER]

The command prints the location, the size and the licence of the original. It fetches missing files (an interrupted download resumes) and
checks all files. Then it converts the original to the files in data/NAME, which the recipes read. With --from, the command uses your copies
of the originals. It fetches only the originals that FILE-OR-FOLDER does not have.

    python3 weights/train/prepare.py                   # lists the sets
    python3 weights/train/prepare.py fvsbn             # the set that this recipe trains on
"""
import os
import sys
import tempfile

import data
from common import arguments, fetch, needed, recipes

needed.require("numpy")

from data import originals


def list_of_sets():
    for name in originals.names():
        module = originals.find(name)
        size = sum(f.size for f in module.FILES)
        print("%-16s %s%s; %s" % (name, module.ABOUT, ", %s to fetch" % fetch.megabytes(size) if size else "", module.LICENCE))
    print("letters          none: made by data/letters.py while it trains")
    print("emoji-drawings   python3 weights/train/drawings.py fetches and paints them")


def set_of(name):
    """Returns the module in data/originals/ for a data set. name: the data set, or a recipe that trains on the data set."""
    if name in originals.names():
        return originals.find(name)
    if name in recipes.names():
        needed.require("torch")
        recipe = recipes.find(name)
        dataset = recipe.settings.get("dataset") or recipe.task.Settings.dataset
        of = getattr(data.dataset(dataset), "ORIGINALS", dataset)
        if of in originals.names():
            return originals.find(of)
        sys.exit("%s trains on %s, a data set that needs no download" % (name, dataset))
    sys.exit("no data set and no recipe %r; there are %s" % (name, ", ".join(originals.names())))


def given(paths, files):
    """Returns the originals that --from provides: {name: path}."""
    found = {}
    for path in paths:
        if not os.path.exists(path):
            sys.exit("--from %s: no such file or folder" % path)
        wanted = [f.name for f in files]
        if os.path.basename(os.path.abspath(path)) in wanted:
            found[os.path.basename(os.path.abspath(path))] = path
        elif os.path.isfile(path) and len(wanted) == 1:
            found[wanted[0]] = path      # the file may have any name
        elif os.path.isdir(path):
            inside = {name: os.path.join(at, name) for at, folders, names in os.walk(path) for name in folders + names if name in wanted}
            if not inside:
                sys.exit("--from %s: none of %s is there" % (path, ", ".join(wanted)))
            found.update(inside)
        else:
            sys.exit("--from %s: %s %s wanted" % (path, ", ".join(wanted), "is" if len(wanted) == 1 else "are"))
    return found


def written(module, found, directory):
    """Writes the set atomically: the earlier files stay until the new ones are complete. Returns the files that differ from those that the
    shipped weights were trained on"""
    try:
        os.makedirs(directory, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="being-written-", dir=directory) as made:
            module.write(found, made)
            others = originals.others(module, made)
            for name in os.listdir(made):
                os.replace(os.path.join(made, name), os.path.join(directory, name))
        return others
    except originals.Unreadable as error:
        sys.exit(str(error))
    except originals.WRONG as error:
        if getattr(error, "errno", None) in originals.FULL:
            sys.exit("there is no room for %s: %s. What was fetched is kept; the same command goes on" % (os.path.relpath(directory), error.strerror))
        sys.exit("the originals cannot be read: %s" % str(error).split("\n")[0])


def main(argv=None):
    parser = arguments.Parser(__doc__)
    parser.add_argument("name", nargs="?", help="a data set or a recipe")
    parser.add_argument("--from", dest="source", action="append", default=[], metavar="PATH", help="an original, or a folder with them; may be given again")
    parser.add_argument("--to", default="", metavar="FOLDER", help="default data/NAME")
    args = parser.parse_args(argv)
    if not args.name:
        list_of_sets()
        return
    module = set_of(args.name)
    directory = args.to or data.dataset(module.DATASET).DEFAULT_DIR
    print("%s\nlicence: %s" % (module.ABOUT, module.LICENCE))
    found, fetched = given(args.source, module.FILES), os.path.join(directory, "originals")
    for f in module.FILES:
        path = os.path.join(fetched, f.name)
        if f.name in found:
            if os.path.isfile(found[f.name]) and not fetch.checked(found[f.name], f.digest):
                sys.exit("%s is not %s as it was published: its %s is not %s" % (found[f.name], f.name, *f.digest.split(":")))
        elif os.path.exists(path):
            found[f.name] = path
        elif f.url:
            print("%s, %s, from %s" % (f.name, fetch.megabytes(f.size), f.url), flush=True)
            fetch.fetch(f.url, path, f.digest, f.first)
            found[f.name] = path
    if not found:
        sys.exit(module.HOW)
    print("writing %s" % os.path.relpath(directory), flush=True)
    others = written(module, found, directory)
    if others:
        print("not the very files that weights/ were trained on, but of the same kind: %s" % ", ".join(others))
    elif module.WRITTEN:
        print("the files that weights/ were trained on, byte for byte: %s" % ", ".join(module.WRITTEN))
    if os.path.isdir(fetched):
        print("%s can be deleted" % os.path.relpath(fetched))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("stopped; the same command goes on")
