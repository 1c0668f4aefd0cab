// SPDX-License-Identifier: MIT
// Times sounds by codes in headless Chromium, with one worker and with two: digits from the priors to the wave, and what the decoder and the encoder do alone.
//
//   node tests/bench/codes.js [weights/jukebox-small.gguf] [--count 60] [--seconds 1.5]
// @ts-check
import './quiet.js';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { launch, openEmpty } from '../browser/browser.js';
import { ROOT } from '../js/helpers.js';
import { serve } from '../../web/serve.js';

const { values: { count, seconds }, positionals: [file = 'weights/jukebox-small.gguf'] } = parseArgs({
  allowPositionals: true, options: { count: { type: 'string', default: '60' }, seconds: { type: 'string', default: '1.5' } },
});
const server = await serve({ port: 0 });
const browser = await launch();
const page = await (await browser.newContext({ baseURL: server.url })).newPage();
await openEmpty(page);
for (const workers of [1, 2]) {
  const found = await page.evaluate(async ({ address, digits, longest, threads }) => {
    const { load } = await import(/** @type {string} */ ('/web/dist/nextpixel.js'));
    const model = await load(address, { workers: threads });
    const { classes, speakers, rate } = model.info;
    /** When each came, in milliseconds from the call, of each digit. @type {{ top: number, heard: number, whole: number }[]} */
    const times = [];
    /** @type {number[][]} */
    const codes = [];
    /** @type {Float32Array[]} */
    const sounds = [];
    let sounded = 0;
    for (let i = -5; i < digits; i++) { // the first few are for the machine to get warm
      const began = performance.now();
      const run = model.generate({ label: classes[(i + 10) % 10], speaker: speakers[(i + 6) % speakers.length], seed: i + 5, seconds: longest });
      const at = { top: 0, heard: 0, whole: 0 };
      /** @type {number[]} */
      const drawn = [];
      for await (const { level, codes: some } of run) {
        const now = performance.now() - began;
        if (level === 'top') at.top = now;
        else if (level === 'bottom') drawn.push(...some);
        else at.heard ||= now;
      }
      at.whole = performance.now() - began;
      if (i < 0 || drawn.length === 0) continue;
      const samples = await run.samples();
      times.push(at);
      codes.push(drawn);
      sounds.push(samples);
      sounded += samples.length / rate;
    }
    const timed = async (/** @type {(i: number) => Promise<unknown>} */ work) => {
      const began = performance.now();
      for (let i = 0; i < codes.length; i++) await work(i);
      return (1000 * sounded) / (performance.now() - began);
    };
    const [decoded, encoded] = [await timed((i) => model.decode({ bottom: codes[i] })), await timed((i) => model.encode({ data: sounds[i], rate }))];
    model.close();
    return { times, sounded, decoded, encoded };
  }, { address: `/${path.relative(ROOT, path.resolve(file))}`, digits: Number(count), longest: Number(seconds), threads: workers });
  const { times, sounded, decoded, encoded } = found;
  const median = (/** @type {'top' | 'heard' | 'whole'} */ name) => times.map((one) => one[name]).sort((a, b) => a - b)[times.length >> 1].toFixed(1);
  const most = Math.max(...times.map(({ heard }) => heard));
  const total = times.reduce((sum, { whole }) => sum + whole, 0);
  console.log(`Chromium ${browser.version()}, ${workers} worker${workers > 1 ? 's' : ''}: ${times.length} digits, ${sounded.toFixed(1)} s: ${((1000 * sounded) / total).toFixed(1)} times real time from the priors to the wave; `
    + `of a digit the codes of the top level are there after ${median('top')} ms, sound after ${median('heard')} ms (at most ${most.toFixed(0)}), all of it after ${median('whole')} ms (medians); `
    + `the decoder alone ${decoded.toFixed(1)} times, both encoders ${encoded.toFixed(1)} times`);
}
await browser.close();
server.close();
