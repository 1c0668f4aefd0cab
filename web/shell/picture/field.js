// SPDX-License-Identifier: MIT
// The receptive field of a pixel, as reported by the model.
// @ts-check
import { PIXELS, SIDE, toImage } from './digits.js';
/** @import { Model } from '../library.js' */

/**
 * The visible pixels by layer, where the last entry is for the whole model: [layer][pixel], 1 if visible.
 *
 * @typedef {Uint8Array[]} Field
 */

/** An empty picture: visibility does not depend on its contents. */
const BLANK = new Uint8Array(PIXELS);

/** Returns the rows of the map "field" at pixel i. @param {Model} model @param {number} i @param {AbortSignal} signal */
async function asked(model, i, signal) {
  const row = Math.floor(i / SIDE);
  for await (const step of model.complete(toImage(BLANK), { rows: row, samples: 1, seed: 0, maps: true, signal })) {
    if (step.from < i) continue;
    return (step.maps ?? [])
      .filter(({ name }) => name === 'field')
      .map(({ keys }) => {
        const seen = new Uint8Array(PIXELS);
        for (const key of keys) if (key < i) seen[key] = 1;
        return seen;
      });
  }
  return [];
}

/**
 * The field of local attention in query blocks, layer by layer: a pixel sees its block and the blocks before it that the memory holds.
 * @param {Model} model
 * @param {number} i
 */
function attended({ info: { queryBlock, memoryBlock, blocks } }, i) {
  let first = i;
  return Array.from({ length: blocks }, () => {
    first = queryBlock ? Math.max(0, Math.floor(first / queryBlock) * queryBlock - memoryBlock) : 0;
    return Uint8Array.from({ length: PIXELS }, (_, j) => Number(j >= first && j < i));
  });
}

/**
 * Requests the fields of a model's pixels, one at a time and each only once.
 *
 * @param {Model} model
 */
export function createFields(model) {
  /** @type {Map<number, Field>} */
  const known = new Map();
  let stopper = new AbortController();
  return {
    /** Fields known so far. @param {number} i */
    now: (i) => known.get(i),
    /** Requests a field; earlier requests get no answer. @param {number} i @returns {Promise<Field>} */
    async at(i) {
      stopper.abort();
      stopper = new AbortController();
      const { architecture, heads } = model.info;
      const field =
        known.get(i) ??
        (architecture.endsWith('pixelcnn')
          ? await asked(model, i, stopper.signal)
          : heads > 0
            ? attended(model, i)
            : [Uint8Array.from(BLANK, (_, j) => Number(j < i))]); // a single row of weights sees all earlier pixels
      known.set(i, field);
      return field;
    },
  };
}

/** Number of visible pixels. @param {Uint8Array} seen */
export const countOf = (seen) => seen.reduce((sum, one) => sum + one, 0);
