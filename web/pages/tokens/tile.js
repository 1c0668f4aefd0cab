// SPDX-License-Identifier: MIT
// Defines this page's tile on the front page.
// @ts-check
import { between } from '../../front/tiles/stage.js';
import { palette } from '../../shell/picture/palette.js';
/** @import { Painter, Tile } from '../../front/tiles/stage.js' */

/**
 * Draws a story token by token, with each token shaded by its surprisal.
 * @param {{ prompt: string, tokens: [text: string, nats: number][] }} record
 * @returns {Painter}
 */
const paint =
  ({ prompt, tokens }) =>
  ({ context, width, height, serif }, share) => {
    const { ink, accent } = palette();
    const size = 14;
    const line = 20;
    context.font = `${size}px ${serif}`;
    let [x, y] = [0, size + 2];
    const shown = Math.floor(tokens.length * between(share, 0.04, 0.92));
    /** @type {[text: string, nats: number][]} */
    const all = [...prompt.split(/(?= )/).map((text) => /** @type {[string, number]} */ ([text, -1])), ...tokens.slice(0, shown)];
    /**
     * Returns the width of the word that starts at a token. A word may consist of several tokens, and lines break only between words.
     *
     * @param {number} from
     */
    const wordFrom = (from) => {
      let text = all[from][0];
      for (let i = from + 1; i < all.length && !/^\s/.test(all[i][0]); i++) text += all[i][0];
      return context.measureText(text.trimStart()).width;
    };
    for (const [i, [text, nats]] of all.entries()) {
      const begins = /^\s/.test(text) || i === 0;
      if (begins && x > 0 && x + wordFrom(i) + 4 > width) [x, y] = [0, y + line];
      if (y > height - 2) return;
      const own = x === 0 ? text.trimStart() : text;
      const wide = context.measureText(own).width;
      const space = own.length > own.trimStart().length ? context.measureText(' ').width : 0;
      if (nats >= 0) {
        context.fillStyle = accent;
        context.globalAlpha = Math.min(0.4, nats / 8);
        context.fillRect(x + space, y - size + 1, wide - space, line - 3);
      }
      context.globalAlpha = 1;
      context.fillStyle = nats < 0 ? ink : accent;
      context.fillText(own, x, y);
      x += wide;
    }
  };

/** @type {Tile} */
export const tile = {
  file: 'stories.gguf',
  anew: true,
  ms: 4800,
  paint,
  element: ({ prompt }) => ({ task: 'generate', prompt, temperature: '0.7', seed: '1', 'max-tokens': '80' }),
  asks: 'prompt',
};
