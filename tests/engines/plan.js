// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The plan for every engine and every build: the tasks of works.json, with each model that supports them. JavaScript gets the plan as
 * objects, and the native program gets it as lines of text.
 */

import { readFile, readdir, stat } from 'node:fs/promises';

import { load } from '../../web/lib/index.js';
import { Alphabet } from '../../web/lib/kinds/note/alphabet.js';
import { encode } from '../../web/lib/kinds/note/codec.js';
import { describe, fittingOf } from '../../web/lib/model/describe.js';
import { engineOf } from '../../web/lib/model/engine.js';
import { Core } from '../js/core.js';
import { wasmModule } from '../js/helpers.js';

/** @import { AnyInfo as ModelInfo } from '../../web/lib/engine/protocol.js' */
/** @import { Note } from '../../web/lib/kinds/note/codec.js' */

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
 * @property {'all' | 'one'} [ways]  whether to run the task in every mode. By default it runs in one
 */

/**
 * One task with one model; all values are numbers.
 *
 * @typedef {object} PlannedRun
 * @property {string} path         path of the weight file
 * @property {string} model        name of the model
 * @property {string} work
 * @property {string} task         'open': the first line of each model; 'score-text'; for sounds 'sound' (without input, or after another
 *   sound) and 'score-sound'; for sounds as codes 'code', 'speak' and 'go-on'; for music 'sing', 'harmonise' and 'score-music'; for
 *   pictures from latents 'make'; otherwise as in Work
 * @property {number} known        number of known positions; for a text tokens, for a sound samples
 * @property {number} draw         number of positions; for a text or a sound the maximum, because it may end earlier
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
 * @property {Note[]} [notes]      for music; not a field of a line
 * @property {string[]} words      for 'tag'; not a field of a line
 * @property {number} knownRows    `known` in rows; not a field of a line
 * @property {number} span         elements per position
 * @property {boolean} shipped     whether the file is in weights/; not a field of a line
 */

/** The fields of a line for the native program, in their order. */
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

/** The tasks of text models: 'tokens' is generate(). */
const OF_TEXTS = ['tokens', 'score'];
/** Number of known tokens of a text, or of all tokens if the task is a score. */
const KNOWN_TOKENS = 40;
/** Maximum number of tokens to draw. */
const MOST_TOLD = 48;

/** Number of known samples of a sound, and the maximum number of samples to draw. */
const KNOWN_SAMPLES = 300;
const MOST_SOUNDED = 400;

/** Maximum number of codes of the top level to draw. */
const MOST_CODED = 9;

/** The words to tag. One of them occurs in no training sentence. */
const WORDS = 'Time flies like an arrow , but fruit flies like a xqzzyish banana in 1905 .'.split(' ');

/** Number of examples and of queries for a model that classifies characters. */
const [EXAMPLES, QUESTIONS] = [8, 3];

/** Number of time steps of music to score and harmonise, and the maximum number of bars drawn without input. */
const MOMENTS = 12;
const BARS = 2;

/** The known fraction of a completion, and the maximum drawn fraction. The drawn part reaches a little beyond the border of the third block
 * of local attention, where the first block becomes invisible. Without input, it is long enough that some pictures are no longer blank. */
const KNOWN = 3 / 8;
const MOST_DRAWN = 256;
/** The maximum number of positions to draw after known ones in a short plan. */
const SHORT_DRAWN = 112;

/**
 * @param {string} root  path of the repository, ending in a slash
 * @param {boolean} [short]  whether to run each task in one mode, for fewer positions, with only the smallest of the files that have the
 *   same architecture, kind and tasks (for toys, also the same channels and levels)
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
      const { info, features } = await aboutModel(path);
      const { architecture, kind, verbs, lookAhead, channels, levels } = /** @type {any} */ (info);
      const runs = runsOf(works, folder + name, name.slice(0, -'.gguf'.length), info, shipped, features);
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
 * Returns a model's info and, for a tagger, the ids of the features of WORDS. Models of pictures get no worker, because their info is
 * complete without one; starting workers would take most of the time.
 *
 * @param {string} path
 */
async function aboutModel(path) {
  const fitting = fittingOf(new Core(wasmModule, await readFile(path)));
  if (fitting.kind.name === 'picture') return { info: /** @type {ModelInfo} */ (describe(fitting)), features: '' };
  const model = await load(path);
  const info = /** @type {ModelInfo} */ (model.info);
  const features = info.verbs.includes('tag') ? engineOf(model).kind.features.ids(WORDS).join(' ') : '';
  model.close();
  return { info, features };
}

/**
 * @param {Work[]} works
 * @param {string} path
 * @param {string} model
 * @param {ModelInfo} info
 * @param {boolean} shipped
 * @param {string} features  features of WORDS, for a tagger
 * @returns {PlannedRun[]}
 */
function runsOf(works, path, model, info, shipped, features) {
  const { height, width, channels, positions, classes, verbs, vocabulary } = info;
  // translations are compared on their page (pages.js) and, in C, by a hash (tests/c)
  if (vocabulary > 0 && !verbs.includes('generate')) return [];
  const step = info.blockRows || 1;
  const span = (height * width * channels) / positions;
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
    span,
    shipped,
  };
  if (verbs.includes('tag')) {
    return [
      base,
      ...works.filter(({ task }) => task === 'tag').map(({ label, ...work }) => ({ ...base, ...work, features, words: WORDS })),
    ];
  }
  if (verbs.includes('walk')) return [base, { ...base, work: 'make', task: 'make', seed: '12884901888', label: classes.length - 1 }];
  if (verbs.includes('classify')) {
    return [
      base,
      ...works
        .filter(({ task }) => task === 'classify')
        .map(({ label, ...work }) => ({ ...base, ...work, known: EXAMPLES, draw: QUESTIONS })),
    ];
  }
  if (verbs.includes('parse')) return [base]; // likewise
  if (info.kind === 'code')
    return [base, ...works.filter(({ task }) => verbs.includes(task)).map((work) => ({ ...base, ...work, ...coding(work, info) }))];
  if (info.kind === 'note')
    return [base, ...works.filter(({ task }) => verbs.includes(task)).map((work) => ({ ...base, ...work, ...singing(work, info) }))];
  if (info.kind === 'sound')
    return [base, ...works.filter(({ task }) => verbs.includes(task)).map((work) => ({ ...base, ...work, ...sounding(work, info) }))];
  if (vocabulary > 0) {
    const known = Math.min(KNOWN_TOKENS, positions >> 1);
    const told = works
      .filter(({ task }) => OF_TEXTS.includes(task))
      .map(({ label, ...work }) => ({
        ...base,
        ...work,
        task: work.task === 'score' ? 'score-text' : work.task,
        known,
        draw: Math.min(positions - known, MOST_TOLD),
      }));
    return [base, ...told];
  }
  const planned = works
    .filter(({ task }) => verbs.includes(task))
    .map((work) => {
      const knownRows = work.task === 'complete' ? Math.floor((KNOWN * height) / step) * step : 0;
      const known = (knownRows * positions) / height;
      return {
        ...base,
        ...work,
        knownRows,
        known,
        draw: Math.min(positions - known, MOST_DRAWN),
        label: labelOf(work, classes),
        // A row in the lower half, where a query sees the largest number of keys.
        row: Math.floor((2 * height) / 3),
        column: width >> 1,
        channel: channels - 1,
      };
    });
  return [base, ...planned];
}

/**
 * Returns the index of a task's class, or -1.
 *
 * @param {Work} work
 * @param {string[]} classes
 */
function labelOf({ label }, classes) {
  const last = classes.length - 1; // -1 if there are no classes
  return { none: -1, first: Math.min(0, last), middle: last >> 1, last }[label ?? 'none'];
}

/**
 * Converts a task on pictures to a task on sounds, with a speaker if the task has a class.
 *
 * @param {Work} work
 * @param {ModelInfo} info
 */
function sounding(work, { classes, speakers = [] }) {
  const label = labelOf(work, classes);
  return {
    task: work.task === 'score' ? 'score-sound' : 'sound',
    samples: 1,
    known: work.task === 'generate' ? 0 : KNOWN_SAMPLES,
    draw: MOST_SOUNDED,
    label,
    speaker: label < 0 || speakers.length === 0 ? -1 : (label + 1) % speakers.length,
  };
}

/**
 * Converts a task to a task on sounds as codes: it encodes a sound whose last top-level code is incomplete, or draws more codes.
 *
 * @param {Work} work
 * @param {ModelInfo} info
 */
function coding(work, info) {
  const { hop } = (info.codes ?? [])[0];
  const task = { generate: 'speak', complete: 'go-on' }[work.task] ?? 'code';
  return { ...sounding(work, info), task, known: task === 'speak' ? 0 : 2 * hop + (hop >> 1), draw: MOST_CODED };
}

/**
 * Converts a task on pictures to a task on music: it scores all voices of some notes, and harmonises the first voice.
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
  if (task === 'complete') return { task: 'harmonise', samples: 1, label: -1, notes: notes.filter(({ voice }) => voice === voices[0]) };
  return { task: 'score-music', samples: 1, label: -1, notes, features: [...encode(alphabet, notes), alphabet.end].join(' ') };
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

/** Results that only JavaScript computes; C programs print nothing for them. */
export const OF_JAVASCRIPT = ['odds', 'line', 'sphere', 'circle', 'notes', 'nats of notes'];

/**
 * Returns the names of the results that a run must have, in every mode.
 *
 * @param {PlannedRun} run
 * @returns {string[]}
 */
export function itemsOf({ task, samples }) {
  if (task === 'open') return ['bytes'];
  if (['score', 'score-text', 'score-sound', 'score-music'].includes(task)) return ['nats'];
  if (task === 'sing' || task === 'harmonise') return ['notes', 'nats of notes'];
  if (task === 'sound') return ['levels', 'nats', 'odds'];
  if (task === 'code') return ['top codes', 'bottom codes', 'from the top', 'from the bottom'];
  if (task === 'speak' || task === 'go-on') return ['top codes', 'nats of the top', 'bottom codes', 'nats of the bottom', 'samples'];
  if (task === 'tokens') return ['tokens', 'nats'];
  if (task === 'make') return ['values', 'latent', 'weights', 'line', 'sphere', 'circle'];
  if (task === 'tag') return ['tags', 'marginals', 'nats'];
  if (task === 'classify') return ['nats', 'weights', 'odds'];
  if (task === 'attention') return ['elements', 'weights'];
  return Array.from({ length: samples }, (_, i) => [`sample ${i} values`, `sample ${i} nats`]).flat();
}
