// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests attention keys in which a few channels are far larger than the others. Qwen 2 has such keys because of its biases. Rounding
 * such keys must lose no more precision than rounding other keys.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Core } from '../../web/lib/engine/core.js';
import { isError, load, wasmModule } from './helpers.js';
import { toyQwen } from './toy-qwen.js';

const SETTINGS = { seed: 0n, samples: 1, temperature: 1, topK: 0, topP: 1 };
const IDS = Uint32Array.from({ length: 200 }, (_, i) => (i * 37 + ((i * i) % 11)) % 300);

/** Results that are already computed, by options. @type {Map<string, { nats: Float32Array, bytes: number }>} */
const known = new Map();

/** @param {NonNullable<Parameters<typeof toyQwen>[0]>} options @param {number} [keyBits] */
function natsOf(options, keyBits) {
  const asked = JSON.stringify([options, keyBits]);
  const answer = known.get(asked);
  if (answer) return answer;
  const core = new Core(wasmModule, toyQwen(options));
  const session = core.openSession(SETTINGS, { length: IDS.length, keyBits });
  const found = { nats: core.put(session, IDS, true), bytes: session.bytes };
  known.set(asked, found);
  return found;
}

/**
 * Returns the mean of |nats - exact nats| per token.
 *
 * @param {NonNullable<Parameters<typeof toyQwen>[0]>} options
 * @param {number} [keyBits]
 */
function loss(options, keyBits) {
  const exact = natsOf({ ...options, exact: true }).nats;
  const { nats } = natsOf(options, keyBits);
  return nats.reduce((sum, cost, i) => sum + Math.abs(cost - exact[i]), 0) / (nats.length - 1);
}

test('with key biases from 0 to 400, at most 0.02 nats per token are lost', () => {
  const plain = loss({ key: 0 });
  for (const key of [0, 60, 150, 400]) {
    const lost = loss({ key });
    assert.ok(lost < 0.02 && lost < 3 * plain + 1e-3, `${key}: ${lost}, without ${plain}`);
  }
  assert.ok(loss({ key: 150 }, 8) > 0.1, '8 bits lose more');
  assert.ok(loss({ key: 150, query: 20 }) < 0.05, 'queries with biases, too');
});

test('a file without biases stores its keys in 8 bits, unless 16 are requested', () => {
  const [plain, wide] = [0, 16].map((bits) => natsOf({ biases: false, architecture: 'llama' }, bits));
  assert.ok(wide.bytes > plain.bytes);
  assert.deepEqual(natsOf({ biases: false, architecture: 'llama' }, 8).nats, plain.nats);
  const exact = natsOf({ biases: false, architecture: 'llama', exact: true }).nats;
  const lost = [plain, wide].map(({ nats }) => nats.reduce((sum, cost, i) => sum + Math.abs(cost - exact[i]), 0));
  assert.ok(lost[1] < lost[0]);
});

test('a run accepts the option `cache`', async () => {
  const model = await load(toyQwen({ key: 150 }));
  const ids = async (/** @type {object} */ options) => {
    const run = model.generate([1, 2, 3], { seed: 3, maxTokens: 40, ...options });
    await run.text();
    return [...run.ids];
  };
  const own = await ids({});
  assert.deepEqual(await ids({ keyBits: 16 }), own);
  assert.notDeepEqual(await ids({ keyBits: 8 }), own);
  const saved = model.generate([1, 2, 3], { keyBits: 8 }).save();
  assert.deepEqual(saved.options, { keyBits: 8 });
  for (const keyBits of /** @type {any[]} */ ([4, 0, '16', true, null]))
    assert.throws(() => model.generate([1], { keyBits }), isError('argument', /keyBits \(bits of a cached key\) must be 8 or 16/));
  model.close();
});
