// SPDX-License-Identifier: MIT
// @ts-check

/** Code that all sinks share. A sink shows a run on a canvas. */

import { argumentError } from '../base/error.js';

/** @import { Dom } from '../base/dom.js' */

/** @typedef {Dom<'HTMLCanvasElement'> | Dom<'OffscreenCanvas'>} Canvas */

/**
 * Shows the steps of a run on a canvas as they are drawn. Each kind of output has a sink in a separate file.
 *
 * @template Step, Result
 * @typedef {object} Sink
 * @property {(step: Step) => void} add  shows a step at the next animation frame
 * @property {() => void} end            called when the run is over or was stopped
 * @property {() => void} paint          paints immediately, in the current colours
 * @property {() => Promise<void>} [heard]  waits until the caller's callbacks, such as onPaint, have been handled
 * @property {() => void} close          removes the sink's listeners; the canvas keeps its contents
 * @property {Result} result             the result so far
 */

/**
 * Shows a run until it ends or is stopped.
 *
 * @template Step, Result
 * @param {AsyncIterable<Step>} steps
 * @param {Sink<Step, Result>} sink
 * @returns {Promise<Result>}
 * @internal
 */
export async function showAll(steps, sink) {
  try {
    for await (const step of steps) sink.add(step);
  } finally {
    sink.end();
  }
  await sink.heard?.();
  return sink.result;
}

/**
 * @param {Canvas} canvas
 * @returns {CanvasRenderingContext2D}
 * @internal
 */
export function contextOf(canvas) {
  let context;
  try {
    context = canvas.getContext('2d');
  } catch {
    /* the object is not a canvas, or the canvas was transferred */
  }
  if (!context) throw argumentError('drawTo() needs a canvas with a 2D context, not a proxy, WebGL or a transferred canvas');
  return /** @type {CanvasRenderingContext2D} */ (context);
}

/**
 * @param {() => void} callback
 * @param {Canvas | Dom<'Element'>} [shown]  the element that will be painted: the frame is requested from the element's own window, because
 *   another window may be hidden and have no frames
 * @returns {() => void} cancels the request
 * @internal
 */
export function atNextFrame(callback, shown) {
  const view = /** @type {any} */ (shown)?.ownerDocument?.defaultView ?? globalThis;
  if (typeof view.requestAnimationFrame === 'function') {
    const frame = view.requestAnimationFrame(callback);
    return () => view.cancelAnimationFrame(frame);
  }
  const timer = setTimeout(callback, 16);
  return () => clearTimeout(timer);
}

/** An object that must react to changed colours. @typedef {{ owner: WeakRef<any>, changed: (owner: any) => void }} Watcher */

/**
 * All watchers of a page. A watcher's owner is held weakly, because the window lives longer than a canvas that is removed without close().
 * @type {Set<Watcher>}
 */
const watchers = new Set();
const freed = new FinalizationRegistry((/** @type {Watcher} */ watcher) => forget(watcher));
/** @type {MediaQueryList[]} */
let queries = [];

function coloursChanged() {
  for (const { owner, changed } of [...watchers]) {
    const alive = owner.deref();
    if (alive) changed(alive);
  }
}

/** @param {Watcher} watcher */
function forget(watcher) {
  watchers.delete(watcher);
  if (watchers.size > 0) return;
  for (const query of queries) query.removeEventListener('change', coloursChanged);
  queries = [];
}

/**
 * Calls `changed` when the page's colours may have changed, because the page became dark or light, or because forced-colors mode was turned
 * on or off.
 *
 * @template {object} Owner
 * @param {Owner} owner  held weakly
 * @param {(owner: Owner) => void} changed  must not hold a reference to the owner, not even through its scope
 * @returns {() => void} stops the calls
 * @internal
 */
export function watchColours(owner, changed) {
  const watcher = { owner: new WeakRef(owner), changed };
  if (watchers.size === 0) {
    // jsdom has no media queries
    queries = ['(prefers-color-scheme: dark)', '(forced-colors: active)'].flatMap((query) => globalThis.matchMedia?.(query) ?? []);
    for (const query of queries) query.addEventListener('change', coloursChanged);
  }
  watchers.add(watcher);
  freed.register(owner, watcher, watcher);
  return () => {
    freed.unregister(watcher);
    forget(watcher);
  };
}
