// SPDX-License-Identifier: MIT
// Defines this page's tile on the front page.
// @ts-check
import { between, lineOf } from '../../front/tiles/stage.js';
import { palette } from '../../shell/picture/palette.js';
/** @import { Painter, Tile } from '../../front/tiles/stage.js' */

/**
 * Draws arcs from each head to its dependents. A more probable arc has a stronger line.
 *
 * @param {{ words: string[], arcs: [head: number, child: number, p: number, best: number][] }} record
 * @returns {Painter}
 */
const paint =
  ({ words, arcs: all }) =>
  (stage, share) => {
    const { context, height } = stage;
    const { ink, accent } = palette();
    const { font, size, places } = lineOf(
      stage,
      words.map((word) => [word, 0]),
      14,
    );
    const bottom = height - 12;
    context.font = font;
    context.fillStyle = ink;
    for (const { text, x } of places) context.fillText(text, x, bottom);
    const base = bottom - size - 4;
    const most = Math.max(...all.map(([head, child]) => (head ? Math.abs(head - child) : 0)));
    context.strokeStyle = context.fillStyle = accent;
    const order = [...all].sort((a, b) => a[1] - b[1]);
    order.forEach(([head, child, p, best], i) => {
      const now = between(share, (0.85 * i) / order.length, (0.85 * (i + 1.6)) / order.length);
      if (now === 0) return;
      const to = places[child - 1].middle;
      const from = head ? places[head - 1].middle : to;
      const high = head ? (base - 14) * Math.sqrt(Math.abs(head - child) / most) : base - 4;
      context.globalAlpha = (0.25 + 0.75 * p) * now;
      context.lineWidth = best ? 1 + 1.2 * p : 1;
      context.setLineDash(best ? [] : [4, 3]);
      context.beginPath();
      context.moveTo(from, base);
      if (head) context.bezierCurveTo(from, base - 1.3 * high, to, base - 1.3 * high, to, base);
      else context.lineTo(to, base - high * now);
      context.stroke();
      context.beginPath();
      context.arc(to, base, 2.5, 0, 7);
      context.fill();
    });
  };

/** @type {Tile} */
export const tile = {
  file: 'parents-en.gguf',
  ms: 3000,
  paint,
  element: ({ words }) => ({ task: 'parse', prompt: words.join(' ') }),
  asks: 'prompt',
};
