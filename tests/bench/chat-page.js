// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Measures a conversation on the chat page in Chromium. The model has the shape of a language model that the page offers, but its weights
 * are random. For each turn, the script prints the time to the first token (the milliseconds that the page shows) and the number of tokens
 * that the model read.
 *
 *     node tests/bench/chat-page.js [--shape 1B] [--turns 10] [--question 30] [--tokens 16]
 */

import { parseArgs } from 'node:util';

import { chatModels } from '../../web/lib/chat-models.js';
import { hubAddress } from '../../web/lib/load/hub.js';
import { serve } from '../../web/tools/serve.js';
import { launch } from '../browser/browser.js';
import { startHub } from '../browser/hub.js';
import { LLAMAS } from './language.js';
import { question, chatModel } from './chat.js';

const { values } = parseArgs({
  options: {
    shape: { type: 'string', default: '1B' },
    turns: { type: 'string', default: '10' },
    question: { type: 'string', default: '30' },
    tokens: { type: 'string', default: '16' },
  },
});
const shape = LLAMAS[values.shape];
if (!shape) throw new Error(`--shape is one of ${Object.keys(LLAMAS).join(', ')}, not ${values.shape}`);
const [model] = chatModels;
const bytes = chatModel(shape);
const hub = await startHub({ [new URL(hubAddress(model.url)).pathname]: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) });
const server = await serve({ port: 0 });
const browser = await launch();
try {
  const page = await browser.newPage({ bypassCSP: true, reducedMotion: 'reduce' });
  page.setDefaultTimeout(120000);
  await hub.standsIn(page);
  await page.goto(`${server.url}web/pages/chat/`);
  await page.locator('[data-phase=ready]').waitFor();
  const began = performance.now();
  await page.locator('.shelf-card', { hasText: model.name }).locator('button').first().click();
  await page.locator('#shelf-said', { hasText: 'answers now' }).waitFor();
  console.log(
    `${values.shape}, Q8_0, ${Math.round(bytes.length / 1e6)} MB: loaded in ${((performance.now() - began) / 1000).toFixed(1)} s`,
  );
  await page.locator('#length').fill(String(Math.round(Math.log2(Number(values.tokens))))); // the slider holds the binary logarithm of the number
  for (let turn = 1; turn <= Number(values.turns); turn++) {
    await page.locator('.talk-field').fill(question(turn, Number(values.question)));
    await page.locator('.talk-field').press('Enter');
    await page.locator('[data-phase=running]').waitFor();
    await page.locator('[data-phase=done]').waitFor();
    console.log(`turn ${turn}: ${await page.locator('.talk-figures').textContent()}`);
  }
} finally {
  await browser.close();
  await server.close();
  await hub.close();
}
