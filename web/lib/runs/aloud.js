// SPDX-License-Identifier: MIT
// @ts-check

/** The AudioContext that all elements of a page share to play their runs. @type {AudioContext | undefined} */
let context;
/** Number of runs that are playing. */
let sounding = 0;
/** Milliseconds for which the context stays active after the last run, because the last samples of the run may not have been played yet. */
const REST_MS = 1000;
/** Resolves when the context is suspended. @type {Promise<void> | undefined} */
let resting;

/**
 * Plays a run while it is shown. If the visitor has not clicked or pressed a key on the page yet, nothing is played. Ignores errors of the
 * run, because the other readers of the run report them.
 *
 * @param {{ cursor: number }} sink
 * @param {(context: AudioContext) => Promise<void>} sound
 * @returns {Promise<void>} resolves when everything has been played or playback has stopped
 */
export async function aloud(sink, sound) {
  if (typeof AudioContext !== 'function' || navigator.userActivation?.hasBeenActive === false) return;
  sounding++;
  try {
    if (context?.state === 'closed') context = undefined;
    context ??= new AudioContext();
    await resting;
    await sound(context);
  } catch {
    // Possible reasons: the browser did not start the context, the run was stopped, or there is nothing to play.
  } finally {
    sink.cursor = -1;
    sounding--;
    setTimeout(() => {
      if (sounding === 0 && context?.state === 'running') resting = context.suspend();
    }, REST_MS);
  }
}
