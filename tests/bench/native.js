// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Runs native llama.cpp outside a browser, on one thread, with the prebuilt binaries of node-llama-cpp. npm run bench -- --native uses it.
 */

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

import { WARM_UP, turn } from './pages/common.js';

const VERSION = '3.22.1';
/** The entry for native llama.cpp, in the format of LLAMA_PEERS. */
export const NATIVE = Object.freeze({ id: 'native', name: `native llama.cpp (node-llama-cpp ${VERSION})` });

/** The package with the CPU binaries for this platform. The binaries for GPUs are ten times as large and are not installed. */
const BINARIES = `@node-llama-cpp/${{ darwin: 'mac', win32: 'win' }[/** @type {string} */ (process.platform)] ?? process.platform}-${process.arch}${process.platform === 'darwin' && process.arch === 'arm64' ? '-metal' : ''}`;

/**
 * Installs the package in a folder if necessary.
 *
 * @param {string} folder
 * @param {(line: string) => void} say
 * @returns {string | undefined} the reason, if the installation failed
 */
export function installNative(folder, say) {
  if (existsSync(`${folder}/node_modules/node-llama-cpp/package.json`) && existsSync(`${folder}/node_modules/${BINARIES}/package.json`))
    return undefined;
  say(`installing node-llama-cpp ${VERSION} into ${folder} (downloads about 30 MB) ...`);
  const flags = ['--ignore-scripts', '--omit=optional', '--no-save', '--fetch-retries=1', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, stderr, error } = spawnSync(
    'npm',
    ['install', '--prefix', folder, ...flags, `node-llama-cpp@${VERSION}`, `${BINARIES}@${VERSION}`],
    { encoding: 'utf8' },
  );
  return status === 0
    ? undefined
    : `native llama.cpp could not be installed, and is not measured (${(error ?? stderr).toString().trim().split('\n')[0]})`;
}

/**
 * Loads a model in this process and returns it as a contender (arena.js).
 *
 * @param {string} folder  the installation folder
 * @param {string} file    weight file
 * @param {number} most    number of positions of the longest run
 */
export async function startNative(folder, file, most) {
  const { getLlama } = await import(pathToFileURL(`${folder}/node_modules/node-llama-cpp/dist/index.js`).href);
  const llama = await getLlama({ gpu: false, build: 'never', maxThreads: 1, progressLogs: false, logLevel: 'error' });
  const model = await llama.loadModel({ modelPath: file });
  const context = await model.createContext({ contextSize: most, batchSize: 512, sequences: 1, threads: 1 });
  const sequence = context.getSequence();
  const ids = Array.from({ length: most }, (_, i) => ((i * 2654435761) >>> 16) % 30000);
  /**
   * Reads a prompt and generates greedily.
   * @param {number} length
   * @param {number} steps
   * @returns {Promise<{ read: number, drew: number }>} read: milliseconds for the prompt and the first token; drew: milliseconds for the
   *   other tokens
   */
  const run = async (length, steps) => {
    await sequence.clearHistory();
    const start = performance.now();
    let first = 0,
      drawn = 0;
    for await (const _ of sequence.evaluate(ids.slice(0, length), { temperature: 0, yieldEogToken: true })) {
      if (drawn++ === 0) first = performance.now();
      if (drawn > steps) break;
    }
    return { read: first - start, drew: performance.now() - first };
  };
  await run(WARM_UP, 1);
  return {
    /** Returns milliseconds per token around a position. @param {{ position: number, steps: number }} place */
    time: ({ position, steps }) => turn(steps, async () => (await run(position - steps / 2, steps)).drew),
    /**
     * Returns the milliseconds from the start of a prompt with this many tokens to the first generated token.
     * @param {{ length: number }} prompt
     */
    prompt: ({ length }) => turn(1, async () => (await run(length, 0)).read),
    close: () => llama.dispose(),
  };
}
