// SPDX-License-Identifier: MIT
// @ts-check

import { join } from '../../base/arrays.js';

/** @import { Slice } from './index.js' */

/**
 * Joins chunks into one, in order.
 *
 * @param {Slice[]} slices  at least one
 * @returns {Slice}
 */
export function joinSlices(slices) {
  const idsOf = (/** @type {{ ids: Uint32Array<ArrayBuffer> }[]} */ some) =>
    join(
      Uint32Array,
      some.map(({ ids }) => ids),
    );
  const natsOf = (/** @type {{ nats: Float32Array<ArrayBuffer> }[]} */ some) =>
    join(
      Float32Array,
      some.map(({ nats }) => nats),
    );
  const spreads = slices.flatMap(({ probabilities }) => probabilities ?? []);
  const tops = slices.flatMap(({ alternatives }) => alternatives ?? []);
  return {
    ids: idsOf(slices),
    nats: natsOf(slices),
    ahead: join(
      Uint8Array,
      slices.map(({ ahead }) => ahead),
    ),
    ended: slices[slices.length - 1].ended,
    probabilities: spreads.length > 0 ? join(Float32Array, spreads) : undefined,
    alternatives: tops.length > 0 ? { ids: idsOf(tops), nats: natsOf(tops) } : undefined,
  };
}
