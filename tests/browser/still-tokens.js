// SPDX-License-Identifier: MIT
// @ts-check

/** Takes the picture of the card of the page of tokens: node tests/browser/still-tokens.js [FILE]. Writes web/pages/tokens/still.png. */

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { serve } from '../../web/serve.js';
import { LIBRARY, launch, openEmpty } from './browser.js';

const PICTURE = fileURLToPath(new URL('../../web/pages/tokens/still.png', import.meta.url));
const weights = await readFile(process.argv[2] ?? new URL('../../weights/stories.gguf', import.meta.url));

const [server, browser] = await Promise.all([serve({ port: 0 }), launch()]);
try {
  const page = await browser.newPage({ viewport: { width: 400, height: 300 }, baseURL: server.url, colorScheme: 'light' });
  await page.route('**/tale.gguf', (route) => route.fulfill({ body: weights, contentType: 'application/octet-stream' }));
  await openEmpty(page);
  await page.evaluate(async (library) => {
    const { load } = await import(library);
    const canvas = document.body.appendChild(document.createElement('canvas'));
    canvas.style.cssText = 'position: absolute; inset: 0; width: 300px; height: 200px; font: 17px Charter, Georgia, serif; color: #15171c';
    const model = await load('/weights/tale.gguf');
    await model.tokens('Once upon a time', { seed: 1, temperature: 0.8, maxTokens: 62 }).drawTo(canvas);
    model.close();
  }, LIBRARY);
  const png = await page.screenshot({ path: PICTURE, clip: { x: 0, y: 0, width: 300, height: 200 }, omitBackground: true });
  console.log(`web/pages/tokens/still.png: ${png.length} bytes`);
} finally {
  await browser.close();
  await server.close();
}
