// SPDX-License-Identifier: MIT
// @ts-check

/** Runs each target of the fuzzer briefly; ./build.sh fuzz-js runs them for longer. */

import assert from 'node:assert/strict';

import { fuzz, targets } from '../fuzz/fuzz.js';
import { EVERY, longer } from '../more.js';

const RUNS = EVERY ? 400 : 50;

assert.ok(targets().length >= 5);
for (const name of targets()) {
  longer(`the fuzzer finds no fault in a short run: ${name}`, async () => {
    const { runs, kept, found } = await fuzz(name, { runs: RUNS, seed: 3 });
    if (found) throw new Error(`input ${Buffer.from(found.input).toString('base64')}`, { cause: found.error });
    assert.equal(runs, RUNS);
    assert.ok(kept > 5, 'inputs that reach new code are kept');
  });
}
