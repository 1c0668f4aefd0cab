// SPDX-License-Identifier: MIT
// Defines this page's tile on the front page.
// @ts-check
import { addressOf, between, bytesOf, canvasOf, gridOn } from '../../front/tiles/stage.js';
import { bicubic } from './bicubic.js';
/** @import { Painter, Tile } from '../../front/tiles/stage.js' */

/**
 * Draws the bicubic enlargement on the left and the model's enlargement on the right, both from the same 64 pixels.
 *
 * @param {{ small: string, drawn: string }} record
 * @returns {Painter}
 */
function paint({ small, drawn }) {
  const given = canvasOf(bytesOf(small), 8);
  const smooth = canvasOf(bicubic(bytesOf(small), { width: 8, height: 8, channels: 3 }, { width: 32, height: 32 }), 32);
  const made = canvasOf(bytesOf(drawn), 32);
  return (stage, share) => {
    const { context } = stage;
    const at = gridOn(stage, 2, 1, 12);
    context.imageSmoothingEnabled = false;
    for (const [i, picture] of [smooth, made].entries()) {
      const { x, y, side } = at(i);
      context.drawImage(given, x, y, side, side);
      const pixels = Math.floor(1024 * between(share, 0.12, 0.95));
      const [rows, rest] = [Math.floor(pixels / 32), pixels % 32];
      const unit = side / 32;
      if (rows > 0) context.drawImage(picture, 0, 0, 32, rows, x, y, side, rows * unit);
      if (rest > 0) context.drawImage(picture, 0, rows, rest, 1, x, y + rows * unit, rest * unit, unit);
    }
  };
}

/** @type {Tile} */
export const tile = {
  file: 'emoji-sr.gguf',
  anew: true,
  ms: 3200,
  paint,
  element: ({ original }) => ({
    task: 'super-resolve',
    src: addressOf(original, 32),
    samples: '3',
    tries: '8',
    temperature: '0.9',
    seed: '1',
  }),
};
