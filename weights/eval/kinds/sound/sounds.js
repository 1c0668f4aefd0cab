// SPDX-License-Identifier: MIT
// Measures the probability of held-out sounds under a model, which runs in the wasm engine.
// @ts-check
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { recordings } from '../../files.js';

/** @import { AnyModel as Model } from '../../../../web/lib/model/of-kind.js' */

/**
 * @typedef {Object} SoundResult
 * @property {number} sounds
 * @property {number} seconds
 * @property {number} natsPerSample
 * @property {number} bitsPerSample
 * @property {number} standardError    standard error of the bits per sample over the sounds
 * @property {number} timesRealTime    speed of scoring relative to real time
 */

/**
 * @param {Model} model
 * @param {string} data  a WAV file, or a folder of WAV files. If labels is true, their names must be DIGIT_SPEAKER_TAKE.wav
 * @param {{ most: number, labels: boolean, say: (done: string) => void }} how
 * @returns {Promise<SoundResult>}
 */
export async function scoreSounds(model, data, { most, labels, say }) {
  const files = recordings(data).slice(0, most);
  let samples = 0,
    nats = 0,
    ms = 0,
    sum = 0,
    squares = 0;
  for (const [i, file] of files.entries()) {
    const [label, speaker] = path.basename(file).normalize('NFC').split('_');
    const began = performance.now();
    const { perElement, bitsPerDim, nats: cost } = await model.score(new Uint8Array(readFileSync(file)), labels ? { label, speaker } : {});
    ms += performance.now() - began;
    samples += perElement.length;
    nats += cost;
    sum += bitsPerDim;
    squares += bitsPerDim ** 2;
    say(`${i + 1} of ${files.length}: ${(nats / samples / Math.LN2).toFixed(3)} bits a sample`);
  }
  const seconds = samples / (model.info.sampleRate ?? NaN);
  const mean = sum / files.length;
  return {
    sounds: files.length,
    seconds,
    natsPerSample: nats / samples,
    bitsPerSample: nats / samples / Math.LN2,
    standardError: Math.sqrt(Math.max(0, squares / files.length - mean * mean) / files.length),
    timesRealTime: (1000 * seconds) / ms,
  };
}
