// SPDX-License-Identifier: MIT
// @ts-check

import { NX_MOST_BIAS } from '../abi.js';
import { Alphabet } from '../../kinds/note/alphabet.js';
import { Piece } from '../../kinds/note/piece.js';
import { top } from '../distributions.js';
import { joinSlices } from './slices.js';

/** @import { Session, Sessions } from '../sessions.js' */
/** @import { Said } from '../../kinds/note/alphabet.js' */
/** @import { Bounds } from '../../kinds/note/piece.js' */
/** @import { Slice, Stepper } from './index.js' */

/**
 * Draws music: samples each id from the ids that fit the fixed voices. If only one id fits, that id is taken and no noise is used.
 *
 * @param {Sessions} sessions
 * @param {Session} session  a session of one sample that has capacity to bias every id
 * @param {{ said: Said[], bounds: Bounds }} music
 * @param {Uint32Array} before  all ids so far
 * @param {number} k            number of most probable ids to report at each position
 * @returns {Stepper}
 */
export function notes(sessions, session, { said, bounds }, before, k) {
  const { values } = session.part;
  const alphabet = new Alphabet(said);
  const piece = new Piece(alphabet, bounds);
  for (const id of before) piece.push(id);
  const one = () => {
    const { ids, cut } = piece.next();
    const tops = k > 0 || cut.length > 0 ? top(sessions, session, values) : undefined;
    /** @type {Slice} */
    let slice;
    if (ids.length === 1) {
      const only = Uint32Array.of(ids[0]);
      slice = { ids: only, nats: sessions.put(session, only, true), ahead: new Uint8Array(1), ended: false };
    } else {
      const allowed = new Set(ids);
      const biases = Array.from({ length: values }, (_, id) => /** @type {[number, number]} */ ([id, allowed.has(id) ? 0 : -NX_MOST_BIAS]));
      if (tops && cut.length > 0) {
        const natsOf = new Float32Array(values);
        tops.ids.forEach((id, i) => {
          natsOf[id] = tops.nats[i];
        });
        const last = Math.max(...ids.filter((id) => alphabet.said[id].ticks > 0));
        // `last` also represents the cut ids, so its probability becomes the largest of its own probability and theirs
        biases[last][1] = natsOf[last] - Math.min(natsOf[last], ...cut.map((id) => natsOf[id]));
      }
      sessions.bias(session, biases);
      slice = sessions.draw(session, 1);
    }
    for (const id of slice.ids) piece.push(id);
    const alternatives = k > 0 && tops ? { ids: tops.ids.slice(0, k), nats: tops.nats.slice(0, k) } : undefined;
    return { ...slice, alternatives, ended: piece.ended };
  };
  const step = (/** @type {number} */ count) => {
    const drawn = [];
    while (drawn.length < count && !piece.ended) drawn.push(one());
    return joinSlices(drawn);
  };
  return { kind: 'notes', first: 1, single: false, step };
}
