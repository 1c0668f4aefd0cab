// SPDX-License-Identifier: MIT
// Compares how soon the first pixel of the front page appears in another version and in this version. One headless Chromium loads the two
// pages alternately.
//
//   git worktree add ../old COMMIT && node tests/bench/paired-page.js ../old [--rounds 9] [--site]
//
// Prints the milliseconds from navigation to the first paint and to the first drawn pixel, with empty caches and on the third visit. For
// each of these times, prints the median of all rounds and the shortest time. Each version has its own server. With --site, the folders are
// sites that `./build.sh site` has built.
// @ts-check
import './quiet.js';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

import { launch } from '../browser/browser.js';
import { serve } from '../../web/tools/serve.js';
import { median } from './summary.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The driver waits this many milliseconds before it reads the times of a page, as in measure.js. */
const WAIT_MS = 1000;

const {
  values: { rounds, site },
  positionals: [old, now = ROOT],
} = parseArgs({ allowPositionals: true, options: { rounds: { type: 'string', default: '9' }, site: { type: 'boolean' } } });
if (!old) throw new Error('pass the folder of the other version: node tests/bench/paired-page.js FOLDER');

/** @param {string} folder @returns {ReturnType<typeof serve>} */
async function served(folder) {
  if (site) return serve({ port: 0, root: resolve(folder) });
  const module = await import(pathToFileURL(`${resolve(folder)}/web/tools/serve.js`).href);
  return module.serve({ port: 0 });
}

const servers = [await served(old), await served(now)];
const browser = await launch();
const VISITS = ['empty caches', 'second visit', 'third visit'];
/** The times in milliseconds, by visit, mark and version. @type {Record<string, Record<string, [number[], number[]]>>} */
const times = {};
for (let round = 0; round < Number(rounds); round++) {
  for (const version of round % 2 ? [1, 0] : [0, 1]) {
    const context = await browser.newContext(); // a new context has empty caches
    const page = await context.newPage();
    for (const visit of VISITS) {
      await page.goto(`${servers[version].url}web/`);
      await page.waitForTimeout(WAIT_MS);
      await page.waitForFunction(() => performance.getEntriesByName('first-pixel').length > 0);
      const marks = await page.evaluate(() =>
        Object.fromEntries(
          ['first-contentful-paint', 'first-pixel'].map((name) => [name, performance.getEntriesByName(name)[0]?.startTime ?? 0]),
        ),
      );
      for (const [mark, ms] of Object.entries(marks)) ((times[visit] ??= {})[mark] ??= [[], []])[version].push(ms);
      await page.waitForFunction(async () => (await caches.open('nextpixel-page')).match(new URL('dist/page-front.js', location.href)));
      await page.goto('about:blank');
    }
    await context.close();
  }
}
for (const [visit, marks] of Object.entries(times)) {
  if (visit === VISITS[1]) continue; // not printed, because it is the first visit that the service worker controls
  for (const [mark, versions] of Object.entries(marks)) {
    const each = (/** @type {(of: number[]) => number} */ choose) => versions.map((of) => choose(of).toFixed(0)).join(' -> ');
    console.log(`${visit.padEnd(12)}  ${mark.padEnd(22)}  ${each(median)} ms (least ${each((of) => Math.min(...of))})`);
  }
}
await browser.close();
await Promise.all(servers.map((server) => server.close()));
