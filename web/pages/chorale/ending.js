// SPDX-License-Identifier: MIT
// Samples the last bar of the voices several times, and keeps the sample that makes the end token most probable.
// @ts-check
/** @import { Model } from '../../shell/index.js' */
/** @typedef {import('../../lib/kinds/note/note-run.js').NoteRun} NoteRun */

/**
 * ENDINGS: maximum number of attempts for the last bar. ENOUGH: a bar is accepted without further attempts if the surprisal of the end
 * token is at most this many nats.
 */
const ENDINGS = 24,
  ENOUGH = 0.1;

/**
 * @param {Model} model
 * @param {NoteRun} run  a finished run with the voices for a melody
 * @param {number} seed  seed with which the run was started
 * @param {{ signal?: AbortSignal }} [options]
 * @returns {Promise<NoteRun>}  the given run, or a new run with the same notes up to the last bar
 */
export async function endWell(model, run, seed, { signal } = {}) {
  const saved = run.save();
  const { notes: said = [], bar = 16 } = model.info;
  const passing = saved.ids.map((id) => said[id].ticks);
  const all = passing.reduce((sum, ticks) => sum + ticks, 0);
  let [at, time] = [0, 0];
  for (const [i, ticks] of passing.entries()) {
    if ((time += ticks) > all - bar - 1) break;
    at = ticks > 0 ? i + 1 : at;
  }
  if (at === 0) return run;
  let best = run;
  for (let i = 1; i < ENDINGS && costOfEnd(best) > ENOUGH; i++) {
    const other = /** @type {NoteRun} */ (model.resume(saved, { at, seed: seed + i, signal }));
    await other.notes();
    if (costOfEnd(other) < costOfEnd(best)) best = other;
  }
  return best;
}

/** Returns the surprisal of the end token at the end of the melody, in nats. @param {NoteRun} run */
const costOfEnd = (run) => run.save().nats.at(-1) ?? Infinity;
