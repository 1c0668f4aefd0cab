// SPDX-License-Identifier: MIT
// @ts-check

/** Compares the results of the wasm engine with the results of PyTorch, which weights/train/golden.py has recorded as tensors. */

import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';

import { EVERY, longer } from '../more.js';
import { Codec } from '../../web/lib/media/codec.js';
import { Core } from './core.js';
import { describe, fittingOf } from '../../web/lib/model/describe.js';
import { readGGUF } from './gguf.js';
import { GOLDEN, ROOT, give, load, wasmModule } from './helpers.js';

/** @import { Part } from '../../web/lib/engine/protocol.js' */

/** The largest allowed error of an output value with F32 and F16 weights. The error comes from rounding to single precision. */
const OUTPUT_TOLERANCE = 1e-4;
/** The largest allowed error, in nats, of a value's negative log-likelihood. Above ten nats, the error may grow in proportion. */
const NATS_TOLERANCE = 1e-4;
/**
 * The largest allowed mean difference in nats per value with Q8_0 and Q4_0 weights. PyTorch computed the golden tensors from the stored
 * weights. The engine also quantises activations; PyTorch did not.
 */
const QUANTISED_NATS_TOLERANCE = 0.01;
/** The largest allowed difference, in bits per dimension of test images, between a shipped file and the F32 weights it was made from. */
const BITS_PER_DIM_TOLERANCE = 0.01;

/** The largest allowed difference for results of a part without a sequence. For values above 1, the tolerance is relative. */
const RESULT_TOLERANCE = 1e-5;

/**
 * Returns the inputs in a golden file: the tensors named input.NAME. In older files, these tensors have other names: `label` (the class of
 * a picture, -1 for none), `input` (the picture to enlarge), and `source` (a sentence).
 *
 * @param {Part} part
 * @param {Record<string, { data: ArrayLike<number> }>} tensors
 */
function inputsOf(part, tensors) {
  const given = part.inputs.flatMap(({ name }) => {
    const data = (tensors[`input.${name}`] ?? tensors[name === 'class' ? 'label' : name === 'image' ? 'input' : name])?.data;
    return data && data[0] >= 0 ? [[name, Uint32Array.from(data)]] : [];
  });
  return Object.fromEntries(given);
}

/**
 * Returns the recorded results of a part without a sequence: the tensors named result.NAME.
 *
 * @param {Core} core
 * @param {Part} part
 * @param {Record<string, { data: ArrayLike<number> }>} tensors
 * @param {import('node:test').TestContext} context
 */
function compareResults(core, part, tensors, context) {
  const inputs = inputsOf(part, tensors);
  const session = core.openSession({ seed: 0n, samples: 1, temperature: 1, topK: 0, topP: 1 }, { part: part.index, inputs });
  give(core, session, inputs);
  assert.ok(part.results.length > 0);
  part.results.forEach((result) => {
    const expected = tensors[`result.${result.name}`].data;
    const worst = Math.max(
      ...core
        .result(session, result.name, 0, expected.length)
        .map((number, j) => Math.abs(number - expected[j]) / Math.max(1, Math.abs(expected[j]))),
    );
    assert.equal(core.resultLength(session, result.name), expected.length);
    context.diagnostic(`${result.name} within ${worst.toExponential(1)}`);
    assert.ok(worst < RESULT_TOLERANCE, `${result.name}: ${worst}`);
  });
  core.closeSession(session);
}

const models = (await readdir(GOLDEN)).filter((name) => name.endsWith('.golden.gguf')).map((name) => name.slice(0, -'.golden.gguf'.length));

test('golden models exist', () => {
  for (const name of ['digits', 'local-q4_0', 'rgb-2d', 'palette-2d-sr', 'dmol-2d-sr', 'bernoulli', 'logistic-grey'])
    assert.ok(models.includes(name), name);
});

const tiny = new Set((await readdir(GOLDEN)).filter((name) => name.endsWith('.gguf')).map((name) => name.slice(0, -'.gguf'.length)));

for (const name of models) {
  // the golden file of a shipped weight file has one example, with the results of the original weights and of the shipped weights
  const shipped = !tiny.has(name);
  const quantised = /q[48]_0/.test(name) || shipped;
  test(`golden: ${name}`, async (context) => {
    const core = new Core(wasmModule, await readFile(shipped ? `${ROOT}weights/${name}.gguf` : `${GOLDEN}${name}.gguf`));
    const { tensors } = readGGUF(await readFile(`${GOLDEN}${name}.golden.gguf`));
    if (core.parts.length === 1) return comparePart(core, core.part, tensors, context);
    // Names of recorded values begin with the name of their part.
    for (const part of core.parts) {
      const own = Object.entries(tensors).flatMap(([key, tensor]) =>
        key.startsWith(`${part.name}.`) ? [[key.slice(part.name.length + 1), tensor]] : [],
      );
      comparePart(core, part, Object.fromEntries(own), context);
    }
  });

  /**
   * @param {Core} core
   * @param {Part} part
   * @param {Record<string, any>} tensors
   * @param {import('node:test').TestContext} context
   */
  function comparePart(core, part, tensors, context) {
    if (part.span === 0) return compareResults(core, part, tensors, context);
    const suffix = shipped ? '_q8_0' : '';
    const outputs = tensors[`logits${suffix}`].data;
    const nats = tensors[`nats${suffix}`].data;
    const width = part.span;
    const ids = Uint32Array.from(tensors.values.data);
    const positions = ids.length / width;
    // sentences, audio and music may have any length; for shipped files, the golden file has only the beginning of a sequence
    const anyLong =
      shipped || part.length === 0 || part.inputs.some(({ anyLength }) => anyLength) || core.metadata.has('sparse-transformer.notes.ticks');
    assert.ok(anyLong || positions === part.length);
    const open = () => {
      const inputs = inputsOf(part, tensors);
      const session = core.openSession(
        { seed: 0n, samples: 1, temperature: 1, topK: 0, topP: 1 },
        { part: part.index, inputs, length: part.length || positions },
      );
      give(core, session, inputs);
      return session;
    };
    const session = open();
    const one = outputs.length / positions;
    let outputError = 0,
      natsError = 0,
      natsSum = 0;
    for (let i = 0; i < positions; i++) {
      const costs = core.put(session, ids.subarray(i * width, (i + 1) * width), true);
      const output = core.output(session, 0);
      assert.equal(output.length, one);
      output.forEach((number, v) => {
        outputError = Math.max(outputError, Math.abs(number - outputs[i * one + v]));
      });
      costs.forEach((cost, v) => {
        const expected = nats[i * width + v];
        natsError = Math.max(natsError, Math.abs(cost - expected) / Math.max(1, expected / 10));
        natsSum += cost - expected;
      });
    }
    const mean = Math.abs(natsSum) / ids.length;
    context.diagnostic(
      `${name}: largest difference of outputs ${outputError.toExponential(2)}, ` +
        `of nats ${natsError.toExponential(2)}, mean difference of nats ${mean.toExponential(2)}`,
    );
    if (quantised) assert.ok(mean < QUANTISED_NATS_TOLERANCE);
    else assert.ok(outputError < OUTPUT_TOLERANCE && natsError < NATS_TOLERANCE);

    // Computing all positions in one call gives the same bits as computing them one by one.
    const whole = open();
    const costs = core.put(whole, ids, true);
    assert.deepEqual(core.output(whole, 0), core.output(session, 0));
    const sum = (/** @type {Float32Array} */ numbers) => numbers.reduce((total, cost) => total + cost, 0);
    assert.ok(Math.abs(sum(costs) - sum(nats) - natsSum) < 1e-3);

    // Checks the generation order, and the conversion of pictures to ids and back.
    if (!tensors.image) return;
    const codec = new Codec(describe(fittingOf(core)));
    assert.deepEqual([...codec.order], [...tensors.order.data]);
    const image = Uint8Array.from(tensors.image.data);
    assert.deepEqual(codec.encode(image), ids);
    codec.decode(ids).forEach((value, i) => assert.equal(value, image[codec.place(i)]));
  }
}

/** Number of test images to use. Each file contains 100; ./build.sh test-sweep uses all of them. */
const IMAGES = EVERY ? 100 : 5;

for (const name of ['digits', 'emoji', 'pixelcnn-digits', 'gated-pixelcnn-digits', 'sparse-digits', 'wavenet-digits']) {
  longer(`${name}: bits/dim of ${IMAGES} test images, shipped file against the F32 weights in PyTorch`, async (context) => {
    const images = gunzipSync(await readFile(`${GOLDEN}${name}-test100.u8.gz`));
    const record = JSON.parse(await readFile(`${GOLDEN}${name}-test100.json`, 'utf8'));
    const model = await load(`${ROOT}weights/${name}.gguf`);
    const { width, height, channels } = model.info;
    const size = width * height * channels;
    assert.equal(images.length, record.labels.length * size);
    const count = Math.min(IMAGES, record.labels.length);
    for (const [what, expected] of /** @type {const} */ ([
      ['without', 'nats_unconditional'],
      ['with', 'nats_conditional'],
    ])) {
      if (what === 'with' && model.info.classes.length === 0) continue;
      let sum = 0,
        largest = 0;
      for (let i = 0; i < count; i++) {
        const data = new Uint8Array(images.subarray(i * size, (i + 1) * size));
        const { nats } = await model.score({ data, width, height }, { label: what === 'with' ? record.labels[i] : undefined });
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
}
