// SPDX-License-Identifier: MIT
// @ts-check

/** Keeps track of the hypotheses of a beam search. At each step, the engine reports the candidates of this step. */

import { CANDIDATE_NATS as NATS, CANDIDATE_SCORE as SCORE, CANDIDATE_WORDS as WORDS, NX_CUT, NX_ENDED } from '../engine/abi.js';

/**
 * A candidate: a hypothesis of the previous step, continued by one token.
 *
 * @typedef {object} Candidate
 * @property {number} parent  index of the hypothesis of the previous step that this candidate continues
 * @property {number} id
 * @property {number} nats    nats of the whole sequence
 * @property {number} score   the score; lower is better
 * @property {'lives' | 'ended' | 'cut'} fate
 * @property {number} living  index of the candidate among the live hypotheses of this step, where 0 is the best; -1 if it is not live
 */

/** Decodes the candidates of a step. @param {Uint32Array} words  the candidates as they are stored in memory @returns {Candidate[]} */
export function candidatesOf(words) {
  const floats = new Float32Array(words.buffer, words.byteOffset, words.length);
  return Array.from({ length: words.length / WORDS }, (_, i) => {
    const [parent, id, fate] = words.subarray(WORDS * i);
    const lives = fate !== NX_ENDED && fate !== NX_CUT;
    return {
      parent,
      id,
      nats: floats[WORDS * i + NATS],
      score: floats[WORDS * i + SCORE],
      fate: lives ? 'lives' : fate === NX_ENDED ? 'ended' : 'cut',
      living: lives ? fate : -1,
    };
  });
}

export class Beams {
  /** The ids of each live hypothesis, the best hypothesis first. @type {number[][]} */
  #living = [[]];
  #best = { score: Infinity, ids: /** @type {number[]} */ ([]) };

  /** @param {Candidate[]} candidates  the candidates of the next step */
  take(candidates) {
    /** @type {number[][]} */
    const next = [];
    for (const { parent, id, score, fate } of candidates) {
      if (fate === 'lives') next.push([...this.#living[parent], id]);
      if (fate === 'ended' && score < this.#best.score) this.#best = { score, ids: [...this.#living[parent], id] };
    }
    if (next.length > 0) this.#living = next;
  }

  /**
   * Returns the best complete hypothesis, including its end token, or the best live hypothesis if none is complete.
   * @returns {{ ids: Uint32Array<ArrayBuffer>, ended: boolean }}
   */
  get found() {
    const ended = this.#best.score < Infinity;
    return { ids: Uint32Array.from(ended ? this.#best.ids : this.#living[0]), ended };
  }
}
