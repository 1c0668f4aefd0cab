// SPDX-License-Identifier: MIT
// @ts-check

/** Tests the properties that every kind of run must have. The tests use every shipped file. */

import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';

import { more } from '../more.js';
import { KINDS } from '../../web/lib/kinds/index.js';
import { ALL } from '../../web/lib/verbs/table.js';
import { rowsOf, weightsOf } from '../kinds/js.js';
import { ROOT, load } from './helpers.js';

const ROWS = rowsOf('runs');

/** In long runs, only this many steps are compared. */
const MOST = 24;

/** Returns a fake canvas that accepts all drawing calls. */
function canvas() {
  /** @type {any} */
  const context = new Proxy(
    {},
    {
      get: (_, name) =>
        name === 'measureText'
          ? (/** @type {string} */ text) => ({ width: 8 * text.length })
          : name === 'createImageData'
            ? (/** @type {number} */ width, /** @type {number} */ height) => ({
                data: new Uint8ClampedArray(4 * width * height),
                width,
                height,
              })
            : name === 'createLinearGradient'
              ? () => ({ addColorStop() {} })
              : () => {},
      set: () => true,
    },
  );
  return /** @type {any} */ ({ width: 300, height: 150, getContext: () => context });
}

/** @param {any} run @param {number} [most] */
async function read(run, most = MOST) {
  const steps = [];
  for await (const step of run) {
    steps.push(step);
    if (steps.length >= most) run.stop();
  }
  return steps;
}

const plain = (/** @type {unknown} */ value) => JSON.parse(JSON.stringify(value));

const files = (await readdir(`${ROOT}weights`)).filter((name) => name.endsWith('.gguf'));

/**
 * Returns whether a smaller file has the same architecture and kind as this file. If so, only ./build.sh test-sweep tests this file.
 *
 * @param {string} file
 */
const isLikeAnother = (file) => Object.values(ROWS).some((row) => typeof row !== 'string' && row.alike?.test(file));

for (const file of files) {
  const once = isLikeAnother(file) ? more : test;
  once(`${file}: can be read twice, drawn, saved, resumed and stopped like every run`, { timeout: 120000 }, async () => {
    const model = /** @type {any} */ (await load(`${ROOT}weights/${file}`));
    try {
      const { kind, verbs } = model.info;
      const own = ROWS[kind];
      if (typeof own === 'string' || !verbs.some((/** @type {string} */ verb) => ALL.some(([name, { draws }]) => name === verb && draws)))
        return;
      /** @type {import('../kinds/js.js').Runs} */
      const row = own;
      const make = () => row.run(model, { seed: 3 });

      // Two readers read the run at the same time, and a third reads it afterwards. All get the same steps, and nothing is computed again.
      const run = make();
      const [steps, side] = await Promise.all([read(run), read(run)]);
      assert.ok(steps.length > 0);
      assert.deepEqual(side, steps);
      const again = await read(run);
      again.forEach((step, i) => assert.equal(step, steps[i], 'the same objects'));
      assert.equal(again.length, steps.length);
      assert.deepEqual(await run.result(), await run.result());
      assert.ok(run.finish);
      assert.deepEqual(await run.input, await run.input);
      const flat = steps.flatMap(row.ids);

      // drawTo() gives the same result for this run, which has already been read, as for a new run.
      const drawn = await run.drawTo(canvas());
      assert.deepEqual(await run.drawTo(canvas()), drawn);
      const short = steps.length < MOST;
      if (short) assert.deepEqual(await make().drawTo(canvas()), drawn);

      // Saves the run before its first step, after some steps and at its end; each resumed run equals the original.
      for (const at of run.save ? [...new Set([0, 1, 2, 7, steps.length])] : []) {
        if (at > steps.length) continue;
        const part = make();
        await part.input;
        const before = at > 0 ? await read(part, at) : [];
        const saved = plain(part.save());
        const rest = model.resume(saved, row.rest?.(model, at));
        assert.equal(BigInt(rest.seed), 3n);
        const later = await read(rest, MOST);
        const all = row.begins ? later.flatMap(row.ids) : [...before, ...later].flatMap(row.ids);
        if (row.levels) {
          // a resumed run starts with the first level again, so each level is compared on its own
          const level = (/** @type {any[]} */ list, /** @type {string} */ name) =>
            list.filter((step) => step.level === name).flatMap(row.ids);
          for (const name of row.levels) assert.deepEqual(level(later, name), level(steps, name), `${name}, saved at ${at}`);
        } else {
          const length = Math.min(all.length, flat.length);
          assert.ok(length >= Math.min(flat.length, before.flatMap(row.ids).length + 1) || !short);
          assert.deepEqual(all.slice(0, length), flat.slice(0, length), `saved at ${at}`);
          if (short) assert.equal(all.length, flat.length, `saved at ${at}`);
        }
        if (short) assert.deepEqual(await rest.result(), await run.result(), `the result, saved at ${at}`);
        assert.deepEqual(plain(model.resume(saved).save()), saved, 'a run that is saved again before any step gives the same object');
      }

      // Stops a run before it begins, or while a step is computed: the run ends immediately and keeps the drawn part.
      const none = make();
      none.stop();
      assert.deepEqual([await read(none), none.finish], [[], 'abort']);
      const one = make();
      const iterator = one[Symbol.asyncIterator]();
      const pending = iterator.next();
      await new Promise((resolve) => {
        setTimeout(resolve, 1);
      });
      one.stop();
      const { done } = await pending;
      assert.equal((await iterator.next()).done, true);
      assert.equal((await read(one)).length, done ? 0 : 1);
      await one.result();
    } finally {
      model.close();
    }
  });
}

/** Returns invalid variants of a value. @param {any} value @returns {any[]} */
function spoilt(value) {
  const always = [null, 'x', -1, 1.5, NaN, {}, [{}], () => {}, ['length']];
  if (!Array.isArray(value)) return typeof value === 'object' && value !== null ? [...always, { ...value, more: 1 }] : always;
  const hole = [...value];
  delete hole[0];
  return [
    ...always,
    ...(value.length > 0
      ? [hole, value.map(String), value.map(() => ({})), [...value, null, value[0]], [2 ** 40]]
      : [[null], [-1], ['0'], [{}], Array(3)]),
  ];
}

test('a saved run in which any one entry was changed is refused before it is used', { timeout: 120000 }, async () => {
  const all = Object.values(ROWS).flatMap((row) => (typeof row === 'string' ? [] : (row.saved ?? []).map((file) => ({ file, row }))));
  for (const { file, row } of all) {
    const model = /** @type {any} */ (await load(`${ROOT}weights/${file}.gguf`));
    const run = row.run(model, { seed: 3 });
    for await (const step of run) if (step) break;
    const saved = plain(run.save());
    assert.ok(model.resume(saved));
    for (const name of Object.keys(saved)) {
      for (const value of spoilt(saved[name])) {
        if (
          JSON.stringify(value) === JSON.stringify(saved[name]) ||
          (name === 'ids' && row.levels && JSON.stringify(value) === '[{}]') || // valid: the list of a run that has drawn nothing
          (name === 'nats' && value?.[0] === 2 ** 40) ||
          (name === 'options' && JSON.stringify(value) === '{}')
        )
          continue;
        assert.throws(
          () => model.resume({ ...saved, [name]: value }),
          (/** @type {any} */ error) => error.name === 'NextPixelError' && ['state', 'argument'].includes(error.code),
          `${file}: ${name} = ${JSON.stringify(value)?.slice(0, 60)}`,
        );
      }
      for (const inner of Object.keys(Object(typeof saved[name] === 'string' ? {} : saved[name])).slice(0, 6)) {
        if (name === 'options') continue;
        for (const value of name === 'nats' ? ['x', null] : ['x', -1, () => {}, { a: 1 }]) {
          const changed = Array.isArray(saved[name])
            ? saved[name].map((/** @type {any} */ one, /** @type {number} */ i) => (String(i) === inner ? value : one))
            : { ...saved[name], [inner]: value };
          assert.throws(
            () => model.resume({ ...saved, [name]: changed }),
            { name: 'NextPixelError' },
            `${file}: ${name}.${inner} = ${value}`,
          );
        }
      }
    }
    model.close();
  }
});

test('the steps of a walk are its frames', async () => {
  const model = /** @type {any} */ (await load(`${ROOT}weights/sagan-emoji.gguf`));
  const run = model.walk(1, 2, { steps: 3 });
  const frames = await run.pictures();
  assert.equal(frames.length, 3);
  assert.notDeepEqual(frames[0].data, frames[2].data);
  assert.deepEqual((await run.drawTo(canvas()))[0].data, frames[2].data, 'the canvas shows the last frame');
  model.close();
});

test('disposing of a model closes it', async () => {
  const model = /** @type {any} */ (await load(`${ROOT}weights/digits.gguf`));
  model[Symbol.dispose]();
  await assert.rejects(async () => model.generate().result(), { code: 'closed' });
});

test('for every kind that has both verbs, decode() accepts the result of encode()', async () => {
  for (const { name, verbs } of KINDS.filter((kind) => kind.verbs.encode && kind.verbs.decode)) {
    const runs = ROWS[name];
    const row = typeof runs === 'string' ? undefined : runs.bothWays;
    assert.ok(row, `${name} (${Object.keys(verbs).join(', ')}) needs a row`);
    const model = /** @type {any} */ (await load(weightsOf(row.file)));
    const codes = await model.encode(row.input(model.info));
    const decoded = await model.decode(codes);
    const again = await model.encode(decoded);
    assert.deepEqual(Object.keys(again).sort(), Object.keys(codes).sort(), name);
    for (const [part, value] of Object.entries(codes))
      if (ArrayBuffer.isView(value)) assert.equal(again[part].length, /** @type {any} */ (value).length, part);
    assert.deepEqual(await model.encode(await model.decode(again)), await model.encode(await model.decode(again)));
    model.close();
  }
});
