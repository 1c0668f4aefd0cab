// SPDX-License-Identifier: MIT
// Defines this page's tile on the front page.
// @ts-check
import { between, lineOf } from '../../front/tiles/stage.js';
import { palette } from '../../shell/picture/palette.js';
/** @import { Painter, Tile } from '../../front/tiles/stage.js' */

/**
 * Draws a sentence at the top, its translation at the bottom, and bands from each word to the words that it attended to.
 *
 * @param {{ source: [string, number][], words: [string, number][], looks: [at: number, weight: number][][] }} record
 * @returns {Painter}
 */
const paint =
  ({ source, words, looks }) =>
  (stage, share) => {
    const { context, height } = stage;
    const { ink, accent } = palette();
    const above = lineOf(stage, source.slice(0, -1), 14); // without the end token
    const below = lineOf(stage, words, 14);
    const [top, bottom] = [22, height - 14];
    context.fillStyle = ink;
    context.font = above.font;
    for (const { text, x } of above.places) context.fillText(text, x, top);
    const said = words.length * between(share, 0.08, 0.85);
    context.strokeStyle = context.fillStyle = accent;
    context.lineCap = 'round';
    looks.forEach((list, i) => {
      if (i >= said) return;
      const now = Math.min(1, said - i);
      for (const [at, weight] of list) {
        if (!above.places[at]) continue;
        context.globalAlpha = (0.18 + 0.6 * weight) * now;
        context.lineWidth = 1 + 9 * weight;
        const [from, to] = [below.places[i].middle, above.places[at].middle];
        const [y0, y1] = [bottom - below.size - 4, top + 8];
        context.beginPath();
        context.moveTo(from, y0);
        context.bezierCurveTo(from, (y0 + y1) / 2, to, (y0 + y1) / 2, to, y1);
        context.stroke();
      }
    });
    context.font = below.font;
    below.places.forEach(({ text, x }, i) => {
      context.globalAlpha = Math.min(1, Math.max(0, said - i));
      context.fillText(text, x, bottom);
    });
  };

/** @type {Tile} */
export const tile = {
  file: 'de-en.gguf',
  ms: 3600,
  paint,
  element: ({ text }) => ({ task: 'translate', prompt: text }),
  asks: 'prompt',
};
