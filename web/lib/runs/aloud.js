// SPDX-License-Identifier: MIT
// @ts-check

/** All elements of a page that play this kind of run sound through this one. @type {AudioContext | undefined} */
let context;

/**
 * Lets the page hear a run while it is shown, where its visitor has clicked or pressed a key; else nothing is heard. Errors of the run itself, its other
 * readers say.
 *
 * @param {{ cursor: number }} sink
 * @param {(context: AudioContext) => Promise<void>} sound
 * @returns {Promise<void>} once all is heard, or nothing more is to be
 */
export async function aloud(sink, sound) {
  if (typeof AudioContext !== 'function' || navigator.userActivation?.hasBeenActive === false) return;
  try {
    if (context?.state === 'closed') context = undefined;
    context ??= new AudioContext();
    await sound(context);
  } catch {
    // The browser does not start the context, the run was stopped, or there is nothing to hear.
  } finally {
    sink.cursor = -1;
  }
}
