// SPDX-License-Identifier: MIT
// @ts-check

/** @import { Resample } from '../protocol.js' */

/**
 * Lets samples compete while they are drawn: a particle filter [Gordon et al. 1993] that replaces the less likely half of each group with a
 * copy of the other half.
 *
 * @param {number} samples
 * @param {Resample} how    group: number of neighbouring samples that compete, a divisor of `samples`; every: number of positions between
 *   two comparisons
 * @param {number} span
 * @param {number} begin    the position at which drawing begins
 */
export function contest(samples, { group, every }, span, begin) {
  /** All ids and nats drawn so far, both of shape (positions, samples, span). @type {number[][]} */
  let [ids, nats] = [[], []];
  return {
    begin,

    /** Returns the next position at which samples are compared. @param {number} from */
    stage: (from) => from + every - ((from - begin) % every),

    /** Adds the ids and nats of the positions drawn next. @param {Uint32Array} moreIds @param {Float32Array} moreNats */
    add(moreIds, moreNats) {
      for (let i = 0; i < moreIds.length; i++) ids.push(moreIds[i]), nats.push(moreNats[i]);
    },

    /**
     * Replaces or reorders samples. The most probable sample of each group becomes its first sample; ties go to the earliest sample.
     *
     * @param {boolean} over  if true, samples are only reordered; if false, copies of the likelier half of each group replace the other
     *   half
     */
    settle(over) {
      const totals = new Float64Array(samples);
      nats.forEach((cost, i) => {
        totals[Math.floor(i / span) % samples] += cost;
      });
      const order = [...totals.keys()].sort((a, b) => Math.floor(a / group) - Math.floor(b / group) || totals[a] - totals[b]);
      const kept = over ? group : Math.ceil(group / 2);
      const parents = Uint32Array.from(order, (_, i) => order[i - (i % group) + ((i % group) % kept)]);
      [ids, nats] = [ids, nats].map((all) =>
        all.map((_, i) => {
          const sample = Math.floor(i / span) % samples;
          return all[i + (parents[sample] - sample) * span];
        }),
      );
      return { parents, ids: Uint32Array.from(ids), nats: Float32Array.from(nats) };
    },
  };
}
