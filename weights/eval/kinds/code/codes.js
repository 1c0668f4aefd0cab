// SPDX-License-Identifier: MIT
// Encodes held-out sounds into codes, decodes the codes, and measures how much the decoded sounds differ from the originals. The model runs
// in the wasm engine.
// @ts-check
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { writeWav } from '../../../../web/lib/media/wav.js';
import { recordings } from '../../files.js';

/** @import { AnyModel as Model } from '../../../../web/lib/model/of-kind.js' */

/**
 * @typedef {Object} CodesResult
 * @property {number} sounds
 * @property {number} seconds
 * @property {{ top: number, bottom: number }} convergence  spectral convergence of each level in dB: the mean over the sounds of
 *   20 log10(|S - S'| / |S|). S and S' are the magnitudes of the short-time spectra (256 samples, hop 64) of the original sound and of the
 *   decoded sound. Lower is better
 * @property {{ top: number, bottom: number }} bits  bit rate of each level in bits per second; a code has log2(codebook size) bits
 * @property {{ encode: number, decode: number }} timesRealTime  speed relative to real time. encode: computes the codes of both levels;
 *   decode: decodes the bottom level only
 */

const WINDOW = 256;
const HOP = 64;
const HANN = Float64Array.from({ length: WINDOW }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / WINDOW));
const [COSINE, SINE] = [Math.cos, Math.sin].map((wave) =>
  Float64Array.from({ length: WINDOW }, (_, i) => wave((2 * Math.PI * i) / WINDOW)),
);

/** Computes the magnitudes of the short-time spectra of a sound, frame by frame. @param {Float32Array} samples */
function spectra(samples) {
  const found = [];
  for (let at = 0; at + WINDOW <= Math.max(WINDOW, samples.length); at += HOP) {
    for (let k = 0; k <= WINDOW / 2; k++) {
      let [re, im] = [0, 0];
      for (let i = 0; i < WINDOW; i++) {
        const x = HANN[i] * (samples[at + i] ?? 0);
        re += x * COSINE[(i * k) % WINDOW];
        im += x * SINE[(i * k) % WINDOW];
      }
      found.push(Math.hypot(re, im));
    }
  }
  return found;
}

/** Returns the spectral convergence in dB. @param {number[]} original @param {Float32Array} made of the same length */
function convergence(original, made) {
  const other = spectra(made);
  const norm = (/** @type {(i: number) => number} */ of) => Math.sqrt(original.reduce((sum, _, i) => sum + of(i) ** 2, 0));
  return 20 * Math.log10(norm((i) => original[i] - other[i]) / norm((i) => original[i]));
}

/**
 * @param {Model} model
 * @param {string} data  a WAV file, or a folder of WAV files
 * @param {{ most: number, out?: string, say: (done: string) => void }} how  out: a folder; the decoded sounds are written to its
 *   subfolders top and bottom
 * @returns {Promise<CodesResult>}
 */
export async function scoreCodes(model, data, { most, out, say }) {
  const files = recordings(data).slice(0, most);
  const { sampleRate: rate = NaN, codes: levels = [] } = model.info;
  const sums = { top: 0, bottom: 0 };
  const ms = { encode: 0, decode: 0 };
  let samples = 0;
  for (const [i, file] of files.entries()) {
    const began = performance.now();
    const { heard, ...codes } = await model.encode(new Uint8Array(readFileSync(file)));
    ms.encode += performance.now() - began;
    samples += heard.samples.length;
    const original = spectra(heard.samples);
    for (const level of /** @type {const} */ (['top', 'bottom'])) {
      const from = performance.now();
      const { samples: whole } = await model.decode({ [level]: codes[level] });
      if (level === 'bottom') ms.decode += performance.now() - from;
      const made = whole.slice(0, heard.samples.length);
      sums[level] += convergence(original, made);
      if (out === undefined) continue;
      const to = path.join(out, level, path.relative(data, file) || path.basename(file));
      mkdirSync(path.dirname(to), { recursive: true });
      writeFileSync(to, writeWav(made, rate));
    }
    say(`${i + 1} of ${files.length}: ${(sums.top / (i + 1)).toFixed(2)} and ${(sums.bottom / (i + 1)).toFixed(2)} dB`);
  }
  const seconds = samples / rate;
  const bits = (/** @type {string} */ level) =>
    levels.filter(({ name }) => name === level).reduce((sum, { hop, codes }) => sum + (rate / hop) * Math.log2(codes), 0);
  return {
    sounds: files.length,
    seconds,
    convergence: { top: sums.top / files.length, bottom: sums.bottom / files.length },
    bits: { top: bits('top'), bottom: bits('bottom') },
    timesRealTime: { encode: (1000 * seconds) / ms.encode, decode: (1000 * seconds) / ms.decode },
  };
}
