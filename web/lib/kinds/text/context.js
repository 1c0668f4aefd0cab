// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Determines the context of a text model, which is the part of a text that the model sees. Whenever the context is full, its older half is
 * dropped.
 */

import { argumentError } from '../../base/error.js';
import { mapOf } from '../../runs/attention-map.js';

/** @import { MapRow } from '../../engine/protocol.js' */
/** @import { AttentionMap } from '../../runs/attention-map.js' */

export class Context {
  /**
   * @param {number} positions  number of tokens that the model sees
   * @param {number} head       1 if the text begins with a begin token, which always stays visible; otherwise 0
   */
  constructor(positions, head) {
    this.positions = positions;
    this.head = head;
  }

  /**
   * Returns the index of the first token that the model sees, apart from the begin token.
   *
   * @param {number} count  number of tokens of the text
   */
  start(count) {
    const { positions, head } = this;
    if (count < positions) return 0;
    const half = Math.floor(positions / 2);
    // This many tokens are dropped whenever the context is full: all except the begin token and the newer half.
    const forgotten = positions - half - head;
    if (forgotten < 1)
      throw argumentError(
        `A text of ${count} tokens is too long: this model sees ${positions}, too few to drop the oldest tokens and continue`,
      );
    return positions - half + Math.floor((count - positions) / forgotten) * forgotten;
  }

  /**
   * Returns the visible tokens: the begin token, and all tokens from index `from` on.
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

  /** Returns the position that the first visible token has in the whole text. @param {number} from */
  origin(from) {
    return from === 0 ? 0 : from - this.head;
  }

  /**
   * Returns the attention of the heads, with positions in the whole text instead of positions in the context.
   *
   * @param {MapRow[]} rows
   * @param {number} from
   * @param {number} heads  heads per layer
   * @param {number} query  index of the token that was predicted
   * @returns {AttentionMap[]}
   */
  maps(rows, from, heads, query) {
    const { head } = this;
    // Key j is the visible token at position j - 1.
    const token = (/** @type {number} */ key) => (key - 1 < head || from === 0 ? key - 1 : key - 1 - head + from);
    return rows.map((row) => mapOf(row, heads, query, token));
  }
}
