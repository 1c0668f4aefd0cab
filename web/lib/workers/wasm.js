// SPDX-License-Identifier: MIT
// @ts-check

/** Compiles WebAssembly modules. Each address is compiled only once. */

import { NextPixelError } from '../base/error.js';
import { build, hint } from '../files.js';
import { PATIENCE_MS, within } from '../load/patience.js';
import { inNode } from '../base/platform.js';
import { isPromise } from '../base/promise.js';
import { fastest, supported } from './simd.js';
import { disk, fetchOrFail } from '../load/source.js';

/**
 * Compiles the build of the library that is fastest on this machine. If only the baseline file is published, the baseline build is
 * compiled.
 *
 * @param {number} [patience]  the option `patience` of load(); a module that is compiled while it is downloaded may take twice as long
 * @returns {Promise<WebAssembly.Module>}
 * @internal
 */
export function compileBest(patience) {
  const name = fastest(),
    usual = () => compile(build('baseline'), patience);
  return name === 'baseline' ? usual() : compile(build(name), patience).catch(usual);
}

/**
 * Maximum number of cached modules, one for each address. The oldest module is dropped first. Without a limit, a page that keeps loading
 * its own copy of a module from new addresses would fill the memory.
 */
const MOST_KEPT = 16;

/** The compiled modules, which are the only state that models share. A failure is not cached, so the next load tries again.
 * @type {Map<string | Promise<unknown>, Promise<WebAssembly.Module>>} */
const compiled = new Map();

/**
 * @param {string | URL | Promise<Uint8Array<ArrayBuffer>>} file  address of the file, or its contents
 * @param {number} [patience]
 * @returns {Promise<WebAssembly.Module>}
 * @internal
 */
export function compile(file, patience = PATIENCE_MS) {
  if (!supported) {
    return Promise.reject(
      new NextPixelError(
        'wasm',
        'nextpixel needs WebAssembly with SIMD, which is missing here: use a current browser, or Node 20 or later',
      ),
    );
  }
  const key = isPromise(file) ? file : String(file);
  let module = compiled.get(key);
  if (module === undefined) {
    module = isPromise(file) ? file.then((bytes) => compileBytes(bytes, 'nextpixel.wasm')) : compileAt(file, patience);
    if (compiled.size >= MOST_KEPT) compiled.delete(/** @type {string} */ (compiled.keys().next().value));
    compiled.set(key, module);
    module.catch(() => compiled.delete(key));
  }
  return module;
}

/**
 * @param {string | URL} url
 * @param {number} patience
 * @returns {Promise<WebAssembly.Module>}
 */
async function compileAt(url, patience) {
  const path = inNode ? await (await disk()).filePath(url) : undefined;
  if (path !== undefined) return compileBytes(await (await disk()).readFile(path), url);

  const response = await fetchOrFail(url, undefined, { patience });
  if (!response.ok) {
    throw new NextPixelError(
      'network',
      `Cannot fetch ${url}: the server answered ${response.status}. nextpixel.wasm ` +
        `belongs next to the library, or at wasmUrl.${hint()}`,
    );
  }
  // Streaming compilation needs the right content type, which not every server sends.
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('application/wasm') && WebAssembly.compileStreaming !== undefined) {
    try {
      return await within(WebAssembly.compileStreaming(response), 2 * patience);
    } catch (cause) {
      throw cause instanceof WebAssembly.CompileError ? wasmError(url, cause) : brokenOff(url, cause);
    }
  }
  const bytes = await within(response.arrayBuffer(), 2 * patience).catch((cause) => {
    throw brokenOff(url, cause);
  });
  return compileBytes(new Uint8Array(bytes), url);
}

/**
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {string | URL} url
 */
async function compileBytes(bytes, url) {
  try {
    return await WebAssembly.compile(bytes);
  } catch (cause) {
    throw wasmError(url, cause);
  }
}

/**
 * @param {string | URL} url
 * @param {unknown} cause
 */
function wasmError(url, cause) {
  return new NextPixelError(
    'wasm',
    `Cannot compile ${url} (${cause}). It must be nextpixel.wasm, and a ` +
      `Content-Security-Policy must allow script-src 'wasm-unsafe-eval'.${hint()}`,
    { cause },
  );
}

/**
 * @param {string | URL} url
 * @param {unknown} cause
 */
function brokenOff(url, cause) {
  return new NextPixelError('network', `The download of ${url} was interrupted (${cause}): try again`, { cause });
}
