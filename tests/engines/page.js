// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The script of page.html: executes the plan, and writes the results into the page, where any browser driver can read them. The address may
 * contain `wasm`, the build to use (by default, the library chooses one), and `workers`, the number of workers.
 */

import { load } from '../lib/index.js';
import { runPlan } from './runs.js';

/** @import { Report } from './engine.js' */

/** @param {string} address */
async function bytesOf(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** @returns {Promise<Report>} */
async function report() {
  const search = new URLSearchParams(location.search);
  const wasm = search.get('wasm');
  const workers = Number(search.get('workers') ?? 1);
  const wasmUrl = wasm === null ? undefined : new URL(`../dist/${wasm}`, location.href);
  if (wasmUrl && !WebAssembly.validate(await bytesOf(wasmUrl.href))) return { valid: false };
  const plan = JSON.parse(new TextDecoder().decode(await bytesOf('plan.json')));
  return { results: await runPlan(load, plan, (path) => bytesOf(`../../${path}`), { wasmUrl, workers }) };
}

const element = /** @type {HTMLElement} */ (document.getElementById('report'));
report()
  .catch((error) => ({ error: `${error}\n${error?.stack ?? ''}` }))
  .then((text) => {
    element.textContent = JSON.stringify({ ...text, agent: navigator.userAgent });
  });
