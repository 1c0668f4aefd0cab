// SPDX-License-Identifier: MIT
// Draws the figure of the network unrolled in time. For each generated word, the figure shows which states are the keys, the values and the
// query, and how the context is concatenated with the hidden state.
// @ts-check
import { byId, make, onTheme, paintCells, percent, perFrame, phrase, signed, whenNear } from '../../shell/index.js';
import { visible } from '../../shell/text/words.js';
import { WRITERS } from './example.js';
import { below } from './terms.js';
import { createUnrolledView } from './unrolled-view.js';
/** @import { Example, Shown } from './example.js' */
/** @import { Vector } from './network.js' */

/** ACROSS: number of cells per row of a grid. NAMED: number of words that are listed with their probabilities. */
const [ACROSS, NAMED] = [64, 3];

/** @param {number} x */
const two = (x) => (x === -Infinity ? '–' : x.toFixed(2).replace('-', '−'));

/** @param {Example} example @param {(t: number) => void} onWord called with the index of the selected word */
export function createUnrolled(example, onWord) {
  /** @type {HTMLInputElement} */
  const slider = byId('unrolled-word');
  const [output, said, rows, joined, odds] = [
    'unrolled-word-said',
    'unrolled-said',
    'unrolled-keys',
    'unrolled-joined',
    'unrolled-odds',
  ].map((id) => byId(id));
  const networks = WRITERS.map((kind) => /** @type {HTMLInputElement} */ (byId(`unrolled-${kind}`)));
  const parts = /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll('input[name=joined]')]);
  /** @type {Shown | undefined} */
  let shown;
  let at = 0;
  /**
   * The grids on the page, which are repainted when their size or the colours change.
   *
   * @type {{ canvas: HTMLCanvasElement, vector: Vector }[]}
   */
  let maps = [];
  const view = createUnrolledView(byId('unrolled'), { onWord: choose, say: () => said.textContent ?? '' });

  /** @param {Vector} vector @param {string} name */
  function map(vector, name) {
    const canvas = make('canvas', { class: 'vector-map', role: 'img', 'aria-label': name });
    canvas.style.setProperty('--lines', String(Math.ceil(vector.length / ACROSS)));
    maps.push({ canvas, vector });
    return canvas;
  }
  const repaint = perFrame(() => {
    for (const { canvas, vector } of maps) {
      const most = Math.max(1, ...vector.map(Math.abs));
      const across = Math.min(ACROSS, vector.length);
      paintCells(canvas, {
        rows: Math.ceil(vector.length / across),
        cols: across,
        colour: (row, col, colours) => signed(vector[row * across + col] / most, colours),
      });
    }
  });

  /** @param {number} t */
  function choose(t) {
    at = t;
    onWord(t);
    show();
  }

  function show() {
    if (!shown) return;
    const { sentence, writers, text } = shown;
    const { network, source, steps, words, apart } = writers[WRITERS[networks.findIndex(({ checked }) => checked)]];
    at = Math.min(at, steps.length - 1);
    const { state, query, scores, weights, context, joined: both } = steps[at];
    const [read, written] = [sentence.map((word) => visible(word, '⏎')), words.map((word) => visible(word, '⏎'))];
    slider.max = String(steps.length - 1);
    slider.value = String(at);
    output.textContent = `${at + 1}: ${written[at]}`;
    slider.setAttribute('aria-valuetext', output.textContent);
    view.show({
      read,
      encoder: source.h,
      written,
      decoder: [source.start, ...steps.map((step) => step.state)],
      at,
      asks: network.first ? at : at + 1,
      weights,
    });
    const best = weights.indexOf(Math.max(...weights));
    const asking = network.first ? `s${below(at)}` : `s${below(at + 1)}`;
    said.textContent = phrase`To write “${written[at]}”, the query is the state ${asking}; the key of “${read[best]}” matches best, with a weight of ${percent(weights[best])}.`;

    maps = [];
    const ofQuery = network.first ? `W ${asking}` : asking;
    const cells = (/** @type {number} */ i) => [
      make('td', {}, map(source.keys[i], phrase`The key of “${read[i]}”`)),
      make('td', { class: 'number' }, two(scores[i])),
      make('td', { class: 'number weight' }, two(weights[i])),
      make('td', {}, map(source.h[i], phrase`The value of “${read[i]}”`)),
    ];
    rows.replaceChildren(
      ...read.map((word, i) => {
        const row = make('tr', {}, make('th', { scope: 'row', lang: 'de' }, word), ...cells(i));
        row.style.setProperty('--p', `${Math.round(100 * weights[i])}%`);
        return row;
      }),
    );
    const chosen = parts.find(({ checked }) => checked)?.value;
    const width = context.length;
    const kept = both.map((x, k) => ((k < width ? chosen === 'state' : chosen === 'context') ? 0 : x));
    const t = network.output(kept);
    const line = (/** @type {string} */ name, /** @type {string} */ says, /** @type {Vector} */ vector) =>
      make(
        'div',
        { class: 'vector-line' },
        make('p', {}, make('b', {}, name), ` ${says}`, make('span', { class: 'matrix-size' }, ` ${vector.length}`)),
        map(vector, `${name} ${says}`),
      );
    joined.replaceChildren(
      line(ofQuery, phrase`the query`, query),
      line(`c${below(at + 1)}`, phrase`the weighted sum of the values`, context),
      line(`s${below(at + 1)}`, phrase`the hidden state`, state),
      line(`[c${below(at + 1)}; s${below(at + 1)}]`, phrase`joined`, kept),
      line(`t${below(at + 1)}`, '= tanh(W [c; s] + b)', t),
    );
    const all = network.odds(t);
    const likely = Array.from(all, (p, id) => ({ p, id }))
      .sort((a, b) => b.p - a.p)
      .slice(0, NAMED);
    odds.replaceChildren(
      ...likely.map(({ p, id }) => {
        const item = make('li', {}, make('b', { lang: 'en' }, visible(text(id), '⏎')), ` ${percent(p)}`);
        item.style.setProperty('--p', `${Math.round(100 * p)}%`);
        return item;
      }),
    );
    byId('unrolled-agree').textContent =
      phrase`Computed in JavaScript from the numbers in the file. The engine, which rounds them to eight bits, writes the same words; its attention weights differ by at most ${apart.toFixed(3)}.`;
    repaint();
  }

  slider.addEventListener('input', () => choose(Number(slider.value)));
  for (const control of [...networks, ...parts]) control.addEventListener('change', show);
  onTheme(repaint);
  new ResizeObserver(repaint).observe(joined);
  example.on(
    (next) => {
      shown = next;
      // Selects a word in the middle first, so that there are words before and after it.
      choose(Math.floor(next.writers[WRITERS[0]].steps.length / 2));
    },
    (message) => {
      said.textContent = message;
    },
  );
  whenNear(byId('figure-unrolled'), example.open);
  return {
    choose: (/** @type {number} */ t) => {
      if (t !== at) {
        at = t;
        show();
      }
    },
  };
}
