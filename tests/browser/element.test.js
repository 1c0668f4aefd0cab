// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests <next-pixel> on a page with a strict content security policy: its attributes, its events, its accessibility, and its insertion and
 * removal.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { toyModel } from '../js/toy.js';
import { more, oneOf } from '../more.js';
import { OUT, decode, provide, session, sleep, until } from './browser.js';

/** @import { Page } from 'playwright-core' */

const { withPage } = session();

const PAGE = '/web/element.html';
/** A random model that takes seconds to draw a picture. */
const SLOW = '../weights/slow.gguf';
const slow = toyModel({ width: 256, height: 256, embedding: 64, feedForward: 256, queryBlock: 256, memoryBlock: 256 });
const DIGIT = 'model="../weights/digits.gguf" src="pictures/seven.png" rows="12"';

/**
 * Opens a page with some elements. In the page, `__events` records the events of these elements.
 *
 * @param {Page} page
 * @param {string} body
 */
async function open(page, body) {
  await provide(page, '/weights/slow.gguf', slow);
  await provide(
    page,
    '/web/quiet.js',
    "document.getElementById('quiet').addEventListener('nx-error', (event) => event.preventDefault());",
    { type: 'text/javascript' },
  );
  await provide(
    page,
    PAGE,
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>elements</title>
    <script type="module" src="dist/define.js"></script><body>${body}</body></html>`,
    { type: 'text/html; charset=utf-8' },
  );
  await page.addInitScript(() => {
    const events = /** @type {any[]} */ ([]);
    Object.assign(globalThis, { __events: events });
    for (const type of ['nx-ready', 'nx-step', 'nx-end', 'nx-error']) {
      addEventListener(type, (/** @type {any} */ event) =>
        events.push({
          type,
          id: event.target.id,
          at: performance.now(),
          composed: event.composed,
          class: event.constructor.name,
          sample: event.step?.sample,
          from: event.step?.from,
          values: event.step?.values && [...event.step.values],
          nats: event.nats,
          seed: event.seed,
          name: event.info?.name,
          code: event.error?.code,
        }),
      );
    }
  });
  await page.goto(PAGE);
}

/** @param {Page} page @returns {Promise<any[]>} */
const events = (page) => page.evaluate(() => /** @type {any} */ (globalThis).__events);

/** @param {Page} page @param {string} type @param {number} [count] */
const occurs = (page, type, count = 1) =>
  page.waitForFunction(
    ([name, n]) => /** @type {any} */ (globalThis).__events.filter((/** @type {any} */ event) => event.type === name).length >= n,
    /** @type {[string, number]} */ ([type, count]),
  );

/** @param {Page} page @param {string} [selector] @returns {Promise<string>} */
const state = (page, selector = 'next-pixel') => page.locator(selector).evaluate((element) => /** @type {any} */ (element).state);

/** @param {Page} page @param {string} wanted */
const reaches = (page, wanted) =>
  page.waitForFunction((name) => /** @type {any} */ (document.querySelector('next-pixel')).state === name, wanted);

/** Returns the number of steps that arrive within this time. @param {Page} page @param {number} ms */
async function stepsDuring(page, ms) {
  const count = () =>
    page.evaluate(() => /** @type {any} */ (globalThis).__events.filter((/** @type {any} */ { type }) => type === 'nx-step').length);
  const before = await count();
  await sleep(ms);
  return (await count()) - before;
}

test('the element shows its poster, then draws on command, and ends', () =>
  withPage(async (page) => {
    await open(
      page,
      `<next-pixel id="a" ${DIGIT} samples="3" seed="7" controls><img id="poster" src="pictures/seven.png" alt="seven"></next-pixel>`,
    );
    await occurs(page, 'nx-ready');
    assert.equal(await state(page), 'near');
    assert.ok(await page.locator('#poster').isVisible());
    await page.getByRole('button', { name: 'Play' }).click();
    await occurs(page, 'nx-end');
    assert.equal(await page.locator('#poster').isVisible(), false);
    const list = await events(page);
    assert.deepEqual([...new Set(list.map(({ type }) => type))], ['nx-ready', 'nx-step', 'nx-end']);
    assert.ok(list.every(({ id, composed }) => id === 'a' && composed));
    assert.deepEqual([...new Set(list.map((event) => event.class))], ['NextPixelReadyEvent', 'NextPixelStepEvent', 'NextPixelEndEvent']);
    const end = list.at(-1);
    assert.equal(end.seed, 7);
    assert.equal(end.nats.length, 3);
    assert.ok(end.nats.every((/** @type {number} */ cost) => cost > 0));

    // The canvas shows the values: white on black, three pictures with a gap of two pixels between them.
    await sleep(50);
    const drawn = [0, 1, 2].map((sample) =>
      list.filter((event) => event.type === 'nx-step' && event.sample === sample).flatMap(({ values }) => values),
    );
    assert.ok(drawn.every((values) => values.length === 16 * 28));
    const canvas = page.locator('next-pixel canvas');
    const shot = await decode(page, await canvas.screenshot({ path: `${OUT}element.png` }));
    const cell = shot.width / (3 * 28 + 4);
    for (let sample = 0; sample < 3; sample++) {
      for (let i = 0; i < drawn[sample].length; i++) {
        const x = sample * 30 + (i % 28);
        const y = 12 + Math.floor(i / 28);
        assert.deepEqual(shot.at((x + 0.5) * cell, (y + 0.5) * cell), Array(3).fill(drawn[sample][i]), `sample ${sample}, element ${i}`);
      }
    }
    assert.equal(await canvas.getAttribute('role'), 'img');
    assert.match((await canvas.getAttribute('aria-label')) ?? '', /3 pictures completed from seven\.png by digits, 100 % done/);
    assert.equal(await page.locator('[role=status]').count(), 1);
    await page.locator('[role=status]').getByText('100 % done').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Play again' }).click();
    await occurs(page, 'nx-end', 2);
    const again = (await events(page))
      .slice(list.length)
      .filter(({ type }) => type === 'nx-step')
      .flatMap(({ sample, values }) => (sample === 0 ? values : []));
    assert.deepEqual(again, drawn[0], 'the same seed gives the same picture');
  }));

test('each shown picture is the most probable one of its competing group; too many samples times tries are refused', () =>
  withPage(async (page) => {
    await open(
      page,
      `<next-pixel id="a" ${DIGIT} samples="2" tries="4" seed="7"></next-pixel><next-pixel id="b" ${DIGIT} samples="13" tries="5"></next-pixel>`,
    );
    await occurs(page, 'nx-ready', 2);
    const [shown, expected] = await page.evaluate(async () => {
      const element = /** @type {any} */ (document.getElementById('a'));
      const ended = new Promise((resolve) => element.addEventListener('nx-end', resolve));
      element.play();
      const { nats } = /** @type {any} */ (await ended);
      const { load } = await import(/** @type {any} */ ('/web/dist/nextpixel.js'));
      const model = await load('/weights/digits.gguf');
      const image = new Image();
      image.src = 'pictures/seven.png';
      await image.decode();
      const run = model.complete(image, { rows: 12, samples: 8, resample: 4, seed: 7 });
      const costs = new Array(8).fill(0);
      const pictures = [];
      for await (const { sample, values, nats, anew } of run) {
        if (!anew) continue;
        pictures[sample] = [...values];
        costs[sample] = nats.reduce((/** @type {number} */ sum, /** @type {number} */ cost) => sum + cost, 0);
      }
      model.close();
      const grey = (/** @type {ImageData} */ { data }) => [...data].filter((_, i) => i % 4 === 0).slice(12 * 28);
      return [
        { pictures: element.pictures.map(grey), nats },
        { pictures: [pictures[0], pictures[4]], nats: [costs[0], costs[4]] },
      ];
    });
    assert.deepEqual(shown.pictures, expected.pictures);
    shown.nats.forEach((/** @type {number} */ cost, /** @type {number} */ i) => assert.ok(Math.abs(cost - expected.nats[i]) < 1e-3));
    assert.notDeepEqual(shown.pictures[0], shown.pictures[1]);
    const steps = (await events(page)).filter(({ type }) => type === 'nx-step');
    assert.deepEqual([...new Set(steps.map(({ sample }) => sample))], [0, 1]);

    await page.evaluate(() => {
      document.getElementById('b')?.addEventListener('nx-error', (event) => event.preventDefault());
      /** @type {any} */ (document.getElementById('b')).play();
    });
    await occurs(page, 'nx-error');
    assert.equal((await events(page)).find(({ type }) => type === 'nx-error').code, 'argument');
  }));

test('autoplay begins automatically; the keyboard pauses, resumes and stops', () =>
  withPage(async (page) => {
    await open(page, `<next-pixel model="${SLOW}" task="generate" seed="1" autoplay controls></next-pixel>`);
    await reaches(page, 'running');
    await occurs(page, 'nx-step');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await reaches(page, 'paused');
    await sleep(100);
    assert.equal(await stepsDuring(page, 200), 0);
    await page.keyboard.press('Enter');
    await reaches(page, 'running');
    assert.ok((await stepsDuring(page, 300)) > 0);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await reaches(page, 'near');
    assert.equal(await stepsDuring(page, 200), 0);
    assert.equal(
      await page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.textContent),
      'Play again',
      'the focus is not lost',
    );
  }));

test('the element loads when it scrolls into view, and pauses off screen and while the page is hidden', () =>
  withPage(async (page) => {
    /** @type {string[]} */
    const fetched = [];
    page.on('request', (request) => {
      if (request.url().endsWith('.gguf')) fetched.push(request.url());
    });
    await open(
      page,
      `<div id="space"></div><next-pixel model="${SLOW}" task="generate" seed="1" autoplay></next-pixel><div id="more"></div>`,
    );
    // At first, the element is far below the visible area, so no weights are loaded.
    await page.evaluate(() => {
      for (const id of ['space', 'more'])
        Object.assign(/** @type {HTMLElement} */ (document.getElementById(id)).style, { height: '4000px' });
      const element = /** @type {Element} */ (document.querySelector('next-pixel'));
      element.replaceWith(element.cloneNode());
    });
    await sleep(200);
    fetched.length = 0;
    assert.equal(await state(page), 'idle');
    await sleep(200);
    assert.deepEqual(fetched, []);
    await page.locator('next-pixel').scrollIntoViewIfNeeded();
    await reaches(page, 'running');
    await occurs(page, 'nx-step');
    await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
    await reaches(page, 'paused');
    await sleep(100);
    assert.equal(await stepsDuring(page, 200), 0);
    await page.locator('next-pixel').scrollIntoViewIfNeeded();
    await reaches(page, 'running');
    assert.ok((await stepsDuring(page, 300)) > 0);
    /** @param {boolean} hidden */
    const hide = (hidden) =>
      page.evaluate((value) => {
        Object.defineProperty(document, 'hidden', { configurable: true, get: () => value });
        document.dispatchEvent(new Event('visibilitychange'));
      }, hidden);
    await hide(true);
    assert.equal(await state(page), 'paused');
    await sleep(100);
    assert.equal(await stepsDuring(page, 200), 0);
    await hide(false);
    assert.equal(await state(page), 'running');
    // Scrolling does not undo a visitor's pause.
    await page.locator('next-pixel').evaluate((element) => /** @type {any} */ (element).pause());
    await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
    await sleep(100);
    await page.locator('next-pixel').scrollIntoViewIfNeeded();
    await sleep(200);
    assert.equal(await state(page), 'paused');
  }));

test('an element stops when it is removed, but not when it is moved; two elements share one model', () =>
  withPage(async (page) => {
    let downloads = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('slow.gguf')) downloads++;
    });
    await open(
      page,
      `<div id="here"><next-pixel model="${SLOW}" task="generate" seed="1" width="256" autoplay></next-pixel>
    <next-pixel id="second" model="${SLOW}" task="generate" seed="2" width="256"></next-pixel></div><div id="there"></div>`,
    );
    await occurs(page, 'nx-ready', 2);
    await occurs(page, 'nx-step');
    assert.equal(page.workers().length, 1);
    await page.evaluate(() =>
      /** @type {Element} */ (document.getElementById('there')).append(/** @type {Element} */ (document.querySelector('next-pixel'))),
    );
    assert.equal(await state(page, '#there next-pixel'), 'running');
    assert.ok((await stepsDuring(page, 300)) > 0);
    await page.evaluate(() => {
      const element = /** @type {Element} */ (document.querySelector('#there next-pixel'));
      /** @type {any} */ (globalThis).kept = element;
      element.remove();
    });
    assert.equal(await page.evaluate(() => /** @type {any} */ (globalThis).kept.state), 'closed');
    await sleep(100);
    assert.equal(await stepsDuring(page, 200), 0);
    assert.equal(page.workers().length, 1, 'the second one holds the model');
    await page.evaluate(() => document.body.append(/** @type {any} */ (globalThis).kept));
    await page.waitForFunction(() => /** @type {any} */ (globalThis).kept.state === 'running');
    assert.equal(downloads, 1);
    await page.evaluate(() => document.querySelectorAll('next-pixel').forEach((element) => element.remove()));
    await page.waitForFunction(() => /** @type {any} */ (globalThis).kept.state === 'closed');
    for (let i = 0; page.workers().length > 0 && i < 60; i++) await sleep(100);
    assert.equal(page.workers().length, 0, 'without holders, the worker has ended');
  }));

test('attributes hold the state: changes restart the run, and invalid values count as absent', () =>
  withPage(
    async (page) => {
      await open(page, `<next-pixel ${DIGIT} seed="7"></next-pixel>`);
      await occurs(page, 'nx-ready');
      const element = page.locator('next-pixel');
      await element.evaluate((e) => /** @type {any} */ (e).play());
      await occurs(page, 'nx-end');
      await element.evaluate((e) => {
        /** @type {any} */ (e).seed = 8;
        /** @type {any} */ (e).rows = 14; // two changes in the same task cause one new run
      });
      await occurs(page, 'nx-end', 2);
      await element.evaluate((e) => Object.assign(e, { task: 'generate', label: '3', temperature: 0, topP: 0.5, samples: 2 }));
      await occurs(page, 'nx-end', 3);
      const list = await events(page);
      const ends = list.filter(({ type }) => type === 'nx-end');
      assert.deepEqual(
        ends.map(({ seed }) => seed),
        [7, 8, 8],
      );
      const last = list.slice(list.indexOf(ends[1]) + 1).filter(({ type }) => type === 'nx-step');
      assert.deepEqual(
        [0, 1].map((sample) => last.filter((event) => event.sample === sample).flatMap(({ values }) => values).length),
        [784, 784],
      );

      const read = () =>
        element.evaluate((e) => {
          const { task, rows, samples, seed, temperature, topP, label, autoplay, controls } = /** @type {any} */ (e);
          return { task, rows, samples, seed, temperature, topP, label, autoplay, controls };
        });
      await element.evaluate((e) => {
        for (const [name, value] of Object.entries({
          task: 'dance',
          rows: '-3',
          samples: '1000',
          seed: 'x',
          temperature: 'hot',
          'top-p': '0',
        })) {
          e.setAttribute(name, value);
        }
        Object.assign(e, { label: null, autoplay: 1, controls: 'yes', src: undefined });
      });
      assert.deepEqual(await read(), {
        task: 'complete',
        rows: undefined,
        samples: 1,
        seed: undefined,
        temperature: 1,
        topP: 1,
        label: '',
        autoplay: true,
        controls: true,
      });
      assert.equal(await element.getAttribute('src'), null);
      await occurs(page, 'nx-error');
      assert.equal((await events(page)).at(-1).code, 'argument');
      assert.match(await element.locator('.status').innerText(), /task must be complete or generate .*"dance"/);
      await element.evaluate((e) => Object.assign(e, { task: undefined }));
      await occurs(page, 'nx-error', 2); // nothing can be completed without a picture
      assert.equal((await events(page)).at(-1).code, 'network');

      await element.evaluate((e) =>
        Object.assign(e, { src: 'pictures/seven.png', model: '../weights/slow.gguf', autoplay: false, task: 'generate' }),
      );
      await page.waitForFunction(() =>
        /** @type {any} */ (globalThis).__events.some((/** @type {any} */ event) => event.type === 'nx-ready' && event.name === 'toy'),
      );
    },
    { complains: true },
  ));

test('nx-end comes after the last paint, and contains the pictures and a file of the pictures', () =>
  withPage(async (page) => {
    await open(page, '');
    const seen = await page.evaluate(
      () =>
        new Promise((resolve) => {
          document.body.innerHTML =
            '<next-pixel model="../weights/digits.gguf" task="generate" seed="7" samples="2" autoplay></next-pixel>';
          addEventListener('nx-end', async (/** @type {any} */ event) => {
            const canvas = /** @type {HTMLCanvasElement} */ (event.target.shadowRoot.querySelector('canvas'));
            const painted = canvas.getContext('2d')?.getImageData(0, 0, 28, 28).data;
            const { pictures } = event;
            const bitmap = await createImageBitmap(await event.toBlob('image/png'));
            const file = await event.target.toBlob();
            resolve({
              same: String(painted) === String(pictures[0].data),
              sizes: pictures.map((/** @type {ImageData} */ { width, height }) => [width, height]),
              bitmap: [bitmap.width, bitmap.height],
              type: file.type,
              again: event.target.pictures.length,
            });
          });
        }),
    );
    assert.deepEqual(seen, {
      same: true,
      sizes: [
        [28, 28],
        [28, 28],
      ],
      bitmap: [58, 28],
      type: 'image/png',
      again: 2,
    });
  }));

test('an error is visible even without buttons, and is logged to the console unless a listener handles it', () =>
  withPage(
    async (page, complaints) => {
      await open(
        page,
        `<next-pixel id="label" model="../weights/digits.gguf" task="generate" label="eleven" autoplay></next-pixel>
    <next-pixel id="task" model="../weights/digits.gguf" task="super-resolve" autoplay></next-pixel>
    <next-pixel id="quiet" model="../weights/digits.gguf" task="dance" autoplay></next-pixel>
    <script type="module" src="quiet.js"></script>`,
      );
      await occurs(page, 'nx-error', 3);
      const label = page.locator('#label [part=error]');
      assert.match(await label.innerText(), /label must be one of 0, 1, 2.*"eleven"/);
      assert.ok(await label.isVisible());
      assert.match(
        await page.locator('#task [part=error]').innerText(),
        /task must be complete or generate with this model, not "super-resolve"/,
      );
      assert.ok(complaints.some((text) => /label must be one of/.test(text)));
      await page.screenshot({ path: `${OUT}element-errors.png` });
      assert.equal(complaints.length, 3 - 1);
      assert.equal(await page.locator('#quiet [part=error]').isVisible(), false);
      await page.locator('#label').evaluate((e) => e.setAttribute('label', '3'));
      await page.locator('#label').evaluate((e) => /** @type {any} */ (e).play());
      await occurs(page, 'nx-end');
      assert.equal(await label.isVisible(), false);
    },
    { complains: true },
  ));

test('play() takes effect later if it is called just after insertion or off screen', () =>
  withPage(async (page) => {
    await open(page, '<div id="space"></div>');
    await page.evaluate(() => {
      const /** @type {HTMLElement} */ space = /** @type {any} */ (document.getElementById('space'));
      space.style.height = '5000px';
      for (const [id, where] of /** @type {[string, Element | null][]} */ ([
        ['above', null],
        ['below', space],
      ])) {
        const element = /** @type {any} */ (document.createElement('next-pixel'));
        Object.assign(element, { id, model: '../weights/digits.gguf', task: 'generate', seed: 1 });
        if (where) where.after(element);
        else document.body.prepend(element);
        element.play();
      }
    });
    await occurs(page, 'nx-end');
    await occurs(page, 'nx-ready', 2);
    assert.equal(await state(page, '#below'), 'paused', 'ready, but off screen');
    await page.locator('#below').evaluate((e) => e.scrollIntoView());
    await occurs(page, 'nx-end', 2);
  }));

test('space is reserved: nothing shifts from the first layout to the picture', () =>
  withPage(async (page) => {
    await page.route('**/weights/digits.gguf', async (route) => {
      await sleep(300);
      await route.continue();
    });
    await open(
      page,
      `<next-pixel id="a" model="../weights/digits.gguf" task="generate" seed="1" width="140" height="140" autoplay></next-pixel>
    <next-pixel id="b" model="../weights/digits.gguf" task="generate" seed="1" width="140" height="140" autoplay><img src="pictures/seven.png" alt="seven"></next-pixel>
    <next-pixel id="c" model="../weights/digits.gguf" task="generate" seed="1" autoplay></next-pixel>`,
    );
    const boxes = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('next-pixel')].map((element) => {
          const { width, height } = element.getBoundingClientRect();
          return [width, height];
        }),
      );
    await page.waitForFunction(() => customElements.get('next-pixel'));
    const before = await boxes();
    await occurs(page, 'nx-ready', 3);
    const ready = await boxes();
    await occurs(page, 'nx-end', 3);
    const after = await boxes();
    assert.deepEqual(before.slice(0, 2), [
      [140, 140],
      [140, 140],
    ]);
    assert.deepEqual(after.slice(0, 2), before.slice(0, 2));
    assert.deepEqual(ready[2], after[2], 'without the two attributes, the size is final once the model is loaded');
  }));

test('without width and height, the first bytes of the file are enough to reserve the space', () =>
  withPage(async (page) => {
    await page.addInitScript(() => {
      const { fetch } = globalThis;
      /** @type {Promise<void>} */
      const goOn = new Promise((resolve) => {
        /** @type {any} */ (globalThis).__goOn = resolve;
      });
      // The server sends the first 2000 bytes of a weight file immediately, and the rest when the test releases it.
      globalThis.fetch = async (input, init) => {
        const response = await fetch(input, init);
        if (!String(input).endsWith('.gguf')) return response;
        const bytes = new Uint8Array(await response.arrayBuffer());
        return new Response(
          new ReadableStream({
            async start(controller) {
              controller.enqueue(bytes.subarray(0, 2000));
              await goOn;
              controller.enqueue(bytes.subarray(2000));
              controller.close();
            },
          }),
        );
      };
    });
    await open(
      page,
      `<next-pixel model="../weights/digits.gguf" task="generate" label="3" samples="3" seed="1" autoplay></next-pixel>
    <next-pixel model="../weights/emoji.gguf" task="generate" seed="1" autoplay></next-pixel>
    <next-pixel model="../weights/stories.gguf" max-tokens="8" seed="1" autoplay></next-pixel>`,
    );
    const boxes = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('next-pixel')].map((element) => {
          const { width, height, top } = element.getBoundingClientRect();
          return [width, height, top];
        }),
      );
    await page.waitForFunction(() =>
      [...document.querySelectorAll('next-pixel')].every((element) => element.getBoundingClientRect().height > 50),
    );
    assert.equal((await events(page)).length, 0, 'nothing is ready');
    const before = await boxes();
    assert.deepEqual(
      before.slice(0, 2).map(([width, height]) => [width, height]),
      [
        [440, 140],
        [160, 160],
      ],
    );
    await page.evaluate(() => /** @type {any} */ (globalThis).__goOn());
    await occurs(page, 'nx-end', 3);
    assert.deepEqual(await boxes(), before);
  }));

test('a download can be stopped, and later elements do not join a download that never ends', () =>
  withPage(
    async (page) => {
      let asked = 0;
      let dead = true;
      await page.clock.install();
      await page.clock.resume();
      await page.route('**/weights/digits.gguf', async (route) => {
        asked++;
        if (!dead) await route.continue(); // while `dead` is set, the server never answers
      });
      await open(page, `<next-pixel model="../weights/digits.gguf" task="generate" seed="1" controls></next-pixel>`);
      for (let i = 0; asked === 0 && i < 60; i++) await sleep(50);
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.locator('next-pixel .status').getByText('Stopped').waitFor();
      assert.equal((await events(page)).length, 0, 'a stop is not an error');
      await sleep(300); // after a shorter wait, play() would continue the same download
      await page.getByRole('button', { name: 'Play' }).click(); // the server does not answer this second request either
      for (let i = 0; asked < 2 && i < 60; i++) await sleep(50);
      await page.clock.runFor(12000);
      dead = false;
      await page.evaluate(() =>
        document.body.insertAdjacentHTML(
          'beforeend',
          '<next-pixel id="later" model="../weights/digits.gguf" task="generate" seed="1" autoplay></next-pixel>',
        ),
      );
      await occurs(page, 'nx-end');
      assert.equal(asked, 3);
      // After half a minute, the element stops waiting, and can try again.
      await page.clock.runFor(30000);
      await occurs(page, 'nx-error');
      assert.equal((await events(page)).find(({ type }) => type === 'nx-error').code, 'network');
      await page.getByRole('button', { name: 'Try again' }).click();
      await occurs(page, 'nx-end', 2);
    },
    { complains: true },
  ));

test('if a worker is terminated from outside, the element draws again on its own', { timeout: 60000 }, () =>
  withPage(async (page) => {
    await page.addInitScript(() => {
      const all = /** @type {Worker[]} */ ([]);
      Object.assign(globalThis, { __workers: all });
      globalThis.Worker = class extends Worker {
        /** @param {string | URL} url @param {WorkerOptions} [options] */
        constructor(url, options) {
          super(url, options);
          all.push(this);
        }
      };
    });
    await page.clock.install();
    await page.clock.resume();
    await open(page, `<next-pixel model="${SLOW}" task="generate" seed="1" width="256" autoplay></next-pixel>`);
    await occurs(page, 'nx-step', 3);
    await page.evaluate(() => /** @type {any} */ (globalThis).__workers[0].terminate());
    const count = (await events(page)).length;
    await page.clock.runFor(30000);
    await page.waitForFunction((n) => /** @type {any} */ (globalThis).__events.length > n + 3, count);
    const list = await events(page);
    assert.deepEqual(
      list.filter(({ type }) => type === 'nx-error'),
      [],
    );
    assert.ok(
      list.slice(count).some(({ type, from }) => type === 'nx-step' && from === 0),
      'from the beginning',
    );
  }),
);

test('an element and acquire() share one download and one worker; the attributes cache and integrity take effect', () =>
  withPage(
    async (page) => {
      let downloads = 0;
      page.on('request', (request) => {
        if (request.url().endsWith('digits.gguf')) downloads++;
      });
      await open(page, '<next-pixel id="a" model="../weights/digits.gguf" task="generate" seed="1" autoplay></next-pixel>');
      const nats = await page.evaluate(async () => {
        const address = '/web/dist/nextpixel.js';
        const { acquire } = await import(address);
        const { model, release } = await acquire('../weights/digits.gguf');
        const { nats } = await model.score({ data: new Uint8Array(784), width: 28, height: 28 });
        release();
        return nats;
      });
      assert.ok(nats > 0);
      await occurs(page, 'nx-end');
      assert.deepEqual([downloads, page.workers().length], [1, 1]);

      await until(page, async () => (await (await caches.open('nextpixel')).keys()).length === 1); // the file is cached a little later
      await page.evaluate(() => caches.delete('nextpixel'));
      await page.evaluate(() => {
        document.body.innerHTML = `<next-pixel id="b" model="../weights/digits.gguf?b" cache="no-store" task="generate" autoplay></next-pixel>
      <next-pixel id="c" model="../weights/digits.gguf?c" integrity="sha256-${'A'.repeat(43)}=" task="generate" autoplay></next-pixel>`;
      });
      await occurs(page, 'nx-end', 2);
      await occurs(page, 'nx-error');
      assert.deepEqual(
        (await events(page)).filter(({ type }) => type === 'nx-error').map(({ id, code }) => [id, code]),
        [['c', 'integrity']],
      );
      await sleep(1000); // longer than it takes to cache a file
      assert.deepEqual(await page.evaluate(async () => (await (await caches.open('nextpixel')).keys()).map(({ url }) => url)), []);
    },
    { complains: true },
  ));

test('an invalid model gives an error event, and can be retried', () =>
  withPage(
    async (page) => {
      await page.route('**/weights/late.gguf', (route) => route.fulfill({ status: 404, body: '' }));
      await open(
        page,
        `<next-pixel model="../weights/late.gguf" src="pictures/seven.png" controls></next-pixel>
    <next-pixel id="wrong" model="pictures/seven.png" src="pictures/seven.png"></next-pixel>`,
      );
      await occurs(page, 'nx-error', 2);
      const errors = (await events(page))
        .map((event) => [event.type, event.id, event.class, event.code])
        .sort((a, b) => String(a[1]).localeCompare(b[1]));
      assert.deepEqual(errors, [
        ['nx-error', '', 'NextPixelErrorEvent', 'network'],
        ['nx-error', 'wrong', 'NextPixelErrorEvent', 'format'],
      ]);
      assert.match(await page.locator('next-pixel').first().locator('.status').innerText(), /404/);
      assert.equal(
        await page
          .locator('next-pixel')
          .first()
          .evaluate((element) => /** @type {any} */ (element).state),
        'near',
      );
      await page.unroute('**/weights/late.gguf');
      await page.route('**/weights/late.gguf', (route) => route.continue({ url: route.request().url().replace('late', 'digits') }));
      await page.getByRole('button', { name: 'Try again' }).click();
      await occurs(page, 'nx-end');
    },
    { complains: true },
  ));

test('with reduced motion, autoplay is off, there are buttons, and a picture appears only when it is finished', () =>
  withPage(
    async (page) => {
      await open(page, `<next-pixel ${DIGIT} seed="7" autoplay><img id="poster" src="pictures/seven.png" alt="seven"></next-pixel>`);
      await occurs(page, 'nx-ready');
      await sleep(200);
      assert.equal(await state(page), 'near');
      await page.locator('next-pixel').evaluate((element) => {
        const seen = /** @type {boolean[]} */ ([]);
        Object.assign(globalThis, { seen });
        element.addEventListener('nx-step', () =>
          seen.push(
            /** @type {HTMLElement} */ (element.shadowRoot?.querySelector('canvas')).checkVisibility({ visibilityProperty: true }) ===
              false,
          ),
        );
      });
      await page.getByRole('button', { name: 'Play' }).click();
      await occurs(page, 'nx-end');
      const seen = await page.evaluate(() => /** @type {any} */ (globalThis).seen);
      assert.ok(seen.length > 0 && seen.every((/** @type {unknown} */ hidden) => hidden === true), 'nothing is shown before the end');
      await page.locator('next-pixel canvas').waitFor();
      await page.emulateMedia({ reducedMotion: 'no-preference' });
      await page.waitForFunction(
        () => /** @type {any} */ (document.querySelector('next-pixel')?.shadowRoot?.querySelector('.controls')).hidden,
      );
    },
    { reducedMotion: 'reduce' },
  ));

test('a label on the element takes precedence; the definition may run twice', () =>
  withPage(async (page) => {
    await open(page, `<next-pixel ${DIGIT} aria-label="My seven"></next-pixel>`);
    await occurs(page, 'nx-ready');
    assert.equal(await page.locator('next-pixel canvas').getAttribute('aria-label'), 'My seven');
    const result = await page.evaluate(
      async (paths) => {
        await import(paths.define);
        const { NextPixelElement } = await import(paths.element);
        class Other extends NextPixelElement {}
        Other.define('other-pixel');
        let refused = '';
        try {
          Other.define('next-pixel');
        } catch (error) {
          refused = /** @type {Error} */ (error).name;
        }
        const early = document.createElement('other-pixel');
        /** @type {any} */ (early).seed = 5;
        return { refused, seed: early.getAttribute('seed'), same: customElements.get('next-pixel') === NextPixelElement };
      },
      { define: '/web/dist/define.js?again', element: '/web/dist/element.js' },
    );
    assert.deepEqual(result, { refused: 'NotSupportedError', seed: '5', same: true });
  }));

/**
 * Returns the content of an element's canvas as RGBA, read from a copy.
 * @param {Page} page
 * @param {string} selector
 * @returns {Promise<Uint8Array>}
 */
const pixels = async (page, selector) =>
  Buffer.from(
    await page.locator(selector).evaluate((element) => {
      const canvas = /** @type {HTMLCanvasElement} */ (element.shadowRoot?.querySelector('canvas'));
      const copy = /** @type {OffscreenCanvasRenderingContext2D} */ (
        new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true })
      );
      copy.drawImage(canvas, 0, 0);
      let text = ''; // a string is transferred immediately, whereas a list of numbers takes seconds
      for (const value of copy.getImageData(0, 0, canvas.width, canvas.height).data) text += String.fromCharCode(value);
      return btoa(text);
    }),
    'base64',
  );

/** Returns the number of opaque coloured pixels, and the grey levels that occur. @param {Uint8Array} data */
function inks(data) {
  let dark = 0,
    light = 0,
    coloured = 0;
  for (let i = 0; i < data.length; i += 4) {
    const [red, green, blue, alpha] = data.subarray(i, i + 4);
    if (alpha < 200) continue;
    const [least, most] = [Math.min(red, green, blue), Math.max(red, green, blue)];
    if (most - least > 24) coloured++;
    else if (most < 64) dark++;
    else if (least > 192) light++;
  }
  return { dark, light, coloured };
}

const FORCED = `<next-pixel id="digits" ${DIGIT} seed="7" controls></next-pixel>
  <next-pixel id="text" model="../weights/stories.gguf" prompt="Once" max-tokens="12" seed="1"></next-pixel>
  <next-pixel id="translation" model="../weights/de-en.gguf" prompt="Ein Hund schläft."></next-pixel>
  <next-pixel id="tags" model="../weights/crf-en.gguf" prompt="Time flies like an arrow"></next-pixel>`;
/** The elements that draw their text on a canvas; the other elements show ordinary text. */
const WRITTEN = ['#tags'];

/** @param {Page} page */
async function playAll(page) {
  await occurs(page, 'nx-ready', 4);
  await page.evaluate(() => document.querySelectorAll('next-pixel').forEach((element) => /** @type {any} */ (element).play()));
  await occurs(page, 'nx-end', 4);
  await sleep(100);
}

for (const [i, colorScheme] of /** @type {const} */ (['light', 'dark']).entries()) {
  oneOf(i, 2)(
    `forced colours, ${colorScheme}: a picture keeps its levels, and texts take the system's text colour`,
    { timeout: 90000 },
    () =>
      withPage(
        async (page) => {
          await open(page, FORCED);
          await playAll(page);
          const grey = (await pixels(page, '#digits')).filter((_, i) => i % 4 === 0);
          assert.ok(grey.includes(0) && grey.some((level) => level > 200), 'paper and ink have different colours');
          for (const selector of WRITTEN) {
            const { dark, light, coloured } = inks(await pixels(page, selector));
            assert.ok((colorScheme === 'dark' ? light : dark) > 100, `${selector} is readable: ${dark} dark, ${light} light`);
            assert.deepEqual([colorScheme === 'dark' ? dark : light, coloured], [0, 0], selector);
          }
          const [ink, surprise] = await page
            .locator('#text [part=text]')
            .evaluate((text) => [
              getComputedStyle(text).color,
              getComputedStyle(/** @type {Element} */ (text.lastElementChild)).borderBottomStyle,
            ]);
          const translated = await page.locator('#translation [part=text] .above').evaluate((words) => getComputedStyle(words).color);
          assert.deepEqual(
            [ink, surprise, translated],
            colorScheme === 'dark' ? ['rgb(255, 255, 255)', 'solid', 'rgb(255, 255, 255)'] : ['rgb(0, 0, 0)', 'solid', 'rgb(0, 0, 0)'],
          );
          await page.screenshot({ path: `${OUT}element-forced-${colorScheme}.png` });
        },
        { forcedColors: 'active', colorScheme },
      ),
  );
}

more('switching forced colours on and off repaints the existing content', { timeout: 90000 }, () =>
  withPage(async (page) => {
    await open(page, FORCED);
    await page.evaluate(() => document.body.style.setProperty('color', '#10f'));
    await playAll(page);
    const before = await pixels(page, '#digits');
    const own = await Promise.all(WRITTEN.map(async (selector) => inks(await pixels(page, selector))));
    assert.ok(own.every(({ coloured }) => coloured > 100));
    await page.emulateMedia({ forcedColors: 'active' });
    await sleep(200);
    for (const selector of WRITTEN) assert.equal(inks(await pixels(page, selector)).coloured, 0, selector);
    assert.deepEqual(await pixels(page, '#digits'), before);
    await page.emulateMedia({ forcedColors: 'none' });
    await sleep(200);
    assert.deepEqual(await Promise.all(WRITTEN.map(async (selector) => inks(await pixels(page, selector)))), own);
  }),
);

test('before play, an element shows its given rows, the small picture to enlarge, its poster or an outline; groups have names; print has no controls', () =>
  withPage(async (page) => {
    await open(
      page,
      `<next-pixel id="rows" ${DIGIT} samples="2" controls></next-pixel>
    <next-pixel id="small" model="../weights/emoji-sr.gguf" src="pictures/seven.png" controls></next-pixel>
    <next-pixel id="text" model="../weights/stories.gguf" prompt="Once upon a time" controls></next-pixel>
    <next-pixel id="nothing" model="../weights/digits.gguf" task="generate" label="7" controls></next-pixel>
    <next-pixel id="poster" model="../weights/digits.gguf" task="generate" poster="pictures/seven.png" controls></next-pixel>
    <next-pixel id="none"></next-pixel>`,
    );
    await occurs(page, 'nx-ready', 5);
    await page.waitForFunction(
      () => document.querySelector('#text')?.shadowRoot?.querySelector('[part=text]')?.textContent === 'Once upon a time',
    );
    const filled = async (/** @type {string} */ selector) =>
      (await pixels(page, selector)).filter((alpha, i) => i % 4 === 3 && alpha === 255).length;
    /** @param {string} selector @param {number} count */
    const fills = async (selector, count) => {
      for (let i = 0; i < 60 && (await filled(selector)) !== count; i++) await sleep(50);
      assert.equal(await filled(selector), count, selector);
    };
    await fills('#rows', 2 * 12 * 28);
    await fills('#small', 32 * 32);
    await fills('#nothing', 0);
    assert.ok(await page.locator('#poster [part=poster]').isVisible());
    const outline = (/** @type {string} */ selector) =>
      page.locator(`${selector} canvas`).evaluate((canvas) => getComputedStyle(canvas).outlineStyle);
    assert.deepEqual([await outline('#nothing'), await outline('#poster')], ['dashed', 'none']);
    const groups = await page.locator('[role=group]').evaluateAll((all) => all.map((group) => group.getAttribute('aria-label')));
    assert.deepEqual(groups.slice(0, 5), [
      'complete seven.png, digits',
      'super-resolve seven.png, emoji-sr',
      'generate Once upon a time, stories',
      'generate 7, digits',
      'generate, digits',
    ]);
    assert.match(await page.locator('#none [part=error]').innerText(), /no model.*attribute model/);
    await page.screenshot({ path: `${OUT}element-before.png` });
    await page.emulateMedia({ media: 'print' });
    assert.equal(await page.getByRole('button').count(), 0);
    await page.emulateMedia({ media: 'screen' });
    // A new number of rows is shown immediately; the first pixel removes the outline and the poster.
    await page.locator('#rows').evaluate((element) => element.setAttribute('rows', '5'));
    await fills('#rows', 2 * 5 * 28);
    await page.evaluate(() => ['rows', 'poster'].forEach((id) => /** @type {any} */ (document.getElementById(id)).play()));
    await occurs(page, 'nx-end', 2);
    assert.deepEqual([await outline('#rows'), await page.locator('#poster [part=poster]').isVisible()], ['none', false]);
    await page.locator('#none').evaluate((element) => element.setAttribute('model', '../weights/digits.gguf'));
    await occurs(page, 'nx-ready', 6);
    assert.equal(await page.locator('#none [part=error]').isVisible(), false);
  }));

test('an element that tags words shows the sentence first, and after play the tags on shades; a verb that returns one result is shown like a run', () =>
  withPage(
    async (page) => {
      await open(
        page,
        `<next-pixel id="a" model="../weights/crf-en.gguf" task="tag" prompt="Time flies like an arrow" controls></next-pixel>
    <next-pixel id="b" model="../weights/digits.gguf" task="tag" prompt="A dog" autoplay></next-pixel>`,
      );
      await occurs(page, 'nx-ready');
      const canvas = page.locator('#a canvas');
      const told = (/** @type {string} */ text) =>
        page.waitForFunction((wanted) => document.querySelector('#a')?.shadowRoot?.querySelector('canvas')?.textContent === wanted, text);
      await told('Time flies like an arrow');
      /** Returns the fraction of the canvas that is shaded, 0 to 1. Shades are translucent; letters are opaque except at their edges. */
      const shaded = async () => {
        const alphas = (await pixels(page, '#a')).filter((_, i) => i % 4 === 3);
        return alphas.filter((alpha) => alpha > 20 && alpha < 200).length / alphas.length;
      };
      const unshaded = await shaded();
      await page.locator('#a').getByRole('button', { name: 'Play' }).click();
      await occurs(page, 'nx-end');
      const expected = await page.evaluate(async () => {
        const { load } = await import(/** @type {any} */ ('/web/dist/nextpixel.js'));
        const model = await load('/weights/crf-en.gguf');
        const { words, tags, names, marginals, best, nats } = await model.tag('Time flies like an arrow', { marginals: true });
        model.close();
        const percents = words.map((/** @type {string} */ _, /** @type {number} */ t) =>
          Math.round(100 * marginals[t * names.length + best.ids[t]]),
        );
        return {
          text: words.map((/** @type {string} */ word, /** @type {number} */ t) => `${word} (${tags[t]} ${percents[t]} %)`).join(' '),
          nats,
        };
      });
      assert.match(expected.text, /^Time \(NOUN \d+ %\) flies \(VERB/);
      await told(expected.text);
      assert.equal(await page.locator('#a [part=text]').textContent(), expected.text);
      assert.match((await canvas.getAttribute('aria-label')) ?? '', /^Tags of words by crf-en, 100 % done$/);
      assert.equal(await page.locator('#a [role=group]').getAttribute('aria-label'), 'tag Time flies like an arrow, crf-en');
      assert.match(await page.locator('#a .status').innerText(), /^Tagged: [\d.]+ nats$/);
      await sleep(50);
      assert.ok((await shaded()) > unshaded + 0.02, 'shades');
      const ended = (await events(page)).filter(({ type, id }) => type === 'nx-end' && id === 'a');
      assert.deepEqual(
        ended.map(({ nats, seed }) => [nats, seed]),
        [[[expected.nats], undefined]],
      );
      await page.screenshot({ path: `${OUT}element-tags.png` });
      await page.locator('#a').evaluate((element) => element.setAttribute('prompt', ''));
      await told('');
      await occurs(page, 'nx-error');
      assert.equal((await events(page)).find(({ type }) => type === 'nx-error').id, 'b');
      assert.match(await page.locator('#b [part=error]').innerText(), /task must be complete or generate with this model, not "tag"/);
    },
    { complains: true },
  ));

more('moved to a frame or to another window, the element keeps its looks and continues', () =>
  withPage(async (page) => {
    await open(page, `<iframe title="a frame" width="400" height="400"></iframe><next-pixel id="a" ${DIGIT} controls></next-pixel>`);
    await occurs(page, 'nx-ready');
    const looks = (/** @type {string} */ where) =>
      page.evaluate(async (to) => {
        const scope = /** @type {any} */ (globalThis);
        const element = (scope.moved ??= document.querySelector('#a'));
        /** @type {any} */
        const target =
          to === 'frame'
            ? document.querySelector('iframe')?.contentDocument
            : to === 'window'
              ? (scope.other = /** @type {Window} */ (window.open('', '', 'width=500,height=500'))).document
              : document;
        target.body.append(element);
        await new Promise((resolve) => {
          setTimeout(resolve, 100);
        });
        const view = target.defaultView;
        const of = (/** @type {string} */ selector) => view.getComputedStyle(element.shadowRoot.querySelector(selector));
        return [
          view.getComputedStyle(element).display,
          of('.frame').display,
          of('.controls').display,
          of('button').cursor,
          of('.told').width,
          of('canvas').imageRendering,
        ];
      }, where);
    const first = await looks('page');
    assert.deepEqual(first, ['inline-block', 'grid', 'flex', 'pointer', '1px', 'pixelated']);
    for (const where of ['frame', 'window', 'page', 'frame']) assert.deepEqual(await looks(where), first, where);
    await page.evaluate(async () => {
      const { moved, other } = /** @type {any} */ (globalThis);
      other.close();
      const end = new Promise((resolve) => {
        moved.addEventListener('nx-end', resolve);
      });
      moved.play();
      await end;
    });
  }),
);

more('in a frame and in another window the element draws, announces, and resolves addresses like any element of that document', () =>
  withPage(async (page) => {
    // These pages have no content security policy, so a frame from another folder is allowed.
    const serve = (/** @type {string} */ path, /** @type {string} */ body) =>
      page.route(`**${path}`, (route) =>
        route.fulfill({ contentType: 'text/html; charset=utf-8', body: `<!doctype html><title>a page</title><body>${body}</body>` }),
      );
    await serve('/elsewhere/frame.html', '');
    await provide(page, '/elsewhere/seven.png', await readFile(new URL('../../web/pictures/seven.png', import.meta.url)), {
      type: 'image/png',
    });
    await serve(
      '/web/free.html',
      `<script type="module" src="dist/define.js"></script><iframe title="a frame" src="/elsewhere/frame.html" width="400" height="400"></iframe><next-pixel id="a" ${DIGIT} controls></next-pixel>`,
    );
    await page.goto('/web/free.html');
    await page.waitForFunction(() => /** @type {any} */ (document.querySelector('#a')).info, undefined, { timeout: 30000 });
    for (const where of ['frame', 'window']) {
      const said = await page.evaluate(async (to) => {
        const scope = /** @type {any} */ (globalThis);
        const element = (scope.moved ??= document.querySelector('#a'));
        /** @type {any} */
        const target =
          to === 'frame'
            ? document.querySelector('iframe')?.contentDocument
            : (scope.other = /** @type {Window} */ (window.open('', '', 'width=500,height=500'))).document;
        target.body.append(element);
        let frames = 0;
        const { requestAnimationFrame: own } = target.defaultView;
        target.defaultView.requestAnimationFrame = (/** @type {any} */ callback) => {
          frames++;
          return own.call(target.defaultView, callback);
        };
        const end = new Promise((resolve) => {
          element.addEventListener('nx-end', resolve, { once: true });
          element.addEventListener('nx-error', resolve, { once: true });
        });
        // in the frame, an address is relative to the frame's document
        element.src = to === 'frame' ? 'seven.png' : '/web/pictures/seven.png';
        element.play();
        const { type } = /** @type {Event} */ (await end);
        await new Promise((resolve) => {
          setTimeout(resolve, 300);
        });
        return { type, frames: frames > 0, status: target.querySelector('[role=status]')?.textContent };
      }, where);
      assert.equal(said.type, 'nx-end', where);
      assert.ok(said.frames, `${where}: paints with the frames of its own window`);
      assert.match(said.status ?? '', /100 % done/, where);
    }
    await page.evaluate(() => /** @type {any} */ (globalThis).other.close());
  }),
);

test('importing the element without a document does nothing', async () => {
  const { NextPixelElement } = await import('../../web/lib/define.js');
  assert.equal(typeof NextPixelElement.define, 'function');
});
