#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Measures how much threads speed up language models. The models have random weights and run in Node with one, two, three and four threads.
 * The script prints the milliseconds per token.
 *
 *     node tests/bench/threads.js [--rounds 5] [--busy]
 *
 * With --busy, another program keeps a processor busy during the measurement. Even then, threads must not make generation slower. The gain
 * is small if two threads share a core, which some systems count as two processors. The printed ratio is a ratio of medians.
 */

import { spawn } from 'node:child_process';
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';

import { load } from '../../web/lib/index.js';
import { LLAMAS, llamaModel } from './language.js';
import { LLAMA_TYPES } from './llama.js';
import { median } from './summary.js';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' }, busy: { type: 'boolean', default: false } } });
const THREADS = [1, 2, 4];
const TOKENS = { '15M': 96, '110M': 24 };

console.log(
  `Node ${process.version}, ${cpus()[0].model.trim()}, ${availableParallelism()} processors${values.busy ? ', one of them busy' : ''}; ms a token, times one thread`,
);
const other = values.busy ? spawn(process.execPath, ['--eval', 'for (;;);']) : undefined;
for (const [size, tokens] of Object.entries(TOKENS)) {
  for (const type of LLAMA_TYPES) {
    const file = llamaModel(LLAMAS[size], type);
    const models = [];
    for (const threads of THREADS) models.push(await load(file, { threads }));
    /** @type {number[][]} */
    const times = THREADS.map(() => []);
    const texts = new Set();
    for (let round = -1; round < Number(values.rounds); round++) {
      // the first round is a warm-up, because V8 still compiles code
      for (const [i, model] of models.entries()) {
        const start = performance.now();
        texts.add(await model.generate('a', { maxTokens: tokens, seed: 1 }).text());
        if (round >= 0) times[i].push((performance.now() - start) / tokens);
      }
    }
    if (texts.size !== 1) throw new Error('threads changed the text');
    const one = median(times[0]);
    console.log(
      `llama ${size} ${type}  ${THREADS.map((threads, i) => `${threads}: ${median(times[i]).toFixed(2)} (${(one / median(times[i])).toFixed(2)})`).join('   ')}`,
    );
    for (const model of models) model.close();
  }
}
other?.kill();
