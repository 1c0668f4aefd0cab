// SPDX-License-Identifier: MIT
// Defines this page's tile on the front page.
// @ts-check
import { between, gridOn, levelsOf, valuesOf } from '../../front/tiles/stage.js';
import { palette } from '../../shell/picture/palette.js';
/** @import { Painter, Tile } from '../../front/tiles/stage.js' */

/** Draws twelve digits of one class, pixel by pixel. @param {Uint8Array} levels  shape (12, 28, 28), 0 to 255 @returns {Painter} */
const digits = (levels) => (stage, share) => {
  const { context } = stage;
  const { predicted } = palette();
  const at = gridOn(stage, 4, 3, 4);
  const filled = Math.floor(784 * between(share, 0.02, 0.9));
  for (let sample = 0; sample < 12; sample++) {
    const { x, y, side } = at(sample);
    const unit = side / 28;
    for (let i = 0; i < filled; i++) {
      const level = levels[784 * sample + i];
      if (level === 0) continue;
      context.fillStyle = predicted[level];
      context.fillRect(x + (i % 28) * unit, y + Math.floor(i / 28) * unit, unit + 0.3, unit + 0.3);
    }
  }
};

/** @type {Tile} */
export const tile = {
  file: 'gated-pixelcnn-digits.gguf',
  anew: true,
  ms: 2800,
  paint: (record) => digits(levelsOf(record)),
  element: () => ({ task: 'generate', samples: '6', label: '5', temperature: '0.9', seed: '3' }),
  asks: 'digit',
  live: async (model, seed, signal) =>
    digits(await valuesOf(model.generate({ samples: 12, label: '5', temperature: 0.9, seed, signal }), 12, 784)),
};
