// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Runs the triad, a model of three parts (tests/c/triad.h), through the core. The results of a part, or the ids that it drew, become the
 * input with the same name in the next part.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Core } from './core.js';
import { give } from './helpers.js';
import { ids } from './toy.js';
import { triadFile, triadModule } from './triad.js';

const core = new Core(triadModule(), triadFile());
const sound = ids(60, 256).map((level, i) => (i % 16 < 8 ? level : 0)); // the sound has silent passages
const one = { seed: 1n, samples: 1, topP: 1 };

test('parts report their names, their weights and which of them draws', () => {
  assert.deepEqual(
    core.parts.map(({ name, parameters, noisy }) => [name, parameters, noisy]),
    [
      ['encoder', 32, false],
      ['prior', 256, false],
      ['decoder', 32, false],
    ],
  );
  assert.equal(core.part, core.parts[1]);
});

test('a sound is encoded to codes, ids are drawn from the codes, and a sound is decoded from the ids', () => {
  const encoder = core.openSession(one, { part: 0, inputs: { sound } });
  give(core, encoder, { sound });
  const length = core.resultLength(encoder, 'codes');
  assert.ok(length > 10 && length < 20, `${length} codes, none for silence`);
  assert.equal(core.resultLength(encoder, 'levels'), 2 * length);
  const codes = /** @type {Uint32Array<ArrayBuffer>} */ (core.result(encoder, 'codes', 0, length));
  const prior = core.openSession({ ...one, temperature: 0 }, { part: 1, inputs: { codes }, length: 12 });
  give(core, prior, { codes });
  const drawn = core.draw(prior, 12).ids;
  const inputs = { prior: drawn };
  const decoder = core.openSession(one, { part: 2, inputs });
  let slices = 0;
  core.input(decoder, 'prior', drawn);
  do assert.equal(core.encode(decoder), ++slices < 12);
  while (slices < 12 && core.resultLength(decoder, 'sound') === 2 * slices);
  const heard = core.result(decoder, 'sound', 0, 24);
  const expected = [...drawn].flatMap((id, i) =>
    [0, 1].map((k) => (16 * id + 3 * (drawn[i - 1] ?? 0) + 5 * (drawn[i + 1] ?? 0) + 2 * id + k) % 256),
  );
  assert.deepEqual([...heard], expected);
  for (const session of [encoder, prior, decoder]) core.closeSession(session);
});
