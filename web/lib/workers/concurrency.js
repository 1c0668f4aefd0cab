// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Determines how many workers are worthwhile: the largest number of workers that can run in parallel, each at nearly the speed of a single
 * worker.
 */

import { NextPixelError } from '../base/error.js';
import { compileLoop } from '../engine/core-probe.js';

/** @import { Link } from './link.js' */

/** The largest number of workers to try; it is small, because each worker that is kept has a copy of the model. */
export const MOST_TRIED = 4;

/**
 * The minimum speed of each parallel worker, as a fraction of the speed of a single worker. Two hyperthreads of a core reach 0.5 to 0.65
 * each; separate cores reach 0.8 to 1, or a little less if all cores are in use.
 */
const WORTH = 0.75;

/**
 * Duration of a measurement in milliseconds, long enough for a clock that counts whole milliseconds. The measurement begins `LEAD_MS`
 * milliseconds after the messages are sent, when every worker has received its message.
 */
const WINDOW_MS = 4;
const LEAD_MS = 2;

/**
 * Number of measurements; the best one counts. Several are needed, because a page that is loading is busy, and because in a quarter of the
 * measurements the operating system runs two workers on the same core although another core is free.
 */
const TRIES = 3;

/** The longest time that a loaded model waits for the measurements, in milliseconds. */
const PATIENCE_MS = 80;

/**
 * @param {number[]} speeds  item n - 1 is the speed of the slowest of n parallel workers; 0 if it was not measured
 * @returns {number} the largest worthwhile number of workers, at least 1
 */
export function worthwhile([alone, ...others]) {
  return others.reduce((most, speed, i) => (alone > 0 && speed > WORTH * alone ? i + 2 : most), 1);
}

/**
 * Starts more workers, keeps as many as are worthwhile and ends the others. The first worker is always kept, even if something fails.
 *
 * @param {Promise<Link>[]} starting   a list with the first worker; the function adds every further worker that it starts
 * @param {() => Promise<Link>} start  starts another worker
 * @param {number} most
 * @param {Promise<unknown>} loaded    resolves when everything else that the model needs has been loaded; until then, the measurements cost
 *   no extra time
 * @returns {Promise<Link[]>} rejects if the first worker cannot be started
 */
export async function addWorthwhile(starting, start, most, loaded) {
  const links = [await starting[0]];
  const speeds = new Array(most).fill(0);
  const enough = new AbortController();
  const stop = () => enough.abort();
  try {
    const loop = await compileLoop();
    /** @param {Link} link @param {number} from @param {number} to @returns {Promise<number>} */
    const measure = async (link, from, to) => {
      const job = link.job(enough.signal);
      try {
        return (await job.ask({ type: 'measure', loop, from, to })).speed;
      } finally {
        job.end();
      }
    };
    // Waits until the first worker answers, because starting the other workers earlier would delay the first one.
    await measure(links[0], 0, 1);
    loaded.then(() => setTimeout(stop, PATIENCE_MS), stop);
    while (starting.length < most) starting.push(start());
    const others = starting.slice(1).map(async (starts) => {
      const link = await starts;
      await measure(link, 0, 1);
      return link;
    });
    for (const other of await Promise.allSettled(others)) if (other.status === 'fulfilled') links.push(other.value);
    for (let i = 0; i < TRIES; i++) {
      for (const n of new Set([1, Math.min(2, links.length), links.length])) {
        const from = Date.now() + LEAD_MS;
        const together = await Promise.all(links.slice(0, n).map((link) => measure(link, from, from + WINDOW_MS)));
        speeds[n - 1] = Math.max(speeds[n - 1], Math.min(...together));
      }
    }
  } catch {
    // If the time is up or a worker has ended, the measurements made so far are used.
  }
  const kept = links.slice(0, worthwhile(speeds));
  const unwanted = new NextPixelError('closed', 'No core for it');
  for (const starts of starting)
    starts.then(
      (link) => kept.includes(link) || link.end(unwanted),
      () => {},
    );
  return kept;
}
