// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests the page about chorales. The page adds three voices to the visitor's melody, plays nothing before a click, draws attention as arcs,
 * and can change the key. Also tests the element with music.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { more } from '../more.js';
import { LIBRARY, openEmpty, session, until } from './browser.js';

/** @import { Page } from 'playwright-core' */

const { withPage } = session(['--autoplay-policy=no-user-gesture-required']);
const PAGE = '/web/pages/chorale/';

/** @param {Page} page */
const drawn = (page) => page.locator('#answer-transport[data-phase="done"]').waitFor();
/** @param {Page} page @param {string} id */
const result = (page, id) => page.locator(`#${id}`).textContent();

/** Makes the page count the audio contexts that it creates, in the global `contexts`. @param {Page} page */
const countContexts = (page) =>
  page.addInitScript(() => {
    const counted = /** @type {any} */ (globalThis);
    counted.contexts = 0;
    counted.AudioContext = class extends AudioContext {
      constructor() {
        super();
        counted.contexts++;
      }
    };
  });

test('a melody is harmonised without a click, and nothing plays before a click', () =>
  withPage(async (page) => {
    await countContexts(page);
    await page.goto(PAGE);
    await drawn(page);
    const first = await result(page, 'answer-result');
    assert.match(first ?? '', /^s0\+4:67 a0/);
    assert.equal(await page.evaluate('contexts'), 0);
    assert.match((await result(page, 'answer-said')) ?? '', /of which 16 notes were given/);
    const heights = await page
      .locator('.piano .odds')
      .evaluateAll((bars) => bars.map((bar) => Number(/** @type {HTMLElement} */ (bar).style.getPropertyValue('--odds'))));
    assert.ok(Math.max(...heights) === 1 && heights.length === 22);
    await page.locator('#clear').click();
    await page.locator('.piano').getByRole('button', { name: 'G 4', exact: true }).click();
    await drawn(page);
    assert.match((await result(page, 'answer-result')) ?? '', /^s0\+4:67 a0\+\d+:\d+ t0\+\d+:\d+ b0\+\d+:\d+/);
    assert.equal(await page.evaluate('contexts'), 1);
    assert.match(page.url(), /#figure-answer\?seed=3&tune=67\.4/);
    await page.keyboard.press('d'); // the letter keys play semitones up from C: key e plays E flat 4, and key d plays E 4
    await until(page, async () => /s4\+4:64/.test(document.getElementById('answer-result')?.textContent ?? ''));
    await page.locator('#back').click();
    await until(page, async () => !/s4\+4/.test(document.getElementById('answer-result')?.textContent ?? ''));
    await page.locator('#answer-strict').uncheck(); // from here on, no rule restricts the model
    await until(page, async () => location.hash.endsWith('&parallels=1'));
    await page.goto('about:blank');
    await page.goto(`${PAGE}#figure-answer?seed=3&tune=67.4-69.4&parallels=1`);
    await drawn(page);
    await until(page, async () => /s4\+4:69/.test(document.getElementById('answer-result')?.textContent ?? ''));
    assert.equal(await page.locator('#answer-strict').isChecked(), false);
  }));

test('files can be saved and opened', () =>
  withPage(async (page) => {
    await page.goto(PAGE);
    await drawn(page);
    const [saved] = await Promise.all([page.waitForEvent('download'), page.locator('#answer-midi').click()]);
    assert.equal(saved.suggestedFilename(), 'chorale-3.mid');
    const [wave] = await Promise.all([page.waitForEvent('download'), page.locator('#answer-wav').click()]);
    assert.equal(wave.suggestedFilename(), 'chorale-3.wav');
    await page.locator('#midi-file').setInputFiles({ name: 'x.mid', mimeType: 'audio/midi', buffer: Buffer.from('no music') });
    await until(page, async () => /This MIDI file cannot be read/.test(document.getElementById('answer-said')?.textContent ?? ''));
    await page.locator('#midi-file').setInputFiles(/** @type {string} */ (await saved.path()));
    await until(page, async () => /The music has notes of the alto/.test(document.getElementById('answer-said')?.textContent ?? ''));
  }));

more('a chorale without input, its attention, and the same seed in another key', () =>
  withPage(async (page) => {
    await page.goto(PAGE);
    await drawn(page);
    await page.locator('#figure-alone').scrollIntoViewIfNeeded();
    await page.locator('#alone-transport[data-phase="done"]').waitFor();
    const before = await result(page, 'alone-looked');
    assert.match(before ?? '', /nats\. It attended most to/);
    await page.locator('#alone-roll').focus();
    await page.keyboard.press('ArrowRight');
    await until(page, async (was) => document.getElementById('alone-looked')?.textContent !== was, before);
    await page.locator('#figure-key').scrollIntoViewIfNeeded();
    await until(page, async () => /^\d+ of \d+ notes/.test(document.getElementById('key-same')?.textContent ?? ''));
    await page.locator('#key').fill('0');
    await until(page, async () => {
      const [, kept, all] = /^(\d+) of (\d+)/.exec(document.getElementById('key-same')?.textContent ?? '') ?? [];
      return kept === all && Number(all) > 0;
    });
  }),
);

/**
 * Returns the number of different colours on a canvas.
 * @param {Page} page
 * @param {string} id
 */
const coloursOf = (page, id) =>
  page.locator(`#${id}`).evaluate((element) => {
    const canvas = /** @type {HTMLCanvasElement} */ (element);
    const { data } = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d')).getImageData(0, 0, canvas.width, canvas.height);
    return new Set(Array.from(new Uint32Array(data.buffer))).size;
  });

more('with forced colours the given melody is outlined, and the piano keys and their bars keep their colours', () =>
  withPage(
    async (page) => {
      await page.addInitScript(() => {
        const seen = /** @type {any} */ (globalThis);
        [seen.hollow, seen.filled] = [0, 0];
        const { stroke, fill } = CanvasRenderingContext2D.prototype;
        CanvasRenderingContext2D.prototype.stroke = /** @type {any} */ (
          /** @this {any} @param {any} path */ function hollow(...path) {
            seen.hollow++;
            Reflect.apply(stroke, this, path);
          }
        );
        CanvasRenderingContext2D.prototype.fill = /** @type {any} */ (
          /** @this {any} @param {any} path */ function filled(...path) {
            seen.filled++;
            Reflect.apply(fill, this, path);
          }
        );
      });
      await page.goto(PAGE);
      await drawn(page);
      assert.ok((await coloursOf(page, 'answer-roll')) > 3);
      const before = await page.evaluate(() => {
        const seen = /** @type {any} */ (globalThis);
        return [seen.hollow, seen.filled];
      });
      assert.ok(before[0] >= 16 && before[1] > before[0], String(before)); // the visitor's melody has 16 notes
      const colour = (/** @type {string} */ selector) =>
        page
          .locator(selector)
          .first()
          .evaluate((element) => getComputedStyle(element).backgroundColor);
      assert.equal(await colour('.piano .white'), 'rgb(255, 255, 255)');
      assert.equal(await colour('.piano .black'), 'rgb(34, 37, 44)');
      assert.notEqual(await colour('.piano .white .odds'), await colour('.piano .white'));
      assert.equal(await page.locator('#answer-roll').evaluate((element) => getComputedStyle(element).outlineStyle), 'solid');
    },
    { forcedColors: 'active' },
  ),
);

more('with reduced motion a chorale appears all at once, silent, and plays on request', () =>
  withPage(
    async (page) => {
      await countContexts(page);
      await page.addInitScript(() => {
        const seen = /** @type {any} */ (globalThis);
        seen.counts = new Set();
        let notes = 0;
        const { clearRect, roundRect } = CanvasRenderingContext2D.prototype;
        CanvasRenderingContext2D.prototype.clearRect = function cleared(/** @type {number[]} */ ...box) {
          if (this.canvas.id === 'alone-roll') [notes] = [0, seen.counts.add(notes)];
          Reflect.apply(clearRect, this, box);
        };
        CanvasRenderingContext2D.prototype.roundRect = /** @type {any} */ (
          /** @this {CanvasRenderingContext2D} @param {any} box */ function round(...box) {
            if (this.canvas.id === 'alone-roll') notes++;
            Reflect.apply(roundRect, this, box);
          }
        );
      });
      await page.goto(PAGE);
      await drawn(page);
      await page.locator('#figure-alone').scrollIntoViewIfNeeded();
      await page.locator('#alone-transport[data-phase="done"]').waitFor();
      await page.locator('#alone-roll').focus();
      await page.keyboard.press('ArrowRight'); // causes one more paint; once this paint is counted, all earlier paints are counted too
      await until(page, async () => /** @type {any} */ (globalThis).counts.size > 1);
      const counts = await page.evaluate(() => [.../** @type {any} */ (globalThis).counts]);
      const parts = counts.filter((/** @type {number} */ notes) => notes > 0 && notes < Math.max(...counts));
      // at most two paints with part of the notes: when the canvas gets its size, and when the page's scroll bar changes this size
      assert.ok(parts.length <= 2, `numbers of notes per paint: ${counts.join(', ')}`);
      assert.equal(await page.evaluate('contexts'), 0);
      await page.locator('#alone-transport').getByRole('button', { name: /Play/ }).click();
      await until(page, async () => /** @type {any} */ (globalThis).contexts === 1);
    },
    { reducedMotion: 'reduce' },
  ),
);

test('a run plays to an AudioContext in real time, and the element shows a piano roll', () =>
  withPage(async (page) => {
    await openEmpty(page);
    const how = await page.evaluate(async (library) => {
      const { load } = await import(library);
      const model = await load('/weights/chorales.gguf');
      const run = model.generate({ seed: 1, bars: 1, tempo: 400 });
      const played = await run.playTo(new AudioContext());
      const bytes = new DataView(await (await run.wav()).arrayBuffer());
      let most = 0;
      for (let at = 44; at < bytes.byteLength; at += 2) most = Math.max(most, Math.abs(bytes.getInt16(at, true)));
      model.close();
      return { played, most };
    }, LIBRARY);
    assert.ok(how.played.over && Math.abs(how.played.seconds - 0.6) < 0.05, JSON.stringify(how));
    assert.ok(how.most > 3000 && how.most < 32767, `${how.most}`);
    await page.evaluate(async () => {
      await import(/** @type {string} */ ('/web/dist/define.js'));
      document.body.innerHTML = '<next-pixel model="/weights/chorales.gguf" task="generate" bars="2" seed="1" controls></next-pixel>';
      const element = /** @type {any} */ (document.querySelector('next-pixel'));
      element.style.width = '300px';
      await new Promise((resolve) => {
        element.addEventListener('nx-end', resolve);
        element.play();
      });
    });
    assert.match(
      (await page
        .locator('next-pixel [part~="text"], next-pixel canvas')
        .first()
        .evaluate((element) => element.textContent)) ?? '',
      /Music of \d+ notes in 2 bars/,
    );
  }));
