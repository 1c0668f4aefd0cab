// SPDX-License-Identifier: MIT
// @ts-check

/** The number of workers that pay: as many as run in parallel at nearly the speed of one alone. */

import { NextPixelError } from '../base/error.js';
import { compileLoop } from '../engine/core-probe.js';

/** @import { Link } from './link.js' */

/** The most workers that are tried: each one that is kept has a copy of the model. */
export const MOST_TRIED = 4;

/** Relative speeds: sibling hyperthreads have 0.5 to 0.65 of the speed of one alone, cores 0.8 (all together a little less) to 1. */
const WORTH = 0.75;

/** Long enough for a clock of whole milliseconds; it begins when every worker has received the message. */
const WINDOW_MS = 4;
const LEAD_MS = 2;

/** The best try counts: a page that is loading is busy, and in one try of four the system runs two workers on one of two free cores. */
const TRIES = 3;

/** The longest time that a loaded model waits for the measurements. */
const PATIENCE_MS = 80;

/**
 * @param {number[]} speeds  [n - 1]: of the slowest of n parallel workers; 0: not measured
 * @returns {number} the most workers that pay, at least 1
 */
export function worthwhile([alone, ...others]) {
  return others.reduce((most, speed, i) => (alone > 0 && speed > WORTH * alone ? i + 2 : most), 1);
}

/**
 * Starts more workers, keeps those that pay and ends the others. Whatever fails, the first one is kept.
 *
 * @param {Promise<Link>[]} starting   the first one; all started ones are added
 * @param {() => Promise<Link>} start  another one
 * @param {number} most
 * @param {Promise<unknown>} loaded    everything else that the model needs: while it loads, measuring costs no extra time
 * @returns {Promise<Link[]>} rejects if the first one cannot be started
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
    // A worker has started when it answers. The others must not delay the first one.
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
    // If time is up, or a worker has ended, the measurements so far decide.
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
