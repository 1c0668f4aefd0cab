// SPDX-License-Identifier: MIT
// Defines this page's tile on the front page.
// @ts-check
import { between } from '../../front/tiles/stage.js';
import { palette } from '../../shell/picture/palette.js';
/** @import { Painter, Tile } from '../../front/tiles/stage.js' */

/**
 * Draws a waveform from left to right, sample by sample.
 * @param {{ low: number[], high: number[] }} record  minimum and maximum in each column of the drawing, as percentages of full scale
 * @returns {Painter}
 */
const paint =
  ({ low, high }) =>
  ({ context, width, height }, share) => {
    const { accent, edge } = palette();
    const now = low.length * between(share, 0, 0.9);
    const step = width / low.length;
    const y = (/** @type {number} */ percent) => height / 2 - (percent / 100) * 0.62 * height;
    context.fillStyle = edge;
    context.globalAlpha = 0.5;
    context.fillRect(0, height / 2, width, 1);
    context.globalAlpha = 1;
    context.fillStyle = accent;
    for (let i = 0; i < now; i++) context.fillRect(i * step, y(high[i]) - 0.5, Math.max(1, step - 0.3), y(low[i]) - y(high[i]) + 1);
  };

/** @type {Tile} */
export const tile = {
  file: 'wavenet.gguf',
  ms: 2600,
  paint,
  element: () => ({ task: 'generate', label: '7', speaker: 'theo', seed: '8' }),
  asks: 'digit',
};
