// SPDX-License-Identifier: MIT
// While the weights requested by the page's head load, fetches the fastest wasm and starts the worker. The head cannot: the build must be
// tested first.
// @ts-check
import { build, startOwn } from '../../lib/files.js';
import { fastest } from '../../lib/workers/simd.js';
import { asked } from '../page/asked.js';

/** The preload link of the page's weights. @type {HTMLLinkElement | null} */
export const weights = document.querySelector('link[rel="preload"][href$=".gguf"]');

/** The preloaded worker, until it is taken. @type {Worker | undefined} */
let worker;

/** Returns the worker and clears the reference. */
export function takeWorker() {
  const taken = worker;
  worker = undefined;
  if (taken) taken.onerror = null;
  return taken;
}

if (weights || asked) {
  try {
    worker = startOwn();
    worker.onerror = (event) => {
      // the library starts another worker and reports the error
      event.preventDefault();
      worker = undefined;
    };
  } catch {
    // as well
  }
  const link = document.createElement('link');
  link.rel = 'preload';
  link.as = 'fetch';
  link.crossOrigin = '';
  link.href = String(build(fastest()));
  document.head.append(link);
}
