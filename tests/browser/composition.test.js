// SPDX-License-Identifier: MIT
// @ts-check

/**
 * While an input method composes text (Korean, Japanese, Chinese, accents), keys belong to the text field. This is tested in the text
 * fields of pages. Enter accepts the composed text, and Escape drops it; neither key may do anything else.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { toyText } from '../js/toy-text.js';
import { EVERY, longer } from '../more.js';
import { everyPage, openEmpty, provide, session } from './browser.js';

const { withPage } = session();
const WAIT = { timeout: 30000 };
const TEMPLATE = '{% for message in messages %}<s>{{ message.role }}: {{ message.content }}</s>{% endfor %}<s>assistant: ';
const toy = toyText({ context: 512, metadata: { 'tokenizer.chat_template': ['string', TEMPLATE] } });

/** Keys as browsers report them during a composition, and as Safari reports the Enter that follows it. */
const KEYS = [
  { key: 'Enter', isComposing: true, keyCode: 229 },
  { key: 'Enter', isComposing: false, keyCode: 229 },
  { key: 'Escape', isComposing: true, keyCode: 229 },
  // Keys of the browser itself: back, to the start of the page, zoom in.
  { key: 'ArrowLeft', altKey: true },
  { key: 'Home', ctrlKey: true },
  { key: '+', metaKey: true },
];

longer(
  'in text fields, page handlers get no keys of a composition or of the browser, but get other keys; a field has the direction of its text',
  () =>
    withPage(
      async (page) => {
        // models are not needed, because text fields exist without them, and the page does not repeat a request after a 404
        await page.route('**/*.gguf', (route) => route.fulfill({ status: 404 }));
        let fields = 0;
        // Tests every third page, and the pages for texts; ./build.sh test-sweep tests every page.
        for (const path of (await everyPage()).filter((one, i) => EVERY || i % 3 === 0 || /chat|tokens/.test(one))) {
          await page.goto(`/web/${path}`);
          await page.waitForLoadState('networkidle', { timeout: 120_000 });
          const wrong = await page.evaluate((keys) => {
            /** @param {Document | ShadowRoot} root @returns {(HTMLInputElement | HTMLTextAreaElement)[]} */
            const fieldsIn = (root) => [
              .../** @type {NodeListOf<HTMLTextAreaElement>} */ (
                root.querySelectorAll('textarea, input:is(:not([type]), [type=text], [type=search], [type=url], [type=number])')
              ),
              ...[...root.querySelectorAll('*')].flatMap(({ shadowRoot }) => (shadowRoot ? fieldsIn(shadowRoot) : [])),
            ];
            const all = fieldsIn(document);
            const wrong = [];
            for (const field of all) {
              const name = field.id || field.className || field.name;
              if (field.type !== 'number') field.value = '안녕하세';
              const free = field.type !== 'number' && !/numeric|url/.test(field.inputMode);
              if (free && field.dir !== 'auto') wrong.push(`${name}: does not follow the direction of its text`);
              const { value } = field;
              let seen = 0;
              let submitted = 0;
              const see = () => seen++;
              const submit = (/** @type {Event} */ event) => {
                submitted++;
                event.preventDefault();
              };
              field.addEventListener('keydown', see);
              addEventListener('submit', submit, true);
              for (const key of keys) {
                const event = new KeyboardEvent('keydown', { ...key, bubbles: true, composed: true, cancelable: true });
                field.dispatchEvent(event);
                if (event.defaultPrevented) wrong.push(`${name}: does not get ${key.key}`);
              }
              if (seen > 0 || submitted > 0) wrong.push(`${name}: ${seen} keys reached a handler, ${submitted} submitted`);
              if (!field.isConnected || field.value !== value) wrong.push(`${name}: the text is lost`);
              field.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', keyCode: 65, bubbles: true, composed: true }));
              if (seen !== 1) wrong.push(`${name}: other keys do not reach the handler`);
              field.removeEventListener('keydown', see);
              removeEventListener('submit', submit, true);
            }
            return { wrong, count: all.length };
          }, KEYS);
          assert.deepEqual(wrong.wrong, [], `web/${path}`);
          fields += wrong.count;
        }
        assert.ok(fields > (EVERY ? 20 : 8), `${fields} fields`);
      },
      { complains: true },
    ),
);

test('the element: during a composition, Enter sends nothing and Escape keeps a message being edited; otherwise the keys work', () =>
  withPage(async (page) => {
    await openEmpty(page);
    await provide(page, '/weights/toy.gguf', toy);
    await page.evaluate(async () => {
      await import(/** @type {any} */ ('/web/dist/define.js'));
      document.body.innerHTML = '<next-pixel model="/weights/toy.gguf" task="chat" max-tokens="4" seed="1" controls></next-pixel>';
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
