// SPDX-License-Identifier: MIT
// A sound from the microphone, and what may be wrong with it as a sentence.
// @ts-check
import { phrase } from './phrase.js';

/** By the name of the error. @type {Record<string, string>} */
const REFUSED = {
  NotAllowedError: phrase`The microphone may not be used: allow it in the address bar of the browser, or choose a file.`,
  NotFoundError: phrase`There is no microphone: choose a file.`,
  Insecure: phrase`Browsers let only pages use the microphone that come over https: open the page at an https address, or choose a file.`,
  Unsupported: phrase`This browser shows no microphone to pages: choose a file.`,
  NotReadableError: phrase`The microphone is in use elsewhere: end that, or choose a file.`,
};

/** The error of a microphone, in words. @param {unknown} error */
export function microphoneRefused(error) {
  const { name, message } = /** @type {Error} */ (error);
  return REFUSED[name] ?? phrase`The microphone gave nothing: ${message || name}. Choose a file.`;
}

/**
 * Listens for a while. The microphone is let go whatever happens.
 * @param {number} ms
 * @param {() => void} onSpeak  called when it listens
 * @returns {Promise<Blob>}
 */
export async function recorded(ms, onSpeak) {
  if (!navigator.mediaDevices?.getUserMedia) throw Object.assign(new Error(), { name: isSecureContext ? 'Unsupported' : 'Insecure' });
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  try {
    const recorder = new MediaRecorder(stream);
    /** @type {Blob[]} */
    const parts = [];
    recorder.addEventListener('dataavailable', ({ data }) => parts.push(data));
    const stopped = new Promise((resolve, reject) => {
      recorder.addEventListener('stop', resolve);
      recorder.addEventListener('error', (event) =>
        reject(/** @type {any} */ (event).error ?? new Error(phrase`the recording was interrupted`)),
      );
    });
    recorder.start();
    onSpeak();
    const timer = setTimeout(() => recorder.state !== 'inactive' && recorder.stop(), ms);
    await stopped.finally(() => clearTimeout(timer));
    return new Blob(parts, { type: recorder.mimeType });
  } finally {
    for (const track of stream.getTracks()) track.stop();
  }
}
