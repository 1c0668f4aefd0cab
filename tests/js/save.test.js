// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests save(), resume() and stop() of runs that draw. Wherever a run is interrupted, the bits are the same, even if the saved run is
 * stored as JSON. Also tests the errors of these methods. tokens.test.js tests runs that draw text.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { EVERY, longer, oneOf } from '../more.js';
import { DIGITS, GOLDEN, ROOT, isError, load } from './helpers.js';
import { toyTranslation } from './toy-translation.js';
import { noise, toyModel } from './toy.js';

/** @import { PictureModel, PictureRun, SavedPicture, PictureStep } from '../../web/lib/index.js' */
/** @import { AnyModel as Model } from '../../web/lib/model/of-kind.js' */

/** @typedef {{ values: number[][], nats: number[][] }} Drawn  values and nats of each sample, by element */

/**
 * Reads a run to its end, or only its next `most` steps.
 *
 * @param {PictureRun} run
 * @param {number} [most]
 * @param {Drawn} [drawn]  receives the drawn elements, each at its position
 */
async function read(run, most = Infinity, drawn = { values: [], nats: [] }) {
  let steps = 0;
  if (most === 0) return drawn;
  for await (const { sample, from, values, nats } of run) {
    for (const [all, some] of /** @type {[number[][], ArrayLike<number>][]} */ ([
      [drawn.values, values],
      [drawn.nats, nats],
    ])) {
      all[sample] ??= [];
      for (let i = 0; i < some.length; i++) all[sample][from - run.known.length + i] = some[i] + 0; // + 0 turns -0 into 0; JSON has no -0
    }
    if (++steps === most) break;
  }
  return drawn;
}

/** @param {PictureRun} run @returns {SavedPicture} */
const kept = (run) => JSON.parse(JSON.stringify(run.save()));

/**
 * Interrupts a run after every few steps and resumes it, until it is complete.
 *
 * @param {Model[]} models  the models that resume the run, alternately
 * @param {PictureRun} run
 * @param {number} each     number of steps between two interruptions
 * @param {object} [options]  options for resume()
 */
async function piecemeal(models, run, each, options = {}) {
  const drawn = await read(run, each);
  for (let i = 1; run.finish !== 'end'; i++) {
    assert.ok(i < 5000);
    const saved = kept(run);
    run = models[i % models.length].resume(saved, options);
    assert.deepEqual(kept(run), { ...saved, options: { ...saved.options, ...options } }, 'a resumed run begins as it was saved');
    if (!saved.steps.some((step) => 'anew' in step))
      run.drawn.forEach((values, sample) =>
        assert.deepEqual([...values], drawn.values[sample]?.slice(0, values.length) ?? [], 'what was drawn'),
      );
    await read(run, each, drawn);
  }
  return drawn;
}

const grey = { data: noise(63), width: 7, height: 9 };
const colour = { data: noise(63 * 3), width: 7, height: 9 };
const small = { data: noise(12), width: 2, height: 2 };

/** @type {[string, import('./toy.js').ToyOptions, (model: Pick<PictureModel, 'generate' | 'complete' | 'superResolve'>, options: any) => PictureRun, object][]} */
const RUNS = [
  ['one sample', {}, (model, options) => model.generate({ seed: 3, ...options }), { chunkSize: 5 }],
  [
    'rows that are known',
    { width: 7, height: 9 },
    (model, options) => model.complete(grey, { rows: 2, seed: 2n ** 60n, ...options }),
    { chunkSize: 4, temperature: 0.7, topK: 5 },
  ],
  [
    'several samples',
    { classes: ['cat', 'dog'] },
    (model, options) => model.generate({ label: 'dog', seed: 4, ...options }),
    { samples: 5, chunkSize: 3 },
  ],
  [
    'look-ahead',
    { draft: true, width: 7, height: 9 },
    (model, options) => model.complete(grey, { rows: 1, seed: 5, ...options }),
    { chunkSize: 2 },
  ],
  [
    'a palette and speculative decoding',
    { draft: true, width: 7, height: 9, channels: 3, palette: true, levels: 20 },
    (model, options) => model.complete(colour, { rows: 1, seed: 6, ...options }),
    { chunkSize: 3 },
  ],
  [
    'pixels of three channels',
    { width: 7, height: 9, channels: 3, output: 'dmol', levels: 256 },
    (model, options) => model.complete(colour, { rows: 3, seed: 7, ...options }),
    { samples: 2, chunkSize: 6 },
  ],
  [
    'blocks',
    { width: 7, height: 9, blockRows: 3 },
    (model, options) => model.complete(grey, { rows: 3, seed: 8, ...options }),
    { samples: 2, chunkSize: 5 },
  ],
  [
    'from a small picture',
    { width: 4, height: 4, channels: 3, inputWidth: 2 },
    (model, options) => model.superResolve(small, { seed: 9, ...options }),
    { chunkSize: 7 },
  ],
  [
    'samples that compete',
    { width: 7, height: 9 },
    (model, options) => model.complete(grey, { rows: 1, seed: 10, ...options }),
    { samples: 6, resample: 3, resampleRows: 2, chunkSize: 5 },
  ],
  [
    'competing samples in one group, pixel by pixel, with a palette',
    { width: 7, height: 9, channels: 3, palette: true, levels: 20 },
    (model, options) => model.generate({ seed: 11, ...options }),
    { samples: 4, resample: 4, resampleRows: 3, maps: true },
  ],
];

for (const [i, [name, toy, begin, options]] of RUNS.entries()) {
  oneOf(
    i,
    2,
    longer,
  )(`a run continues with the same bits wherever it was interrupted: ${name}`, async () => {
    const file = toyModel(toy);
    const models = await Promise.all([1, 2, 3].map((workers) => load(file, { workers })));
    const expected = await read(begin(models[0], options));
    for (const each of EVERY ? [1, 2, 7] : [2]) {
      for (const who of EVERY ? [[models[0]], [models[1]], models] : [models]) {
        assert.deepEqual(await piecemeal(who, begin(who[0], options), each), expected, `${each} steps at a time, ${who.length} models`);
      }
    }
    assert.deepEqual(await piecemeal([models[0]], begin(models[0], options), 3, { chunkSize: 4, maps: true }), expected, 'in other steps');
    // The pictures of a resumed run contain the part that was drawn before the run was saved.
    const run = begin(models[1], options);
    await read(run, 4);
    const data = async (/** @type {PictureRun} */ one) => (await one.pictures()).map((picture) => [...picture.data]);
    assert.deepEqual(await data(models[0].resume(kept(run))), await data(begin(models[0], options)));
    for (const model of models) model.close();
  });
}

for (const [i, [name, path, begin]] of /** @type {[string, string, (model: Model) => PictureRun][]} */ ([
  ['digits', DIGITS, (model) => model.generate({ label: '3', seed: 1 })],
  ['digits, two samples', DIGITS, (model) => model.generate({ label: '3', seed: 1, samples: 2 })],
  ['emoji', `${ROOT}weights/emoji.gguf`, (model) => model.generate({ seed: 2, label: 0 })],
  ['PixelCNN', `${ROOT}weights/pixelcnn-digits.gguf`, (model) => model.generate({ seed: 3, samples: 2, chunkSize: 50 })],
  ['an FVSBN', `${GOLDEN}fvsbn-tiny.gguf`, (model) => model.generate({ seed: 4, samples: 3, chunkSize: 2 })],
]).entries()) {
  oneOf(i, 2)(`a run of ${name}, interrupted in the middle, continues in another model`, async () => {
    const [one, other] = await Promise.all([load(path), load(path, { workers: 2 })]);
    const whole = begin(one);
    const expected = await read(whole);
    assert.equal(whole.finish, 'end');
    for (const steps of [1, 6]) {
      const run = begin(one);
      const drawn = await read(run, steps);
      assert.equal(run.finish, 'abort');
      const rest = other.resume(kept(run));
      assert.equal(BigInt(rest.seed), BigInt(run.seed));
      assert.deepEqual(await read(rest, Infinity, drawn), expected);
    }
    for (const model of [one, other]) model.close();
  });
}

test('a complete run, and a run that has not begun, can be saved and resumed', async () => {
  const model = await load(toyModel());
  const run = model.generate({ seed: 1, samples: 2 });
  const before = kept(run);
  const expected = await read(run);
  assert.deepEqual(await read(model.resume(before)), expected);
  const over = model.resume(kept(run));
  assert.deepEqual(await read(over), { values: [], nats: [] });
  assert.equal(over.finish, 'end');
  assert.deepEqual(
    over.drawn.map((values) => [...values]),
    expected.values,
  );
  model.close();
});

test('resume() refuses settings that differ from those of the saved run', async () => {
  const model = await load(toyModel({ classes: ['cat', 'dog'] }));
  const other = await load(toyModel());
  const run = model.generate({ seed: 1, samples: 2, label: 'cat', chunkSize: 3 });
  await read(run, 5);
  const saved = kept(run);
  assert.throws(() => other.resume(saved), isError('state', /belongs to another model/));
  for (const options of [
    { seed: 2 },
    { samples: 3 },
    { temperature: 0.5 },
    { label: 'dog' },
    { resample: 2 },
    { lookAhead: false },
    { at: 3 },
  ]) {
    const [name] = Object.keys(options);
    assert.throws(
      () => model.resume(saved, /** @type {any} */ (options)),
      isError('argument', new RegExp(`resume\\(\\) cannot change ${name}`)),
    );
  }
  const damaged = [
    {},
    null,
    7,
    'x',
    [],
    { ...saved, version: 2 },
    { ...saved, seed: 'x' },
    { ...saved, ids: 7 },
    { ...saved, ids: saved.ids.slice(1) },
    { ...saved, ids: [saved.ids[0], [16]] },
    { ...saved, ids: [saved.ids[0], ['1']] },
    { ...saved, ids: [saved.ids[0], null] },
    { ...saved, known: [-1] },
    { ...saved, known: Array(64).fill(0) },
    { ...saved, known: undefined },
    { ...saved, input: [1] },
  ];
  for (const one of damaged)
    assert.throws(() => model.resume(/** @type {any} */ (one)), isError('state', /not a saved run/), JSON.stringify(one));
  assert.throws(() => model.resume({ ...saved, options: { ...saved.options, temperature: -1 } }), isError('argument', /temperature/));
  assert.throws(() => model.resume(saved, /** @type {any} */ (null)), isError('argument', /options/));
  const tagger = await load(`${GOLDEN}chain-crf-tiny.gguf`);
  assert.throws(() => tagger.resume(saved), isError('argument', /nothing that could be saved/));
  for (const one of [model, other, tagger]) one.close();
});

test('later steps do not change a saved run, and changes to a saved run do not affect the run', async () => {
  const model = await load(toyModel());
  const run = model.generate({ seed: 1, chunkSize: 4 });
  const steps = run[Symbol.asyncIterator]();
  await steps.next();
  const saved = run.save();
  const text = JSON.stringify(saved);
  await steps.next();
  assert.equal(JSON.stringify(saved), text);
  assert.equal(saved.ids[0].length, 4);
  assert.equal(run.save().ids[0].length, 8);
  saved.ids[0].length = 0;
  assert.equal(run.save().ids[0].length, 8);
  await steps.return();
  model.close();
});

test('stop() ends a run of every kind after the current step and keeps the drawn values', async () => {
  const model = await load(toyModel());
  const run = model.generate({ seed: 1, chunkSize: 4 });
  /** @type {PictureStep[]} */
  const steps = [];
  for await (const step of run) if (steps.push(step) === 2) run.stop();
  assert.deepEqual([steps.length, run.finish], [2, 'abort']);
  const shown = model.generate({ seed: 1, chunkSize: 1 });
  const pictures = shown.pictures();
  setTimeout(() => shown.stop(), 5);
  const [{ data }] = await pictures;
  const whole = (await model.generate({ seed: 1 }).pictures())[0].data;
  const drawn = shown.save().ids[0].length;
  assert.ok(data.every((value, i) => value === (Math.floor(i / 4) < drawn ? whole[i] : 0)));
  const never = model.generate();
  never.stop();
  assert.deepEqual(await read(never), { values: [], nats: [] });
  model.close();

  const copier = await load(toyTranslation());
  for (const beams of [1, 3]) {
    const translation = copier.translate('a b c d e', { beams });
    let told = 0;
    for await (const step of translation) if (step && ++told === 2) translation.stop();
    assert.deepEqual([told, translation.finish, translation.ids.length], [2, 'abort', 2]);
  }
  const searching = copier.translate('a b c d e', { beams: 3, onSearch: () => searching.stop() });
  assert.equal(await searching.text(), '');
  assert.deepEqual([searching.finish, searching.search.length], ['abort', 1]);
  copier.close();
  const stories = await load(`${GOLDEN}stories260K.gguf`);
  const text = stories.generate('One', { seed: 1 });
  let count = 0;
  for await (const { token } of text) if (token >= 0 && ++count === 3) text.stop();
  assert.deepEqual([count, text.finish, text.ids.length], [3, 'abort', text.promptLength + 3]);
  stories.close();
});

longer('a translation continues with the same tokens: greedy, sampled, with beams, with maps', async () => {
  const sentence = 'ab bc a b bbb Grüße, 世界!';
  const copier = await load(toyTranslation());
  const golden = await load(`${GOLDEN}transformer-post.gguf`);
  for (const [model, given] of /** @type {[Model, string][]} */ ([
    [copier, sentence],
    [golden, 'Ein Hund'],
  ])) {
    for (const options of [{}, { beams: 3, lengthPenalty: 1 }, { temperature: 1, seed: 7 }, { maxTokens: 6 }]) {
      const whole = model.translate(given, { ...options, maps: true });
      const expected = [];
      for await (const step of whole) expected.push(step);
      for (let told = 0; told <= expected.length; told += EVERY ? 1 : 3) {
        const begun = model.translate(given, options);
        let count = 0;
        if (told > 0) for await (const step of begun) if (step && ++count === told) break;
        /** @type {import('../../web/lib/index.js').SavedTranslation} */
        const saved = JSON.parse(JSON.stringify(begun.save()));
        const rest = model.resume(saved, { maps: true });
        const text = expected
          .slice(0, told)
          .map((step) => step.text)
          .join('');
        if (told < expected.length) assert.equal(rest.before, text);
        else assert.ok(text.startsWith(rest.before)); // the last character may be incomplete
        assert.deepEqual(
          [...rest.ids],
          expected.slice(0, told).map(({ token }) => token),
        );
        const steps = [];
        for await (const step of rest) steps.push(step);
        assert.deepEqual(steps, expected.slice(told), `from ${told} on`);
        assert.equal(rest.finish, whole.finish);
        assert.deepEqual([...rest.ids], [...whole.ids]);
        if (steps.length > 0) assert.deepEqual(rest.encoder, whole.encoder);
      }
    }
  }
  const saved = copier.translate('a').save();
  assert.throws(() => golden.resume(saved), isError('state', /another model/));
  assert.throws(() => copier.resume(saved, /** @type {any} */ ({ beams: 2 })), isError('argument', /cannot change beams/));
  assert.throws(() => copier.resume({ ...saved, ids: [9999] }), isError('state', /its ids/));
  assert.throws(() => copier.resume(/** @type {any} */ ({ ...saved, source: undefined })), isError('state', /not a saved run/));
  for (const model of [copier, golden]) model.close();
});

test('the option logitBias survives JSON as a Map, with names of tokens, and with forbidden tokens', async () => {
  const stories = await load(`${GOLDEN}stories260K.gguf`);
  const { token: likeliest } = await stories
    .generate('One', { temperature: 0, maxTokens: 1 })
    [Symbol.asyncIterator]()
    .next()
    .then(({ value }) => value ?? { token: 0 });
  const options = { seed: 3, logitBias: new Map([[likeliest, -Infinity]]), maxTokens: 30 };
  const whole = stories.generate('One', options);
  await whole.text();
  const begun = stories.generate('One', { ...options, maxTokens: 12 });
  await begun.text();
  const rest = stories.resume(JSON.parse(JSON.stringify(begun.save())), { maxTokens: 18 });
  await rest.text();
  assert.deepEqual([...rest.ids], [...whole.ids]);
  assert.ok(!rest.ids.slice(rest.promptLength).includes(likeliest));
  stories.close();
});

test('a sound continues with the same samples, whether it is saved after its input or after a drawn part', async () => {
  const model = await load(`${GOLDEN}wavenet-tiny.gguf`);
  const sound = { samples: Float32Array.from({ length: 50 }, (_, i) => Math.sin(i / 3)), sampleRate: 8000 };
  const options = { seconds: 0.03, seed: 5, chunkSize: 40, temperature: 0.9 };
  const begins = /** @type {(() => import('../../web/lib/index.js').SoundRun)[]} */ (
    /** @type {unknown} */ ([() => model.generate({ ...options, label: 1 }), () => model.complete(/** @type {any} */ (sound), options)])
  );
  for (const begin of begins) {
    const expected = await begin().samples();
    for (const steps of [0, 1, 3, 100]) {
      const run = begin();
      await run.input;
      let count = 0;
      if (steps > 0) for await (const step of run) if (step && ++count === steps) run.stop();
      if (steps === 1) assert.equal(run.finish, 'abort');
      const saved = JSON.parse(JSON.stringify(run.save()));
      const rest = model.resume(/** @type {import('../../web/lib/index.js').SavedSound} */ (saved), { chunkSize: 7 });
      assert.deepEqual(JSON.parse(JSON.stringify(rest.save())).ids, saved.ids);
      assert.deepEqual(await rest.samples(), expected, `after ${steps} steps`);
      assert.deepEqual([...(await rest.samples())], [...expected], 'and again');
    }
  }
  assert.throws(() => begins[1]().save(), isError('state', /not (been )?read yet/));
  const whole = begins[0]();
  await whole.samples();
  const saved = whole.save();
  assert.throws(() => model.resume(saved, /** @type {any} */ ({ seconds: 1 })), isError('argument', /cannot change seconds/));
  for (const bad of [{ ids: [256] }, { known: null }, { nats: [] }, { model: 'x' }])
    assert.throws(() => model.resume({ ...saved, .../** @type {any} */ (bad) }), isError('state'));
  model.close();
});
