// SPDX-License-Identifier: MIT
// Measures how long the dependency parser takes for sentences of different lengths, in Chromium on one core. Prints the minimum of 30
// repetitions, because other programs may run on the machine.
//
//     node tests/bench/parse.js
// @ts-check
import { launch, openEmpty } from '../browser/browser.js';
import { serve } from '../../web/tools/serve.js';

const [server, browser] = await Promise.all([serve({ port: 0 }), launch()]);
const page = await browser.newPage({ baseURL: server.url });
await openEmpty(page);
const times = await page.evaluate(async () => {
  const at = '/web/dist/nextpixel.js';
  const { load } = await import(at);
  const model = await load('/weights/parents-en.gguf');
  const text = 'Last night the old man next door saw a dog that had run away from the house of his only sister'.split(' ');
  const found = [];
  for (const count of [5, 10, 20, 40, 80, 128]) {
    const words = Array.from({ length: count }, (_, i) => text[i % text.length]);
    let least = Infinity;
    for (let i = 0; i < 30; i++) {
      const began = performance.now();
      await model.parse(words, { marginals: true });
      least = Math.min(least, performance.now() - began);
    }
    found.push([count, least]);
  }
  model.close();
  return found;
});
for (const [count, ms] of times) console.log(`${count} words: ${ms.toFixed(2)} ms`);
await browser.close();
await server.close();
