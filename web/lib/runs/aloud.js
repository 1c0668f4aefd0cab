// SPDX-License-Identifier: MIT
// @ts-check

/** All elements of a page that play this kind of run sound through this one. @type {AudioContext | undefined} */
let context;

/**
 * Plays a run while it is shown, if the visitor has clicked or pressed a key; otherwise it stays silent. Errors of the run itself are
 * reported by its other readers.
 *
 * @param {{ cursor: number }} sink
 * @param {(context: AudioContext) => Promise<void>} sound
 * @returns {Promise<void>} when everything has been played, or playback was stopped
 */
export async function aloud(sink, sound) {
  if (typeof AudioContext !== 'function' || navigator.userActivation?.hasBeenActive === false) return;
  try {
    if (context?.state === 'closed') context = undefined;
    context ??= new AudioContext();
    await sound(context);
  } catch {
    // The browser does not start the context, the run was stopped, or there is nothing to play.
  } finally {
    sink.cursor = -1;
  }
}
