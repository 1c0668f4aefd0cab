// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The flow of results and ids between the parts of a model. The parts are in file order. If an earlier part has a result with the name of
 * an input, the input takes this result. If an earlier part itself has this name, the input takes the ids that the part draws. The caller
 * provides all other inputs.
 *
 *     encoder (encodes) --codes--> prior (draws) --ids--> decoder (encodes while the prior is still drawing)
 */

/** @import { Part } from './engine/protocol.js' */

/**
 * A part and its role in the flow.
 *
 * @typedef {object} Stage
 * @property {Part} part
 * @property {boolean} draws   whether the part draws ids; otherwise it encodes its inputs and produces results
 * @property {Record<string, { part: Part, result?: string }>} from  the source of each input, by the input's name: a result of an earlier
 *   part, or the ids that an earlier part draws
 * @property {number} [reach]  for a part that encodes drawn ids: the number of ids on either side of an id that affect the results for this
 *   id; encoding can begin before all ids are drawn. If undefined, encoding waits for the last id
 * @property {number} [least]  for a part that encodes drawn ids: the minimum number of ids to encode together, except at the end.
 *   Undefined: 1
 */

/**
 * @param {Part[]} parts
 * @param {Record<string, number>} [reach]  reach of each part, by name
 * @returns {Stage[]}
 */
export function flowOf(parts, reach = {}) {
  return parts.map((part, at) => {
    /** @type {Stage['from']} */
    const from = {};
    for (const { name } of part.inputs) {
      for (const before of parts.slice(0, at)) {
        // if several results match, the last one is used
        if (before.results.some((result) => result.name === name && result.values > 0)) from[name] = { part: before, result: name };
        else if (before.outputs > 0 && before.name === name) from[name] = { part: before };
      }
    }
    return { part, draws: part.outputs > 0, from, reach: reach[part.name] };
  });
}
