// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Runs the tasks of the plan through the JavaScript library, in a page or in Node, with the same module in every engine. native.c does the
 * same through the C header.
 */

/** @import { LoadOptions, SoundRun } from '../../web/lib/index.js' */
/** @import { AnyModel as Model } from '../../web/lib/model/of-kind.js' */
/** @import { AnyInfo as ModelInfo } from '../../web/lib/engine/protocol.js' */
/** @typedef {import('../../web/lib/kinds/note/note-run.js').NoteRun} NoteRun */
/** @typedef {typeof import('../../web/lib/index.js').load} Load */
/** @import { PlannedRun } from './plan.js' */

/** Number of labels of the examples of synthetic characters. */
const LABELS = 3;

/**
 * Returns a synthetic character as bytes, most of them zero, generated as in native.c.
 *
 * @param {number} number  index of the character
 * @param {number} pixels
 */
function signOf(number, pixels) {
  return Uint8Array.from({ length: pixels }, (_, i) => {
    const mixed = ((number + 1) * (i + 7) * 7919) % 65521;
    return mixed % 5 === 0 ? mixed % 256 : 0;
  });
}

/**
 * A hash of a result. Results of the same model, task and item must have the same hash, in every mode.
 *
 * @typedef {object} Result
 * @property {string} model
 * @property {string} work
 * @property {string} item  the hashed item, as in itemsOf() of plan.js
 * @property {string} way   mode in which it was computed
 * @property {string} hash  SHA-256, hexadecimal
 */

/**
 * The modes of a run. None of them may change a result. `options` are passed to complete(), generate() and superResolve(); `alone` draws
 * only the first sample; `beside` runs another run of the same model at the same time.
 *
 * @type {{ name: string, options?: { chunkSize?: number, lookAhead?: boolean }, alone?: boolean, beside?: boolean }[]}
 */
const WAYS = [
  { name: 'at once' },
  { name: 'in chunks of 7', options: { chunkSize: 7 } },
  { name: 'the first alone, with look-ahead', options: { lookAhead: true }, alone: true }, // only if the file has a draft
  { name: 'the first alone, without look-ahead', options: { lookAhead: false }, alone: true },
  { name: 'the first alone, in chunks of 5', options: { chunkSize: 5 }, alone: true },
  { name: 'beside another run', beside: true },
];

/**
 * @param {Load} loadModel
 * @param {PlannedRun[]} plan
 * @param {(path: string) => Promise<Uint8Array<ArrayBuffer>>} read  returns the bytes of a weight file
 * @param {LoadOptions} options
 * @returns {Promise<Result[]>}
 */
export async function runPlan(loadModel, plan, read, options) {
  /** @type {Result[]} */
  const results = [];
  /** @type {Model | undefined} */
  let model;
  for (const run of plan) {
    /** @type {(item: string, way: string, data: Uint8Array | Float32Array | Int32Array | Uint32Array) => Promise<void>} */
    const say = async (item, way, data) => {
      results.push({ model: run.model, work: run.work, item, way, hash: await sha256(data) });
    };
    const input = model?.info.inputWidth ? pictureOf(inputShape(model.info)) : undefined;
    if (run.task === 'open') {
      model?.close();
      const bytes = await read(run.path);
      await say('bytes', 'read', bytes);
      model = /** @type {Model} */ (await loadModel(bytes, options));
    } else if (model === undefined) {
      throw new Error('a plan opens a model first');
    } else if (run.task === 'score') {
      const { perElement } = await model.score(pictureOf(model.info), { input, label: labelOf(run) });
      await say('nats', 'asked', perElement);
    } else if (run.task === 'score-text') {
      await say('nats', 'asked', (await model.score(idsOf(model.info, run.known))).perToken);
    } else if (run.task === 'tokens') {
      for (const maxTokens of [run.draw, 0]) {
        // a continuation of the whole sound, and a sound without input
        const { seed, temperature, topK, topP } = run;
        const options = { seed: BigInt(seed), temperature, topK, topP };
        const asked = model.generate(idsOf(model.info, run.known), { ...options, maxTokens });
        const running = maxTokens > 0 ? asked : model.resume(asked.save(), { maxTokens: run.draw });
        /** @type {number[][]} */
        const [tokens, nats] = [[], []];
        for await (const step of running) {
          tokens.push(step.token);
          nats.push(step.nats);
        }
        const way = maxTokens > 0 ? 'at once' : 'resumed';
        await say('tokens', way, Uint32Array.from(tokens));
        await say('nats', way, Float32Array.from(nats));
      }
    } else if (run.task === 'sound') {
      for (const way of ['at once', 'in chunks of 7', 'resumed']) {
        const sounding = soundOf(model, run, way === 'in chunks of 7' ? { chunkSize: 7 } : {});
        /** @type {number[][]} */
        const [levels, nats] = [[], []];
        for await (const step of way === 'resumed' ? await halfWay(model, sounding) : sounding) {
          levels.push(...step.levels);
          nats.push(...step.nats);
        }
        await say('levels', way, Uint8Array.from(levels));
        await say('nats', way, Float32Array.from(nats));
      }
      const odds = [];
      for await (const step of soundOf(model, run, { probabilities: true })) odds.push(...(step.probabilities ?? []));
      await say('odds', 'asked', Float32Array.from(odds));
    } else if (run.task === 'score-sound') {
      await say(
        'nats',
        'asked',
        (await model.score(knownSound(model.info, run.known), { label: labelOf(run), speaker: speakerOf(run) })).perElement,
      );
    } else if (run.task === 'code') {
      const { top, bottom } = await model.encode(knownSound(model.info, run.known));
      await say('top codes', 'asked', top);
      await say('bottom codes', 'asked', bottom);
      await say('from the top', 'asked', (await model.decode({ top })).samples);
      await say('from the bottom', 'asked', (await model.decode({ bottom })).samples);
    } else if (run.task === 'speak' || run.task === 'go-on') {
      for (const way of ['at once', 'in chunks of 7', 'resumed']) {
        const asked = codesOf(model, run, way === 'in chunks of 7' ? { chunkSize: 7 } : {});
        /** @type {Record<string, number[]>} */
        const found = { top: [], bottom: [], sound: [], 'nats of the top': [], 'nats of the bottom': [] };
        for await (const { level, codes, nats, samples } of way === 'resumed' ? await halfWay(model, asked) : asked) {
          found[level].push(...(level === 'sound' ? samples : codes));
          if (level !== 'sound') found[`nats of the ${level}`].push(...nats);
        }
        await say('top codes', way, Uint32Array.from(found.top));
        await say('bottom codes', way, Uint32Array.from(found.bottom));
        await say('samples', way, Float32Array.from(found.sound));
        if (way === 'resumed') continue; // the cost of earlier values is 0
        await say('nats of the top', way, Float32Array.from(found['nats of the top']));
        await say('nats of the bottom', way, Float32Array.from(found['nats of the bottom']));
      }
    } else if (run.task === 'sing' || run.task === 'harmonise') {
      for (const way of ['at once', 'in chunks of 7', 'resumed']) {
        const asked = musicOf(model, run, way === 'in chunks of 7' ? { chunkSize: 7 } : {});
        const singing = way === 'resumed' ? await halfWay(model, asked) : asked;
        await singing.notes();
        const { ids, nats } = singing.save();
        await say('notes', way, Uint32Array.from(ids));
        await say('nats of notes', way, Float32Array.from(nats));
      }
    } else if (run.task === 'score-music') {
      const { perElement } = /** @type {{ perElement: Float32Array }} */ (
        /** @type {any} */ (await model.score(/** @type {any} */ (run.notes)))
      );
      await say('nats', 'asked', perElement);
    } else if (run.task === 'make') {
      const making = /** @type {import('../../web/lib/index.js').LatentRun} */ (
        /** @type {any} */ (model.generate({ seed: BigInt(run.seed), label: run.label, maps: true }))
      );
      for await (const { values, latent, maps = [] } of making) {
        await say('values', 'asked', values);
        await say('latent', 'asked', latent);
        await say('weights', 'asked', maps.length > 0 ? maps[0].weights : new Float32Array(0));
      }
      for (const shape of /** @type {const} */ (['line', 'sphere', 'circle'])) {
        const latents = [];
        for await (const { latent } of model.walk(1, 2, { steps: 5, shape })) latents.push(...latent);
        await say(shape, 'asked', Float32Array.from(latents));
      }
    } else if (run.task === 'tag') {
      const { names } = await model.tag([]);
      const pinned = run.pinned < 0 ? {} : { [run.pinned]: names[names.length - 1] };
      const { best, marginals, pinnedNats } = await model.tag(run.words, { marginals: true, pinned });
      await say('tags', 'asked', best.ids);
      await say('marginals', 'asked', marginals ?? new Float32Array(0));
      await say('nats', 'asked', Float32Array.of(best.logZ, pinnedNats, best.nats));
    } else if (run.task === 'classify') {
      const { width, height } = model.info;
      const sign = (/** @type {number} */ number) => ({ data: signOf(number, width * height), width, height });
      const support = Array.from({ length: run.known }, (_, i) => ({ image: sign(i), label: i % LABELS }));
      const answers = await model.classify(
        Array.from({ length: run.draw }, (_, i) => sign(run.known + i)),
        { support, maps: true },
      );
      const inOrder = answers.flatMap(({ probabilities }) => [...probabilities].sort((a, b) => Number(a.label) - Number(b.label)));
      await say(
        'nats',
        'asked',
        Float32Array.from(inOrder, ({ nats }) => nats),
      );
      await say(
        'odds',
        'asked',
        Float32Array.from(inOrder, ({ p }) => p),
      );
      await say('weights', 'asked', Float32Array.from(answers.flatMap(({ maps = [] }) => maps.flatMap(({ weights }) => [...weights]))));
    } else if (run.task === 'attention') {
      const { row, column, channel } = run;
      const query = { row, column, channel, label: labelOf(run), input };
      const maps = (await model.attention(pictureOf(model.info), query)).filter(({ name }) => name === 'attention');
      // The keys of all heads, in generation order. As in native.c, a head has a weight of 0 at each key that it does not see.
      const held = new Set(maps.flatMap(({ keys }) => [...keys]));
      const elements = [-1, ...model.order].filter((place) => held.has(place));
      await say('elements', 'asked', Int32Array.from(elements));
      const rows = maps.flatMap(({ keys, weights }) => elements.map((place) => weights[keys.indexOf(place)] ?? 0));
      await say('weights', 'asked', Float32Array.from(rows));
    } else {
      for (const way of run.ways === 'all' ? WAYS : WAYS.slice(0, 1)) {
        const samples = way.alone ? 1 : run.samples;
        const other = way.beside ? draw(model, { ...run, seed: '123456789' }, 1, {}) : undefined;
        const drawn = await draw(model, run, samples, way.options ?? {});
        await other;
        for (const [i, { values, nats }] of drawn.entries()) {
          await say(`sample ${i} values`, way.name, values);
          await say(`sample ${i} nats`, way.name, nats);
        }
      }
    }
  }
  model?.close();
  return results;
}

/**
 * Runs a line of a sound.
 *
 * @param {Model} model
 * @param {PlannedRun} run
 * @param {{ chunkSize?: number, probabilities?: boolean }} way
 * @returns {SoundRun}
 */
function soundOf(model, run, way) {
  const { seed, temperature, topK, topP, known, draw: most } = run;
  const options = {
    seed: BigInt(seed),
    temperature,
    topK,
    topP,
    label: labelOf(run),
    speaker: speakerOf(run),
    seconds: most / (model.info.sampleRate ?? 1),
    ...way,
  };
  return /** @type {any} */ (known > 0 ? model.complete(knownSound(model.info, known), options) : model.generate(options));
}

/**
 * Runs a line of a sound as codes.
 *
 * @param {Model} model
 * @param {PlannedRun} run
 * @param {{ chunkSize?: number }} way
 * @returns {import('../../web/lib/kinds/code/code-run.js').CodeRun}
 */
function codesOf(model, run, way) {
  const { seed, temperature, topK, topP, known, draw: most } = run;
  const { sampleRate: rate = 1, codes: [{ hop }] = [{ hop: 1 }] } = model.info;
  const options = {
    seed: BigInt(seed),
    temperature,
    topK,
    topP,
    label: labelOf(run),
    speaker: speakerOf(run),
    seconds: (most * hop) / rate,
    ...way,
  };
  return /** @type {any} */ (known > 0 ? model.complete(knownSound(model.info, known), options) : model.generate(options));
}

/**
 * Runs a line of music.
 *
 * @param {Model} model
 * @param {PlannedRun} run
 * @param {{ chunkSize?: number }} way
 * @returns {NoteRun}
 */
function musicOf(model, { task, seed, temperature, topK, topP, draw: bars, notes }, way) {
  const options = { seed: BigInt(seed), temperature, topK, topP, ...way };
  return /** @type {any} */ (
    task === 'sing' ? model.generate({ ...options, bars }) : model.complete(/** @type {any} */ (notes), { ...options, voices: [0] })
  );
}

/**
 * Saves the run after its first step, and resumes it.
 *
 * @template {SoundRun | NoteRun | import('../../web/lib/kinds/code/code-run.js').CodeRun} R
 * @param {Model} model
 * @param {R} run
 * @returns {Promise<R>}
 */
async function halfWay(model, run) {
  for await (const _ of run) break;
  return /** @type {any} */ (model.resume(/** @type {any} */ (run.save())));
}

/**
 * Draws the positions of the plan, and then stops the run.
 *
 * @param {Model} model
 * @param {PlannedRun} run
 * @param {number} samples
 * @param {{ chunkSize?: number, lookAhead?: boolean }} way
 */
async function draw(model, run, samples, way) {
  const { info } = model;
  const { seed, temperature, topK, topP } = run;
  const options = { samples, seed: BigInt(seed), label: labelOf(run), temperature, topK, topP, ...way };
  const running =
    run.task === 'complete'
      ? model.complete(pictureOf(info), { ...options, rows: run.knownRows })
      : run.task === 'superResolve'
        ? model.superResolve(pictureOf(inputShape(info)), options)
        : model.generate(options);
  const from = run.known * run.span;
  const count = run.draw * run.span;
  const drawn = Array.from({ length: samples }, () => ({ values: new Uint8Array(count), nats: new Float32Array(count) }));
  let left = samples;
  for await (const step of running) {
    const rest = from + count - step.from;
    if (rest <= 0) continue; // this sample is not so far yet, because another worker draws it
    drawn[step.sample].values.set(step.values.subarray(0, rest), step.from - from);
    drawn[step.sample].nats.set(step.nats.subarray(0, rest), step.from - from);
    if (step.to >= from + count && --left === 0) break;
  }
  return drawn;
}

/**
 * Returns arbitrary token ids (count) below the vocabulary's size, like known_ids() of native.c.
 *
 * @param {{ vocabulary: number }} info
 * @param {number} count
 */
const idsOf = ({ vocabulary }, count) => Uint32Array.from({ length: count }, (_, i) => (7 * i * i + 3 * i + 1) % vocabulary);

/**
 * Returns the levels of idsOf() as a sound.
 *
 * @param {ModelInfo} info
 * @param {number} count
 */
function knownSound({ sampleRate = 1 }, count) {
  const data = Float32Array.from(idsOf({ vocabulary: 256 }, count), (level) => {
    const f = (2 * level) / 255 - 1;
    return (Math.sign(f) * (256 ** Math.abs(f) - 1)) / 255;
  });
  return { samples: data, sampleRate };
}

/** @param {PlannedRun} run */
function labelOf({ label }) {
  return label < 0 ? undefined : label;
}

/** @param {PlannedRun} run */
function speakerOf({ speaker }) {
  return speaker < 0 ? undefined : speaker;
}

/**
 * Draws a disc in front of a ramp, in integers, like picture() of native.c.
 *
 * @param {{ width: number, height: number, channels: number }} shape
 */
function pictureOf({ width, height, channels }) {
  const data = Uint8Array.from({ length: width * height * channels }, (_, i) => {
    const channel = i % channels;
    const x = Math.floor(i / channels) % width;
    const y = Math.floor(i / channels / width);
    const inside = 25 * ((2 * x + 1 - width) ** 2 + (2 * y + 1 - height) ** 2) < 16 * width * height;
    return inside ? 250 - Math.floor((60 * y) / height) - 40 * channel : 10 + Math.floor((50 * x) / width) + 30 * channel;
  });
  return { data, width, height };
}

/**
 * The shape of the small picture from which super-resolution starts.
 *
 * @param {ModelInfo} info
 */
const inputShape = ({ inputWidth, inputHeight, channels }) => ({ width: inputWidth, height: inputHeight, channels });

/** @param {Uint8Array | Float32Array | Int32Array | Uint32Array} data  little-endian in memory, as on every machine with a browser */
async function sha256(data) {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const digest = await crypto.subtle.digest('SHA-256', /** @type {Uint8Array<ArrayBuffer>} */ (bytes));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
