// SPDX-License-Identifier: MIT
// Measures the speed of a model that generates spoken digits as codes and decodes the codes to a waveform. The model runs in headless
// Chromium with one worker and with two. The script times complete digits (from the priors to the waveform), the decoder alone and the
// encoders alone. The result for each digit is the minimum of several rounds, because other programs may run on the machine.
//
//   node tests/bench/jukebox.js [weights/jukebox-small.gguf] [--count 20] [--rounds 7] [--seconds 1.5]
// @ts-check
import './quiet.js';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { launch, openEmpty } from '../browser/browser.js';
import { ROOT } from '../js/helpers.js';
import { serve } from '../../web/tools/serve.js';

const {
  values: { count, rounds, seconds },
  positionals: [file = 'weights/jukebox-small.gguf'],
} = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '1.5' },
  },
});
const server = await serve({ port: 0 });
const browser = await launch();
const page = await (await browser.newContext({ baseURL: server.url })).newPage();
await openEmpty(page);
for (const workers of [1, 2]) {
  const digits = await page.evaluate(
    async ({ address, many, again, longest, threads }) => {
      const { load } = await import(/** @type {string} */ ('/web/dist/nextpixel.js'));
      const model = await load(address, { workers: threads });
      const { classes, speakers, sampleRate: rate } = model.info;
      /** The events of one digit, with their times in milliseconds since the call. */
      const found = [];
      const timed = async (/** @type {() => Promise<unknown>} */ work) => {
        const began = performance.now();
        await work();
        return performance.now() - began;
      };
      for (let i = 0; i < many; i++) {
        const least = { top: Infinity, heard: Infinity, whole: Infinity, decoded: Infinity, encoded: Infinity, sounded: 0 };
        for (let round = 0; round < again; round++) {
          const began = performance.now();
          const run = model.generate({ label: classes[i % 10], speaker: speakers[i % speakers.length], seed: i, seconds: longest });
          let [top, heard] = [0, 0];
          /** @type {number[]} */
          const bottom = [];
          for await (const { level, codes } of run) {
            const now = performance.now() - began;
            if (level === 'top') top = now;
            else if (level === 'bottom') bottom.push(...codes);
            else heard ||= now;
          }
          const whole = performance.now() - began;
          if (bottom.length === 0) break; // the sound ended immediately
          const data = await run.samples();
          least.sounded = data.length / rate;
          const took = {
            top,
            heard,
            whole,
            decoded: await timed(() => model.decode({ bottom })),
            encoded: await timed(() => model.encode({ samples: data, sampleRate: rate })),
          };
          for (const name of /** @type {const} */ (['top', 'heard', 'whole', 'decoded', 'encoded']))
            least[name] = Math.min(least[name], took[name]);
        }
        if (least.sounded > 0) found.push(least);
      }
      model.close();
      return found;
    },
    {
      address: `/${path.relative(ROOT, path.resolve(file))}`,
      many: Number(count),
      again: Number(rounds),
      longest: Number(seconds),
      threads: workers,
    },
  );
  /** @typedef {'top' | 'heard' | 'whole' | 'decoded' | 'encoded' | 'sounded'} Name */
  const sum = (/** @type {Name} */ name) => digits.reduce((total, one) => total + one[name], 0);
  const times = (/** @type {Name} */ name) => ((1000 * sum('sounded')) / sum(name)).toFixed(1);
  const median = (/** @type {Name} */ name) =>
    digits
      .map((one) => one[name])
      .sort((a, b) => a - b)
      [digits.length >> 1].toFixed(1);
  console.log(
    `Chromium ${browser.version()}, ${workers} worker${workers > 1 ? 's' : ''}: ${digits.length} digits, ${sum('sounded').toFixed(1)} s: ${times('whole')} times real time from the priors to the waveform; ` +
      `of a digit, the codes of the top level are ready after ${median('top')} ms, the first sound after ${median('heard')} ms, the whole after ${median('whole')} ms (medians); ` +
      `the decoder alone ${times('decoded')} times real time, both encoders ${times('encoded')} times`,
  );
}
await browser.close();
server.close();
