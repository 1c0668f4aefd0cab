// SPDX-License-Identifier: MIT
// Draws a beam search as a tree with one column per step. Live hypotheses are dark, dropped hypotheses are pale, and complete hypotheses
// are framed. Each hypothesis is labelled with its score.
// @ts-check
import { makeSvg, phrase } from '../index.js';
import { visible } from './words.js';
/** @import { SearchStep } from '../index.js' */

const NOTHING = phrase`Search tree: empty`;
const [COLUMN, LINE, TOP] = [118, 34, 30];

/**
 * Returns the hypotheses that led to the result: for each step, the rank of one hypothesis, or -1 if no such hypothesis exists.
 * @param {SearchStep[]} search
 */
export function pathOf(search) {
  /** @type {{ step: number, rank: number, score: number } | null} */
  let best = null;
  search.forEach(({ hypotheses }, step) =>
    hypotheses.forEach(({ fate, score }, rank) => {
      if (fate === 'ended' && (!best || score < best.score)) best = { step, rank, score };
    }),
  );
  const last = search.length - 1;
  const found = /** @type {{ step: number, rank: number } | null} */ (best) ?? {
    step: last,
    rank: search[last]?.hypotheses.findIndex(({ living }) => living === 0) ?? -1,
  };
  const path = search.map(() => -1);
  for (let { step, rank } = found; step >= 0 && rank >= 0; step--) {
    path[step] = rank;
    const { parent } = search[step].hypotheses[rank];
    rank = search[step - 1]?.hypotheses.findIndex(({ living }) => living === parent) ?? -1;
  }
  return path;
}

/** @param {HTMLElement} root @param {HTMLElement} said */
export function createTree(root, said) {
  const svg = makeSvg('svg', { class: 'tree', role: 'img', 'aria-label': NOTHING });
  root.append(svg);
  return {
    clear() {
      svg.replaceChildren();
      svg.setAttribute('aria-label', NOTHING);
      said.textContent = '';
    },
    /** @param {SearchStep[]} search @param {boolean} over */
    show(search, over) {
      const path = over ? pathOf(search) : search.map(() => -1);
      const most = Math.max(1, ...search.map(({ hypotheses }) => hypotheses.length));
      const [width, height] = [40 + COLUMN * search.length, TOP + LINE * most + 8];
      for (const [name, value] of Object.entries({ viewBox: `0 0 ${width} ${height}`, width, height }))
        svg.setAttribute(name, String(value));
      /** @type {Element[]} */
      const edges = [];
      /** @type {Element[]} */
      const nodes = [];
      const corner = (/** @type {number} */ step, /** @type {number} */ k) => [34 + COLUMN * step, TOP + LINE * (k + 0.5)];
      search.forEach(({ hypotheses }, step) => {
        nodes.push(makeSvg('text', { class: 'tree-step', x: 34 + COLUMN * step, y: 16 }, String(step + 1)));
        hypotheses.forEach((one, k) => {
          const [x, y] = corner(step, k);
          const from = step === 0 ? -1 : search[step - 1].hypotheses.findIndex(({ living }) => living === one.parent);
          const [x0, y0] = step === 0 ? [8, TOP + LINE / 2] : [corner(step - 1, from)[0] + COLUMN - 44, corner(step - 1, from)[1]];
          const kind = path[step] === k ? 'found' : one.fate;
          edges.push(makeSvg('path', { class: `tree-edge ${kind}`, d: `M${x0} ${y0} C${x0 + 16} ${y0} ${x - 22} ${y} ${x - 6} ${y}` }));
          if (one.fate === 'ended')
            nodes.push(makeSvg('rect', { class: `tree-end ${kind}`, x: x - 5, y: y - 14, width: COLUMN - 36, height: 28, rx: 3 }));
          nodes.push(
            makeSvg('text', { class: `tree-word ${kind}`, x, y: y - 1 }, one.fate === 'ended' ? '⏎' : visible(one.text, '⏎').slice(0, 11)),
            makeSvg('text', { class: `tree-score ${kind}`, x, y: y + 11 }, one.score.toFixed(2)),
          );
        });
      });
      svg.replaceChildren(...edges, ...nodes);
      const ended = search.flatMap(({ hypotheses }) => hypotheses).filter(({ fate }) => fate === 'ended').length;
      const text = phrase`${search.length} steps, ${search.reduce((sum, { hypotheses }) => sum + hypotheses.length, 0)} continuations examined, ${ended} of them complete translations.`;
      svg.setAttribute('aria-label', phrase`Search tree. ${text}`);
      said.textContent = over ? text : '';
    },
  };
}
