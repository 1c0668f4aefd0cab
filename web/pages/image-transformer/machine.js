// SPDX-License-Identifier: MIT
// Inserts this device's speed into the text while the figure runs, and fills in the description of the model.
// @ts-check
import { byId, bytes, integer, time } from '../../shell/index.js';
import { rate } from '../../shell/completion/index.js';
/** @import { State, Store } from '../../shell/completion/index.js' */

/** @param {Store<State>} store */
export function createMachine(store) {
  store.on(['info'], ({ info }) => {
    if (!info) return;
    byId('n-bytes').textContent = bytes(info.bytes);
    byId('n-parameters').textContent = integer(info.parameters);
    /** @type {Record<string, string>} */
    const facts = {
      levels: String(info.levels),
      blind: Math.log(info.levels).toFixed(2),
      blindBits: Math.log2(info.levels)
        .toFixed(2)
        .replace(/\.?0+$/, ''),
      heads: String(info.heads),
      blocks: String(info.blocks),
      queryBlock: String(info.queryBlock),
      memoryBlock: String(info.memoryBlock),
    };
    for (const span of document.querySelectorAll('[data-info]')) {
      span.textContent = facts[/** @type {HTMLElement} */ (span).dataset.info ?? ''] ?? span.textContent;
    }
  });
  let drawn = false;
  return {
    /** Called after the first drawn pixel has arrived. */
    first() {
      if (drawn) return;
      drawn = true;
      byId('n-first').textContent = time(performance.now());
    },
    /** @param {number} each milliseconds per pixel */
    pace(each) {
      byId('n-pixel').textContent = time(each);
      byId('n-rate').textContent = rate(each);
    },
  };
}
