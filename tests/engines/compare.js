// SPDX-License-Identifier: MIT
// @ts-check

/** Compares the results of every engine and build, and prints the table. */

import { createHash } from 'node:crypto';

import { OF_JAVASCRIPT, itemsOf } from './plan.js';

/** @import { PlannedRun } from './plan.js' */
/** @import { Result } from './runs.js' */

/**
 * The results of one engine with one build.
 *
 * @typedef {{ name: string, results: Result[] }} Column
 */

/** @param {{ model: string, work: string }} run @param {string} item */
const keyOf = ({ model, work }, item) => `${model}, ${work}, ${item}`;

/** An engine that produced a hash, and the mode in which it ran (such as resumed). @typedef {{ name: string, way: string }} Finder */

/**
 * Returns a list of the columns (engines and builds) that have this hash. If the modes of one engine gave different hashes, the list also
 * names the modes.
 *
 * @param {Finder[]} finders
 * @param {Map<string, Finder[]>} hashes
 */
function namesOf(finders, hashes) {
  return [...new Set(finders.map(({ name }) => name))]
    .map((name) => {
      const whole = [...hashes.values()].filter((others) => others.some((other) => other.name === name)).length === 1;
      return whole
        ? name
        : `${name} (${finders
            .filter((finder) => finder.name === name)
            .map(({ way }) => way)
            .join(', ')})`;
    })
    .join(', ');
}

/**
 * Returns a message for each result that differs, is missing, or was not planned; an empty list if there are none.
 *
 * @param {PlannedRun[]} plan
 * @param {Column[]} columns
 * @returns {string[]}
 */
export function faults(plan, columns) {
  /** @type {string[]} */
  const found = [];
  const planned = new Set(plan.flatMap((run) => itemsOf(run).map((item) => keyOf(run, item))));
  /** For each key, the engines and modes that produced each hash. @type {Map<string, Map<string, Finder[]>>} */
  const seen = new Map([...planned].map((key) => [key, new Map()]));
  for (const { name, results } of columns) {
    const has = new Set();
    for (const { model, work, item, way, hash } of results) {
      const key = keyOf({ model, work }, item);
      has.add(key);
      const hashes = seen.get(key);
      if (!hashes) found.push(`${name}: not in the plan: ${key}`);
      else hashes.set(hash, [...(hashes.get(hash) ?? []), { name, way }]);
    }
    const says = (/** @type {string} */ key) => !name.startsWith('native ') || !OF_JAVASCRIPT.some((item) => key.endsWith(`, ${item}`));
    for (const key of planned) if (!has.has(key) && says(key)) found.push(`${name}: missing: ${key}`);
  }
  for (const [key, hashes] of seen) {
    if (hashes.size < 2) continue;
    const groups = [...hashes].sort((a, b) => b[1].length - a[1].length);
    found.push(`${key}: ${groups.map(([hash, who]) => `${hash.slice(0, 8)} from ${namesOf(who, hashes)}`).join('; but ')}`);
  }
  return [...found, ...alike(plan, columns)];
}

/**
 * Checks that the samples of a run are not all equal. If they were, equal hashes of engines would mean little. Samples use different noise,
 * so they must differ. (The samples of a tiny model may be equal, because the model may be certain.)
 *
 * @param {PlannedRun[]} plan
 * @param {Column[]} columns
 */
function alike(plan, columns) {
  return columns.flatMap(({ name, results }) =>
    plan
      .filter(({ shipped, samples }) => shipped && samples > 1)
      .filter((run) => {
        const own = results.filter(({ model, work, item }) => model === run.model && work === run.work && /nats/.test(item));
        return new Set(own.map(({ hash }) => hash)).size < new Set(own.map(({ item }) => item)).size;
      })
      .map(({ model, work }) => `${name}: samples are alike: ${model}, ${work}`),
  );
}

/**
 * Returns the table, with a row for each task of a shipped model and for each small model, and a column for each engine and build. A cell
 * shows the beginning of the SHA-256 of its results.
 *
 * @param {PlannedRun[]} plan
 * @param {Column[]} columns
 * @returns {string}
 */
export function table(plan, columns) {
  // The heading has two lines: the engine and the build.
  const words = columns.map(({ name }) => name.split(' '));
  const rows = [0, 1].map((line) => ['', ...words.map((word) => word[line] ?? '')]);
  for (const model of new Set(plan.map((run) => run.model))) {
    const runs = plan.filter((run) => run.model === model);
    const row = (/** @type {string} */ title, /** @type {PlannedRun[]} */ of) => {
      rows.push([title, ...columns.map((column) => cell(of, column))]);
    };
    if (runs[0].shipped) for (const run of runs) row(`${model}: ${run.work}`, [run]);
    else row(`${model} (tiny): ${runs.length - 1} works`, runs);
  }
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  return rows
    .map(
      (row) =>
        `${row
          .map((text, i) => text.padEnd(widths[i]))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

/**
 * @param {PlannedRun[]} runs
 * @param {Column} column
 */
function cell(runs, { results }) {
  const hash = createHash('sha256');
  for (const run of runs) {
    for (const item of itemsOf(run).filter((one) => !OF_JAVASCRIPT.includes(one))) {
      const own = results.filter((result) => result.model === run.model && result.work === run.work && result.item === item);
      if (own.length === 0) return 'missing';
      if (own.some((result) => result.hash !== own[0].hash)) return 'differs';
      hash.update(own[0].hash);
    }
  }
  return hash.digest('hex').slice(0, 8);
}
