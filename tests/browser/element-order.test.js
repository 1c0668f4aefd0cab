// SPDX-License-Identifier: MIT
// @ts-check

/**
 * A property of <next-pixel> has the same effect whether it is set before or after the element is defined, connected, moved or removed. The
 * test reads the properties from the table of attributes and from the class, so a new property is tested as soon as it exists. For each
 * model that uses a property, the test sets the property at each moment of an element's life. It compares the resulting element with an
 * element that had the property from the beginning. This matters because frameworks set properties at different moments.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { ATTRIBUTES } from '../../web/lib/element/attributes.js';
import { TASKS } from '../../web/lib/element/tasks.js';
import { KINDS } from '../../web/lib/kinds/index.js';
import { FILES, rowsOf } from '../kinds/browser.js';
import { NAMES, named } from '../kinds/rows.js';
import { EVERY, longer, more } from '../more.js';
import { openEmpty, provide, session } from './browser.js';

const { withPage } = session(['--autoplay-policy=no-user-gesture-required']);

const PIXEL = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=';

/** The tasks of each kind, by `KIND.TASK`. The tasks that npm test covers come first. */
const TASKS_SHOWN = Object.entries(named(rowsOf('order'))).sort(([, a], [, b]) => Number(b.often ?? 0) - Number(a.often ?? 0));

/** @param {string} name @returns {string | (() => Uint8Array)} */
const fileOf = (name) => /** @type {any} */ (TASKS_SHOWN.find(([row]) => row === name))[1].file;
/** @param {(typeof TASKS_SHOWN)[number][1]['file']} file */
const bytesOf = async (file) => (typeof file === 'string' ? readFile(file) : file());

test('these tests cover each task of each kind', () => {
  const tasks = KINDS.filter(({ name }) => NAMES.includes(name)).flatMap(({ name, verbs }) =>
    TASKS.filter(({ verb }) => verb in verbs).map(({ task }) => `${name}.${task}`),
  );
  assert.deepEqual(TASKS_SHOWN.map(([name]) => name).sort(), tasks.sort());
});

/**
 * The tested values of properties. Values for numbers, words and flags are derived from the table of attributes.
 *
 * @type {Record<string, string>}
 */
const VALUES = {
  src: '/web/pictures/seven.png',
  poster: PIXEL,
  prompt: 'b a',
  system: 'Be kind',
  label: 'two',
  speaker: 'two',
  voices: 'Bass',
  cache: 'no-store',
  loading: 'lazy',
  width: '300',
  height: '200',
  temperature: '0.5',
  'max-tokens': '2',
  seconds: '0.01',
  bars: '1',
  tempo: '200',
};

/** @param {string} name @param {string} task @param {string} model @returns {string} */
function valueOf(name, task, model) {
  if (name === 'model') return `/${model}-other.gguf`;
  if (name === 'task') return task;
  if (name in VALUES) return VALUES[name];
  const { flag, words, whole, number } = ATTRIBUTES[name];
  if (flag) return '';
  if (words) return words[words.length - 1];
  const [low, high] = whole ?? number ?? [];
  assert.ok(low !== undefined && high !== undefined, `${name}: say in VALUES what it is set to`);
  return String(whole ? Math.min(high, low + 1) : (low + high) / 2);
}

/** The moments at which the property is set on an element that already has all other attributes. */
const LIVES = [
  'before the definition',
  'long before it is connected',
  'in a fragment',
  'right after it is connected',
  'a while after it is connected',
  'when the model is there',
  'in a clone',
  'in HTML',
  'in a shadow root',
  'in another document',
  'between removal and return in one task',
  'while it is removed',
  'while it is removed after a run',
  'after a run',
];

/** The number of tasks that npm test covers. npm test covers each of these tasks only at some of the moments in LIVES. */
const SOME = TASKS_SHOWN.filter(([, { often }]) => often).length;

for (const [i, [row, { file, attributes: base, inside = '', values = {} }]] of TASKS_SHOWN.entries()) {
  const [, task] = row.split('.');
  const model = row.replace('.', '-');
  (i < SOME ? longer : more)(`${row}: each property has the same effect whenever it is set`, { timeout: 240000 }, () =>
    withPage(
      async (page) => {
        await openEmpty(page);
        const bytes = await bytesOf(file);
        for (const name of ['', '-other']) await provide(page, `/${model}${name}.gguf`, bytes);
        for (const [path, make] of Object.entries(FILES)) await provide(page, path, make());
        const { attributes } = /** @type {(typeof TASKS)[number]} */ (TASKS.find((one) => one.task === task));
        const digest = Buffer.from(await crypto.subtle.digest('SHA-256', Uint8Array.from(bytes))).toString('base64');
        const names = Object.keys(ATTRIBUTES).filter((name) => !TASKS.some(({ attributes: some }) => name in some) || name in attributes);
        const properties = names.map((name) => ({
          name,
          property: ATTRIBUTES[name].property,
          value: name === 'integrity' ? `sha256-${digest}` : (values[name] ?? valueOf(name, task, model)),
          flag: ATTRIBUTES[name].flag === true,
        }));
        const lives = LIVES.filter((_, k) => EVERY || k % SOME === i % SOME);
        const different = await page.evaluate(
          async ({ properties, lives, given, inside }) => {
            const nap = (/** @type {number} */ ms) =>
              new Promise((resolve) => {
                setTimeout(resolve, ms);
              });
            const until = async (/** @type {() => unknown} */ is, /** @type {string} */ what) => {
              for (let i = 0; i < 1500 && !is(); i++) await nap(20);
              if (!is()) throw new Error(`not so: ${what}`);
            };
            // Pretends that the visitor has not clicked on the page yet, so that elements draw a sound but do not play it. Playing it
            // would take minutes.
            Object.defineProperty(navigator, 'userActivation', { value: { hasBeenActive: false } });
            const frame = document.createElement('iframe');
            document.body.append(frame);
            /** @typedef {any} Any */
            const listen = (/** @type {Any} */ element) => {
              element.addEventListener('nx-ready', () => element.told.ready++);
              for (const name of ['nx-end', 'nx-error'])
                element.addEventListener(name, (/** @type {Any} */ event) => {
                  event.preventDefault();
                  element.told.ends++;
                  const { finish, seed, text, nats, error, samples, notes, parse, tagging, classification } = event;
                  element.told.end = {
                    finish,
                    seed: String(seed),
                    text,
                    nats: nats?.map(Math.fround),
                    error: error?.message,
                    // for notes, compares only the number of samples: the browser synthesises them, and sometimes the last bits differ
                    answer: [notes ? samples.length : samples?.join(), notes, parse?.heads, tagging?.tags, classification?.probabilities],
                  };
                });
              Object.defineProperty(element, 'told', { value: { ready: 0, ends: 0, end: undefined }, configurable: true });
            };
            const place = () => {
              const box = document.createElement('div');
              box.style.cssText = 'position: absolute; left: 0; top: 0; width: 600px';
              document.body.append(box);
              return box;
            };
            /** Returns an element with the given attributes. If `name` is `task` or `src`, this attribute is omitted. */
            const bare = (/** @type {string} */ name) => {
              const element = /** @type {Any} */ (document.createElement('next-pixel'));
              for (const [other, value] of Object.entries(given))
                if (!/^(task|src)$/.test(name) || other !== name) element.setAttribute(other, value);
              if (name === 'loading') element.setAttribute(name, 'play');
              element.innerHTML = inside;
              return element;
            };
            /** @type {{ life: string, name: string, element: Any }[]} */
            const all = [];
            /** @type {Promise<void>[]} */
            const living = [];
            const begin = (/** @type {boolean} */ early) => {
              for (const { name, property, value, flag } of properties) {
                const set = (/** @type {Any} */ element) => {
                  element[property] = flag ? true : value;
                };
                /** Waits for the model, except in tests of the property `loading`, which decides when the download starts. */
                const ready = (/** @type {Any} */ element) =>
                  name === 'loading' ? nap(100) : until(() => element.told.ready > 0, `${name}: the model is loaded`);
                // Creates an element for each moment at which the property is set. The other elements are compared with the first element.
                for (const life of ['from the beginning', ...lives]) {
                  if ((life === 'before the definition') !== early) continue;
                  const element = bare(name);
                  listen(element);
                  const one = { life, name, element };
                  all.push(one);
                  /** @type {Record<string, () => Promise<void> | void>} */
                  const ways = {
                    'before the definition': () => {
                      set(element);
                      place().append(element);
                    },
                    'from the beginning': () => {
                      element.setAttribute(name, value);
                      place().append(element);
                    },
                    'long before it is connected': async () => {
                      set(element);
                      await nap(20);
                      place().append(element);
                    },
                    'in a fragment': async () => {
                      const template = document.createElement('template');
                      template.innerHTML = element.outerHTML;
                      const fragment = document.importNode(template.content, true);
                      one.element = fragment.firstElementChild;
                      listen(one.element);
                      set(one.element);
                      await nap(20);
                      place().append(fragment);
                    },
                    'right after it is connected': () => {
                      place().append(element);
                      set(element);
                    },
                    'a while after it is connected': async () => {
                      place().append(element);
                      await nap(30);
                      set(element);
                    },
                    'when the model is there': async () => {
                      place().append(element);
                      await ready(element);
                      await nap(500); // a chat begins only after its model is loaded
                      set(element);
                    },
                    'in a clone': async () => {
                      set(element);
                      one.element = element.cloneNode(true);
                      listen(one.element);
                      place().append(one.element);
                    },
                    'in HTML': () => {
                      set(element);
                      const box = place();
                      box.innerHTML = element.outerHTML;
                      one.element = box.firstElementChild;
                      listen(one.element);
                    },
                    'in a shadow root': () => {
                      const root = place().attachShadow({ mode: 'open' });
                      root.append(element);
                      set(element);
                    },
                    'in another document': async () => {
                      const away = /** @type {Document} */ (frame.contentDocument);
                      away.body.append(element);
                      await nap(20);
                      set(element);
                      await nap(20);
                      place().append(element);
                    },
                    'between removal and return in one task': async () => {
                      const box = place();
                      box.append(element);
                      await ready(element);
                      element.remove();
                      set(element);
                      box.append(element);
                    },
                    'while it is removed': async () => {
                      const box = place();
                      box.append(element);
                      await ready(element);
                      element.remove();
                      await nap(20);
                      set(element);
                      await nap(20);
                      box.append(element);
                    },
                    'while it is removed after a run': async () => {
                      const box = place();
                      box.append(element);
                      element.play();
                      await until(() => element.told.ends > 0, `${name} ${life}`);
                      element.remove();
                      await nap(20);
                      set(element);
                      element.messages = [];
                      await nap(20);
                      box.append(element);
                    },
                    'after a run': async () => {
                      place().append(element);
                      element.play();
                      await until(() => element.told.ends > 0, `${name} ${life}`);
                      set(element);
                      element.messages = [];
                    },
                  };
                  if (!ways[life]) throw new Error(`no such life: ${life}`);
                  living.push(Promise.resolve(ways[life]()));
                }
              }
            };
            begin(true);
            const define = '/web/dist/define.js';
            await import(define);
            begin(false);
            await Promise.all(living);
            const loads = (/** @type {Any} */ { loading, model }) => model && loading !== 'play';
            const idle = (/** @type {Any} */ element) => element.state === 'near' && (!loads(element) || element.info);
            for (const { life, name, element } of all) await until(() => idle(element), `${name} ${life}: ${element.state}`);
            await nap(500);
            for (const { life, name, element } of all) await until(() => idle(element), `${name} ${life}: ${element.state}`);
            const ran = (/** @type {string} */ life) => /after a run/.test(life);
            /** Returns the tree of an element, with sorted attributes. @returns {any} */
            const tree = (/** @type {Element | ShadowRoot} */ root) =>
              [...root.children].map((child) => [
                child.localName,
                ...[...child.attributes]
                  .filter(({ name, value }) => !/^(style|width|height)$/.test(name) && value !== '')
                  .map(({ name, value }) => `${name}=${value.replace(/talk-\d+/, 'talk')}`)
                  .sort(),
                child.children.length > 0 ? tree(child) : child.classList.contains('talk-figures') || child.textContent,
              ]);
            /** Returns the parts of an element that a visitor or a script can observe. */
            const seen = (/** @type {Any} */ element) => {
              const root = element.shadowRoot;
              const canvas = root.querySelector('canvas');
              const { width, height } = element.getBoundingClientRect();
              return {
                // omits `progress`, because only the first of several elements reports the progress of a download
                attributes: [...element.attributes]
                  .map(({ name, value }) => `${name}=${value}`)
                  .filter((one) => !/^progress=/.test(one))
                  .sort(),
                properties: properties.map(({ property }) => `${property}=${element[property]}`),
                messages: element.messages,
                state: element.state,
                box: [width, height].map(Math.round),
                // does not compare the pixels of text, because the smoothed edges of letters may differ between two drawings
                canvas: canvas.classList.contains('text') || [canvas.width, canvas.height, canvas.toDataURL()],
                fields: [...root.querySelectorAll('textarea')].map((field) => field.value),
                inside: tree(root),
                picture: element.pictures.length,
              };
            };
            const before = all.map(({ element }) => JSON.stringify(seen(element)));
            const count = all.map(({ element }) => element.told.ends);
            for (const { element } of all) if (!element.hasAttribute('autoplay')) element.play();
            for (const [i, { life, name, element }] of all.entries())
              await until(
                () => element.told.ends > count[i] || element.hasAttribute('autoplay'),
                `${name} ${life}: nothing ended; ${element.state}`,
              );
            await nap(100);
            const after = all.map(({ element }) => {
              const told = { ...element.told.end };
              if (!element.hasAttribute('seed')) for (const key of ['seed', 'text', 'nats', 'answer']) delete told[key];
              return JSON.stringify({
                ...told,
                pictures: element.hasAttribute('seed') ? element.pictures.map((/** @type {Any} */ { data }) => data.join()) : 0,
              });
            });
            /** @param {string} one @param {string} other */
            const apart = (one, other) => {
              const [a, b] = [JSON.parse(one), JSON.parse(other)];
              return Object.keys({ ...a, ...b })
                .filter((key) => JSON.stringify(a[key]) !== JSON.stringify(b[key]))
                .map((key) => {
                  const [x, y] = [JSON.stringify(a[key]) ?? '', JSON.stringify(b[key]) ?? ''];
                  let at = 0;
                  while (x[at] === y[at] && at < x.length) at++;
                  return `${key}: ${x.slice(Math.max(0, at - 40), at + 80)} <> ${y.slice(Math.max(0, at - 40), at + 80)}`;
                });
            };
            const out = [];
            for (const [i, { life, name, element }] of all.entries()) {
              const first = all.findIndex((one) => one.name === name && one.life === 'from the beginning');
              if (!ran(life) && before[i] !== before[first]) out.push([`${name}, ${life}`, ...apart(before[first], before[i])]);
              if (after[i] !== after[first]) out.push([`${name}, ${life}, played`, ...apart(after[first], after[i])]);
              if (element.told.end?.error) out.push([`${name}, ${life}, failed: ${element.told.end.error}`]);
            }
            return out;
          },
          { properties, lives, given: { model: `/${model}.gguf`, task, seed: '1', ...base }, inside },
        );
        assert.deepEqual(different, []);
      },
      { complains: true },
    ),
  );
}

/** The methods that the test calls on an element that is not connected yet, on a removed element, and on an element without a model. */
const METHODS = ['pause', 'play', 'send', 'stop', 'toBlob'];

test('before the element is connected and after it was removed, methods work or say why they cannot', { timeout: 60000 }, () =>
  withPage(
    async (page) => {
      await openEmpty(page);
      await provide(page, '/picture.gguf', await bytesOf(fileOf('picture.generate')));
      await provide(page, '/text.gguf', await bytesOf(fileOf('text.chat')));
      const out = await page.evaluate(async () => {
        const define = '/web/dist/define.js';
        const { NextPixelElement } = await import(define);
        const nap = (/** @type {number} */ ms) =>
          new Promise((resolve) => {
            setTimeout(resolve, ms);
          });
        /** @typedef {any} Any */
        const make = (/** @type {Record<string, string>} */ attributes) => {
          const element = /** @type {Any} */ (document.createElement('next-pixel'));
          element.events = [];
          for (const name of ['nx-step', 'nx-end', 'nx-error'])
            element.addEventListener(name, (/** @type {Any} */ event) => {
              event.preventDefault();
              element.events.push(event);
            });
          for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
          return element;
        };
        const count = (/** @type {Any} */ element, /** @type {string} */ name) =>
          element.events.filter((/** @type {Event} */ { type }) => type === name).length;
        const until = async (/** @type {() => unknown} */ is) => {
          for (let i = 0; i < 500 && !is(); i++) await nap(20);
          return Boolean(is());
        };
        const picture = { model: '/picture.gguf', task: 'generate', seed: '1' };
        const chat = { model: '/text.gguf', task: 'chat', 'max-tokens': '3', seed: '1' };
        /** @type {Record<string, unknown>} */
        const all = {};
        for (const when of ['new', 'removed']) {
          const begin = async (/** @type {Record<string, string>} */ attributes) => {
            const element = make(attributes);
            if (when === 'new') return element;
            document.body.append(element);
            if (attributes.loading !== 'play') await until(() => element.info);
            if ('autoplay' in attributes) await until(() => count(element, 'nx-end') > 0);
            element.remove();
            await nap(20);
            return element;
          };
          const played = await begin({ ...picture, loading: 'play' });
          played.play();
          await nap(20);
          document.body.append(played);
          all[`${when} play`] = await until(() => count(played, 'nx-end') === 1);
          const paused = await begin({ ...picture, autoplay: '' });
          paused.pause();
          document.body.append(paused);
          all[`${when} pause`] = [await until(() => paused.state === 'paused'), count(paused, 'nx-end')];
          paused.play();
          all[`${when} resumed`] = await until(() => count(paused, 'nx-end') > 0);
          const stopped = await begin({ ...picture, autoplay: '' });
          const before = count(stopped, 'nx-end');
          stopped.stop();
          document.body.append(stopped);
          await until(() => stopped.info);
          await nap(300);
          all[`${when} stop`] = count(stopped, 'nx-end') - before;
          const sent = await begin(chat);
          sent.send('hello');
          document.body.append(sent);
          all[`${when} send`] = [
            await until(() => count(sent, 'nx-end') === 1),
            sent.messages.map((/** @type {Any} */ { content }) => content)[0],
          ];
          const twice = sent.messages.length;
          sent.remove();
          await nap(20);
          document.body.append(sent);
          await until(() => sent.shadowRoot.querySelector('.talk-field'));
          await nap(50);
          all[`${when} messages`] = sent.messages.length === twice && sent.shadowRoot.querySelectorAll('.talk-turn').length === twice;
          const wrong = await begin(picture);
          wrong.send('hello');
          all[`${when} send to pictures`] = wrong.events.at(-1)?.error?.message;
          all[`${when} toBlob`] = await (await begin({ ...picture, loading: 'play', model: '' }))
            .toBlob()
            .catch((/** @type {Any} */ { code, message }) => `${code}: ${message}`);
          for (const element of document.querySelectorAll('next-pixel')) element.remove();
        }
        /** @type {string[]} */
        const methods = [];
        for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(NextPixelElement.prototype)))
          if (typeof value === 'function' && !/Callback$|^constructor$/.test(name)) methods.push(name);
        for (const name of Object.keys(make({}))) if (typeof (/** @type {Any} */ (make({}))[name]) === 'function') methods.push(name);
        return { all, methods: methods.sort() };
      });
      assert.deepEqual(out.methods, METHODS, 'a new method needs a row');
      for (const when of ['new', 'removed']) {
        assert.deepEqual(Object.fromEntries(Object.entries(out.all).filter(([name]) => name.startsWith(`${when} `))), {
          [`${when} play`]: true,
          [`${when} pause`]: [true, when === 'new' ? 0 : 1],
          [`${when} resumed`]: true,
          [`${when} stop`]: 0,
          [`${when} send`]: [true, 'hello'],
          [`${when} messages`]: true,
          [`${when} send to pictures`]: 'send() needs task="chat", not "generate"',
          [`${when} toBlob`]: 'argument: There is no drawing: call play(), and wait for nx-end',
        });
      }
    },
    { complains: true },
  ),
);
