# SPDX-License-Identifier: MIT
"""Makes the drawings of the captions page: python3 -m models.show_attend_tell.palette DATA OUT, from weights/train -> OUT/emoji.png,
OUT/emoji.js

The first row of tiles has a training drawing of each object, and the second row has a drawing of each object in the object's held-out
style. Tiles are 32x32 pixels on white.
"""
import os
import sys

import numpy as np
from PIL import Image

from data import emoji, scenes
from data.things import THINGS, held_out_style

SHOWN = """cat dog horse pig rabbit bear panda tiger penguin frog fish octopus snail bee rose sunflower tree cactus mushroom apple banana pineapple strawberry burger pizza
cake cup moon sun star cloud rainbow umbrella guitar trumpet football clock key book balloon present crown hat house castle car bus train bicycle ship plane rocket ghost
alien heart""".split()
TRAINED = ("noto-2018", "noto-2023", "emojitwo")         # uses the first of these styles that is not held out


def main(directory, out):
    Image.MAX_IMAGE_PIXELS = None
    index = {(row[0], row[1].replace("-fe0f", "")): i for i, row in enumerate(emoji.read_index(directory))}
    mosaic = np.asarray(Image.open(os.path.join(directory, emoji.FILES[0])).convert("RGB"))
    across = mosaic.shape[1] // emoji.SIZE
    found = []
    for thing in THINGS:
        if thing.noun not in SHOWN:
            continue
        away = held_out_style(thing.noun, scenes.styles_of(thing, index))
        pair = []
        for styles in ([s for s in TRAINED if s != away], [away]):
            at = next(index[style, code] for style in styles for code in thing.codes if (style, code) in index)
            top, left = at // across * emoji.SIZE, at % across * emoji.SIZE
            pair.append(mosaic[top:top + emoji.SIZE, left:left + emoji.SIZE])
        found.append((" ".join(filter(None, (thing.colour, thing.noun))), np.concatenate(pair)))
    Image.fromarray(np.concatenate([tiles for _, tiles in found], 1)).quantize(256, method=Image.MEDIANCUT, dither=Image.NONE).save(os.path.join(out, "emoji.png"), optimize=True)
    with open(os.path.join(out, "emoji.js"), "w", encoding="utf-8") as f:
        f.write("""// SPDX-License-Identifier: MIT
// Made by weights/train/models/show_attend_tell/palette.py: the things in emoji.png, in two rows of drawings: those that trained, those of a style that did not.
// Drawings: Noto Emoji (Apache 2.0), EmojiTwo and FxEmoji (CC BY 4.0).
// @ts-check
export const THINGS = '%s'.split(', ');
""" % ", ".join(name for name, _ in found))
    print(len(found), "things")


if __name__ == "__main__":
    main(*sys.argv[1:])
