// SPDX-License-Identifier: MIT
// @ts-check

import { join } from '../arrays.js';

/** @import { Core, Session } from '../core.js' */
/** @import { Stepper } from './index.js' */

/**
 * Draws the next positions, with a look at the k most probable ids of each before.
 *
 * @param {Core} core
 * @param {Session} session  of one sample
 * @param {number} k
 * @returns {Stepper}
 */
export function peek(core, session, k) {
  const step = (/** @type {number} */ count) => {
    const drawn = [];
    const tops = [];
    for (let i = 0; i < count; i++) {
      const top = core.top(session, k);
      const one = core.draw(session, 1);
      drawn.push(one);
      if (one.ids.length === 0) break; // it had ended
      tops.push(top);
    }
    return {
      ids: join(Uint32Array, drawn.map(({ ids }) => ids)), nats: join(Float32Array, drawn.map(({ nats }) => nats)),
      ahead: join(Uint8Array, drawn.map(({ ahead }) => ahead)), ended: drawn[drawn.length - 1].ended,
      ...(tops.length > 0 && { alternatives: { ids: join(Uint32Array, tops.map(({ ids }) => ids)), nats: join(Float32Array, tops.map(({ nats }) => nats)) } }),
    };
  };
  return { kind: 'peek', first: 1, single: false, step };
}
