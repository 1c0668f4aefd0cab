// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The flow of results and ids from part to part of a model. The parts are in file order. A port takes the result of an earlier part with
 * the port's name, or the ids that a part of that name draws. The caller gives the inputs that no part produces.
 *
 *     encoder  encodes, codes -> prior  draws, from codes -> decoder  encodes, from prior, while that draws
 */

/** @import { Part } from './engine/protocol.js' */

/**
 * A part and its role in the flow.
 *
 * @typedef {object} Stage
 * @property {Part} part
 * @property {boolean} draws   otherwise it encodes, and produces results
 * @property {Record<string, { part: Part, result?: string }>} from  the source for its ports: a result, or the ids that the part draws
 * @property {number} [reach]  for a part that encodes drawn ids: the number of ids on either side of an id that affect its results, so that
 *   encoding begins before all ids are drawn. Undefined: it waits for the last id
 * @property {number} [least]  for such a part, the minimum number of ids that are encoded together, except the last ones. Undefined: 1
 */

/**
 * @param {Part[]} parts
 * @param {Record<string, number>} [reach]  of parts, by their names
 * @returns {Stage[]}
 */
export function flowOf(parts, reach = {}) {
  return parts.map((part, at) => {
    /** @type {Stage['from']} */
    const from = {};
    for (const { name } of part.inputs) {
      for (const before of parts.slice(0, at)) {
        // the last one counts
        if (before.results.some((result) => result.name === name && result.values > 0)) from[name] = { part: before, result: name };
        else if (before.outputs > 0 && before.name === name) from[name] = { part: before };
      }
    }
    return { part, draws: part.outputs > 0, from, reach: reach[part.name] };
  });
}
