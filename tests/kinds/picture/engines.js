// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Defines runs of models of the `picture` kind; tests/engines checks that their results are the same in every engine and build (see
 * tests/kinds/engines.js). This file also runs in pages, without Node.
 */

import { chosen, inputShape, labelOf, pictureOf } from '../../engines/inputs.js';

/** @import { AnyModel as Model } from '../../../web/lib/model/of-kind.js' */
/** @import { Plan, Tasks } from '../engines.js' */
/** @import { PlannedRun } from '../../engines/plan.js' */

/**
 * The fraction of the picture that is known in a completion, and the largest number of positions that are drawn. The drawn part reaches a
 * little into the third block of local attention, so that it has positions at which the first block is no longer visible. Many pictures
 * begin with blank rows. Without input, the drawn part is long enough that some samples continue beyond these rows.
 */
const KNOWN = 3 / 8;
const MOST_DRAWN = 256;

/**
 * The modes of a run, which must all give the same result. `options` are passed to complete(), generate() and superResolve(); `alone` draws
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

/** @type {Plan} */
export const plan = (works, { height, width, channels, positions, classes, verbs, blockRows }) => {
  const step = blockRows || 1;
  return works
    .filter(({ task }) => verbs.includes(task))
    .map((work) => {
      const knownRows = work.task === 'complete' ? Math.floor((KNOWN * height) / step) * step : 0;
      const known = (knownRows * positions) / height;
      return {
        ...work,
        knownRows,
        known,
        draw: Math.min(positions - known, MOST_DRAWN),
        label: chosen(work, classes),
        // The query is in the lower half of the picture, where it sees more than half of the keys.
        row: Math.floor((2 * height) / 3),
        column: width >> 1,
        channel: channels - 1,
      };
    });
};

/** @type {Tasks[string]} */
const drawing = {
  items: ({ samples }) => Array.from({ length: samples }, (_, i) => [`sample ${i} values`, `sample ${i} nats`]).flat(),
  run: async (model, run, say) => {
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
  },
};

/** @type {Tasks} */
export const tasks = {
  generate: drawing,
  complete: drawing,
  superResolve: drawing,
  score: {
    items: () => ['nats'],
    run: async (model, run, say) => {
      const input = model.info.inputWidth ? pictureOf(inputShape(model.info)) : undefined;
      const { perElement } = await model.score(pictureOf(model.info), { input, label: labelOf(run) });
      await say('nats', 'asked', perElement);
    },
  },
  attention: {
    items: () => ['elements', 'weights'],
    run: async (model, run, say) => {
      const input = model.info.inputWidth ? pictureOf(inputShape(model.info)) : undefined;
      const { row, column, channel } = run;
      const query = { row, column, channel, label: labelOf(run), input };
      const maps = (await model.attention(pictureOf(model.info), query)).filter(({ name }) => name === 'attention');
      // The keys that any head sees, in generation order. As in native.c, a head has a weight of 0 at each key that it does not see.
      const held = new Set(maps.flatMap(({ keys }) => [...keys]));
      const elements = [-1, ...model.order].filter((place) => held.has(place));
      await say('elements', 'asked', Int32Array.from(elements));
      const rows = maps.flatMap(({ keys, weights }) => elements.map((place) => weights[keys.indexOf(place)] ?? 0));
      await say('weights', 'asked', Float32Array.from(rows));
    },
  },
};

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
    if (rest <= 0) continue; // another worker draws this sample and is not as far
    drawn[step.sample].values.set(step.values.subarray(0, rest), step.from - from);
    drawn[step.sample].nats.set(step.nats.subarray(0, rest), step.from - from);
    if (step.to >= from + count && --left === 0) break;
  }
  return drawn;
}
