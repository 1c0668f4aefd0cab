// SPDX-License-Identifier: MIT
// @ts-check

/** Functions for tests. Each function reads or converts a whole sound in one call; the library itself processes sounds in chunks. */

import { Resampler } from '../../web/lib/media/resample.js';
import { openWav } from '../../web/lib/media/wav.js';

/** Reads a whole WAV file. @param {Uint8Array} bytes */
export function readWav(bytes) {
  const { count, rate, channels, read } = openWav(bytes);
  return { data: read(0, count), rate, channels };
}

/** Converts samples to another rate. @param {Float32Array} samples @param {number} from @param {number} to */
export function resample(samples, from, to) {
  const resampler = new Resampler(from, to);
  return Float32Array.from([...resampler.push(samples), ...resampler.end()]);
}
