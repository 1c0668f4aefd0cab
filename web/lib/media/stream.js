// SPDX-License-Identifier: MIT
// @ts-check

/** Records live sound, for example from a microphone. This code is loaded only when a page uses live sound. */

import { NextPixelError, argumentError } from '../base/error.js';

/**
 * Records a stream until its tracks end.
 *
 * @param {MediaStream} stream
 * @param {number} seconds  maximum length of the recording
 * @param {AbortSignal} [signal]
 * @returns {Promise<Blob>}
 */
export async function recorded(stream, seconds, signal) {
  if (typeof MediaRecorder !== 'function')
    throw new NextPixelError(
      'unsupported',
      'This browser cannot record streams: record the sound yourself, and pass { samples, sampleRate }',
    );
  if (stream.getAudioTracks().every(({ readyState }) => readyState === 'ended'))
    throw argumentError('The MediaStream has no live audio track');
  signal?.throwIfAborted();
  const recorder = new MediaRecorder(new MediaStream(stream.getAudioTracks()));
  /** @type {Blob[]} */
  const parts = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  const over = new Promise((resolve, reject) => {
    recorder.onstop = () => resolve(undefined);
    recorder.onerror = (event) =>
      reject(new NextPixelError('unsupported', `The stream cannot be recorded (${/** @type {any} */ (event).error ?? event.type})`));
  });
  const stop = () => recorder.state !== 'inactive' && recorder.stop();
  const timer = setTimeout(stop, 1000 * seconds);
  signal?.addEventListener('abort', stop);
  try {
    recorder.start();
    await over;
    signal?.throwIfAborted();
    return new Blob(parts, { type: recorder.mimeType });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}
