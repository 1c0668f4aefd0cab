// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The plan for every engine and every build: each task of works.json, for each model that supports the task. JavaScript gets the plan as
 * objects; the native program gets it as lines of text.
 */

import { readFile, readdir, stat } from 'node:fs/promises';

import { load } from '../../web/lib/index.js';
import { describe, fittingOf } from '../../web/lib/model/describe.js';
import { engineOf } from '../../web/lib/model/engine.js';
import { Core } from '../js/core.js';
import { wasmModule } from '../js/helpers.js';
import { ALL, TASKS } from '../kinds/engines.js';
import { rows } from '../kinds/rows.js';

/** @import { AnyInfo as ModelInfo } from '../../web/lib/engine/protocol.js' */

/**
 * An entry of works.json.
 *
 * @typedef {object} Work
 * @property {string} work         name
 * @property {string} task         one of `info.verbs`, or 'tokens', which is generate() of a text model
 * @property {number} [samples]
 * @property {string} [seed]       64 bits, decimal
 * @property {'first' | 'middle' | 'last'} [label]  class index, if the model has classes
 * @property {number} [temperature]  a float32, like topP
 * @property {number} [topK]
 * @property {number} [topP]
 * @property {number} [pinned]     position of the word whose tag is pinned to the last of the tags
 * @property {'all' | 'one'} [ways]  whether to run the task in every mode. By default, the task runs in one mode
 */

/**
 * One task with one model.
 *
 * @typedef {object} PlannedRun
 * @property {string} path         path of the weight file
 * @property {string} model        name of the model
 * @property {string} work
 * @property {string} task         'open' for the first line of each model; otherwise a task of Work, or one of these. Text: 'score-text'.
 *   Audio: 'sound' (without input, or after known audio) and 'score-sound'. Audio codes: 'code', 'speak' and 'go-on'. Music: 'sing',
 *   'harmonise' and 'score-music'. Pictures from latents: 'make'
 * @property {number} known        number of known positions (pixels, tokens or audio samples)
 * @property {number} draw         number of positions to draw; for text and audio this is the maximum, because a run may end earlier
 * @property {number} samples
 * @property {string} seed
 * @property {number} label        index, or -1
 * @property {number} speaker      index of the speaker of an audio model, or -1
 * @property {number} temperature
 * @property {number} topK
 * @property {number} topP
 * @property {number} row          row of the query of 'attention'
 * @property {number} column
 * @property {number} channel
 * @property {'all' | 'one'} ways
 * @property {number} pinned       as in Work, or -1
 * @property {string} features     for 'tag': the ids of the words' features, separated by spaces; for 'score-music': the ids of the notes
 * @property {unknown} [input]     an input that the kind's functions read; only for JavaScript, not in the native program's lines
 * @property {string[]} words      for 'tag'; only for JavaScript
 * @property {number} knownRows    `known` in rows of the picture; only for JavaScript
 * @property {number} span         elements per position
 * @property {boolean} shipped     whether the file is in weights/; only for JavaScript
 */

/** The plans of every kind. */
const PLANS = rows(ALL, 'plan', 'engines.js');

/** The fields of a line for the native program, in order. */
const FIELDS = /** @type {const} */ ([
  'path',
  'model',
  'work',
  'task',
  'known',
  'draw',
  'samples',
  'seed',
  'label',
  'temperature',
  'topK',
  'topP',
  'row',
  'column',
  'channel',
  'ways',
  'pinned',
  'features',
  'speaker',
]);

/** In a short plan, the maximum number of positions to draw after the known ones. */
const SHORT_DRAWN = 112;

/**
 * @param {string} root  path of the repository, ending in a slash
 * @param {boolean} [short]  whether to plan less: one mode per task, fewer positions, and only the smallest of the files that have the same
 *   architecture, kind and tasks (for toys, also the same channels and levels)
 * @returns {Promise<PlannedRun[]>}
 */
export async function makePlan(root, short = false) {
  /** @type {Work[]} */
  const works = JSON.parse(await readFile(new URL('./works.json', import.meta.url), 'utf8'));
  /** @type {PlannedRun[]} */
  const plan = [];
  const seen = new Set();
  for (const folder of ['weights/', 'tests/golden/']) {
    const names = (await readdir(root + folder)).filter((name) => name.endsWith('.gguf') && !name.endsWith('.golden.gguf')).sort();
    const shipped = folder === 'weights/';
    const sizes = new Map(
      await Promise.all(names.map(async (name) => /** @type {const} */ ([name, (await stat(root + folder + name)).size]))),
    );
    if (short) names.sort((a, b) => Number(sizes.get(a)) - Number(sizes.get(b)));
    for (const name of names) {
      const path = root + folder + name;
      const { info, kind: own } = await aboutModel(path);
      const { architecture, kind, verbs, lookAhead, channels, levels } = /** @type {any} */ (info);
      const runs = runsOf(works, folder + name, name.slice(0, -'.gguf'.length), info, shipped, own);
      const alike = [architecture, kind, verbs, lookAhead, ...(shipped ? [] : [channels, levels])].join(' ');
      if (!short) plan.push(...runs);
      else if (!seen.has(alike))
        plan.push(
          ...runs.map((run) => ({
            ...run,
            ways: /** @type {const} */ ('one'),
            samples: Math.min(run.samples, 2),
            draw: run.known > 0 ? Math.min(run.draw, SHORT_DRAWN) : run.draw,
          })),
        );
      seen.add(alike);
    }
  }
  return plan;
}

/**
 * Returns a model's info and class. Picture models get no worker, because their info is complete without one, and starting workers would
 * take most of the time.
 *
 * @param {string} path
 */
async function aboutModel(path) {
  const fitting = fittingOf(new Core(wasmModule, await readFile(path)));
  if (fitting.kind.name === 'picture') return { info: /** @type {ModelInfo} */ (describe(fitting)), kind: undefined };
  const model = await load(path);
  const [info, { kind }] = [/** @type {ModelInfo} */ (model.info), engineOf(model)];
  model.close();
  return { info, kind };
}

/**
 * @param {Work[]} works
 * @param {string} path
 * @param {string} model
 * @param {ModelInfo} info
 * @param {boolean} shipped
 * @param {any} kind  class of the model
 * @returns {PlannedRun[]}
 */
function runsOf(works, path, model, info, shipped, kind) {
  /** @type {PlannedRun} */
  const base = {
    path,
    model,
    work: 'file',
    task: 'open',
    known: 0,
    draw: 0,
    samples: 1,
    seed: '0',
    label: -1,
    temperature: 1,
    topK: 0,
    topP: 1,
    row: 0,
    column: 0,
    channel: 0,
    ways: 'one',
    pinned: -1,
    speaker: -1,
    features: '',
    words: [],
    knownRows: 0,
    span: (info.height * info.width * info.channels) / info.positions,
    shipped,
  };
  const planned = PLANS[info.kind](works, info, kind);
  return planned ? [base, ...planned.map((run) => ({ ...base, ...run }))] : [];
}

/**
 * Returns the plan in the form that the native program reads.
 *
 * @param {PlannedRun[]} plan
 */
export function lines(plan) {
  return plan
    .filter((run) => !itemsOf(run).every((item) => OF_JAVASCRIPT.includes(item)))
    .map((run) => `${FIELDS.map((field) => run[field]).join('\t')}\n`)
    .join('');
}

/** Results that only the JavaScript library computes; native.c prints nothing for them. */
export const OF_JAVASCRIPT = ['odds', 'line', 'sphere', 'circle', 'notes', 'nats of notes'];

/**
 * Returns the names of the results that a run must have, in every mode.
 *
 * @param {PlannedRun} run
 * @returns {string[]}
 */
export const itemsOf = (run) => (run.task === 'open' ? ['bytes'] : TASKS[run.task].items(run));
