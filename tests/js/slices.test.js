// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests that the worker reads its messages at least every MOST_MS milliseconds of processor time, so that stop() takes effect. This must
 * hold even for files that declare very large pictures, audio or sentences, or have unusual layers.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Core } from '../../web/lib/engine/core.js';
import { Jobs } from '../../web/lib/engine/jobs.js';
import { MOST_BYTES } from '../../web/lib/engine/kept.js';
import { EVERY, longer, more } from '../more.js';
import { rowsOf } from '../kinds/js.js';
import { cost, wasmModule } from './helpers.js';
import { toyText } from './toy-text.js';

/** @import { FromWorker } from '../../web/lib/engine/protocol.js' */

const MOST_MS = 300;
/** The processor time for each file, in milliseconds. Within this time, the engine reaches the slow layers. */
const ENOUGH_MS = EVERY ? 2500 : 1200;

const SETTINGS = { seed: 1n, samples: 1, temperature: 1, topK: 0, topP: 1 };

/**
 * Measures the longest time during which the worker reads no messages, and counts the chunks into which the work is divided.
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {any} message
 */
function longest(bytes, message) {
  /** @type {FromWorker[]} */
  const posted = [];
  /** @type {(() => void)[]} */
  const turns = [];
  const jobs = new Jobs(
    (answer) => posted.push(answer),
    (task) => () => void turns.push(task),
  );
  jobs.receive({ type: 'open', id: 1, module: wasmModule, bytes });
  assert.equal(posted[0].type, 'opened', JSON.stringify(posted[0]));
  let [all, chunks] = [0, 0];
  let most = 0;
  /** @param {number} id */
  const begin = (id) => {
    most = cost(() => jobs.receive({ ...message, id }));
    next(id);
  };
  const next = (/** @type {number} */ id) => message.type === 'draw' && jobs.receive({ type: 'next', id, chunkSize: 1 });
  // The first run only touches the memory. It is not measured, because some virtual machines need most of a second to provide 256 MB.
  begin(2);
  turns.shift()?.();
  jobs.receive({ type: 'stop', id: 2 });
  for (let turn; (turn = turns.shift()); ) turn();
  begin(3);
  for (let turn; all < ENOUGH_MS && (turn = turns.shift()); ) {
    const ms = cost(turn);
    all += ms;
    chunks++;
    most = Math.max(most, ms);
    if (turns.length === 0) next(3);
  }
  const failed = /** @type {any} */ (posted.find(({ type }) => type === 'failed'));
  assert.equal(failed, undefined, failed?.error.message);
  jobs.receive({ type: 'stop', id: 3 });
  assert.equal(jobs.core?.sessions, 0);
  return { chunks, most };
}

for (const rows of Object.values(rowsOf('slices'))) {
  if (typeof rows === 'string') continue;
  for (const [name, { file, encode, draw, alike }] of Object.entries(rows))
    (alike ? more : longer)(name, (t) => {
      const message = encode
        ? { type: 'encode', part: 0, inputs: encode() }
        : { type: 'draw', known: new Uint32Array(0), inputs: {}, settings: SETTINGS, ...draw?.() };
      const { chunks, most } = longest(file(), message);
      t.diagnostic(`${chunks} chunks, at most ${most.toFixed(0)} ms at a time`);
      // Counts the chunks too, because the limit in milliseconds is generous: for the longest sentence, a chunk takes about 20 ms.
      assert.ok(chunks > 1, 'the work is not divided into chunks');
      assert.ok(most < MOST_MS, `${most} ms without handling a message`);
    });
}

test('the largest session that kept.js copies is copied in less than MOST_MS', (t) => {
  const core = new Core(wasmModule, toyText({ context: 1 << 17, d: 128, keyLength: 128 }));
  const length = Math.floor((MOST_BYTES / 2 / core.openSession(SETTINGS, { length: 1000 }).bytes) * 980);
  const session = core.openSession(SETTINGS, { length });
  assert.ok(2 * session.bytes <= MOST_BYTES && 2 * session.bytes > 0.9 * MOST_BYTES, `${session.bytes} bytes`);
  core.closeSession(core.branch(session, 0, SETTINGS, {})); // touches the memory of the copy
  const ms = cost(() => core.branch(session, 0, SETTINGS, {}));
  t.diagnostic(`${ms.toFixed(0)} ms`);
  assert.ok(ms < MOST_MS, `${ms} ms`);
});
