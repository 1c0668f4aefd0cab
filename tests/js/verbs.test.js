// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests the manual's promises for every verb that draws, on small models. The options `maps`, `probabilities` and `chunkSize`, and the
 * number of workers, must not change any bit of the result. A run that is saved at any step and resumed must have the same ids, `finish`,
 * result and input as an uninterrupted run. The score of a result must equal the cost of the run that drew it. There are one or more test
 * cases per verb of each kind. runs.test.js tests the shipped files.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { TASKS } from '../../web/lib/element/tasks.js';
import { KINDS } from '../../web/lib/kinds/index.js';
import { engineOf } from '../../web/lib/model/engine.js';
import { ALL } from '../../web/lib/verbs/table.js';
import { EVERY, longer } from '../more.js';
import { rowsOf, weightsOf } from '../kinds/js.js';
import { NAMES, named } from '../kinds/rows.js';
import { isError, load } from './helpers.js';

const ROWS = named(rowsOf('verbs'));
const RUNS = rowsOf('runs');

test('this file tests every verb of every kind that draws', () => {
  const draws = ALL.filter(([, verb]) => verb.draws).map(([name]) => String(name));
  const verbs = KINDS.filter(({ name }) => NAMES.includes(name)).flatMap(({ name, verbs }) =>
    draws.filter((verb) => verb in verbs).map((verb) => `${name}.${verb}`),
  );
  assert.deepEqual([...new Set(Object.keys(ROWS).map((name) => name.split(',')[0]))].sort(), verbs.sort());
});

for (const [kind, nested] of Object.entries(rowsOf('nested')))
  test(`${kind}: calling a verb that a model lacks gives an error with the names of the model's verbs`, async () => {
    for (const file of new Set(Object.values(nested).map((row) => row.file))) {
      const model = /** @type {any} */ (await load(file));
      const { verbs } = engineOf(model); // includes verbs that info.verbs omits because the file lacks metadata
      const able = TASKS.filter(({ verb }) => verbs.includes(verb)).map(({ verb }) => `${verb}()`);
      assert.ok(able.length > 0);
      for (const [verb] of ALL.filter(([name]) => !verbs.includes(name)))
        await assert.rejects(
          async () => model[verb](),
          isError('argument', new RegExp(`^This model has no ${verb}\\(\\): use ${able.join(' or ').replace(/[()]/g, '\\$&')}$`)),
        );
      model.close();
    }
  });

/** Collects the ids and nats in the steps of a run, in the order of its elements, by sample or by level. @param {any[]} steps */
function drawn(steps) {
  /** @type {Record<string, { ids: any[], nats: number[] }>} */
  const all = {};
  for (const { sample = 0, level = '', from, values, levels, codes, samples, ids, word, token, text, nats } of steps) {
    const one = (all[`${sample}${level}`] ??= { ids: [], nats: [] });
    const own =
      values ??
      levels ??
      (codes?.length > 0
        ? codes
        : (ids?.subarray(from === 0 ? 1 : 0) ?? (word || token !== undefined ? [word ?? [token, text]] : samples)));
    const costs = typeof nats === 'number' ? [nats] : nats.subarray(ids && from === 0 ? 1 : 0); // the first id of music has no cost
    const at = values ? from : one.ids.length; // competing pictures are drawn several times; the last values count
    Array.from(own, (id, i) => (one.ids[at + i] = id));
    if (level === '') Array.from(costs, (/** @type {number} */ cost, i) => (one.nats[at + i] = cost + 0));
  }
  return all;
}

/** @param {any} run @param {number} [most] */
async function read(run, most = Infinity) {
  /** @type {any[]} */
  const steps = [];
  if (most === 0) return steps;
  for await (const step of run) {
    steps.push(step);
    if (steps.length === most) run.stop();
  }
  return steps;
}

const plain = (/** @type {any} */ value) => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

/** Fields that a step has only if an option requests them. */
const SPREADS = ['maps', 'probabilities'];

for (const [name, { file, options, input, score }] of Object.entries(ROWS)) {
  longer(`${name} keeps the promises of the manual`, { timeout: 120000 }, async () => {
    const bytes = weightsOf(file);
    const [model, two] = /** @type {any[]} */ (await Promise.all([load(bytes), load(bytes, { workers: 2 })]));
    try {
      const runs = RUNS[model.info.kind];
      if (typeof runs === 'string') assert.fail(runs);
      const { begins, heard: kept = (/** @type {any} */ given) => ({ ...given, said: '', tempo: 0 }) } = runs;
      const verb = /** @type {string} */ (name.match(/\.(\w+)/)?.[1]);
      const given = input ? [input(model.info)] : verb === 'walk' ? [1, 2] : [];
      const seed = verb === 'walk' ? {} : { seed: 3 };
      const begin = (/** @type {object} */ more = {}, who = model) => who[verb](...given, { ...seed, ...options, ...more });
      const whole = begin();
      const steps = await read(whole);
      const expected = drawn(steps);
      const [result, heard] = [await whole.result(), await whole.input];
      if (score) {
        const nats = expected[0].nats.reduce((sum, cost) => sum + cost, 0);
        const cost = await score(model, result);
        assert.ok(Math.abs(cost.nats - nats) < 1e-4 * nats, `${cost.nats}, drawn ${nats}`);
      }

      /**
       * Continues a run that was saved after some steps, and compares the result.
       *
       * @param {any[]} before
       * @param {any} saved
       * @param {object} [more]
       */
      const resumed = async (before, saved, more) => {
        const most = options.maxTokens === undefined || verb === 'translate' ? {} : { maxTokens: options.maxTokens - before.length };
        const rest = model.resume(plain(saved), { ...most, ...more });
        const later = await read(rest);
        const said = drawn(begins ? later : [...before, ...later]);
        assert.deepEqual(said, expected, `saved at ${before.length}`);
        assert.equal(rest.finish, whole.finish, `finish, saved at ${before.length}`);
        assert.deepEqual(await rest.result(), result, `result, saved at ${before.length}`);
        return { rest, later };
      };

      for (const [more, who] of /** @type {[Record<string, any>, any][]} */ ([
        [{ maps: true }, model],
        [{ probabilities: true }, model],
        [{ chunkSize: 1 }, model],
        [{}, two],
        [{ maps: true, probabilities: true }, two],
      ])) {
        /** @type {any} */
        let run;
        try {
          run = begin(more, who);
        } catch (error) {
          assert.match(String(error), /has no option/); // this kind does not have this option
          continue;
        }
        const some = await read(run);
        const what = JSON.stringify(more);
        assert.deepEqual(drawn(some), expected, what);
        assert.equal(run.finish, whole.finish, what);
        assert.deepEqual(await run.result(), result, what);
        // Removes steps that never have maps or probabilities: steps of competing samples or of given elements, and samples of codes.
        const told = (/** @type {any[]} */ list) =>
          list.filter(
            ({ anew, from, ids, level, nats }) => !anew && !(ids && from === 0) && level !== 'sound' && !(level && nats[0] === 0),
          );
        const spreads = Object.keys(more).filter((key) => SPREADS.includes(key));
        const carries = (/** @type {any[]} */ list, /** @type {string} */ key) => list.length > 0 && list.every((step) => step[key]);
        for (const key of spreads) assert.ok(carries(told(some), key), key);
        if (!run.save || spreads.length === 0) continue;
        const half = begin(more, who);
        const before = await read(half, some.length >> 1);
        await half.input;
        const { later } = await resumed(before, half.save());
        if (!begins) for (const key of spreads) assert.ok(carries(told(later), key), `${key} of the resumed run`);
      }

      if (!whole.save) return;
      const places = EVERY ? steps.keys() : [0, 1, steps.length >> 1, steps.length - 1];
      for (const at of new Set([...places, steps.length])) {
        const part = begin();
        const before = await read(part, at);
        await part.input;
        const { rest } = await resumed(before, part.save());
        const again = await rest.input;
        assert.deepEqual(again && kept(again), heard && kept(heard), 'input');
        assert.deepEqual(plain(rest.save()).ids, plain(whole.save()).ids);
        if (at === 0 || at === steps.length) continue;
        // Saves again after two more steps. If `begins` is true, the first of the two steps repeats the part that was already drawn.
        const most = options.maxTokens === undefined || verb === 'translate' ? {} : { maxTokens: options.maxTokens - at };
        const other = model.resume(plain(part.save()), most);
        const more = await read(other, 2);
        await resumed([...before, ...more], other.save());
      }
    } finally {
      model.close();
      two.close();
    }
  });
}

/** Empties every list in a saved run. @param {any} value */
function empty(value) {
  if (typeof value !== 'object' || value === null) return;
  Object.values(value).forEach(empty);
  if (Array.isArray(value)) value.length = 0;
}

for (const [name, { file, begin, options, change, most }] of Object.entries(named(rowsOf('lists')))) {
  test(`${name.replace(/^\w+\./, '')}: changing the caller's list afterwards affects neither the run nor its saved state`, async () => {
    const model = /** @type {any} */ (await load(weightsOf(file)));
    const fresh = () => ({ seed: 3, ...options(model.info) });
    const first = begin(model, fresh());
    await first.input;
    const saved = first.save && plain(first.save());
    const expected = drawn(await read(first));
    const given = fresh();
    const run = begin(model, given);
    change(given);
    await run.input;
    if (saved) {
      assert.deepEqual(plain(run.save()), saved, "the caller's options");
      change(run.save().options);
      empty(run.save());
      assert.deepEqual(plain(run.save()), saved, 'the saved run');
      const other = plain(saved);
      const rest = model.resume(other, most ? { maxTokens: most } : {});
      change(other.options);
      empty(other);
      assert.deepEqual(drawn(await read(rest)), expected);
    }
    assert.deepEqual(drawn(await read(run)), expected);
    model.close();
  });
}
