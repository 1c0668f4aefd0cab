// SPDX-License-Identifier: MIT
// Defines this page's tile on the front page.
// @ts-check
import { between } from '../../front/tiles/stage.js';
import { palette } from '../../shell/picture/palette.js';
/** @import { Painter, Tile } from '../../front/tiles/stage.js' */

/**
 * Draws notes in a chart whose horizontal axis is time and whose vertical axis is pitch.
 *
 * @param {{ notes: [voice: number, pitch: number, start: number, length: number][] }} record
 * @returns {Painter}
 */
function paint({ notes }) {
  const end = Math.max(...notes.map(([, , start, length]) => start + length));
  const pitches = notes.map(([, pitch]) => pitch);
  const [low, high] = [Math.min(...pitches) - 1, Math.max(...pitches) + 1];
  return ({ context, width, height }, share) => {
    const { ink, accent } = palette();
    const now = end * between(share, 0, 0.96);
    const step = height / (high - low + 1);
    context.fillStyle = accent;
    for (const [voice, pitch, start, length] of notes) {
      if (start >= now) continue;
      const x = (start / end) * width;
      const sounding = start + length > now && share < 0.96;
      context.globalAlpha = sounding ? 1 : 0.9 - 0.18 * voice;
      context.fillRect(
        x + 1,
        (high - pitch) * step,
        Math.max(2, (Math.min(length, now - start) / end) * width - 2),
        Math.max(3, step * 1.6),
      );
    }
    context.globalAlpha = 0.5;
    context.fillStyle = ink;
    if (share < 0.96) context.fillRect((now / end) * width, 0, 1, height);
  };
}

/** @type {Tile} */
export const tile = {
  file: 'chorales.gguf',
  ms: 5000,
  paint,
  element: () => ({ task: 'generate', bars: '8', seed: '2' }),
};
