// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests <next-pixel> when other code, such as a framework, controls it: the code may set properties, and insert or remove the element, at
 * any time and in any order. Several elements can be on one page, and a removed element must release its resources.
 */

import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { test } from 'node:test';

import { toyText } from '../js/toy-text.js';
import { functionsIn, rowsOf } from '../kinds/browser.js';
import { flat } from '../kinds/rows.js';
import { more, oneOf } from '../more.js';
import { openEmpty, provide, session } from './browser.js';

/** @import { Page } from 'playwright-core' */

const { withPage } = session(['--js-flags=--expose-gc', '--autoplay-policy=no-user-gesture-required']);

const TEMPLATE = '{% for message in messages %}<s>{{ message.role }}: {{ message.content }}</s>{% endfor %}<s>assistant: ';
const toy = toyText({ context: 512, metadata: { 'tokenizer.chat_template': ['string', TEMPLATE] } });

/** A small model of each kind. */
const SHOWN = Object.entries(flat(rowsOf('shown')));

/**
 * Opens an empty page with the element defined. In the page, make(attributes, inside) inserts an element into the document and records its events;
 * heard(element, name) waits for an event.
 *
 * @param {Page} page
 */
async function open(page) {
  await openEmpty(page);
  await provide(page, '/toy.gguf', toy);
  await provide(page, '/other.gguf', toy);
  await page.evaluate(async () => {
    const define = '/web/dist/define.js';
    await import(define);
    const all = /** @type {any} */ (globalThis);
    all.nap = (/** @type {number} */ ms) =>
      new Promise((resolve) => {
        setTimeout(resolve, ms);
      });
    all.until = async (/** @type {() => unknown} */ is) => {
      for (let i = 0; i < 1500 && !is(); i++) await all.nap(20);
      if (!is()) throw new Error(`still false: ${is}`);
    };
    all.make = (/** @type {Record<string, string>} */ attributes, inside = '') => {
      const element = /** @type {any} */ (document.createElement('next-pixel'));
      element.events = [];
      for (const name of ['nx-ready', 'nx-step', 'nx-end', 'nx-error'])
        element.addEventListener(name, (/** @type {Event} */ event) => element.events.push(event));
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
      element.innerHTML = inside;
      document.body.append(element);
      return element;
    };
    all.count = (/** @type {any} */ { events }, /** @type {string} */ type) =>
      events.filter((/** @type {Event} */ event) => event.type === type).length;
    all.heard = (/** @type {any} */ element, /** @type {string} */ type) => all.until(() => all.count(element, type) > 0);
  });
}

/**
 * The functions that open() adds to the page.
 * @typedef {{ make: (attributes: Record<string, string>, inside?: string) => any, count: (element: any, type: string) => number, heard: (element: any, type:
 *   string) => Promise<void>, nap: (ms: number) => Promise<void>, until: (is: () => unknown) => Promise<void> }} Given
 */

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

test('messages can be set: a chat is restored, replaced, and kept if nothing changes', () =>
  withPage(async (page) => {
    await open(page);
    const out = await page.evaluate(async () => {
      const { make, heard, until, count } = /** @type {Given} */ (/** @type {any} */ (globalThis));
      const talk = [
        { role: 'system', content: 'Be kind' },
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b' },
        { role: 'user', content: 'c' },
      ];
      const element = make({ model: '/toy.gguf', task: 'chat', 'max-tokens': '5', seed: '1' });
      element.messages = talk;
      const before = element.messages;
      await heard(element, 'nx-ready');
      await until(() => element.shadowRoot.querySelector('.talk-field'));
      const restored = element.messages;
      element.play(); // a chat then answers the last message
      await heard(element, 'nx-end');
      const [end] = element.events.filter((/** @type {Event} */ { type }) => type === 'nx-end');
      const answered = element.messages;
      element.messages = answered; // a page that stores the chat in its own state assigns the list again
      const tokens = element.shadowRoot.querySelectorAll('.talk-answer .talk-body span').length;
      element.messages = [{ role: 'user', content: 'other' }];
      return {
        before,
        restored,
        text: end.text,
        last: answered.at(-1),
        length: answered.length,
        tokens,
        replaced: element.messages,
        answers: element.shadowRoot.querySelectorAll('.talk-answer').length,
        ends: count(element, 'nx-end'),
        state: element.state,
      };
    });
    assert.deepEqual(out.before, out.restored);
    assert.equal(out.length, 5);
    assert.deepEqual(out.last, { role: 'assistant', content: out.text });
    assert.ok(out.tokens > 0, 'the answer keeps its tokens');
    assert.deepEqual([out.replaced, out.answers, out.ends, out.state], [[{ role: 'user', content: 'other' }], 0, 1, 'near']);
  }));

test('nx-end follows every run, even a stopped one, with its text and the reason for the end', { timeout: 120000 }, () =>
  withPage(async (page) => {
    await provide(page, '/weights/stories260K.gguf', await readFile(new URL('../golden/stories260K.gguf', import.meta.url)));
    await open(page);
    const out = await page.evaluate(async () => {
      const { make, heard, count, nap } = /** @type {Given} */ (/** @type {any} */ (globalThis));
      const results = [];
      const stopAt = (/** @type {any} */ element, /** @type {string} */ type) =>
        element.addEventListener(type, () => element.stop(), { once: true });
      for (const attributes of /** @type {Record<string, string>[]} */ ([
        { model: '/weights/digits.gguf', task: 'generate' },
        { model: '/weights/stories260K.gguf', prompt: 'Once' },
        { model: '/weights/chorales.gguf', task: 'generate' },
        { model: '/toy.gguf', task: 'chat', prompt: 'a', 'max-tokens': '200' },
        { model: '/weights/de-en.gguf', prompt: 'Ein Hund schläft.' },
      ])) {
        const element = make({ ...attributes, seed: '1' });
        stopAt(element, 'nx-step');
        element.play();
        await heard(element, 'nx-end');
        await nap(200);
        const end = element.events.find((/** @type {Event} */ { type }) => type === 'nx-end');
        results.push({
          what: attributes.model,
          steps: count(element, 'nx-step'),
          ends: count(element, 'nx-end'),
          finish: end.finish,
          seed: end.seed,
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
    });
    for (const { what, steps, ends, finish, state } of out.results)
      assert.deepEqual([what, steps, ends, finish, state], [what, 1, 1, 'abort', 'near']);
    assert.deepEqual(
      out.results.map(({ text }) => text),
      ['undefined', 'string', 'undefined', 'string', 'string'],
    );
    assert.match(out.text, /dog/);
    assert.equal(out.finish, 'end');
  }),
);

test("nx-end has exactly the result of its model's kind", { timeout: 120000 }, () =>
  withPage(async (page) => {
    await provide(page, '/weights/stories260K.gguf', await readFile(new URL('../golden/stories260K.gguf', import.meta.url)));
    await open(page);
    const folders = await readdir(new URL('../../web/lib/kinds/', import.meta.url), { withFileTypes: true });
    /** The fields that an element's result has, by kind. @type {Record<string, string[]>} */
    const said = {};
    for (const { name } of folders.filter((entry) => entry.isDirectory()))
      said[name] = Object.keys((await import(`../../web/lib/kinds/${name}/kind.js`)).TYPES.ends ?? {}).sort();
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
        kinds: SHOWN.map(([name, { attributes, inside }]) => /** @type {const} */ ([name, attributes, inside])),
        names: [...new Set(Object.values(said).flat())].sort(),
      },
    );
    assert.deepEqual(
      seen,
      seen.map(([kind]) => [kind, said[kind]]),
    );
    assert.deepEqual(
      Object.keys(said).filter((kind) => !seen.some(([one]) => one === kind)),
      Object.keys(said).filter((kind) => typeof rowsOf('shown')[kind] === 'string'),
    );
  }),
);

test('the element can be set, called and removed at any moment of its life', { timeout: 120000 }, () =>
  withPage(async (page) => {
    await open(page);
    const out = await page.evaluate(async () => {
      const { make, heard, nap, count, until } = /** @type {Given} */ (/** @type {any} */ (globalThis));
      /** @type {Record<string, unknown>} */
      const all = {};
      // The size is set long before the element is connected, and while it is disconnected.
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
      // Calls stop() before and in every event: `autoplay` does not restart the run, but play() does.
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
      // Before the answer of a chat begins: the visitor stops it, another model is set, or the element is removed.
      const talks = [];
      for (const end of [
        (/** @type {any} */ one) => one.stop(),
        (/** @type {any} */ one) => one.setAttribute('model', '/other.gguf'),
        (/** @type {any} */ one) => one.remove(),
      ]) {
        const element = make({ model: '/toy.gguf', task: 'chat', 'max-tokens': '40', seed: '1' });
        await until(() => element.shadowRoot.querySelector('.talk-field'));
        await nap(20);
        element.send('hello');
        await undefined; // only one turn, because later the first token may have arrived
        end(element);
        talks.push(element);
      }
      await nap(1500);
      all.talks = talks.map((element) => [count(element, 'nx-step'), count(element, 'nx-end')]);
      // Pauses the element during an answer, and resumes it.
      const element = make({ model: '/toy.gguf', task: 'chat', 'max-tokens': '200', seed: '1', prompt: 'hi' });
      element.addEventListener('nx-step', () => element.pause(), { once: true });
      element.play();
      await heard(element, 'nx-step');
      await nap(400);
      all.paused = [count(element, 'nx-step'), element.state];
      element.play();
      await heard(element, 'nx-end');
      all.answered = [count(element, 'nx-step') > 3, element.state];
      // Stops the element while it is paused, and then sends a new message.
      element.addEventListener('nx-step', () => element.pause(), { once: true });
      element.send('more');
      await until(() => element.state === 'paused');
      element.stop();
      await until(() => element.state === 'near');
      element.send('again');
      await until(() => count(element, 'nx-end') === 3);
      all.roles = element.messages.map((/** @type {any} */ { role }) => role).join(' ');
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
      talks: [
        [0, 1],
        [0, 0],
        [0, 0],
      ],
      paused: [1, 'paused'],
      answered: [true, 'near'],
      roles: 'user assistant user assistant user assistant',
    });
  }),
);

test('New chat accepts the next message immediately, even while an answer is being prepared', () =>
  withPage(async (page) => {
    await open(page);
    const messages = await page.evaluate(async () => {
      const { make, heard, until } = /** @type {Given} */ (/** @type {any} */ (globalThis));
      const element = make({ model: '/toy.gguf', task: 'chat', 'max-tokens': '3', seed: '1', controls: '' });
      await until(() => element.shadowRoot.querySelector('.talk-field'));
      element.send('first');
      [...element.shadowRoot.querySelectorAll('button')].find((button) => /New chat/.test(button.textContent)).click();
      element.send('second');
      await heard(element, 'nx-step');
      return element.messages.map((/** @type {any} */ { content }) => content)[0];
    });
    assert.equal(messages, 'second');
  }));

test(
  'of two tunes on a page, one is paused or stopped and the other continues; a paused one resumes where it was',
  { timeout: 60000 },
  () =>
    withPage(async (page) => {
      await open(page);
      await page.mouse.click(300, 300);
      const out = await page.evaluate(async () => {
        const { make, heard, nap, until } = /** @type {Given} */ (/** @type {any} */ (globalThis));
        const tunes = ['1', '2'].map((seed) =>
          make({ model: '/weights/chorales.gguf', task: 'generate', bars: '2', tempo: '300', seed, controls: '' }),
        );
        const secondsOf = (/** @type {any} */ { shadowRoot }) =>
          Number(/Playing ([\d.]+)/.exec(shadowRoot.querySelector('.status').textContent)?.[1]);
        for (const tune of tunes) tune.play();
        await until(() => tunes.every((tune) => secondsOf(tune) > 0.2));
        const [one, other] = tunes;
        const at = secondsOf(one);
        one.pause();
        await heard(other, 'nx-end');
        await nap(500);
        one.play();
        await until(() => secondsOf(one) > 0);
        const on = secondsOf(one);
        await heard(one, 'nx-end');
        return { at, on };
      });
      assert.ok(out.on >= out.at && out.on < out.at + 0.6, `paused at ${out.at} s, resumed at ${out.on} s`);
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
            // On a busy machine, it takes some seconds until the last task that refers to an element has run.
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
