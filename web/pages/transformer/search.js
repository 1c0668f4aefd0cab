// SPDX-License-Identifier: MIT
// Draws the figure of beam search. Once it comes into view, the figure shows, as a tree, how the model searches for a translation of the
// sentence above.
// @ts-check
import { byId, inSight } from '../../shell/index.js';
import { createTree } from '../../shell/text/index.js';
/** @import { Model, TranslationRun } from '../../shell/index.js' */

/** @param {() => string} sentence */
export function createSearch(sentence) {
  /** @type {HTMLSelectElement} */
  const beams = byId('tree-beams');
  const tree = createTree(byId('tree'), byId('tree-said'));
  /** @type {Model | null} */
  let model = null;
  /** The sentence for which the tree was drawn. */
  let shown = '';
  let stopper = new AbortController();

  async function show() {
    const wanted = `${beams.value} ${sentence()}`;
    if (!model || !sight.seen || wanted === shown) return;
    shown = wanted;
    stopper.abort();
    stopper = new AbortController();
    const { signal } = stopper;
    tree.clear();
    try {
      /** @type {TranslationRun} */
      const run = model.translate(sentence(), { beams: Number(beams.value), signal, onSearch: () => tree.show(run.search, false) });
      await run.text();
      tree.show(run.search, true);
    } catch {
      if (!signal.aborted) shown = ''; // if the sentence is too long or the model is closed, the figure above reports the error
    }
  }
  const sight = inSight(byId('figure-beams'), { onSeen: show, onAway: () => {} });
  beams.addEventListener('change', show);
  return {
    show,
    /** Uses the same number of beams as the figure above, unless that figure uses only one beam. @param {number} count */
    follow(count) {
      if (count > 1) beams.value = String(count);
    },
    /** @param {Model | null} next */
    use(next) {
      model = next;
      beams.disabled = !next;
    },
  };
}
