// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests <next-pixel> when other code, such as a framework, controls it: the code may set properties, and insert or remove the element, at
 * any time and in any order. Several elements can be on one page, and a removed element must release its resources.
 */

import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { test } from 'node:test';

import { functionsIn, rowsOf } from '../kinds/browser.js';
import { flat } from '../kinds/rows.js';
import { more, oneOf } from '../more.js';
import { openEmpty, provide, session } from './browser.js';
import { open } from './life.js';

/** @import { Given } from './life.js' */

const KINDS = new URL('../../web/lib/kinds/', import.meta.url);
const { withPage } = session(['--js-flags=--expose-gc', '--autoplay-policy=no-user-gesture-required']);

/** A small model of each kind. */
const SHOWN = Object.entries(flat(rowsOf('shown')));
/** For each of these models: the name of the model, and the attributes and the children of an element that shows the model. */
const ELEMENTS = SHOWN.map(([name, { attributes, inside }]) => /** @type {const} */ ([name, attributes, inside]));

/** The fields that an element's result has, by kind. @type {Record<string, string[]>} */
const ENDS = {};
for (const { name } of (await readdir(KINDS, { withFileTypes: true })).filter((entry) => entry.isDirectory()))
  ENDS[name] = Object.keys((await import(`${KINDS}${name}/kind.js`)).TYPES.ends ?? {}).sort();

test('every property can be assigned, before the definition and after it, with any value that a framework may use', () =>
  withPage(
    async (page, complaints) => {
      await openEmpty(page);
      const thrown = await page.evaluate(async () => {
        'use strict';
        const early = /** @type {any} */ (document.createElement('next-pixel'));
        const talk = [{ role: 'user', content: 'Hello' }];
        Object.assign(early, { messages: talk, info: {}, state: 'running', rows: 5, task: 'generate' });
        document.body.append(early);
        const define = '/web/dist/define.js';
        const { NextPixelElement } = await import(define);
        const out = [];
        if (early.messages[0]?.content !== 'Hello') out.push('messages that were set before the definition are lost');
        if (early.info !== undefined || early.state === 'running') out.push('a read-only property was set before the definition');
        if (early.getAttribute('rows') !== '5') out.push('rows');
        const element = /** @type {any} */ (document.createElement('next-pixel'));
        element.addEventListener('nx-error', (/** @type {Event} */ event) => event.preventDefault());
        for (let at = NextPixelElement.prototype; at !== HTMLElement.prototype; at = Object.getPrototypeOf(at)) {
          for (const [name, { get, set }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
            if (!get) continue;
            if (!set) out.push(`${name} has no setter`);
            for (const value of [undefined, null, '', 'x', 3, true, {}, []]) {
              try {
                element[name] = value;
              } catch (error) {
                out.push(`${name} = ${value}: ${error}`);
              }
            }
          }
        }
        return out;
      });
      assert.deepEqual(thrown, []);
      assert.ok(
        complaints.every((text) => /is read-only, so assigning it changes nothing/.test(text)),
        complaints.join('\n'),
      );
      assert.deepEqual(
        ['state', 'info', 'pictures'].map((name) => complaints.filter((text) => text.includes(`property ${name} `)).length),
        [1, 1, 1],
        'each invalid value causes one warning',
      );
    },
    { complains: true },
  ));

test('every run, even a stopped one, ends with nx-end, which contains the text and the reason for the end', { timeout: 120000 }, () =>
  withPage(async (page) => {
    await provide(page, '/weights/stories260K.gguf', await readFile(new URL('../golden/stories260K.gguf', import.meta.url)));
    await open(page);
    const out = await page.evaluate(async (kinds) => {
      const { make, heard, count, nap } = /** @type {Given} */ (/** @type {any} */ (globalThis));
      const results = [];
      const stopAt = (/** @type {any} */ element, /** @type {string} */ type) =>
        element.addEventListener(type, () => element.stop(), { once: true });
      for (const [model, attributes, inside] of kinds) {
        const element = make({ model: `/weights/${model}.gguf`, ...attributes, seed: '1' }, inside);
        stopAt(element, 'nx-step');
        element.play();
        await heard(element, 'nx-end');
        await nap(200);
        const end = element.events.find((/** @type {Event} */ { type }) => type === 'nx-end');
        results.push({
          what: model,
          kind: element.info.kind,
          steps: count(element, 'nx-step'),
          ends: count(element, 'nx-end'),
          finish: end.finish,
          state: element.state,
          text: typeof end.text,
        });
        element.remove();
      }
      const whole = make({ model: '/weights/de-en.gguf', prompt: 'Ein Hund.' });
      whole.play();
      await heard(whole, 'nx-end');
      const { text, finish } = whole.events.find((/** @type {Event} */ { type }) => type === 'nx-end');
      return { results, text, finish };
    }, ELEMENTS);
    for (const { what, steps, ends, finish, state } of out.results)
      assert.deepEqual([what, steps, ends, finish, state], [what, 1, 1, 'abort', 'near']);
    assert.deepEqual(
      out.results.map(({ text }) => text),
      out.results.map(({ kind }) => (ENDS[kind].includes('text') ? 'string' : 'undefined')),
    );
    assert.match(out.text, /dog/);
    assert.equal(out.finish, 'end');
  }),
);

test("nx-end has exactly the result fields of its model's kind", { timeout: 120000 }, () =>
  withPage(async (page) => {
    await provide(page, '/weights/stories260K.gguf', await readFile(new URL('../golden/stories260K.gguf', import.meta.url)));
    await open(page);
    const checked = SHOWN.flatMap(([name, { ends }]) => (ends ? [/** @type {const} */ ([name, ends])] : []));
    await functionsIn(page, Object.fromEntries(checked));
    const seen = await page.evaluate(
      async ({ kinds, names }) => {
        const { make, heard } = /** @type {Given} */ (/** @type {any} */ (globalThis));
        /** @type {[string, string[]][]} */
        const all = [];
        for (const [model, attributes, inside] of kinds) {
          const element = make({ model: `/weights/${model}.gguf`, ...attributes, seed: '1' }, inside);
          element.play();
          await heard(element, 'nx-end');
          const end = element.events.find((/** @type {Event} */ { type }) => type === 'nx-end');
          all.push([element.info.kind, names.filter((name) => end[name] !== undefined)]);
          const { rows } = /** @type {any} */ (globalThis);
          if (rows[model] && !rows[model](end)) throw new Error(`${model}: ${rows[model]} is false`);
          element.remove();
        }
        return all;
      },
      {
        kinds: ELEMENTS,
        names: [...new Set(Object.values(ENDS).flat())].sort(),
      },
    );
    assert.deepEqual(
      seen,
      seen.map(([kind]) => [kind, ENDS[kind]]),
    );
    assert.deepEqual(
      Object.keys(ENDS).filter((kind) => !seen.some(([one]) => one === kind)),
      Object.keys(ENDS).filter((kind) => typeof rowsOf('shown')[kind] === 'string'),
    );
  }),
);

test('at any moment, properties can be set, methods can be called, and the element can be removed', { timeout: 120000 }, () =>
  withPage(async (page) => {
    await open(page);
    const out = await page.evaluate(async () => {
      const { make, heard, nap, count } = /** @type {Given} */ (/** @type {any} */ (globalThis));
      /** @type {Record<string, unknown>} */
      const all = {};
      // Sets all properties either long before or right after the element is connected. Then sets the height again while the element is
      // disconnected.
      const sizes = [];
      for (const early of [true, false]) {
        const element = /** @type {any} */ (document.createElement('next-pixel'));
        const set = () =>
          Object.assign(element, {
            model: '/weights/digits.gguf',
            loading: 'play',
            width: 300,
            height: 200,
            poster: 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=',
          });
        if (early) set();
        await nap(10);
        document.body.append(element);
        if (!early) set();
        await nap(50);
        element.remove();
        await nap(50);
        element.height = 100;
        await nap(10);
        document.body.append(element);
        await nap(50);
        const { width, height } = element.getBoundingClientRect();
        sizes.push([width, height, element.shadowRoot.querySelector('.poster').hasAttribute('src')]);
        element.remove();
      }
      all.sizes = sizes;
      // Calls stop() immediately, or at the first nx-progress or nx-ready event. After that, `autoplay` does not restart the run, but
      // play() does.
      for (const when of ['at once', 'nx-progress', 'nx-ready']) {
        const element = make({ model: '/weights/digits.gguf', task: 'generate', seed: '1', autoplay: '' });
        if (when === 'at once') element.stop();
        else element.addEventListener(when, () => element.stop(), { once: true });
        await nap(1200);
        all[when] = count(element, 'nx-step');
        element.play();
        await heard(element, 'nx-end');
        element.remove();
      }
      return all;
    });
    assert.deepEqual(out, {
      sizes: [
        [300, 100, true],
        [300, 100, true],
      ],
      'at once': 0,
      'nx-progress': 0,
      'nx-ready': 0,
    });
  }),
);

more('names from outside that every object has, such as constructor, are treated like other names', () =>
  withPage(
    async (page) => {
      await open(page);
      assert.deepEqual(
        await page.evaluate(async () => {
          const { make, heard } = /** @type {Given} */ (/** @type {any} */ (globalThis));
          const out = [];
          for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf']) {
            for (const attributes of /** @type {Record<string, string>[]} */ ([
              { model: '/weights/digits.gguf', task: 'generate', label: `{${name}}` },
              { model: '/weights/digits.gguf', task: `{${name}}` },
              { model: '/weights/digits.gguf', task: name },
              { model: `/none.gguf?{${name}}` },
              { model: name },
            ])) {
              const element = make({ ...attributes, controls: '' });
              element.addEventListener('nx-error', (/** @type {Event} */ event) => event.preventDefault());
              element.play();
              await heard(element, 'nx-error');
              out.push(element.events.find((/** @type {Event} */ { type }) => type === 'nx-error').error.name);
              element.remove();
            }
          }
          return [...new Set(out)];
        }),
        ['NextPixelError'],
      );
    },
    { complains: true },
  ),
);

for (const [i, some] of [SHOWN.filter(([, { freed }]) => freed), SHOWN.filter(([, { freed }]) => !freed)].entries()) {
  const kinds = some.map(([name]) => name);
  oneOf(i, 2)(`removed elements are freed, and so are canvases that a run was drawn to: ${kinds.join(', ')}`, { timeout: 240000 }, () =>
    withPage(
      async (page) => {
        await provide(page, '/weights/stories260K.gguf', await readFile(new URL('../golden/stories260K.gguf', import.meta.url)));
        await open(page);
        await functionsIn(page, Object.fromEntries(some.map(([name, { begin }]) => [name, begin])));
        const left = await page.evaluate(
          async (kinds) => {
            const { make, until, nap } = /** @type {Given} */ (/** @type {any} */ (globalThis));
            const library = '/web/dist/nextpixel.js';
            const { acquire } = await import(library);
            const EACH = 3;
            /** @type {[string, WeakRef<object>][]} */
            const kept = [];
            for (const [name, { attributes, inside }] of Object.entries(kinds)) {
              const model = `/weights/${name}.gguf`;
              const hold = await acquire(model); // keeps the model; otherwise each element would load it again
              for (let seed = 0; seed < EACH; seed++) {
                let element = make({ ...attributes, model, seed: String(seed) }, inside);
                element.play();
                await until(() => element.events.some((/** @type {Event} */ { type }) => type === 'nx-end' || type === 'nx-error'));
                kept.push([`${name} in <next-pixel>${element.events.at(-1).error ?? ''}`, new WeakRef(element)]);
                element.remove();
                element = undefined;
              }
              for (let seed = 0; seed < EACH; seed++) {
                let canvas = document.createElement('canvas');
                document.body.append(canvas);
                await (await /** @type {any} */ (globalThis).rows[name](hold.model, { seed })).drawTo(canvas);
                kept.push([`${name} by drawTo()`, new WeakRef(canvas)]);
                canvas.remove();
              }
              hold.release();
            }
            const left = () => {
              /** @type {Record<string, number>} */
              const count = {};
              for (const [what, ref] of kept) if (ref.deref()) count[what] = (count[what] ?? 0) + 1;
              return Object.entries(count).filter(([, n]) => n > 1);
            };
            // On a busy machine, a few seconds may pass before the last task that refers to an element runs.
            for (let i = 0; i < 100 && (i < 10 || left().length > 0); i++) {
              await nap(i < 10 ? 100 : 200);
              /** @type {any} */ (globalThis).gc();
            }
            return left();
          },
          Object.fromEntries(some.map(([name, { attributes, inside }]) => [name, { attributes, inside }])),
        );
        assert.deepEqual(left, [], 'the stack may still hold one of three');
      },
      { complains: true },
    ),
  );
}

test('closing a model while it reads its input ends the run with an error, even if the input never arrives', () =>
  withPage(
    async (page) => {
      await open(page);
      await provide(page, '/never.mp3', new Uint8Array(64));
      const out = await page.evaluate(async () => {
        const { make, heard, until } = /** @type {Given} */ (/** @type {any} */ (globalThis));
        const library = '/web/dist/nextpixel.js';
        const { acquire } = await import(library);
        const model = '/weights/wavenet.gguf';
        const hold = await acquire(model);
        let decodes = false;
        OfflineAudioContext.prototype.decodeAudioData = () => {
          decodes = true;
          return new Promise(() => {});
        };
        const element = make({ model, task: 'complete', src: '/never.mp3', loading: 'play' });
        element.play();
        await until(() => decodes);
        const running = element.state;
        hold.model.close();
        await heard(element, 'nx-error');
        return [running, element.events.at(-1).error.code, element.state];
      });
      assert.deepEqual(out, ['running', 'closed', 'near']);
    },
    { complains: true },
  ));
