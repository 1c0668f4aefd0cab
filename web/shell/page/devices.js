// SPDX-License-Identifier: MIT
// Opens the microphone and the camera, and describes the errors of both.
// @ts-check
import { phrase } from './phrase.js';

/** @typedef {'microphone' | 'camera'} Device */
/** @typedef {'refused' | 'missing' | 'busy' | 'insecure' | 'unsupported'} Reason */

/** @type {Record<Device, Record<Reason, string> & { other: (why: string) => string }>} */
const SENTENCES = {
  microphone: {
    refused: phrase`This page may not use the microphone. Allow it in the browser's address bar, or choose a file.`,
    missing: phrase`There is no microphone: choose a file.`,
    busy: phrase`Another program is using the microphone: close it, or choose a file.`,
    insecure: phrase`Browsers allow the microphone only on pages served over https: open the page at an https address, or choose a file.`,
    unsupported: phrase`This browser gives pages no access to a microphone: choose a file.`,
    other: (why) => phrase`The microphone does not work: ${why}. Choose a file.`,
  },
  camera: {
    refused: phrase`This page may not use the camera. Allow it in the browser's address bar, or choose a file.`,
    missing: phrase`There is no camera: choose a file.`,
    busy: phrase`Another program is using the camera: close it, or choose a file.`,
    insecure: phrase`Browsers allow the camera only on pages served over https: open the page at an https address, or choose a file.`,
    unsupported: phrase`This browser gives pages no access to a camera: choose a file.`,
    other: (why) => phrase`The camera does not work: ${why}. Choose a file.`,
  },
};

/** The reason for each error name that browsers use. @type {Record<string, Reason>} */
const REASONS = {
  NotAllowedError: 'refused',
  SecurityError: 'refused', // the embedding page forbids the device by a permissions policy
  NotFoundError: 'missing',
  OverconstrainedError: 'missing',
  NotReadableError: 'busy',
  AbortError: 'busy',
  Insecure: 'insecure',
  Unsupported: 'unsupported',
};

/** Returns a sentence that tells the visitor why a device cannot be used. @param {Device} device @param {unknown} error */
export function deviceRefused(device, error) {
  const { name, message } = /** @type {Error} */ (error);
  const reason = Object.hasOwn(REASONS, name) ? REASONS[name] : undefined;
  return reason ? SENTENCES[device][reason] : SENTENCES[device].other(message || name);
}

/**
 * Opens a device. Throws if the visitor refuses, or if the browser does not offer the device to this page.
 *
 * @param {MediaStreamConstraints} constraints
 * @returns {Promise<MediaStream>}
 */
export async function openDevice(constraints) {
  if (!navigator.mediaDevices?.getUserMedia) throw Object.assign(new Error(), { name: isSecureContext ? 'Unsupported' : 'Insecure' });
  return navigator.mediaDevices.getUserMedia(constraints);
}

/**
 * Records from the microphone for `ms` milliseconds. Releases the microphone even after an error.
 * @param {number} ms
 * @param {() => void} onSpeak  called when the recording starts
 * @returns {Promise<Blob>}
 */
export async function recorded(ms, onSpeak) {
  const stream = await openDevice({ audio: true });
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
