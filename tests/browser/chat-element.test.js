// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests a <next-pixel> element that shows a chat, while other code controls the element. At any time, this code may set messages, and may
 * stop, pause or remove the element.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { session } from './browser.js';
import { KEYS } from './composition.js';
import { open } from './life.js';

/** @import { Given } from './life.js' */

const { withPage } = session();
const WAIT = { timeout: 30000 };

test('setting the messages restores or replaces a chat, and keeps the chat if nothing changes', () =>
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
      element.play(); // play() makes the chat answer the last message
      await heard(element, 'nx-end');
      const [end] = element.events.filter((/** @type {Event} */ { type }) => type === 'nx-end');
      const answered = element.messages;
      element.messages = answered; // a page that stores the chat in its own state assigns the same list again
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

test('after a stopped answer, nx-end contains the text and the reason for the end', () =>
  withPage(async (page) => {
    await open(page);
    const out = await page.evaluate(async () => {
      const { make, heard, count, nap } = /** @type {Given} */ (/** @type {any} */ (globalThis));
      const element = make({ model: '/toy.gguf', task: 'chat', prompt: 'a', 'max-tokens': '200', seed: '1' });
      element.addEventListener('nx-step', () => element.stop(), { once: true });
      element.play();
      await heard(element, 'nx-end');
      await nap(200);
      const end = element.events.find((/** @type {Event} */ { type }) => type === 'nx-end');
      return [count(element, 'nx-step'), count(element, 'nx-end'), end.finish, element.state, typeof end.text];
    });
    assert.deepEqual(out, [1, 1, 'abort', 'near', 'string']);
  }));

test('an answer can be stopped before it begins, paused and resumed, or stopped while paused', { timeout: 60000 }, () =>
  withPage(async (page) => {
    await open(page);
    const out = await page.evaluate(async () => {
      const { make, heard, nap, count, until } = /** @type {Given} */ (/** @type {any} */ (globalThis));
      /** @type {Record<string, unknown>} */
      const all = {};
      // Before the answer begins: the visitor stops it, another model is set, or the element is removed.
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
        await undefined; // waits for one microtask only; after a longer wait, the first token may have arrived
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
      const pause = () => element.pause();
      element.addEventListener('nx-step', pause);
      // Later answers have random seeds. An answer that is empty or has one token may end before it is paused.
      for (let ends = 1; element.state !== 'paused'; ends++) {
        element.send('more');
        await until(() => element.state === 'paused' || count(element, 'nx-end') > ends);
      }
      element.removeEventListener('nx-step', pause);
      element.stop();
      await until(() => element.state === 'near');
      const ends = count(element, 'nx-end');
      element.send('again');
      await until(() => count(element, 'nx-end') > ends);
      all.roles = element.messages.map((/** @type {any} */ { role }) => role).join(' ');
      return all;
    });
    const { roles, ...others } = out;
    assert.deepEqual(others, {
      talks: [
        [0, 1],
        [0, 0],
        [0, 0],
      ],
      paused: [1, 'paused'],
      answered: [true, 'near'],
    });
    assert.match(String(roles), /^user assistant( user assistant){2,}$/);
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

test('during a composition, Enter sends nothing and Escape keeps a message being edited; otherwise the keys work', () =>
  withPage(async (page) => {
    await open(page);
    await page.evaluate(() => {
      const { make } = /** @type {Given} */ (/** @type {any} */ (globalThis));
      make({ model: '/toy.gguf', task: 'chat', 'max-tokens': '4', seed: '1', controls: '' });
    });
    await page.locator('.talk-send:enabled').waitFor(WAIT);
    /** @param {string} at @param {object} key */
    const press = (at, key) =>
      page
        .locator(at)
        .evaluate((field, how) => field.dispatchEvent(new KeyboardEvent('keydown', { ...how, bubbles: true, composed: true })), key);
    const count = () => page.evaluate(() => /** @type {any} */ (document.querySelector('next-pixel')).messages.length);
    await page.locator('.talk-field').fill('ab');
    for (const key of KEYS) await press('.talk-field', key);
    assert.equal(await count(), 0);
    assert.equal(await page.locator('.talk-field').inputValue(), 'ab');
    await press('.talk-field', { key: 'Enter', keyCode: 13 });
    await page.locator('[data-phase=done]').waitFor(WAIT);
    assert.equal(await count(), 2);
    await page.locator('.user .talk-small').click();
    for (const key of KEYS) await press('.talk-edit textarea', key);
    assert.equal(await page.locator('.talk-edit').count(), 1);
    await press('.talk-edit textarea', { key: 'Escape', keyCode: 27 });
    assert.equal(await page.locator('.talk-edit').count(), 0);
  }));
