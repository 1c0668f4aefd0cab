// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The addresses of the builds with threads, which are published next to the library. The single-file build does not include the builds with
 * threads (web/tools/single.js).
 */

const BUILDS = {
  baseline: () => new URL('../dist/nextpixel-threads.wasm', import.meta.url),
  relaxed: () => new URL('../dist/nextpixel-threads-relaxed.wasm', import.meta.url),
  pairs: () => new URL('../dist/nextpixel-threads-pairs.wasm', import.meta.url),
};

/** @param {keyof typeof BUILDS} name  see simd.js @returns {URL | undefined} */
export const threaded = (name) => BUILDS[name]();
