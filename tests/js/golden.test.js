// SPDX-License-Identifier: MIT
// @ts-check

/** The wasm against PyTorch: the tensors that weights/train/golden.py wrote. */

import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';

import { Core } from '../../web/lib/core.js';
import { readGGUF } from './gguf.js';
import { DIGITS, GOLDEN, load, wasmModule } from './helpers.js';

/**
 * Largest difference of a logit with F32 and F16 weights: rounding of single precision, over a few hundred additions.
 */
const LOGIT_TOLERANCE = 1e-4;
/**
 * With Q8_0 weights, the mean difference in nats per element. What is quantised besides the weights is the engine's
 * business.
 */
const Q8_NATS_TOLERANCE = 0.01;
/** Q8_0 against the F32 weights, on images: the promise of the shipped file. */
const BITS_PER_DIM_TOLERANCE = 0.01;

const models = (await readdir(GOLDEN))
  .filter((name) => name.endsWith('.golden.gguf'))
  .map((name) => name.slice(0, -'.golden.gguf'.length));

test('there are golden models', () => assert.ok(models.length >= 5, `only ${models}`));

for (const name of models) {
  const quantised = name.includes('q8_0') || name === 'digits';
  test(`golden: ${name}`, async (context) => {
    const core = new Core(wasmModule, await readFile(name === 'digits' ? DIGITS : `${GOLDEN}${name}.gguf`));
    const { tensors } = readGGUF(await readFile(`${GOLDEN}${name}.golden.gguf`));
    const suffix = name === 'digits' ? '_q8_0' : '';
    const { data: logits } = tensors[`logits${suffix}`];
    const { data: nats } = tensors[`nats${suffix}`];
    const { levels } = core.info;
    const values = Uint8Array.from(tensors.values.data, (level) => Math.round((255 * level) / (levels - 1)));
    const session = core.openSession({
      seed: 0n,
      samples: 1,
      label: tensors.label.data[0],
      temperature: 1,
      topK: 0,
      topP: 1,
    });
    let logitError = 0,
      natsError = 0,
      natsSum = 0;
    values.forEach((_, i) => {
      const [cost] = core.prefill(session, values.subarray(i, i + 1), true);
      core.logits(session, 0).forEach((logit, v) => {
        logitError = Math.max(logitError, Math.abs(logit - logits[i * levels + v]));
      });
      natsError = Math.max(natsError, Math.abs(cost - nats[i]));
      natsSum += cost - nats[i];
    });
    const mean = Math.abs(natsSum) / values.length;
    context.diagnostic(
      `${name}: largest difference of logits ${logitError.toExponential(2)}, of nats ${natsError.toExponential(2)}, ` +
        `mean difference of nats ${mean.toExponential(2)}`,
    );
    if (quantised) assert.ok(mean < Q8_NATS_TOLERANCE);
    else assert.ok(logitError < LOGIT_TOLERANCE && natsError < LOGIT_TOLERANCE);

    // All at once gives the same bits as one by one.
    const whole = core.openSession({
      seed: 0n,
      samples: 1,
      label: tensors.label.data[0],
      temperature: 1,
      topK: 0,
      topP: 1,
    });
    const costs = core.prefill(whole, values, true);
    assert.deepEqual(core.logits(whole, 0), core.logits(session, 0));
    assert.ok(
      Math.abs(
        costs.reduce((sum, cost) => sum + cost, 0) -
          nats.reduce((/** @type {number} */ sum, /** @type {number} */ cost) => sum + cost, 0) -
          natsSum,
      ) < 1e-3,
    );
  });
}

test('digits: bits/dim of 100 test images, shipped file against the F32 weights in PyTorch', async (context) => {
  const images = gunzipSync(await readFile(`${GOLDEN}digits-test100.u8.gz`));
  const record = JSON.parse(await readFile(`${GOLDEN}digits-test100.json`, 'utf8'));
  const model = await load(DIGITS);
  const size = model.info.width * model.info.height;
  const count = record.labels.length;
  assert.equal(images.length, count * size);
  for (const [what, expected] of /** @type {const} */ ([
    ['without', 'nats_unconditional'],
    ['with', 'nats_conditional'],
  ])) {
    let sum = 0,
      largest = 0;
    for (let i = 0; i < count; i++) {
      const data = new Uint8Array(images.subarray(i * size, (i + 1) * size));
      const { nats } = await model.score(
        { data, width: model.info.width, height: model.info.height },
        { label: what === 'with' ? record.labels[i] : undefined },
      );
      sum += nats - record[expected][i];
      largest = Math.max(largest, Math.abs(nats - record[expected][i]));
    }
    const bitsPerDim = sum / count / size / Math.LN2;
    context.diagnostic(
      `${what} class: mean difference ${bitsPerDim.toExponential(2)} bits/dim, ${(sum / count).toFixed(4)} nats; ` +
        `largest of an image ${largest.toFixed(4)} nats`,
    );
    assert.ok(Math.abs(bitsPerDim) < BITS_PER_DIM_TOLERANCE);
  }
  model.close();
});
