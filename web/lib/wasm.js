// SPDX-License-Identifier: MIT
// @ts-check

/** Compiles the WebAssembly module, once per address. */

import { NextPixelError } from './error.js';
import { baseline, hint, relaxed } from './files.js';
import { PATIENCE_MS, within } from './patience.js';
import { inNode } from './platform.js';
import { disk, fetchOrFail } from './source.js';

/** A module of one function that uses two instructions of SIMD128. It is valid exactly where these are. */
const SIMD_DETECTOR = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, // magic, version
  1, 5, 1, 96, 0, 1, 123, // type: () -> v128
  3, 2, 1, 0, // one function of that type
  10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11, // i8x16.popcnt(i8x16.splat(0))
]);

/** Whether this browser or Node can run nextpixel: WebAssembly with SIMD. */
export const supported = typeof WebAssembly === 'object' && WebAssembly.validate(SIMD_DETECTOR);

/** A module whose function `a` gives 4 * -100 * 127 + 7 by the dot product of relaxed SIMD. */
const RELAXED_DETECTOR = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, // magic, version
  1, 5, 1, 96, 0, 1, 127, // type: () -> i32
  3, 2, 1, 0, // one function of that type
  7, 5, 1, 1, 97, 0, 0, // which is exported as a
  10, 24, 1, 22, 0, 65, 156, 127, 253, 15, 65, 255, 0, 253, 15, 65, 7, 253, 17, // splats of -100, 127 and 7
  253, 147, 2, 253, 27, 0, 11, // i32x4.relaxed_dot_i8x16_i7x16_add_s, lane 0
]);

/**
 * Whether relaxed SIMD is here and right: V8 11.3 (Node 20 with a flag) takes the module and computes another number. Browsers have it only where
 * it is right, and there an instance of the module takes 15 ms of the time in which a page opens.
 *
 * @internal
 */
export function hasRelaxed() {
  if (!inNode) return supported && WebAssembly.validate(RELAXED_DETECTOR);
  try {
    const module = new WebAssembly.Module(RELAXED_DETECTOR);
    return /** @type {any} */ (new WebAssembly.Instance(module)).exports.a() === 4 * -100 * 127 + 7;
  } catch {
    return false; // not known here, or the page's policy forbids WebAssembly, which compile() reports
  }
}

/**
 * The build of the library that is the fastest here. Where someone has put up the baseline file alone, that one.
 *
 * @param {number} [patience]  as in load(); for what compiles while it arrives, twice as long
 * @returns {Promise<WebAssembly.Module>}
 * @internal
 */
export function compileBest(patience) {
  const usual = () => compile(baseline(), patience);
  return hasRelaxed() ? compile(relaxed(), patience).catch(usual) : usual();
}

/** The only state that models share. A failure is not kept, so that the next load tries again.
 * @type {Map<string | Promise<unknown>, Promise<WebAssembly.Module>>} */
const compiled = new Map();

/**
 * @param {string | URL | Promise<Uint8Array<ArrayBuffer>>} file  its address, or itself
 * @param {number} [patience]
 * @returns {Promise<WebAssembly.Module>}
 * @internal
 */
export function compile(file, patience = PATIENCE_MS) {
  if (!supported) {
    return Promise.reject(new NextPixelError('wasm', 'nextpixel needs WebAssembly with SIMD, which is missing here: use a ' +
      'current version of Chromium, Firefox or Safari, or Node 20 or later'));
  }
  const key = file instanceof Promise ? file : String(file);
  let module = compiled.get(key);
  if (module === undefined) {
    module = file instanceof Promise ? file.then((bytes) => compileBytes(bytes, 'nextpixel.wasm')) : compileAt(file, patience);
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
    throw new NextPixelError('network', `Cannot fetch ${url}: the server answered ${response.status}. nextpixel.wasm ` +
      `belongs beside the library; wasmUrl names another place.${hint()}`);
  }
  // Compiling while it downloads needs the right type, which not every server sends.
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
  return new NextPixelError('wasm', `Cannot compile ${url} (${cause}). Check that it is nextpixel.wasm, and that the ` +
    `page's Content-Security-Policy has script-src 'wasm-unsafe-eval'.${hint()}`, { cause });
}

/**
 * @param {string | URL} url
 * @param {unknown} cause
 */
function brokenOff(url, cause) {
  return new NextPixelError('network', `The download of ${url} broke off (${cause}): try again`, { cause });
}
