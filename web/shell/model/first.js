// SPDX-License-Identifier: MIT
// Starts the worker and fetches the fastest wasm build while the browser downloads the weights that the page's <head> preloads. The <head>
// cannot preload the wasm file, because the script must first test which build the browser supports.
// @ts-check
import { build, startOwn } from '../../lib/files.js';
import { fastest } from '../../lib/workers/simd.js';
import { asked } from '../page/asked.js';

/** The preload link in the <head> for the page's weights. @type {HTMLLinkElement | null} */
export const weights = document.querySelector('link[rel="preload"][href$=".gguf"]');

/** The worker that was started early; undefined after the library has taken it. @type {Worker | undefined} */
let worker;

/** Returns the early worker at the first call; later calls return undefined. */
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
      // the library then starts another worker and reports any error of that worker
      event.preventDefault();
      worker = undefined;
    };
  } catch {
    // the library then starts a worker and reports any error of that worker
  }
  const link = document.createElement('link');
  link.rel = 'preload';
  link.as = 'fetch';
  link.crossOrigin = '';
  link.href = String(build(fastest()));
  document.head.append(link);
}
