// SPDX-License-Identifier: MIT
// Defines this page's tile on the front page.
// @ts-check
import { between, canvasOf, gridOn, levelsOf, valuesOf } from '../../front/tiles/stage.js';
/** @import { Painter, Tile } from '../../front/tiles/stage.js' */

/** Draws sixteen pictures one by one. Each appears all at once. @param {ArrayLike<number>} rgb  shape (16, 32, 32, 3) @returns {Painter} */
function faces(rgb) {
  const all = Array.from({ length: 16 }, (_, i) => canvasOf(Array.prototype.slice.call(rgb, 3072 * i, 3072 * (i + 1)), 32));
  return (stage, share) => {
    const at = gridOn(stage, 4, 4, 4);
    all.forEach((picture, i) => {
      const { x, y, side } = at(i);
      stage.context.globalAlpha = between(share, 0.05 * i, 0.05 * i + 0.12);
      stage.context.drawImage(picture, x, y, side, side);
    });
  };
}

/** @type {Tile} */
export const tile = {
  file: 'sagan-emoji.gguf',
  anew: true,
  ms: 2200,
  paint: (record) => faces(levelsOf(record)),
  element: () => ({ task: 'generate', samples: '6', label: 'face', seed: '1' }),
  asks: 'class',
  choices: ['face', 'person', 'animal', 'hand', 'heart', 'clock', 'fruit', 'flag'],
  live: async (model, seed, signal) => faces(await valuesOf(model.generate({ samples: 16, label: 'face', seed, signal }), 16, 3072)),
};
