// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests four features of <next-pixel>: its progress bar, the time at which it downloads its model, the language of its texts, and repeated
 * playback of sounds.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { LOOKS } from '../../web/lib/kinds/looks.js';
import * as VERBS from '../../web/lib/verbs/index.js';
import { TASKS } from '../../web/lib/element/tasks.js';
import de from '../../web/lib/element/words/de.js';
import ko from '../../web/lib/element/words/ko.js';
import { ROOT } from '../js/helpers.js';
import { toyModel } from '../js/toy.js';
import { more } from '../more.js';
import { openEmpty, provide, session } from './browser.js';

/** @import { Page } from 'playwright-core' */

const { withPage } = session();
const LONG = { timeout: 40000 };

/** @param {Page} page @param {string} body */
async function open(page, body) {
  await provide(page, '/weights/toy.gguf', toyModel());
  await openEmpty(page);
  await page.evaluate(async (html) => {
    const events = /** @type {any[]} */ ([]);
    Object.assign(globalThis, { __events: events });
    for (const type of ['nx-progress', 'nx-end']) {
      addEventListener(type, (/** @type {any} */ { target, phase, share, samples, sampleRate, seed }) =>
        events.push({
          type,
          phase,
          share,
          at: target.getAttribute('progress'),
          samples: samples && [...samples],
          sampleRate,
          seed,
        }),
      );
    }
    const address = '/web/dist/define.js';
    await import(address);
    document.body.innerHTML = html;
  }, body);
}

/** @param {Page} page @param {string} type @returns {Promise<any[]>} */
const events = (page, type) =>
  page.evaluate((wanted) => /** @type {any} */ (globalThis).__events.filter((/** @type {any} */ event) => event.type === wanted), type);
const status = (/** @type {Page} */ page) => page.locator('next-pixel [part=status]');

test('the progress of a download causes events, and sets an attribute for styles', () =>
  withPage(async (page) => {
    await open(page, '<next-pixel model="/weights/toy.gguf" task="generate" autoplay controls></next-pixel>');
    await status(page)
      .getByText(/^Drawn: /)
      .waitFor(LONG);
    const told = await events(page, 'nx-progress');
    assert.deepEqual([...new Set(told.map(({ phase }) => phase))], ['load', 'draw']);
    for (const phase of ['load', 'draw']) {
      const shares = told.filter((one) => one.phase === phase).map(({ share }) => share ?? 0);
      assert.deepEqual(
        shares,
        [...shares].sort((a, b) => a - b),
      );
      assert.equal(shares.at(-1), 1, phase);
    }
    assert.ok(told.every(({ share, at }) => share === undefined || Number(at) === Math.round(100 * share)));
  }));

test('loading="play": nothing is fetched before the visitor plays', () =>
  withPage(async (page) => {
    /** @type {string[]} */
    const asked = [];
    page.on('request', (request) => {
      if (request.url().endsWith('.gguf')) asked.push(request.url());
    });
    await open(page, '<next-pixel model="/weights/toy.gguf" task="generate" loading="play" controls></next-pixel>');
    const element = page.locator('next-pixel');
    await page.waitForTimeout(400);
    assert.deepEqual([asked, await element.evaluate((/** @type {any} */ one) => [one.state, one.loading])], [[], ['near', 'play']]);
    await page.getByRole('button', { name: 'Play' }).click();
    await status(page)
      .getByText(/^Drawn: /)
      .waitFor(LONG);
    assert.equal(asked.length, 1);
  }));

test('a new language changes existing text immediately, including the form of numbers', () =>
  withPage(async (page) => {
    await open(page, '<next-pixel model="/weights/toy.gguf" task="generate" controls></next-pixel>');
    await page.evaluate(async () => {
      const [address, words] = ['/web/dist/element.js', '/web/dist/words-de.js'];
      const { NextPixelElement } = await import(address);
      NextPixelElement.words = (await import(words)).default;
    });
    await page.getByRole('button', { name: 'Start' }).click();
    await status(page)
      .getByText(/^Gezeichnet: \d+,\d nats$/)
      .waitFor(LONG);
    assert.equal(await page.locator('next-pixel [part=controls]').getAttribute('lang'), 'de');
    assert.match(
      (await page.locator('next-pixel canvas').getAttribute('aria-label')) ?? '',
      /^Ein Bild, aus dem Nichts gezeichnet von .*, zu 100 % fertig$/,
    );
    assert.match((await page.locator('next-pixel [part=controls]').getAttribute('aria-label')) ?? '', /^erzeugen, /);
  }));

test('the translation tables contain every sentence of the library', async () => {
  const lib = `${ROOT}web/lib/`;
  /** @param {any} saying a sentence, with or without its values */
  const sentence = (saying) => [saying].flat()[0];
  /** @type {Set<string>} */
  const wanted = new Set([
    ...TASKS.map(({ task }) => task),
    ...Object.values(VERBS).flatMap((verb) => ('made' in verb ? [verb.made] : [])),
  ]);
  for (const { doing, done, what, made = {} } of Object.values(LOOKS)) {
    for (const phrase of Object.values(made)) wanted.add(phrase);
    for (const saying of [doing, ...[0, 1].map((cost) => done({ nats: [cost], steps: 1, to: 1, sampleRate: 1 })), what(1), what(2)])
      wanted.add(sentence(saying));
  }
  for (const file of [
    'element.js',
    'element/view.js',
    'element/words.js',
    'kinds/sound/sound-run.js',
    'element/talk.js',
    'element/talk-answer.js',
  ]) {
    for (const line of (await readFile(lib + file, 'utf8')).split('\n').filter((text) => /\b(say|enter)\(|NO_MODEL =/.test(text))) {
      for (const [, text] of line.matchAll(/'([A-Z{][^']*|an? model|no model|what is given)'/g)) wanted.add(text);
    }
  }
  for (const table of [de, ko]) {
    const lacks = [...wanted].filter((text) => !(text in table));
    assert.deepEqual(lacks, [], table.lang);
    for (const [english, other] of Object.entries(table)) {
      const places = (/** @type {string} */ text) => (text.match(/\{\w+\}/g) ?? []).sort();
      assert.deepEqual(places(other), places(english), english);
    }
  }
});

test(
  'replaying gives the same sound, and a new seed gives another sound; the saved file is a WAV, and nx-end has the samples',
  { timeout: 90000 },
  () =>
    withPage(async (page) => {
      await open(page, '<next-pixel model="/weights/wavenet.gguf" task="generate" label="7" seconds="0.3" controls></next-pixel>');
      const ended = async (/** @type {number} */ count) => {
        await page.waitForFunction(
          (n) => /** @type {any} */ (globalThis).__events.filter((/** @type {any} */ event) => event.type === 'nx-end').length === n,
          count,
          LONG,
        );
        return (await events(page, 'nx-end'))[count - 1];
      };
      assert.equal(await page.getByRole('button', { name: 'New seed' }).count(), 0);
      await page.getByRole('button', { name: 'Play' }).click();
      const first = await ended(1);
      assert.ok(first.samples.length > 400 && first.sampleRate === 8000, `only ${first.samples.length} samples: no voice was chosen`);
      await page.getByRole('button', { name: 'Play again' }).click();
      const again = await ended(2);
      assert.deepEqual([again.samples, again.seed], [first.samples, first.seed]);
      await page.getByRole('button', { name: 'New seed' }).click();
      const other = await ended(3);
      assert.notEqual(other.seed, first.seed);
      assert.notDeepEqual(other.samples, first.samples);
      const [wav, png, bytes] = await page.evaluate(async () => {
        const element = /** @type {any} */ (document.querySelector('next-pixel'));
        const file = await element.toBlob();
        return [file.type, (await element.toBlob('image/png')).type, file.size];
      });
      assert.deepEqual([wav, png, bytes], ['audio/wav', 'image/png', 44 + 2 * other.samples.length]);
      // The same seed and the same voice give the same sound.
      await page.locator('next-pixel').evaluate((element, seed) => element.setAttribute('seed', String(seed)), first.seed);
      assert.deepEqual((await ended(4)).samples, first.samples);
    }),
);

more('a picture drawn in one pass reports no nats', { timeout: 60000 }, () =>
  withPage(async (page) => {
    await open(page, '<next-pixel model="/weights/sagan-emoji.gguf" task="generate" label="face" controls autoplay></next-pixel>');
    await status(page).getByText('Drawn', { exact: true }).waitFor(LONG);
  }),
);
