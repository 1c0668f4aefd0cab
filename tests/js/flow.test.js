// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests how data flow between the parts of a model, through the page and the workers. The tests use the triad, a model of three parts
 * (tests/c/triad.h). This file registers the triad as a separate kind.
 */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { joinAlike } from '../../web/lib/base/arrays.js';
import { KINDS } from '../../web/lib/kinds/index.js';
import { flowOf } from '../../web/lib/flow.js';
import { load } from '../../web/lib/index.js';
import { modelName, resumedOptions } from '../../web/lib/runs/base-run.js';
import { FlowRun } from '../../web/lib/runs/flow-run.js';
import { ROOT, isError } from './helpers.js';
import { triadFile, triadModule } from './triad.js';

/** @import { Part } from '../../web/lib/engine/protocol.js' */
/** @import { Kind } from '../../web/lib/kinds/index.js' */
/** @import { Engine } from '../../web/lib/model/engine.js' */

triadModule(); // builds the module
const wasmUrl = pathToFileURL(`${ROOT}build/triad/triad.wasm`);
const LENGTH = 40;
const sound = Uint32Array.from({ length: 61 }, (_, i) => ((i >> 3) % 2 ? 0 : (i * 37 + 11) % 256));

/** The class of triad models, with the methods that the library calls. */
class Triad {
  /** @param {Engine} engine */
  constructor(engine) {
    this.engine = engine;
  }

  /** @param {any} options @param {any} [drawn] */
  generate(options, drawn) {
    const { links, parts, info } = this.engine;
    const { seed, signal, samples = 1, chunkSize = 0, ...kept } = options;
    const settings = { seed: BigInt(seed), samples, temperature: 1, topK: 0, topP: 1 };
    return new FlowRun(
      links,
      flowOf(parts, { decoder: 1 }),
      { sound },
      { seed, settings, length: LENGTH, chunkSize, drawn },
      { model: modelName(info), options: { ...kept, samples, chunkSize } },
      signal,
    );
  }

  /** @param {any} saved @param {any} given */
  resume(saved, given) {
    return this.generate(resumedOptions(saved, this.engine.info, given), saved);
  }
}

/** @type {Kind} */
const triad = {
  name: 'triad',
  says: ({ parts }) => parts.map(({ name }) => name).join() === 'encoder,prior,decoder',
  verbs: { generate: { names: ['seed', 'samples', 'chunkSize', 'signal'] } },
  open: (engine) => new Triad(engine),
};
KINDS.unshift(triad);
after(() => KINDS.shift());

const opened = (/** @type {object} */ options = {}) => /** @type {Promise<any>} */ (load(triadFile(), { wasmUrl, ...options }));

/**
 * Returns, for each sample and part, the ids that the part drew and the results that it encoded.
 *
 * @param {AsyncIterable<import('../../web/lib/runs/flow-run.js').FlowStep>} run
 * @param {number} samples
 * @returns {Promise<Record<string, any>[]>}
 */
async function gathered(run, samples) {
  /** @type {Record<string, any>[]} */
  const all = Array.from({ length: samples }, () => ({}));
  for await (const { part, sample, ids, results } of run) {
    const into = (all[sample][part] ??= {});
    for (const [name, numbers] of Object.entries(results ?? { ids })) into[name] = into[name] ? joinAlike([into[name], numbers]) : numbers;
  }
  return all;
}

/**
 * Computes the audio samples for these ids without the engine, by the rule of triad_sample() in tests/c/triad.h. In this model,
 * row `id` of dec.weight is (2 id, 2 id + 1).
 * @param {Uint32Array} ids
 */
const byHand = (ids) =>
  Uint32Array.from({ length: 2 * ids.length }, (_, i) => {
    const at = i >> 1;
    return (16 * ids[at] + 3 * (ids[at - 1] ?? 0) + 5 * (ids[at + 1] ?? 0) + 2 * ids[at] + (i % 2)) % 256;
  });

test('an input receives the result, or the drawn ids, of the same name', async () => {
  const model = await opened();
  assert.deepEqual(model.info.verbs, ['generate']);
  model.close();
  const part = (/** @type {any} */ some) => /** @type {Part} */ ({ inputs: [], results: [], outputs: 0, ...some });
  const parts = [
    part({
      name: 'encoder',
      inputs: [{ name: 'sound' }],
      results: [
        { name: 'top', values: 8 },
        { name: 'floats', values: 0 },
      ],
    }),
    part({ name: 'top', inputs: [{ name: 'class' }, { name: 'floats' }], outputs: 8 }),
    part({ name: 'bottom', inputs: [{ name: 'top' }], outputs: 8 }),
    part({ name: 'decoder', inputs: [{ name: 'bottom' }, { name: 'top' }] }),
  ];
  const flow = flowOf(parts, { decoder: 2 });
  assert.deepEqual(
    flow.map(({ draws, reach }) => [draws, reach]),
    [
      [false, undefined],
      [true, undefined],
      [true, undefined],
      [false, 2],
    ],
  );
  // If an earlier part draws `top`, the next part reads the drawn ids, not the encoder's result `top`. An input cannot consist of floats.
  assert.deepEqual(
    flow.map(({ from }) => from),
    [{}, {}, { top: { part: parts[1] } }, { bottom: { part: parts[2] }, top: { part: parts[1] } }],
  );
});

test('the decoder encodes while the prior still draws, and the results have the same bits for every chunk size', async () => {
  const model = await opened();
  const [whole] = await gathered(model.generate({ seed: 5 }), 1);
  assert.deepEqual([whole.prior.ids.length, whole.decoder.sound.length], [LENGTH, 2 * LENGTH]);
  assert.deepEqual(whole.decoder.sound, byHand(whole.prior.ids));
  for (const chunkSize of [1, 3, 7]) {
    /** @type {string[]} */
    const order = [];
    const run = model.generate({ seed: 5, chunkSize });
    const [all] = await gathered(
      (async function* told() {
        for await (const step of run) {
          order.push(`${step.part} ${step.to}`);
          yield step;
        }
      })(),
      1,
    );
    assert.deepEqual(all, whole, `steps of ${chunkSize}`);
    assert.ok(order.indexOf(`decoder ${chunkSize === 1 ? 1 : chunkSize - 1}`) < order.indexOf(`prior ${LENGTH}`), order.join());
    assert.equal(run.finish, 'end');
  }
  model.close();
});

test('the drawn values do not depend on the numbers of samples and workers', async () => {
  const one = await opened();
  const alone = await Promise.all([0, 1, 2].map(async () => one.generate({ seed: 6, samples: 3, chunkSize: 5 }))).then(([run]) =>
    gathered(run, 3),
  );
  assert.notDeepEqual(alone[0].prior.ids, alone[1].prior.ids);
  for (const all of alone) assert.deepEqual(all.decoder.sound, byHand(all.prior.ids));
  assert.deepEqual(
    (await gathered(one.generate({ seed: 6 }), 1))[0],
    alone[0],
    'the first of several samples equals the sample drawn alone',
  );
  const two = await opened({ workers: 2 });
  assert.deepEqual(await gathered(two.generate({ seed: 6, samples: 3 }), 3), alone);
  one.close();
  two.close();
});

test('a run saved at any step continues with the same bits, and a stopped run reports that it was stopped', async () => {
  const model = await opened();
  const whole = await gathered(model.generate({ seed: 7, samples: 2, chunkSize: 4 }), 2);
  for (const steps of [1, 2, 3, 4, 9, 14, 22]) {
    const run = model.generate({ seed: 7, samples: 2, chunkSize: 4 });
    let left = steps;
    const begun = await gathered(
      (async function* some() {
        for await (const step of run) {
          yield step;
          if (--left === 0) run.stop();
        }
      })(),
      2,
    );
    assert.equal(run.finish, 'abort');
    const saved = JSON.parse(JSON.stringify(run.save()));
    const rest = await gathered(model.resume(saved), 2);
    for (const [sample, all] of whole.entries()) {
      for (const [part, name] of [
        ['prior', 'ids'],
        ['decoder', 'sound'],
      ]) {
        assert.deepEqual(
          [...(begun[sample][part]?.[name] ?? []), ...(rest[sample][part]?.[name] ?? [])],
          [...all[part][name]],
          `${part} of sample ${sample} after ${steps} steps`,
        );
      }
    }
  }
  const { ids, ...noIds } = model.generate({ seed: 7 }).save();
  for (const wrong of [noIds, { ...noIds, ids: [1], told: [{}] }, { ...noIds, ids: [{}, {}], told: [{}, {}] }])
    assert.throws(() => model.resume(wrong), isError('state'));
  const stopper = new AbortController();
  await assert.rejects(
    async () => {
      for await (const _ of model.generate({ seed: 7, chunkSize: 1, signal: stopper.signal })) stopper.abort();
    },
    { name: 'AbortError' },
  );
  model.close();
});
