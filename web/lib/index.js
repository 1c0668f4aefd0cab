// SPDX-License-Identifier: MIT
// @ts-check

/**
 * nextpixel: self-attention image models that draw themselves, element by element, on the CPU.
 *
 *     import { load } from 'nextpixel';
 *
 *     const model = await load('weights/digits.gguf');
 *     await model.complete(image, { rows: 14 }).drawTo(canvas);
 *     for await (const { sample, from, to, values, nats } of model.generate({ label: '7', seed: 1 })) { ... }
 *     model.close();
 *
 * A model that enlarges has superResolve(image) in place of complete() and generate().
 *
 * The same module runs in browsers and in Node 20 or later. The work is done in a worker.
 */

import { NextPixelError } from './error.js';
import { Link } from './link.js';
import { openModel } from './model.js';
import { readSource } from './source.js';
import { compile } from './wasm.js';

export { NextPixelError } from './error.js';
export { supported } from './wasm.js';
/** @typedef {import('./protocol.js').ErrorCode} ErrorCode */
/** @typedef {import('./protocol.js').ModelInfo} ModelInfo */

/** @import { Progress, Source } from './source.js' */

/**
 * @typedef {object} LoadOptions
 * @property {(progress: Progress) => void} [onProgress]  called as the weight file arrives
 * @property {AbortSignal} [signal]   gives up loading
 * @property {string} [integrity]     'sha256-' and the base64 digest that the weight file must have
 * @property {string | URL} [wasmUrl] where nextpixel.wasm is, if not in dist/ beside lib/
 */

/**
 * Loads a model.
 *
 * @param {Source} source  the address of a weight file, in Node also a path; or its bytes, or a Response that brings
 *   them (for a Blob or File: `new Response(file)`)
 * @param {LoadOptions} [options]
 * @returns {Promise<Model>} rejects with a NextPixelError, or with the signal's reason
 */
export async function load(source, { onProgress, signal, integrity, wasmUrl } = {}) {
  signal?.throwIfAborted();
  // The worker, the module and the weights arrive side by side; when one fails, the rest is given up.
  const giveUp = new AbortController();
  const abort = () => giveUp.abort(signal?.reason);
  signal?.addEventListener('abort', abort);
  const starting = Link.start();
  try {
    const [link, module, bytes] = await abortable(Promise.all([
      starting,
      compile(wasmUrl ?? new URL('../dist/nextpixel.wasm', import.meta.url)),
      readSource(source, { onProgress, signal: giveUp.signal, integrity }),
    ]), giveUp.signal);
    return await openModel(link, module, bytes, giveUp.signal);
  } catch (error) {
    giveUp.abort();
    starting.then((link) => link.end(new NextPixelError('closed', 'Loading failed')), () => {});
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

/**
 * @template T
 * @param {Promise<T>} promise
 * @param {AbortSignal} signal
 * @returns {Promise<T>} rejects as soon as the signal is aborted
 */
function abortable(promise, signal) {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    promise.then(resolve, reject);
  });
}

// The types of what load() leads to, under one roof.
/** @typedef {import('./model.js').Model} Model */
/** @typedef {import('./run.js').Run} Run */
/** @typedef {import('./run.js').Step} Step */
/** @typedef {import('./model.js').Score} Score */
/** @typedef {import('./model.js').Attention} Attention */
/** @typedef {import('./image.js').ImageSource} ImageSource */
/** @typedef {import('./draw.js').Picture} Picture */
/** @typedef {import('./settings.js').DrawOptions} DrawOptions */
/** @typedef {import('./settings.js').Label} Label */
