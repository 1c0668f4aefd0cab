// SPDX-License-Identifier: MIT
// The pixels that a model may see when it predicts one: returned by the model, not drawn by us.
// @ts-check
import { PIXELS, SIDE, toImage } from './digits.js';
/** @import { Model } from '../library.js' */

/**
 * The visible pixels, layer by layer, the last one the whole model: [layer][pixel], 1 if it is visible.
 *
 * @typedef {Uint8Array[]} Field
 */

/** An empty picture: visibility does not depend on its contents. */
const BLANK = new Uint8Array(PIXELS);

/** The rows of the map "field" at pixel i. @param {Model} model @param {number} i @param {AbortSignal} signal */
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

/** Local attention in query blocks, a layer at a time: a pixel sees its block and those before it that the memory holds. @param {Model} model @param {number} i */
function attended({ info: { queryBlock, memoryBlock, blocks } }, i) {
  let first = i;
  return Array.from({ length: blocks }, () => {
    first = queryBlock ? Math.max(0, Math.floor(first / queryBlock) * queryBlock - memoryBlock) : 0;
    return Uint8Array.from({ length: PIXELS }, (_, j) => Number(j >= first && j < i));
  });
}

/**
 * The fields of a model's pixels; of one at a time, each once.
 *
 * @param {Model} model
 */
export function createFields(model) {
  /** @type {Map<number, Field>} */
  const known = new Map();
  let stopper = new AbortController();
  return {
    /** Values that are known by now. @param {number} i */
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
            : [Uint8Array.from(BLANK, (_, j) => Number(j < i))]); // one row of weights sees all
      known.set(i, field);
      return field;
    },
  };
}

/** How many pixels are seen. @param {Uint8Array} seen */
export const countOf = (seen) => seen.reduce((sum, one) => sum + one, 0);
