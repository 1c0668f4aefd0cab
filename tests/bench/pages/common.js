// SPDX-License-Identifier: MIT
// @ts-check

/** Code shared by the pages of all contenders. */

/** Minimum duration of a measurement. Without this minimum, the measurements of fast contenders would be less precise. */
const TURN_MS = 60;

/**
 * Repeats `once` until the minimum duration is reached.
 *
 * @param {number} units  units of work in one call of `once`, for example tokens
 * @param {() => number | Promise<number>} once  does the work, and returns its time in milliseconds
 * @returns {Promise<number>} milliseconds per unit of work
 */
export async function turn(units, once) {
  let sum = 0,
    times = 0;
  do {
    sum += await once();
    times++;
  } while (sum < TURN_MS);
  return sum / times / units;
}

/** @param {string} url */
export async function bytesOf(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** @param {ArrayLike<number>} logits */
export function argmax(logits) {
  let best = 0;
  for (let i = 1; i < logits.length; i++) if (logits[i] > logits[best]) best = i;
  return best;
}

/** Number of warm-up tokens before the first measurement. After these tokens, every engine has fully compiled its hot code. */
export const WARM_UP = 64;

/**
 * A contender that generates tokens by repeated calls of a decode step.
 *
 * @param {object} parts
 * @param {(token: number, position: number) => Promise<ArrayLike<number>>} parts.step  reads one token and returns logits
 * @param {(length: number) => void | Promise<void>} parts.reset  makes a cache with this many positions of arbitrary contents
 */
export async function stepped({ step, reset }) {
  /** @param {number} from @param {number} count */
  const generate = async (from, count) => {
    let token = 1;
    for (let i = 0; i < count; i++) token = argmax(await step(token, from + i));
  };
  await reset(0);
  await generate(0, WARM_UP);
  return {
    /** Returns milliseconds per token around a position. @param {{ position: number, steps: number }} place */
    time: ({ position, steps }) =>
      turn(steps, async () => {
        const from = position - steps / 2;
        await reset(from - 1);
        await generate(from - 1, 1); // a new cache has a one-time cost, which is not measured
        const start = performance.now();
        await generate(from, steps);
        return performance.now() - start;
      }),
  };
}
