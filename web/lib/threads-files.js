// SPDX-License-Identifier: MIT
// @ts-check

/** Where the builds with threads are, beside the library. The single-file build has none (web/single.js). */

/** @param {boolean} relaxed  the one for relaxed SIMD @returns {URL | undefined} */
export const threaded = (relaxed) => (relaxed ? new URL('../dist/nextpixel-threads-relaxed.wasm', import.meta.url) : new URL('../dist/nextpixel-threads.wasm', import.meta.url));
