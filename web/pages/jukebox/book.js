// SPDX-License-Identifier: MIT
// Computes the sound of each code of a level. The level's decoder decodes a sequence that repeats the code as often as needed for LASTS
// samples. The loudness and brightness of the decoded sound determine the code's colour.
// @ts-check
/** @import { Model } from '../../shell/index.js' */

/** @typedef {'top' | 'bottom'} Level */

/**
 * @typedef {Object} Book
 * @property {Level} level
 * @property {number} hop
 * @property {number} count
 * @property {Float32Array[]} sounds the samples of each code's sound
 * @property {number[]} order the codes, ordered from low to high sounds
 * @property {(code: number, dark: boolean) => string} colour
 * @property {(code: number) => number} loudness 0 to 1
 */

/**
 * LASTS: length of each code's sound, in samples. EDGE: number of samples to ignore at each end, where the sounds of neighbouring codes
 * overlap.
 */
const LASTS = 1024;
const EDGE = 256;
/** Number of codes to decode at once. The number is small, so that other tasks of the page need not wait long. */
const AT_ONCE = 64;

/**
 * @param {Model} model
 * @param {Level} level
 * @returns {Promise<Book>}
 */
export async function readBook(model, level) {
  const found = model.info.codes?.find(({ name }) => name === level);
  if (!found) throw new Error(`The model has no level ${level}`);
  const { hop, codes: count } = found;
  const each = LASTS / hop;
  /** @type {Float32Array[]} */
  const sounds = [];
  for (let from = 0; from < count; from += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - from) * each }, (_, i) => from + Math.floor(i / each));
    const { samples } = await model.decode({ [level]: some });
    for (let at = 0; at < samples.length; at += LASTS) sounds.push(samples.slice(at, at + LASTS));
  }
  const loud = sounds.map((sound) => Math.sqrt(sound.subarray(EDGE, LASTS - EDGE).reduce((sum, x) => sum + x * x, 0) / (LASTS - 2 * EDGE)));
  // The brightness is the number of zero crossings, which distinguishes humming sounds from hissing sounds.
  const bright = sounds.map((sound) =>
    sound.subarray(EDGE, LASTS - EDGE).reduce((sum, x, i, all) => sum + Number(i > 0 && x < 0 !== all[i - 1] < 0), 0),
  );
  const order = Array.from(sounds.keys()).sort((a, b) => bright[a] - bright[b] || loud[a] - loud[b]);
  const rank = new Float64Array(count);
  order.forEach((code, i) => {
    rank[code] = i / Math.max(1, count - 1);
  });
  const most = Math.max(...loud, 1e-6);
  const loudness = (/** @type {number} */ code) => Math.min(1, Math.max(0, 1 + Math.log10(Math.max(loud[code], 1e-9) / most) / 2));
  return {
    level,
    hop,
    count,
    sounds,
    order,
    loudness,
    colour: (code, dark) =>
      `hsl(${Math.round(20 + 250 * rank[code])} 65% ${Math.round(dark ? 28 + 40 * loudness(code) : 82 - 40 * loudness(code))}%)`,
  };
}
