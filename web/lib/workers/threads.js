// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Starts threads for one model. Threads are workers that share the model's memory, and therefore one copy of its weights. Each worker
 * computes a part of the matrix products. This module is loaded only if load() requests threads.
 */

import { NextPixelError } from '../base/error.js';
import { inNode } from '../base/platform.js';
import { Link } from './link.js';
import { fastest } from './simd.js';
import { compile, compileBest } from './wasm.js';
import { threaded } from '../threads-files.js';

/** @import { Model } from '../model/model.js' */

/** Whether memory may be shared here; in a browser this requires a page that is cross-origin isolated. */
const shareable = () => typeof SharedArrayBuffer === 'function' && (globalThis.crossOriginIsolated ?? inNode);

/**
 * Compiles the fastest build with threads. Uses the build without threads if memory cannot be shared, or if the threaded build cannot be
 * loaded.
 *
 * @param {number} [patience]  the option `patience` of load()
 * @returns {Promise<WebAssembly.Module>}
 */
export function compileThreads(patience) {
  const address = shareable() ? threaded(fastest()) : undefined;
  const usual = () => compileBest(patience);
  return address ? compile(address, patience).catch(usual) : usual();
}

/**
 * Starts helpers for a worker that has opened a model. Helpers send no messages, so the model does not wait for a helper that is slow or
 * has ended.
 *
 * @param {Model} model  its property `threads` is set if helpers have started
 * @param {Link} link
 * @param {WebAssembly.Module} module  the module of the worker
 * @param {number} count
 * @param {() => Promise<Link>} start
 */
export async function addThreads(model, link, module, count, start) {
  if (!('vocabulary' in model.info)) return;
  link.onEnd(); // ends the helpers of the worker that this worker replaced
  const job = link.job();
  /** @type {import('../engine/protocol.js').SharedMessage} */
  const { memory, stacks } = await job.ask({ type: 'share', count });
  job.end();
  if (!memory) return;
  // Browsers limit the number of workers of a page, so some helpers may fail to start; the others are used.
  const helpers = (await Promise.allSettled(stacks.map(start))).flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  link.onEnd = () => {
    for (const helper of helpers) helper.end(new NextPixelError('closed', 'The model was closed'));
  };
  if (link.ended) link.onEnd();
  helpers.forEach((helper, i) => helper.job().tell({ type: 'thread', module, memory, stack: stacks[i] }));
  model.threads = 1 + helpers.length;
}
