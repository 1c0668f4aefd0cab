// SPDX-License-Identifier: MIT
// @ts-check

/** The context of a text model: the part of a text that it sees. Whenever it is full, it keeps its newer half. */

import { argumentError } from '../../base/error.js';
import { mapOf } from '../../runs/attention-map.js';

/** @import { MapRow } from '../../engine/protocol.js' */
/** @import { AttentionMap } from '../../runs/attention-map.js' */

export class Context {
  /**
   * @param {number} positions  tokens that the model sees
   * @param {number} head       1 if the first token of the text begins every text, and stays; otherwise 0
   */
  constructor(positions, head) {
    this.positions = positions;
    this.head = head;
  }

  /**
   * The index from which the model sees a text, apart from the begin token.
   *
   * @param {number} count  tokens of the text
   */
  start(count) {
    const { positions, head } = this;
    if (count < positions) return 0;
    const half = Math.floor(positions / 2);
    const forgotten = positions - half - head; // the rest, each time: the first token and the newer half are visible
    if (forgotten < 1)
      throw argumentError(`A text of ${count} tokens is too long: this model sees ${positions}, too few to drop the oldest and continue`);
    return positions - half + Math.floor((count - positions) / forgotten) * forgotten;
  }

  /**
   * The visible tokens: the begin token, and the rest from an index on.
   *
   * @param {ArrayLike<number>} ids
   * @param {number} from
   */
  window(ids, from) {
    const all = Uint32Array.from(ids);
    if (from === 0) return all;
    const begin = from - this.head;
    all.copyWithin(begin, 0, this.head);
    return all.slice(begin);
  }

  /** The index in the whole text of the first visible token, in the model's count of positions. @param {number} from */
  origin(from) {
    return from === 0 ? 0 : from - this.head;
  }

  /**
   * The attention of the heads, with positions in the whole text instead of the context.
   *
   * @param {MapRow[]} rows
   * @param {number} from
   * @param {number} heads  of a layer
   * @param {number} query  the index of the token that they predicted
   * @returns {AttentionMap[]}
   */
  maps(rows, from, heads, query) {
    const { head } = this;
    // Key j holds the token at position j - 1 of the visible ones.
    const token = (/** @type {number} */ key) => (key - 1 < head || from === 0 ? key - 1 : key - 1 - head + from);
    return rows.map((row) => mapOf(row, heads, query, token));
  }
}
