// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests the list of models ("shelf") on the chat page. A click downloads a model from the Hub; the page shows the progress, and the visitor
 * can cancel and resume the download. The model is then available offline, and can be removed.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';

import { chatModels, memoryOf, suggestedModel, tokensPerSecondOf } from '../../web/lib/chat-models.js';
import { hubAddress } from '../../web/lib/load/hub.js';
import { serve } from '../../web/tools/serve.js';
import { GOLDEN } from '../js/helpers.js';
import { toyText } from '../js/toy-text.js';
import { more } from '../more.js';
import { provide, session } from './browser.js';
import { axeFindsNothing, fits } from './checks.js';
import { startHub } from './hub.js';

/** @import { Page } from 'playwright-core' */

const { withPage } = session();
const WAIT = { timeout: 30000 };
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const TEMPLATE = '{% for message in messages %}<s>{{ message.role }}: {{ message.content }}</s>{% endfor %}<s>assistant: ';
/** A model file so large that the engine receives the first bytes while the others are still being downloaded. */
const large = Buffer.from(toyText({ d: 512, inner: 5120, context: 256, metadata: { 'tokenizer.chat_template': ['string', TEMPLATE] } }));
const stories = await readFile(`${GOLDEN}stories260K.gguf`);

const [smollm, gemma] = chatModels;
const pathOf = (/** @type {{ url: string }} */ { url }) => new URL(hubAddress(url)).pathname;

/** @type {Awaited<ReturnType<typeof startHub>>} */
let hub;
/** @type {Awaited<ReturnType<typeof serve>>} */
let open;
before(async () => {
  hub = await startHub({ [pathOf(smollm)]: large, [pathOf(gemma)]: large });
  open = await serve({ port: 0, connect: 'https:' });
});
after(async () => {
  await hub.close();
  await open.close();
});

/** @param {Page} page @param {string} [path] */
async function visit(page, path = '') {
  Object.assign(hub.how, { stopAfter: Infinity, ranges: true });
  hub.asked.splice(0);
  await hub.standsIn(page);
  await provide(page, '/weights*/stories.gguf', stories);
  await page.goto(`/web/pages/chat/${path}`);
  await page.locator('[data-phase=done]').waitFor(WAIT);
}

const card = (/** @type {Page} */ page, /** @type {{ name: string }} */ { name }) => page.locator('.shelf-card', { hasText: name });
const main = (/** @type {Page} */ page, /** @type {{ name: string }} */ model) => card(page, model).locator('button').first();
/** Returns the ranges of files that were requested from the Hub. */
const ranges = () => hub.asked.flatMap(({ range }) => range ?? []);
const said = (/** @type {Page} */ page, /** @type {RegExp} */ text) => page.locator('#shelf-said', { hasText: text }).waitFor(WAIT);

test('each address in the list names a file on the hub at a fixed commit, and the suggested model suits the device', () => {
  assert.ok(chatModels.length >= 8);
  for (const model of chatModels) {
    assert.match(model.url, /^hf:[\w.-]+\/[\w.-]+@[0-9a-f]{40}\/[\w.-]+\.gguf$/, model.name);
    assert.match(hubAddress(model.url), /^https:\/\/huggingface\.co\/.*\/resolve\/[0-9a-f]{40}\/.*\.gguf$/);
    assert.ok(model.bytes > 1e8 && model.bytes < 3.75 * 2 ** 30, 'a page can load a file of this size');
    assert.ok(/^https:/.test(model.licenseUrl) && model.license && model.maker);
    for (const code of model.languages) assert.notEqual(new Intl.DisplayNames(['en'], { type: 'language' }).of(code), code);
    assert.ok(memoryOf(model) > model.bytes && tokensPerSecondOf(model) > 1);
  }
  assert.equal(new Set(chatModels.map(({ url }) => url)).size, chatModels.length);
  for (const [deviceMemory, language, name] of /** @type {[number, string, RegExp][]} */ ([
    [0.5, 'en', /135M/],
    [2, 'en-GB', /135M/],
    [4, 'en', /360M/],
    [4, 'ko', /Granite/],
    [8, 'ko-KR', /EXAONE/],
    [8, 'en', /Llama/],
    [32, 'en', /Llama/],
    [8, 'eo', /135M/],
  ]))
    assert.match(suggestedModel({ deviceMemory, language }).name, name, `${deviceMemory} GB, ${language}`);
  assert.match(suggestedModel().name, /360M/);
});

test('nothing is fetched before a click; a click loads, cancel keeps the downloaded part, resume requests the rest, and the model answers', () =>
  withPage(
    async (page) => {
      await visit(page);
      assert.deepEqual(hub.asked, []);
      assert.match(String(await page.locator('#talk-model').textContent()), /storyteller/);
      hub.how.stopAfter = 2 ** 24;
      await main(page, smollm).click();
      await card(page, smollm).locator('.shelf-state', { hasText: '17 MB of 145 MB' }).waitFor(WAIT);
      assert.equal(await main(page, smollm).textContent(), 'Cancel');
      await main(page, smollm).click();
      await said(page, /cancelled/);
      await card(page, smollm)
        .locator('.shelf-state', { hasText: /1[67] MB of 145 MB are on this device/ })
        .waitFor(WAIT);
      assert.equal(await main(page, smollm).textContent(), 'Resume');

      await page.reload(); // the part that was downloaded is kept across a reload
      await page.locator('[data-phase=done]').waitFor(WAIT);
      hub.how.stopAfter = Infinity;
      hub.asked.splice(0);
      await main(page, smollm).click();
      await said(page, /SmolLM2 135M Instruct answers now/);
      const rest = ranges();
      assert.equal(rest.length, 1);
      assert.ok(Number(/bytes=(\d+)-/.exec(rest[0])?.[1]) >= 2 ** 24 - 2 ** 21, 'from the point where it stopped');
      assert.equal(await main(page, smollm).isDisabled(), true);
      assert.ok(
        await page.locator('.talk-field').evaluate((one) => /** @type {ShadowRoot} */ (one.getRootNode()).activeElement === one),
        'the user can type immediately',
      );
      await page.locator('.talk-field').fill('ab');
      await page.locator('.talk-field').press('Enter');
      await page.locator('.talk-answer').waitFor(WAIT);
      await page.locator('[data-phase=done]').waitFor(WAIT);
      assert.equal(await page.locator('.talk-error').count(), 0);
      const whole = await page.evaluate(async (url) => {
        const copy = await (await caches.open('nextpixel')).match(url);
        return (await copy?.arrayBuffer())?.byteLength;
      }, hubAddress(smollm.url));
      assert.equal(whole, large.length, 'the copy is complete');
      await axeFindsNothing(page);
    },
    { bypassCSP: true, complains: true },
  ));

test('a model on this device opens offline, and can be removed', () =>
  withPage(
    async (page) => {
      await visit(page, 'ko/');
      await main(page, smollm).click();
      await said(page, /이제 SmolLM2 135M Instruct가 대답합니다/);
      await page.evaluate(() => navigator.serviceWorker.ready.then(() => new Promise((resolve) => setTimeout(resolve, 1500))));
      await page.context().setOffline(true);
      await page.reload();
      await card(page, smollm).locator('.shelf-state', { hasText: '이 기기에 있음' }).waitFor(WAIT);
      await main(page, smollm).click();
      await said(page, /이제 SmolLM2 135M Instruct가 대답합니다/);
      await main(page, gemma).click();
      await said(page, /가져오지 못했습니다/);
      await card(page, smollm).locator('button', { hasText: '지우기' }).click();
      await said(page, /지웠습니다/);
      assert.deepEqual(
        await page.evaluate(async () =>
          (await (await caches.open('nextpixel')).keys()).map(({ url }) => url).filter((url) => /huggingface/.test(url)),
        ),
        [],
      );
      assert.equal(await card(page, smollm).locator('button:visible').count(), 1);
    },
    { bypassCSP: true, complains: true },
  ));

test('for a missing address the message says what to do next. The policy of the page allows the hub', () =>
  withPage(
    async (page) => {
      await provide(page, '/weights*/stories.gguf', stories);
      await page.route('https://huggingface.co/**', (route) =>
        route.fulfill({ status: 404, headers: { 'access-control-allow-origin': '*' }, body: 'Entry not found' }),
      );
      await page.goto(`${open.url}web/pages/chat/`);
      await page.locator('[data-phase=done]').waitFor(WAIT);
      await main(page, gemma).click();
      await said(page, /Gemma 3 270M it is not at its address any more \(the server answered 404\)\. Choose another model, or open a file/);
      assert.equal(await main(page, gemma).textContent(), 'Load');
    },
    { complains: true },
  ));

more('if the server has no range support, the next click loads the whole file', () =>
  withPage(
    async (page) => {
      await visit(page);
      hub.how.stopAfter = 2 ** 24;
      await main(page, gemma).click();
      await card(page, gemma).locator('.shelf-state', { hasText: '17 MB of 292 MB' }).waitFor(WAIT);
      await main(page, gemma).click();
      await card(page, gemma).locator('.shelf-state', { hasText: 'are on this device' }).waitFor(WAIT);
      Object.assign(hub.how, { stopAfter: Infinity, ranges: false });
      await main(page, gemma).click();
      await said(page, /was interrupted|could not be fetched/);
      await main(page, gemma).click();
      await said(page, /Gemma 3 270M it answers now/);
    },
    { bypassCSP: true, complains: true },
  ),
);

for (const [path, path2] of [
  ['', 'English'],
  ['ko/', 'Korean'],
])
  (path ? more : test)(`on a phone the first screen shows the shelf, by keyboard too (${path2})`, () =>
    withPage(
      async (page) => {
        await visit(page, path);
        const box = await page.locator('.shelf-card').first().boundingBox();
        assert.ok(box && box.y + box.height <= 844, 'the first card is on the first screen');
        await fits(page);
        await page.locator('.shelf-card button').first().focus();
        await page.keyboard.press('Tab');
        assert.ok(await page.evaluate(() => document.activeElement?.closest('.shelf-card') !== null));
      },
      { bypassCSP: true, ...PHONE },
    ),
  );
