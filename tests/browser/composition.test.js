// SPDX-License-Identifier: MIT
// @ts-check

/**
 * While an input method composes text (Korean, Japanese, Chinese, accents), keys belong to the text field. The tests check the text fields
 * of pages. Enter accepts the composed text, and Escape drops it; neither key may do anything else.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';

import { EVERY, longer } from '../more.js';
import { everyPage, session } from './browser.js';
import { KEYS } from './composition.js';
import { inRepository } from './gallery.js';

const { withPage } = session();

longer(
  'in text fields, page handlers get no keys of a composition or of the browser, but get other keys; a field has the direction of its text',
  () =>
    withPage(
      async (page) => {
        // the test needs no models: text fields exist without them, and a page does not repeat a request after a 404
        await page.route('**/*.gguf', (route) => route.fulfill({ status: 404 }));
        let fields = 0;
        // Tests every third page, and all text pages; ./build.sh test-sweep tests every page.
        for (const [i, path] of (await everyPage()).entries()) {
          const ofTexts = path !== '' && /^scripts: .*\bpage-text\b/m.test(await readFile(inRepository(`web/${path}page.html`), 'utf8'));
          if (!EVERY && i % 3 !== 0 && !ofTexts) continue;
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
