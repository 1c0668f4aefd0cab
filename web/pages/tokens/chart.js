// SPDX-License-Identifier: MIT
// Draws the probabilities of the next token as bars. Each filter is shown as a line between the bars that it keeps and the bars that it
// removes.
// @ts-check
import { byId, makeSvg, phrase } from '../../shell/index.js';
import { share, visible } from '../../shell/text/index.js';
import { cut } from './filters.js';
/** @import { Alternative } from '../../shell/index.js' */
/** @import { Filters } from './filters.js' */

const BARS = 32;
const [WIDTH, HEIGHT, LABELS, TOP] = [960, 260, 86, 18];
/** Space on the left for the first label. Labels are slanted. */
const LEFT = 40;

/**
 * Returns the height of a bar: the square root of the probability, because on a linear scale all but the first few bars would be invisible.
 * @param {number} odds
 */
const heightOf = (odds) => HEIGHT * Math.sqrt(odds);

export function createChart() {
  const svg = makeSvg('svg', {
    class: 'odds-chart',
    viewBox: `${-LEFT} 0 ${WIDTH + LEFT} ${TOP + HEIGHT + LABELS}`,
    role: 'img',
    'aria-label': phrase`Nothing chosen yet`,
  });
  byId('odds-chart').append(svg);

  return {
    /**
     * @param {Alternative[]} tokens the most probable tokens, in order
     * @param {Filters} filters
     * @param {number} size size of the vocabulary
     */
    show(tokens, filters, size) {
      const { odds, drawn, kept, ends, threshold } = cut(tokens, filters);
      const bars = Math.min(BARS, tokens.length);
      const step = WIDTH / bars;
      /** @type {Element[]} */
      const shapes = [];
      const floor = TOP + HEIGHT;
      for (let i = 0; i < bars; i++) {
        const x = i * step + step * 0.12;
        const width = step * 0.76;
        shapes.push(makeSvg('rect', { class: 'odds-model', x, y: floor - heightOf(odds[i]), width, height: heightOf(odds[i]) }));
        if (drawn[i] > 0)
          shapes.push(
            makeSvg('rect', {
              class: 'odds-drawn',
              x: x + width * 0.2,
              y: floor - heightOf(drawn[i]),
              width: width * 0.6,
              height: heightOf(drawn[i]),
            }),
          );
        const middle = x + width / 2;
        shapes.push(
          makeSvg(
            'text',
            {
              class: i < kept ? 'odds-label' : 'odds-label out',
              x: middle,
              y: floor + 8,
              transform: `rotate(-60 ${middle} ${floor + 8})`,
              'text-anchor': 'end',
              dy: '0.35em',
            },
            visible(tokens[i].text).slice(0, 12),
          ),
        );
      }
      shapes.push(makeSvg('line', { class: 'odds-floor', x1: 0, x2: WIDTH, y1: floor, y2: floor }));
      const names = /** @type {const} */ ([
        ['topK', `top-k ${filters.topK}`],
        ['topP', `top-p ${filters.topP}`],
        ['minP', `min-p ${filters.minP}`],
      ]);
      let row = 0;
      for (const [name, text] of names) {
        const end = ends[name];
        if (end === Infinity || end > bars) continue;
        const x = end * step;
        const flip = x > WIDTH * 0.75;
        shapes.push(
          makeSvg('line', { class: `odds-cut ${name}`, x1: x, x2: x, y1: 0, y2: floor }),
          makeSvg(
            'text',
            { class: `odds-cut-name ${name}`, x: x + (flip ? -6 : 6), y: 13 + 17 * row++, 'text-anchor': flip ? 'end' : 'start' },
            text,
          ),
        );
      }
      if (filters.minP > 0)
        shapes.push(
          makeSvg('line', {
            class: 'odds-cut minP level',
            x1: 0,
            x2: WIDTH,
            y1: floor - heightOf(threshold),
            y2: floor - heightOf(threshold),
          }),
        );
      svg.replaceChildren(...shapes);
      const beyond = kept >= tokens.length && tokens.length < size;
      const first = tokens
        .slice(0, Math.min(5, kept))
        .map(({ text }, i) => `${visible(text)} ${share(drawn[i])}`)
        .join(', ');
      const left = beyond
        ? phrase`All of ${size} tokens are left.`
        : kept === 1
          ? phrase`1 of ${size} tokens is left.`
          : phrase`${kept} of ${size} tokens are left.`;
      const said = `${left} ${first}${kept > 5 ? ', …' : ''}`;
      svg.setAttribute('aria-label', phrase`Probabilities of the next token. ${said}`);
      byId('odds-said').textContent = said;
    },
  };
}
