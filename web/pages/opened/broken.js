// SPDX-License-Identifier: MIT
// Shows how the network's output changes when a component is removed. Each row of the table is for one component. The rows are filled one
// by one.
// @ts-check
import { byId, make, phrase } from '../../shell/index.js';
import { boxesOf, headOf, letter } from './boxes.js';
import { ALL_ON, trace } from './networks.js';

/** @import { WeightFile } from './file.js' */
/** @import { Shape, Trace } from './networks.js' */

/** @typedef {{ name: string, off: Partial<typeof ALL_ON> }} Loss */

/** Lists every component that can be removed. @param {Shape} shape @returns {Loss[]} */
function lossesOf(shape) {
  const heads = boxesOf(shape)
    .filter(({ kind }) => kind === 'attend')
    .flatMap((box) => Array.from({ length: shape.heads }, (_, i) => ({ name: headOf(box, shape, i), off: { off: `${box.id}.${i}` } })));
  return [
    { name: phrase`nothing`, off: {} },
    { name: phrase`the scale`, off: { scale: false } },
    { name: phrase`the mask`, off: { mask: false } },
    { name: phrase`the positions`, off: { positions: false } },
    { name: phrase`the residuals`, off: { residual: false } },
    ...heads,
  ];
}

export function createBroken() {
  const root = byId('broken');
  let turn = 0;
  return {
    /**
     * Updates the figure. Called after the word, the network or a weight has changed.
     *
     * @param {{ trace: Trace, file: WeightFile, shape: Shape }} pass
     */
    async use({ trace: { source }, file, shape }) {
      const mine = ++turn;
      const word = source.slice(0, -1);
      const name = (/** @type {number[]} */ ids) => ids.map((id) => letter(shape.tokens[id])).join('');
      const wanted = `${name([...word].reverse())}⏎`;
      const losses = lossesOf(shape);
      const cells = losses.map(() => make('td', {}, '…'));
      root.replaceChildren(...losses.map((loss, i) => make('tr', {}, make('th', { scope: 'row' }, loss.name), cells[i])));
      for (const [i, { off }] of losses.entries()) {
        await new Promise((resolve) => {
          setTimeout(resolve);
        }); // yields to the event loop
        if (mine !== turn) return;
        const written = name(trace(file, word, { ...ALL_ON, ...off }).written);
        const right = written === wanted;
        cells[i].textContent = `${right ? '✓' : '✗'} ${written}`;
        cells[i].classList.toggle('wrong', !right);
      }
      root.dataset.done = name(word);
    },
  };
}
