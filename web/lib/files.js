// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The addresses of the files that are published next to the library. No other module contains such addresses, because the single-file build
 * (web/tools/single.js) replaces only this module. The replacement embeds the files.
 *
 * Bundlers recognise `new URL('name', import.meta.url)` and `new Worker(new URL(...))`, so every such expression is written out in this
 * module. Any other address is made from HERE, which bundlers leave alone.
 */

const HERE = import.meta.url;

/**
 * Matches if `vite dev` has moved the library into its folder of pre-bundled packages. MOVED[1] is then the address of node_modules/, which
 * still contains the other published files.
 */
const MOVED = /^(.*\/)\.vite\/deps[^/]*\/[^/]*$/.exec(HERE);

/** @param {string} name */
const unmoved = (name) => new URL(`${MOVED?.[1]}nextpixel/web/dist/${name}`);

/** The address of the worker's script, for cases that startOwn() does not cover: a fetched script, or Node. */
export const workerAddress = () => (MOVED ? unmoved('worker.js') : new URL(WORKER, HERE));
const WORKER = './worker.js';

/** The source text of the worker's script, if it is embedded. @type {string | undefined} */
export const workerText = undefined;

/** Starts a worker in a browser. */
export const startOwn = () =>
  MOVED ? new Worker(unmoved('worker.js'), { type: 'module' }) : new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });

/** Returns the address of the script of the AudioWorklet that plays sound. */
export const playerAddress = () => (MOVED ? unmoved('player.js') : new URL('./player.js', import.meta.url));

const BUILDS = {
  baseline: () => (MOVED ? unmoved('nextpixel.wasm') : new URL('../dist/nextpixel.wasm', import.meta.url)),
  relaxed: () => (MOVED ? unmoved('nextpixel-relaxed.wasm') : new URL('../dist/nextpixel-relaxed.wasm', import.meta.url)),
  pairs: () => (MOVED ? unmoved('nextpixel-pairs.wasm') : new URL('../dist/nextpixel-pairs.wasm', import.meta.url)),
};

/**
 * Returns a build of the WebAssembly module.
 *
 * @param {keyof typeof BUILDS} name  see simd.js
 * @returns {URL | Promise<Uint8Array<ArrayBuffer>>} the address of the build, or the contents of its file
 */
export const build = (name) => BUILDS[name]();

/** Returns advice for a file that has unexpected contents. */
export const hint = () => (MOVED ? " Vite has moved the library: set optimizeDeps: { exclude: ['nextpixel'] } in vite.config.js" : '');
