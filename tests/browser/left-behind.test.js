// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Checks that a page releases everything when a model of any kind is closed or fails. No worker, timer, object URL or running AudioContext
 * may remain, and no listener on an object that outlives the models.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';

import { functionsIn, rowsOf } from '../kinds/browser.js';
import { flat } from '../kinds/rows.js';
import { oneOf } from '../more.js';
import { openEmpty, provide, session } from './browser.js';

const { withPage } = session(['--js-flags=--expose-gc', '--autoplay-policy=no-user-gesture-required']);

/** Counts everything that must be released; must run before the page's first script. */
function count() {
  const all = /** @type {any} */ (globalThis);
  /** @type {Map<string, number>} */
  const left = new Map();
  const more = (/** @type {string} */ what, by = 1) => left.set(what, (left.get(what) ?? 0) + by);
  /** @type {Set<WeakRef<any>>} */
  const contexts = new Set();
  all.leftBehind = () => ({
    ...Object.fromEntries([...left].filter(([, n]) => n !== 0)),
    ...Object.fromEntries([...contexts].flatMap((ref) => (ref.deref()?.state === 'running' ? [['running AudioContext', 1]] : []))),
  });
  // Counts only listeners on objects that live as long as the page, and on objects that belong to the caller.
  const lasting = (/** @type {any} */ target) =>
    target === window ||
    target === document ||
    target instanceof MediaQueryList ||
    target === all.callersSignal ||
    target === all.callersContext;
  const { addEventListener: add, removeEventListener: remove } = EventTarget.prototype;
  /** @type {WeakMap<any, Set<string>>} */
  const known = new WeakMap();
  let ids = 0;
  const idOf = (/** @type {any} */ listener) => (listener.leftId ??= ++ids);
  const keysOf = (/** @type {any} */ target) => {
    const keys = known.get(target) ?? new Set();
    known.set(target, keys);
    return keys;
  };
  EventTarget.prototype.addEventListener = function (type, listener, options) {
    if (listener && lasting(this)) {
      const key = `${type} ${idOf(listener)}`;
      if (!keysOf(this).has(key)) more(`listener of ${type}`);
      keysOf(this).add(key);
    }
    return add.call(this, type, listener, options);
  };
  EventTarget.prototype.removeEventListener = function (type, listener, options) {
    if (listener && lasting(this) && keysOf(this).delete(`${type} ${idOf(listener)}`)) more(`listener of ${type}`, -1);
    return remove.call(this, type, listener, options);
  };
  const { createObjectURL: make, revokeObjectURL: revoke } = URL;
  URL.createObjectURL = (object) => {
    more('object URL');
    return make(object);
  };
  URL.revokeObjectURL = (url) => {
    more('object URL', -1);
    revoke(url);
  };
  const timers = new Set();
  const { setInterval: begin, clearInterval: end } = window;
  all.setInterval = (/** @type {any[]} */ ...given) => {
    const timer = /** @type {any} */ (begin)(...given);
    timers.add(timer);
    more('interval');
    return timer;
  };
  all.clearInterval = (/** @type {number} */ timer) => {
    if (timers.delete(timer)) more('interval', -1);
    end(timer);
  };
  all.Worker = class extends Worker {
    #over = false;
    /** @param {any} url @param {any} options */
    constructor(url, options) {
      super(url, options);
      more('worker');
    }
    /** @override */
    terminate() {
      if (!this.#over) more('worker', -1);
      this.#over = true;
      super.terminate();
    }
  };
  all.AudioContext = class extends AudioContext {
    constructor() {
      super();
      contexts.add(new WeakRef(this));
      // All elements of a page share one AudioContext. The test's calls to the library use a second one.
      if (contexts.size > 2) more('more than one AudioContext');
    }
  };
}

for (const [i, [name, { attributes, inside, begin }]] of Object.entries(flat(rowsOf('shown'))).entries()) {
  oneOf(i, 5)(`${name}: nothing stays behind`, { timeout: 120000 }, () =>
    withPage(
      async (page) => {
        await page.addInitScript(count);
        await provide(page, '/weights/stories260K.gguf', await readFile(new URL('../golden/stories260K.gguf', import.meta.url)));
        await provide(page, '/damaged.gguf', new TextEncoder().encode(`GGUF\u0003\0\0\0${'x'.repeat(999)}`));
        await openEmpty(page);
        await functionsIn(page, { begin });
        await page.mouse.click(300, 300);
        const left = await page.evaluate(
          async ({ model, attributes, inside }) => {
            const all = /** @type {any} */ (globalThis);
            const define = '/web/dist/define.js';
            const library = '/web/dist/nextpixel.js';
            const [{ load }] = await Promise.all([import(library), import(define)]);
            const nap = (/** @type {number} */ ms) =>
              new Promise((resolve) => {
                setTimeout(resolve, ms);
              });
            const until = async (/** @type {() => unknown} */ is, what = '') => {
              for (let i = 0; i < 500 && !is(); i++) await nap(20);
              if (!is()) throw new Error(`not so: ${what}`);
            };
            /** @typedef {any} Any */
            const make = (/** @type {Record<string, string>} */ more) => {
              const element = /** @type {Any} */ (document.createElement('next-pixel'));
              for (const [key, value] of Object.entries({ model, ...attributes, seed: '1', ...more })) element.setAttribute(key, value);
              element.innerHTML = inside;
              element.told = [];
              for (const type of ['nx-step', 'nx-end', 'nx-error'])
                element.addEventListener(type, (/** @type {Event} */ event) => {
                  event.preventDefault();
                  element.told.push(type);
                });
              document.body.append(element);
              return element;
            };
            const over = (/** @type {Any} */ element) => until(() => /end|error/.test(element.told.at(-1)), 'over');
            const live = async () => {
              // Elements: one finishes, one is stopped, some are removed early, and some fail.
              const ended = make({});
              ended.play();
              await over(ended);
              ended.remove();
              const stopped = make({});
              stopped.addEventListener('nx-step', () => stopped.stop(), { once: true });
              stopped.play();
              await over(stopped);
              stopped.remove();
              const within = make({});
              within.addEventListener('nx-step', () => within.remove(), { once: true });
              within.play();
              await until(() => !within.isConnected || /end|error/.test(within.told.at(-1)), 'removed');
              within.remove();
              const paused = make({ autoplay: '' });
              paused.pause();
              await until(() => paused.state === 'paused', 'paused');
              paused.remove();
              make({}).remove();
              for (const wrong of /** @type {Record<string, string>[]} */ ([
                { model: '/none.gguf' },
                { model: '/damaged.gguf' },
                { task: 'none' },
              ])) {
                const element = make(wrong);
                element.play();
                await over(element);
                element.remove();
              }
              // The library: all calls get the same abort signal and the same AudioContext from the caller.
              const { signal } = new AbortController();
              all.callersSignal = signal;
              const context = new AudioContext();
              all.callersContext = context;
              for (const address of ['/none.gguf', '/damaged.gguf']) await load(address, { signal }).catch(() => {});
              const aborted = new AbortController();
              const loading = load(model, { signal: aborted.signal });
              aborted.abort();
              await loading.catch(() => {});
              const open = await load(model, { signal });
              const begin = () => all.rows.begin(open, { signal });
              const canvas = document.createElement('canvas');
              document.body.append(canvas);
              const drawn = await begin();
              await drawn.drawTo(canvas);
              if (drawn.playTo) {
                await drawn.playTo(context);
                const halted = new AbortController();
                const playing = begin().playTo(context, { signal: halted.signal });
                setTimeout(() => halted.abort(), 50);
                await playing.catch(() => {});
              }
              if (drawn.stop) {
                const run = begin();
                for await (const _ of run) break;
                begin().stop();
              }
              const closing = Promise.resolve(begin()).then((run) => run.result?.());
              closing.catch(() => {});
              open.close();
              await closing.catch(() => {});
              canvas.remove();
              await context.close();
            };
            await live(); // live() is a separate function, so that no variable here keeps the elements alive
            for (let i = 0; i < 60; i++) {
              await nap(100);
              all.gc();
              if (Object.keys(all.leftBehind()).length === 0) break;
            }
            return all.leftBehind();
          },
          { model: `/weights/${name}.gguf`, attributes, inside: inside ?? '' },
        );
        assert.deepEqual(left, {});
      },
      { complains: true },
    ),
  );
}
