// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Searches for leaks. Uses every kind of model repeatedly. Some runs continue to the end, some are stopped and some are aborted. Then
 * prints the memory, workers, timers and handles that remain: node --expose-gc tests/bench/soak.js [minutes, default 20]
 *
 * The script fails if the memory after the last round is more than 4/3 of the memory after the fifth round, or if a worker, timer or handle
 * remains.
 */

import { load } from '../../web/lib/index.js';
import { ROOT } from '../js/helpers.js';
import { rowsOf } from '../kinds/bench.js';
import { flat } from '../kinds/rows.js';

const WARM = 5;
const GROWTH = 4 / 3;

const USES = Object.entries(flat(rowsOf('uses')));

/** @param {any} run  a run that yields steps, or a finished result @param {number} most  maximum number of steps to read */
async function consume(run, most) {
  if (typeof run?.[Symbol.asyncIterator] !== 'function') return run;
  let steps = 0;
  for await (const _ of run) if (++steps >= most) break;
}

const minutes = Number(process.argv[2] ?? 20);
if (!(minutes > 0)) throw new Error(`minutes must be more than 0, not ${process.argv[2]}`);
const { gc } = /** @type {any} */ (globalThis);
if (!gc) throw new Error('start with node --expose-gc');
const end = Date.now() + 60000 * minutes;
/** @type {number[]} */
const memory = [];
let runs = 0;
for (let round = 0; round < WARM + 1 || Date.now() < end; round++) {
  for (const [file, use] of USES) {
    const model = await load(ROOT + file, { cache: false });
    for (const how of ['whole', 'some steps', 'aborted']) {
      const stopper = new AbortController();
      const timer = how === 'aborted' && setTimeout(() => stopper.abort(), 5);
      await (async () => consume(use(model, { seed: round, signal: stopper.signal }), how === 'some steps' ? 2 : Infinity))().catch(
        (error) => {
          if (!stopper.signal.aborted) throw new Error(`${file}, ${how}`, { cause: error });
        },
      );
      if (timer) clearTimeout(timer);
      runs++;
    }
    model.close();
  }
  gc();
  memory.push(Math.round(process.memoryUsage().rss / 1e6));
  console.error(`round ${round + 1}: ${runs} runs, ${memory.at(-1)} MB`);
}
await new Promise((resolve) => setTimeout(resolve, 1000));
const left = process.getActiveResourcesInfo().filter((name) => !/^(TTY|Pipe|FSReqPromise)/.test(name));
console.log(`${runs} runs in ${memory.length} rounds; memory in MB ${memory.join(' ')}; left: ${left.join(', ') || 'nothing'}`);
if (/** @type {number} */ (memory.at(-1)) > GROWTH * memory[WARM - 1]) throw new Error('memory grows');
if (left.length > 0) throw new Error('something is left');
