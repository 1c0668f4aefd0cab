// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Fuzzes saved runs of every verb that supports saving. A saved run must either be rejected with a message or be accepted. If an accepted
 * run is saved again, the new saved run must equal the accepted run and must also be accepted. One in a hundred of the accepted runs is
 * resumed. Resuming must succeed or throw a NextPixelError.
 */

import assert from 'node:assert/strict';

import { engineOf } from '../../../web/lib/model/engine.js';
import { rowsOf, weightsOf } from '../../kinds/js.js';
import { load } from '../../js/helpers.js';
import { named } from '../../kinds/rows.js';
import { Input, damaged, refusedBy, refusedOr } from '../input.js';

const ONE_IN = 100;
const STEPS = 3;

/** @param {any} run @param {number} most */
async function steps(run, most) {
  let count = 0;
  for await (const step of run) if (step && ++count >= most) break;
}

/** Converts a saved run to JSON and back, as an application does that stores the run. @param {any} saved */
const throughJson = (saved) =>
  saved === undefined ? saved : JSON.parse(JSON.stringify(saved, (_, value) => (typeof value === 'bigint' ? String(value) : value)));

/** @returns {Promise<import('../fuzz.js').Target>} */
export async function open() {
  /** @type {{ model: any, saved: any }[]} */
  const all = [];
  const models = new Set();
  for (const [name, { file, options, input }] of Object.entries(named(rowsOf('verbs')))) {
    const model = /** @type {any} */ (await load(weightsOf(file)));
    models.add(model);
    if (!engineOf(model).kind.resume) continue; // runs of this kind of model cannot be saved
    const [, verb] = /** @type {RegExpExecArray} */ (/\.(\w+)/.exec(name));
    for (const most of [2, Infinity]) {
      const run = model[verb](...(input ? [input(model.info)] : []), { seed: 3, ...options });
      await steps(run, most);
      all.push({ model, saved: JSON.parse(JSON.stringify(run.save())) });
    }
  }
  let taken = 0;
  return {
    seeds: all.map((_, i) => Uint8Array.of(i, 0, 2, 1, 3, 5, 9)),
    run(bytes) {
      const input = new Input(bytes);
      const { model, saved } = input.pick(all);
      const given = throughJson(damaged(saved, input));
      const run = refusedOr(() =>
        model.resume(given, input.below(4) ? {} : throughJson(damaged({ at: 1, maxTokens: 3, seed: 1, chunkSize: 2 }, input))),
      );
      if (!run) return;
      const again = refusedOr(() => JSON.stringify(run.save()), ['state']); // a run that has not begun may have nothing to save
      if (again !== undefined) assert.ok(model.resume(JSON.parse(again)));
      if (++taken % ONE_IN === 0) return steps(run, STEPS).catch((error) => refusedBy(error));
    },
    close() {
      for (const model of models) model.close();
    },
  };
}
