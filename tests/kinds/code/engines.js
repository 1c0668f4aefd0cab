// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Defines runs of models of the `code` kind; tests/engines checks that their results are the same in every engine and build (see
 * tests/kinds/engines.js). This file also runs in pages, without Node.
 */

import { halfWay, knownSound, labelOf, sounding, speakerOf } from '../../engines/inputs.js';

/** @import { AnyInfo as ModelInfo } from '../../../web/lib/engine/protocol.js' */
/** @import { CodeRun } from '../../../web/lib/kinds/code/code-run.js' */
/** @import { AnyModel as Model } from '../../../web/lib/model/of-kind.js' */
/** @import { PlannedRun, Work } from '../../engines/plan.js' */
/** @import { Plan, Tasks } from '../engines.js' */

/** Maximum number of top-level codes to draw. */
const MOST_CODED = 9;

/** @type {Plan} */
export const plan = (works, info) =>
  works.filter(({ task }) => info.verbs.includes(task)).map((work) => ({ ...work, ...coding(work, info) }));

/**
 * Converts a task on audio to a task on audio codes. The new task draws codes, or encodes audio that ends in the middle of a top-level
 * code.
 *
 * @param {Work} work
 * @param {ModelInfo} info
 */
function coding(work, info) {
  const { hop } = (info.codes ?? [])[0];
  const task =
    { generate: 'speak', complete: 'go-on', encode: 'code' }[/** @type {'generate' | 'complete' | 'encode'} */ (work.task)] ?? 'code';
  return { ...sounding(work, info), task, known: task === 'speak' ? 0 : 2 * hop + (hop >> 1), draw: MOST_CODED };
}

/** @type {Tasks[string]} */
const speaking = {
  items: () => ['top codes', 'nats of the top', 'bottom codes', 'nats of the bottom', 'samples'],
  run: async (model, run, say) => {
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
      if (way === 'resumed') continue; // a resumed run reports a cost of 0 for earlier values
      await say('nats of the top', way, Float32Array.from(found['nats of the top']));
      await say('nats of the bottom', way, Float32Array.from(found['nats of the bottom']));
    }
  },
};

/** @type {Tasks} */
export const tasks = {
  code: {
    items: () => ['top codes', 'bottom codes', 'from the top', 'from the bottom'],
    run: async (model, run, say) => {
      const { top, bottom } = await model.encode(knownSound(model.info, run.known));
      await say('top codes', 'asked', top);
      await say('bottom codes', 'asked', bottom);
      await say('from the top', 'asked', (await model.decode({ top })).samples);
      await say('from the bottom', 'asked', (await model.decode({ bottom })).samples);
    },
  },
  speak: speaking,
  'go-on': speaking,
};

/**
 * Starts the planned run of audio codes.
 *
 * @param {Model} model
 * @param {PlannedRun} run
 * @param {{ chunkSize?: number }} way
 * @returns {CodeRun}
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
