# SPDX-License-Identifier: MIT
"""Creates emoji.png and emoji.json, the strip of held-out emoji on the page:

    python3 web/pictures/make-emoji.py data/emoji

The argument is a folder with styles32.webp and styles.tsv. The script needs NumPy and Pillow.
It selects all emoji of the test split that are a single code point in one of the RANGES and that exist in at least four of the five
styles, in the order of their code points. Each emoji occurs once, and the styles alternate (a style that lacks an emoji is skipped).
No emoji is selected by hand.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../weights/train"))

from data import emoji
import sprite

RANGES = ((0x1F300, 0x1F37F), (0x1F400, 0x1F43F), (0x1F600, 0x1F644), (0x1F950, 0x1F96F), (0x1F980, 0x1F9AE))
#          sky, plants, food   animals             faces               food                animals
STYLES_WANTED = 4
COLUMNS = 8


def held_out(directory):
    """Returns the pictures and rows (style, code points, name) of the test split, in the order of the index."""
    pictures, styles = emoji.load_test_for_evaluation(directory)
    index = emoji.read_index(directory)
    part = emoji.split_of([row[1] for row in index])
    rows = [row for row, split in zip(index, part) if split == "test"]
    assert [emoji.STYLES.index(row[0]) for row in rows] == styles.tolist()
    return pictures, rows


def choose(rows):
    """Applies the rule above; returns indices into `rows`."""
    drawn = {}                           # code point -> {style: index}
    for i, (style, codes, _) in enumerate(rows):
        if "-" not in codes and any(low <= int(codes, 16) <= high for low, high in RANGES):
            drawn.setdefault(int(codes, 16), {})[style] = i
    chosen, turn = [], 0
    for code in sorted(drawn):
        if len(drawn[code]) < STYLES_WANTED:
            continue
        while emoji.STYLES[turn % len(emoji.STYLES)] not in drawn[code]:
            turn += 1
        chosen.append(drawn[code][emoji.STYLES[turn % len(emoji.STYLES)]])
        turn += 1
    return chosen


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: python3 web/pictures/make-emoji.py FOLDER_WITH_EMOJI")
    pictures, rows = held_out(sys.argv[1])
    chosen = choose(rows)
    entries = [{"name": rows[i][2], "codes": rows[i][1], "style": emoji.CLASSES[emoji.STYLES.index(rows[i][0])]} for i in chosen]
    sprite.save("emoji", pictures[chosen], COLUMNS, entries)


if __name__ == "__main__":
    main()
