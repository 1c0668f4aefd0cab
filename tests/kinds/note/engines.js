// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Defines runs of models of the `note` kind; tests/engines checks that their results are the same in every engine and build (see
 * tests/kinds/engines.js). This file also runs in pages, without Node.
 */

import { Alphabet } from '../../../web/lib/kinds/note/alphabet.js';
import { encode } from '../../../web/lib/kinds/note/codec.js';
import { halfWay } from '../../engines/inputs.js';

/** @import { AnyInfo as ModelInfo } from '../../../web/lib/engine/protocol.js' */
/** @import { NoteRun } from '../../../web/lib/kinds/note/note-run.js' */
/** @import { AnyModel as Model } from '../../../web/lib/model/of-kind.js' */
/** @import { PlannedRun, Work } from '../../engines/plan.js' */
/** @import { Plan, Tasks } from '../engines.js' */

/** Number of time steps of music to score and harmonise, and the maximum number of bars to draw without input. */
const MOMENTS = 12;
const BARS = 2;

/** @type {Plan} */
export const plan = (works, info) =>
  works.filter(({ task }) => info.verbs.includes(task)).map((work) => ({ ...work, ...singing(work, info) }));

/**
 * Converts a task on pictures to a task on music, such as scoring all voices of some notes, or harmonising the first voice.
 *
 * @param {Work} work
 * @param {ModelInfo} info
 */
function singing({ task }, { notes: said = [], voices = [], positions }) {
  const alphabet = new Alphabet(said, voices);
  const moments = Math.min(MOMENTS, Math.floor((positions - 2) / (2 * voices.length)));
  const length = Math.min(...alphabet.waits.keys());
  const notes = alphabet.voices.flatMap(({ name, of }, v) =>
    Array.from({ length: moments }, (_, i) => ({
      start: i * length,
      length,
      pitch: [...of.keys()][(i * i + 3 * v) % of.size],
      voice: name,
      velocity: 80,
    })),
  );
  if (task === 'generate') return { task: 'sing', draw: BARS, samples: 1, label: -1 };
  if (task === 'complete') return { task: 'harmonise', samples: 1, label: -1, input: notes.filter(({ voice }) => voice === voices[0]) };
  return { task: 'score-music', samples: 1, label: -1, input: notes, features: [...encode(alphabet, notes), alphabet.end].join(' ') };
}

/** @type {Tasks[string]} */
const making = {
  items: () => ['notes', 'nats of notes'],
  run: async (model, run, say) => {
    for (const way of ['at once', 'in chunks of 7', 'resumed']) {
      const asked = musicOf(model, run, way === 'in chunks of 7' ? { chunkSize: 7 } : {});
      const singing = way === 'resumed' ? await halfWay(model, asked) : asked;
      await singing.notes();
      const { ids, nats } = singing.save();
      await say('notes', way, Uint32Array.from(ids));
      await say('nats of notes', way, Float32Array.from(nats));
    }
  },
};

/** @type {Tasks} */
export const tasks = {
  sing: making,
  harmonise: making,
  'score-music': {
    items: () => ['nats'],
    run: async (model, run, say) => {
      const { perElement } = /** @type {{ perElement: Float32Array }} */ (
        /** @type {any} */ (await model.score(/** @type {any} */ (run.input)))
      );
      await say('nats', 'asked', perElement);
    },
  },
};

/**
 * Starts the planned run of music.
 *
 * @param {Model} model
 * @param {PlannedRun} run
 * @param {{ chunkSize?: number }} way
 * @returns {NoteRun}
 */
function musicOf(model, { task, seed, temperature, topK, topP, draw: bars, input }, way) {
  const options = { seed: BigInt(seed), temperature, topK, topP, ...way };
  return /** @type {any} */ (
    task === 'sing' ? model.generate({ ...options, bars }) : model.complete(/** @type {any} */ (input), { ...options, voices: [0] })
  );
}
