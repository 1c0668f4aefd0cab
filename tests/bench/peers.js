// SPDX-License-Identifier: MIT
// @ts-check

/** Lists the other runtimes of the benchmark, each with its fastest settings for one thread, and installs them. */

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { W1, gpt2Model, onnxModel } from './models.js';

const FOLDER = fileURLToPath(new URL('./', import.meta.url));
export const MODULES = `${FOLDER}node_modules`;

const { dependencies } = JSON.parse(readFileSync(`${FOLDER}package.json`, 'utf8'));
const ORT = `onnxruntime-web ${dependencies['onnxruntime-web']}`,
  WLLAMA = `wllama ${dependencies['@wllama/wllama']}`;
/** LiteRT has the fastest kernels for matrix products but no runtime for decoders, so only the products section measures it. */
export const LITERT = `LiteRT.js ${dependencies['@litertjs/core']}`;
const TFJS = `TensorFlow.js wasm ${dependencies['@tensorflow/tfjs-backend-wasm']}`;

/**
 * @typedef {object} Peer
 * @property {string} id
 * @property {string} name
 * @property {string} page   name of a file in tests/bench/pages
 * @property {string} [file] model file, in the build folder
 * @property {() => Uint8Array} [model]
 */

/** @type {Peer[]} */
export const PEERS = [
  { id: 'onnxruntime', name: `${ORT}, 8-bit`, page: 'onnxruntime', file: 'w1-q8.onnx', model: () => onnxModel(W1) },
  { id: 'wllama-q8', name: `${WLLAMA}, Q8_0`, page: 'wllama', file: 'w1-gpt2-q8.gguf', model: () => gpt2Model(W1, 'q8') },
  { id: 'wllama-q4', name: `${WLLAMA}, Q4_0`, page: 'wllama', file: 'w1-gpt2-q4.gguf', model: () => gpt2Model(W1, 'q4') },
  { id: 'tfjs', name: `${TFJS}, 32-bit`, page: 'tfjs' },
];

/** The runtimes of the llama section; `id` is part of the names of their probes. */
export const LLAMA_PEERS = Object.freeze([
  { id: 'wllama', name: WLLAMA },
  { id: 'onnxruntime', name: `${ORT}, 8-bit` },
]);

/** Installs the runtimes in tests/bench/node_modules if necessary.
 * @param {(line: string) => void} say @returns {string | undefined} the reason, if the installation failed */
export function install(say) {
  const lock = `${FOLDER}package-lock.json`,
    mark = `${MODULES}/.package-lock.json`;
  if (existsSync(mark) && statSync(mark).mtimeMs >= statSync(lock).mtimeMs) return undefined;
  say('installing the other runtimes (downloads about 60 MB) ...');
  // The install scripts of these packages only fetch files for Node.
  const flags = ['--ignore-scripts', '--fetch-retries=1', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, stderr, error } = spawnSync('npm', ['ci', ...flags], { cwd: FOLDER, encoding: 'utf8' });
  if (status === 0) return undefined;
  return (
    `the other runtimes could not be installed, so only nextpixel is measured (${(error ?? stderr).toString().trim().split('\n')[0]}). ` +
    'They come from the npm registry, so this needs a network once'
  );
}
