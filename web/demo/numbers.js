// SPDX-License-Identifier: MIT
// Measures this machine while the figure runs, and writes the numbers into the text.
// @ts-check
import { byId, perFrame } from './dom.js';
import { bytes, integer, time } from './words.js';
/** @import { Store } from './state.js' */

/** Forget older pulls at this rate, so that the numbers follow the machine. */
const KEEP = 0.98;

/** @param {Store} store */
export function createNumbers(store) {
  let ms = 0;
  let elements = 0;
  let drawn = false;

  store.on(['info'], ({ info }) => {
    if (!info) return;
    byId('n-bytes').textContent = bytes(info.bytes);
    byId('n-parameters').textContent = integer(info.parameters);
    /** @type {Record<string, string>} */
    const facts = {
      levels: String(info.levels), blind: Math.log(info.levels).toFixed(2), blindBits: Math.log2(info.levels).toFixed(2).replace(/\.?0+$/, ''),
      heads: String(info.heads), blocks: String(info.blocks),
    };
    for (const span of document.querySelectorAll('[data-info]')) {
      span.textContent = facts[/** @type {HTMLElement} */ (span).dataset.info ?? ''] ?? span.textContent;
    }
    if (info.queryBlock > 0) {
      byId('window-text').textContent = 'Looking at everything grows costly as images grow. The Image Transformer therefore cuts the list of '
        + `pixels into blocks, here of ${info.queryBlock}, and a pixel sees only its own block so far and a memory of the `
        + `${info.memoryBlock} pixels before it. Figure 2 outlines both.`;
    } else {
      byId('window-text').textContent = 'Looking at everything grows costly as images grow. The Image Transformer can restrict each pixel to a local '
        + 'window. These digits are small enough to do without: here every pixel sees all before it.';
    }
  });

  const show = perFrame(() => {
    const each = ms / elements;
    byId('n-pixel').textContent = time(each);
    byId('n-rate').textContent = `${integer(1000 / each)} pixels a second`;
    byId('pace').textContent = `${time(each)} a pixel, computed here`;
  });

  return {
    /** @param {number} took milliseconds @param {number} count elements @param {boolean} first whether it includes the given part */
    pulled(took, count, first) {
      if (!drawn) {
        drawn = true;
        byId('n-first').textContent = time(performance.now());
      }
      if (first) return;
      ms = ms * KEEP + took;
      elements = elements * KEEP + count;
      show();
    },
  };
}
