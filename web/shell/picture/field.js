// SPDX-License-Identifier: MIT
// Gets the receptive field of a pixel from the model.
// @ts-check
import { PIXELS, SIDE, toImage } from './digits.js';
/** @import { Model } from '../library.js' */

/**
 * The visible pixels, layer by layer: field[layer][pixel] is 1 if the layer can see the pixel. The last entry of `field` is for the whole
 * model.
 *
 * @typedef {Uint8Array[]} Field
 */

/** An empty picture suffices, because the contents do not affect which pixels are visible. */
const BLANK = new Uint8Array(PIXELS);

/** Returns the rows of the "field" attention map for pixel i. @param {Model} model @param {number} i @param {AbortSignal} signal */
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
 * Returns the receptive field of local attention, layer by layer. A pixel sees its own query block and the earlier blocks that the memory
 * block contains.
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
 * Requests the receptive fields of a model's pixels one at a time. Each field is requested only once.
 *
 * @param {Model} model
 */
export function createFields(model) {
  /** @type {Map<number, Field>} */
  const known = new Map();
  let stopper = new AbortController();
  return {
    /** Returns the field of pixel i if it is known already. @param {number} i */
    now: (i) => known.get(i),
    /**
     * Requests the field of pixel i. Cancels an earlier request that has not finished.
     * @param {number} i
     * @returns {Promise<Field>}
     */
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
            : [Uint8Array.from(BLANK, (_, j) => Number(j < i))]); // if the model has no "field" map, each pixel sees all earlier pixels
      known.set(i, field);
      return field;
    },
  };
}

/** Returns the number of visible pixels. @param {Uint8Array} seen */
export const countOf = (seen) => seen.reduce((sum, one) => sum + one, 0);
