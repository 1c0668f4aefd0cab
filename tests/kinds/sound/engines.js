// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Defines runs of models of the `sound` kind; tests/engines checks that their results are the same in every engine and build (see
 * tests/kinds/engines.js). This file also runs in pages, without Node.
 */

import { halfWay, knownSound, labelOf, sounding, speakerOf } from '../../engines/inputs.js';

/** @import { SoundRun } from '../../../web/lib/index.js' */
/** @import { AnyModel as Model } from '../../../web/lib/model/of-kind.js' */
/** @import { PlannedRun } from '../../engines/plan.js' */
/** @import { Plan, Tasks } from '../engines.js' */

/** @type {Plan} */
export const plan = (works, info) =>
  works.filter(({ task }) => info.verbs.includes(task)).map((work) => ({ ...work, ...sounding(work, info) }));

/** @type {Tasks} */
export const tasks = {
  sound: {
    items: () => ['levels', 'nats', 'odds'],
    run: async (model, run, say) => {
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
    },
  },
  'score-sound': {
    items: () => ['nats'],
    run: async (model, run, say) => {
      await say(
        'nats',
        'asked',
        (await model.score(knownSound(model.info, run.known), { label: labelOf(run), speaker: speakerOf(run) })).perElement,
      );
    },
  },
};

/**
 * Starts the planned run of audio.
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
