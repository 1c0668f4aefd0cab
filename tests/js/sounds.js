// SPDX-License-Identifier: MIT
// @ts-check

/** Sounds as a whole for the tests; the library uses them in stretches. */

import { Resampler } from '../../web/lib/media/resample.js';
import { openWav } from '../../web/lib/media/wav.js';

/** A WAV file read whole. @param {Uint8Array} bytes */
export function readWav(bytes) {
  const { count, rate, channels, read } = openWav(bytes);
  return { data: read(0, count), rate, channels };
}

/** Samples at another rate. @param {Float32Array} samples @param {number} from @param {number} to */
export function resample(samples, from, to) {
  const resampler = new Resampler(from, to);
  return Float32Array.from([...resampler.push(samples), ...resampler.end()]);
}
