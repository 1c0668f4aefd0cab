// SPDX-License-Identifier: MIT
// @ts-check

/** Tests the chat that the page on tokens (web/pages/tokens) shows for a visitor's file with a chat template. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';

import { GOLDEN } from '../js/helpers.js';
import { toyText } from '../js/toy-text.js';
import { more } from '../more.js';
import { session } from './browser.js';
import { grows, open } from './tokens.js';

const { withPage } = session();

/** A small model file with a chat template. */
const withTemplate = {
  name: 'talk.gguf',
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(
    toyText({
      context: 512,
      metadata: {
        'tokenizer.chat_template': [
          'string',
          '{% for message in messages %}<|im_start|>{{ message.role }}\\n{{ message.content }}<|im_end|>\\n{% endfor %}<|im_start|>assistant\\n',
        ],
      },
    }),
  ),
};

more('if a chat box cannot be fetched, its place shows the reason, and the next file opens it', () =>
  withPage(
    async (page) => {
      await open(page);
      await page.route('**/talk*.js', (route) => route.abort('internetdisconnected'));
      await page.locator('#own-file').setInputFiles(withTemplate);
      const note = page.locator('#own-talk + .notice', { hasText: 'A part of nextpixel is missing' });
      await note.waitFor();
      assert.equal(await note.evaluate((node) => getComputedStyle(node).borderLeftWidth), '3px', 'in the style of the page');
      await page.unroute('**/talk*.js');
      await page.locator('#own-file').setInputFiles({ ...withTemplate, name: 'again.gguf' });
      await page.locator('#own-talk .talk-field').waitFor();
      assert.equal(await page.getByText('A part of nextpixel is missing').count(), 0);
    },
    { complains: true },
  ),
);

more('a file with a chat template opens as a chat, and a file without one does not', () =>
  withPage(async (page) => {
    await open(page);
    await page
      .locator('#own-file')
      .setInputFiles({ name: 'other.gguf', mimeType: 'application/octet-stream', buffer: await readFile(`${GOLDEN}stories260K.gguf`) });
    await page.locator('#own-said', { hasText: 'writes now' }).waitFor();
    await grows(page, 30);
    assert.equal(await page.locator('.as-talk').isVisible(), false, 'a file without a chat template');
    await page.locator('#own-file').setInputFiles(withTemplate);
    await page.locator('.as-talk').waitFor();
    await page.waitForFunction(() => document.querySelector('#tale-text')?.textContent?.includes('<|im_start|>assistant'));
    await page.locator('#own-talk .talk-field').fill('ab');
    await page.locator('#own-talk .talk-field').press('Enter');
    await page.locator('#own-talk [data-phase=done]').waitFor();
    assert.equal(await page.locator('#own-talk .talk-turn').count(), 2, 'the file opens as a chat');
    await page.locator('#as-talk').uncheck();
    await page.waitForFunction(() => document.querySelector('#tale-text')?.textContent?.includes('<|im_start|>') === false);
  }),
);
