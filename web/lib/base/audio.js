// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Functions for the playback of sound on an AudioContext of the page. audible() waits until the context can play. moments() reports what
 * has been played.
 */

import { abortable } from './abort.js';
import { show } from './checks.js';
import { NextPixelError, argumentError } from './error.js';
import { heardBy } from './heard-by.js';

/** How long a browser may take to start a suspended context, in milliseconds. */
const START_MS = 1000;

export const closed = () => new NextPixelError('closed', 'The AudioContext was closed');

/**
 * Waits until the page can play sound; throws if it never can.
 *
 * @param {any} context
 * @param {{ signal?: AbortSignal, destination?: any, onPlay?: any }} options
 */
export async function audible(context, { signal, destination, onPlay }) {
  if (typeof context?.createGain !== 'function' || typeof context.sampleRate !== 'number')
    throw argumentError('playTo() needs an AudioContext');
  if (typeof context.startRendering === 'function') {
    throw argumentError(
      'playTo() plays while the sound is drawn, and an OfflineAudioContext does not wait: await run.samples(), and use an AudioBufferSourceNode',
    );
  }
  if (context.state === 'closed') throw closed();
  if (onPlay !== undefined && typeof onPlay !== 'function') throw argumentError(`onPlay must be a function, not ${show(onPlay)}`);
  if (destination !== undefined && !(destination?.context === context && destination.numberOfInputs > 0)) {
    throw argumentError('destination must be an AudioNode with an input in the same AudioContext');
  }
  signal?.throwIfAborted();
  await abortable(started(context), signal);
}

/** Resumes a context. Browsers allow this only after a click or a key press. @param {any} context */
async function started(context) {
  if (context.state === 'running' || typeof context.resume !== 'function') return;
  const late = new Promise((resolve) => {
    setTimeout(resolve, START_MS);
  });
  await Promise.race([context.resume().catch(() => {}), late]);
  if (context.state !== 'running') {
    throw argumentError(
      'The AudioContext is not running: browsers allow sound only after a click or a key press, so call playTo() in its handler',
    );
  }
}

/**
 * Returns functions for the playback of a sound: tell() reports what has been played, and until() waits until a condition is met. A wait
 * ends early when the signal is aborted, the context is closed, or onPlay() throws an error.
 *
 * @template T
 * @param {any} context
 * @param {{ signal?: AbortSignal, onPlay?: (played: T) => void }} options
 */
export function moments(context, { signal, onPlay }) {
  let look = () => {};
  let ended = false;
  /** The error thrown by onPlay(). @type {{ reason: unknown } | undefined} */
  let failed;
  const told = heardBy(onPlay, (reason) => {
    if (ended) throw reason;
    failed ??= { reason };
    look();
  });
  const changed = () => look();
  /** @param {() => boolean} reached @returns {Promise<void>} */
  const until = (reached) =>
    new Promise((resolve, reject) => {
      look = () => {
        if (signal?.aborted) reject(signal.reason);
        else if (failed) reject(failed.reason);
        else if (context.state === 'closed') reject(closed());
        else if (reached()) resolve();
      };
      look();
    });
  signal?.addEventListener('abort', changed);
  context.addEventListener?.('statechange', changed);
  return {
    /** @param {T} played */
    tell: (played) => {
      if (failed) return;
      try {
        told(played);
      } catch (reason) {
        failed = { reason };
      }
      look();
    },
    until,
    /** Waits until everything has been played and reported. */
    last: async () => {
      await told.turn();
      await until(() => true);
    },
    end: () => {
      ended = true;
      look = () => {};
      signal?.removeEventListener('abort', changed);
      context.removeEventListener?.('statechange', changed);
    },
  };
}
