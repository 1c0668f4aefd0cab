// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests a conversation of ten turns on the chat page, with a model from the page's list. The user types during answers, edits messages and
 * reloads the page; none of the user's text may be lost, and late turns must take no longer than early ones.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';

import { chatModels } from '../../web/lib/chat-models.js';
import { hubAddress } from '../../web/lib/load/hub.js';
import { GOLDEN } from '../js/helpers.js';
import { toyText } from '../js/toy-text.js';
import { provide, session } from './browser.js';
import { startHub } from './hub.js';

/** @import { Page } from 'playwright-core' */

const { withPage } = session();
const WAIT = { timeout: 30000 };
const TEMPLATE = '{% for message in messages %}<s>{{ message.role }}: {{ message.content }}</s>{% endfor %}<s>assistant: ';
/** A random model whose answers do not end before their maximum length. It is so large that an answer takes as long as typing a message. */
const toy = Buffer.from(
  toyText({
    d: 512,
    inner: 5120,
    context: 1024,
    endless: true,
    metadata: { 'general.name': ['string', 'toy chat'], 'tokenizer.chat_template': ['string', TEMPLATE] },
  }),
);
const stories = await readFile(`${GOLDEN}stories260K.gguf`);
const [model] = chatModels;

/** @type {Awaited<ReturnType<typeof startHub>>} */
let hub;
before(async () => {
  hub = await startHub({ [new URL(hubAddress(model.url)).pathname]: toy });
});
after(() => hub.close());

const field = (/** @type {Page} */ page) => page.locator('.talk-field');
const rest = (/** @type {Page} */ page) => page.locator('.talk-bar:not([data-phase=running]):not([data-phase=empty])').waitFor(WAIT);

/** Returns the messages on the page. @param {Page} page */
const messages = (page) =>
  page.locator('.talk-turn').evaluateAll((turns) =>
    turns.map((turn) => ({
      who: turn.classList.contains('user') ? 'user' : 'assistant',
      text: turn.querySelector(':scope > .talk-body, :scope > .talk-answer > .talk-body')?.textContent ?? '',
    })),
  );

/** @param {Page} page @param {string} text */
async function say(page, text) {
  await field(page).fill(text);
  await field(page).press('Enter');
  await page.locator('.talk-turn.user .talk-body', { hasText: text }).last().waitFor(WAIT);
  await rest(page);
}

/** Returns the number of tokens that the last turn had to read. @param {Page} page */
async function fresh(page) {
  const [, count] = /(\d+) of \d+ tokens were new/.exec((await page.locator('.talk-figures').textContent()) ?? '') ?? [];
  return Number(count);
}

/** @param {Page} page */
async function openModel(page) {
  await page.locator('.shelf-card', { hasText: model.name }).locator('button').first().click();
  await page.locator('#shelf-said', { hasText: 'answers now' }).waitFor(WAIT);
}

test('ten turns with typing, a stop, an edit, another answer, an error, and a reload without a connection', { timeout: 180000 }, () =>
  withPage(
    async (page) => {
      await hub.standsIn(page);
      await provide(page, '/weights*/stories.gguf', stories);
      await page.goto('/web/pages/chat/');
      await page.locator('[data-phase=done]').waitFor(WAIT);
      await openModel(page);
      assert.deepEqual(await messages(page), [], 'the chat does not begin with the story');
      await page.locator('#length').fill('4');

      await say(page, 'turn one ab');
      await say(page, 'turn two ab');
      const second = await fresh(page);

      // The user types while the model answers: the text stays in the field, and Enter does not send it yet.
      await page.locator('#length').fill('9');
      await field(page).fill('turn three');
      await field(page).press('Enter');
      await page.locator('[data-phase=running]').waitFor(WAIT);
      await field(page).fill('turn four');
      await field(page).press('Enter');
      assert.equal(await field(page).inputValue(), 'turn four');
      await field(page).press('Escape'); // stops the answer
      await rest(page);
      assert.equal(await field(page).inputValue(), 'turn four');
      await page.locator('#length').fill('4');
      await field(page).press('Enter');
      await page.locator('.talk-turn.user', { hasText: 'turn four' }).waitFor(WAIT);
      await rest(page);

      // The user edits a message and requests another answer.
      await page.getByRole('button', { name: 'Edit' }).last().click();
      await page.locator('.talk-edit textarea').fill('turn four, edited');
      await page.locator('.talk-edit textarea').press('Enter');
      await page.locator('.talk-turn.user', { hasText: 'edited' }).waitFor(WAIT);
      await rest(page);
      await page.getByRole('button', { name: 'Answer again' }).click();
      await page.locator('[data-phase=done]').waitFor(WAIT);
      await rest(page);
      await say(page, 'turn five');
      await say(page, 'turn six');
      assert.deepEqual(
        (await messages(page)).filter(({ who }) => who === 'user').map(({ text }) => text),
        ['turn one ab', 'turn two ab', 'turn three', 'turn four, edited', 'turn five', 'turn six'],
      );

      // The text of a message that is too long goes back to the field.
      const before = await messages(page);
      const long = 'long '.repeat(260).trim();
      await field(page).fill(long);
      await field(page).press('Enter');
      await page.locator('.talk-error').waitFor(WAIT);
      assert.equal(await field(page).inputValue(), long);
      assert.deepEqual(await messages(page), before);
      await field(page).fill('turn seven');

      // The page is reloaded offline: the messages and the unsent text are restored, and the model comes from the cache.
      await page.evaluate(() => navigator.serviceWorker.ready.then(() => new Promise((resolve) => setTimeout(resolve, 1500))));
      await page.context().setOffline(true);
      await page.reload();
      await page.locator('#shelf-said', { hasText: 'conversation is still here. Open toy chat again' }).waitFor(WAIT);
      assert.deepEqual(await messages(page), before);
      assert.equal(await field(page).inputValue(), 'turn seven');
      await openModel(page);
      assert.deepEqual(await messages(page), before, 'another model with a template continues the messages');
      await page.locator('#length').fill('4');
      await field(page).press('Enter');
      await page.locator('.talk-turn.user', { hasText: 'turn seven' }).waitFor(WAIT);
      await rest(page);

      await say(page, 'turn eight');
      await say(page, 'turn nine');
      await say(page, 'turn ten ab');
      const all = await messages(page);
      assert.equal(all.length, 20);
      assert.deepEqual(all.slice(0, 12), before);
      assert.equal(await page.locator('.talk-error').count(), 0);
      const tenth = await fresh(page);
      assert.ok(tenth > 0 && tenth <= 1.5 * second, `turn two read ${second} tokens, turn ten ${tenth}`);
    },
    { bypassCSP: true, complains: true },
  ),
);
