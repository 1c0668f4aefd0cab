// SPDX-License-Identifier: MIT
// Compares weight types. For each type, prints the size of the file, the processor time per token of a prompt, the processor time per
// generated token, and the peak memory while the file is loaded. The memory that Node itself uses is not counted. All models have the same
// shape, and their weights are random. Each measurement runs in its own process, and the types alternate.
//
//   node tests/bench/which-file.js [--rounds 3] [--size 110M] [--types F16,Q8_0,Q6_K,Q4_K_M,Q4_0] [--json]
//
// The script needs Linux. The models run in Node with the baseline wasm and one thread.
// @ts-check
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';

import { load } from '../../web/lib/index.js';
import { LLAMAS, llamaModel } from './language.js';
import { median } from './summary.js';

const PROMPT = 64;
const DRAWN = 16;
const FILES = 'F16,Q8_0,Q6_K,Q4_K_M,Q4_0';

/** Returns the processor time of all threads of this process, in milliseconds. */
const spent = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Returns the peak memory of this process in bytes. (maxRSS of a child process starts at the memory of its parent, so it is not used.) */
const mostMemory = () => 1024 * Number(/VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);

/** Measures one file in this process. @param {string} file */
async function one(file) {
  const before = mostMemory(),
    model = await load(file),
    peak = mostMemory() - before;
  const prompt = Uint32Array.from({ length: PROMPT }, (_, i) => 3 + ((i * 7) % 30000));
  const run = async (/** @type {ArrayLike<number>} */ known, /** @type {number} */ maxTokens) => {
    const before = spent();
    let count = 0;
    for await (const _ of model.generate(known, { maxTokens, temperature: 0 })) count++;
    return (spent() - before) / (count === maxTokens ? 1 : NaN);
  };
  await run(prompt.subarray(0, 8), 4);
  const read = await run(prompt, 1);
  const token = (await run(prompt.subarray(1, 65), DRAWN + 1)) - (await run(prompt.subarray(2, 66), 1));
  model.close();
  return { prompt: read / PROMPT, token: token / DRAWN, peak, bytes: model.info.bytes };
}

async function main() {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '3' },
      size: { type: 'string', default: '110M' },
      types: { type: 'string', default: FILES },
      json: { type: 'boolean' },
      one: { type: 'string' },
    },
  });
  if (values.one) return void console.log(JSON.stringify(await one(values.one)));
  const folder = fileURLToPath(new URL('../../build/which-file/', import.meta.url));
  mkdirSync(folder, { recursive: true });
  const shape = { ...LLAMAS[values.size], length: 2048 },
    names = values.types.split(','); // the row lengths of 110M are multiples of the block length of every type
  for (const name of names) writeFileSync(`${folder}${name}.gguf`, llamaModel(shape, name.toLowerCase()));
  /** @type {Record<string, any[]>} */
  const found = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const name of names) {
      const { stdout } = await promisify(execFile)(process.execPath, [
        '--no-warnings',
        fileURLToPath(import.meta.url),
        '--one',
        `${folder}${name}.gguf`,
      ]);
      found[name].push(JSON.parse(stdout));
    }
  }
  const rows = names.map((name) => {
    const of = (/** @type {string} */ key) => median(found[name].map((row) => row[key]));
    return {
      name,
      megabytes: of('bytes') / 1e6,
      prompt: of('prompt'),
      token: of('token'),
      peak: of('peak') / of('bytes'),
      beyond: (of('peak') - of('bytes')) / 1e6,
    };
  });
  if (values.json) return void console.log(JSON.stringify(rows, null, 2));
  for (const { name, megabytes, prompt, token, peak, beyond } of rows) {
    console.log(
      `${name.padEnd(8)} ${megabytes.toFixed(0).padStart(4)} MB  ${prompt.toFixed(2).padStart(6)} ms a token of the prompt  ${token.toFixed(2).padStart(6)} ms a token  loading ${peak.toFixed(2)} x the file, ${beyond.toFixed(0)} MB more than it`,
    );
  }
}

await main();
