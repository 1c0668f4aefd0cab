// SPDX-License-Identifier: MIT
// Measures how well a model classifies characters of unseen alphabets, given one example of each. The model runs in the wasm engine.
// @ts-check
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** @import { AnyModel as Model } from '../../../../web/lib/model/of-kind.js' */

/**
 * @typedef {Object} SignResult
 * @property {number} ways      number of characters in an episode; each is a class with one example
 * @property {number} episodes
 * @property {number} accuracy  fraction of the episodes in which the model predicts the correct class
 * @property {number} standardError  standard error of the accuracy
 * @property {number} nats      -log p of the correct label per episode
 * @property {number} ms        median time per episode
 */

const DRAWERS = 20;
const FILE = 'evaluation_28x28.u8.gz';

/**
 * Returns a generator of integers in 0..below-1, seeded by `seed` (SplitMix; Steele, Lea and Flood 2014; 32 bits, as in Mulberry32).
 * @param {number} seed
 */
function dice(seed) {
  let state = seed >>> 0;
  return (/** @type {number} */ below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/**
 * @param {Model} model
 * @param {string} folder  folder of Omniglot, with its evaluation part: 20 drawings of each character, in order
 * @param {number} ways
 * @param {number} episodes  number of episodes, sampled with seed 1. An episode consists of one drawing of each of `ways`
 *   characters, as examples, and another drawing of one of these characters, to classify
 * @param {(done: string) => void} say
 * @returns {Promise<SignResult>}
 */
export async function scoreSigns(model, folder, ways, episodes, say) {
  const { width, height } = model.info;
  const pixels = width * height;
  const all = gunzipSync(readFileSync(`${folder}/${FILE}`));
  const signs = all.length / pixels / DRAWERS;
  if (!Number.isInteger(signs) || signs < ways)
    throw new Error(`${folder}/${FILE} holds no drawings of ${width} x ${height} pixels, ${DRAWERS} of each of ${ways} characters`);
  const roll = dice(1);
  const drawing = (/** @type {number} */ sign, /** @type {number} */ drawer) => {
    const at = (sign * DRAWERS + drawer) * pixels;
    return { data: all.subarray(at, at + pixels), width, height };
  };
  let right = 0,
    nats = 0;
  const times = [];
  for (let i = 0; i < episodes; i++) {
    /** @type {Set<number>} */
    const chosen = new Set();
    while (chosen.size < ways) chosen.add(roll(signs));
    const shown = [...chosen].map((sign) => ({ sign, drawer: roll(DRAWERS) }));
    const truth = roll(ways);
    const query = drawing(shown[truth].sign, (shown[truth].drawer + 1 + roll(DRAWERS - 1)) % DRAWERS);
    const support = shown.map(({ sign, drawer }, label) => ({ image: drawing(sign, drawer), label }));
    const began = performance.now();
    const { label, probabilities } = await model.classify(query, { support });
    times.push(performance.now() - began);
    right += Number(Number(label) === truth);
    nats += probabilities.find((one) => one.label === String(truth))?.nats ?? NaN;
    if ((i + 1) % 100 === 0) say(`${ways} ways, ${i + 1} of ${episodes}: ${((100 * right) / (i + 1)).toFixed(2)} %`);
  }
  const accuracy = right / episodes;
  return {
    ways,
    episodes,
    accuracy,
    standardError: Math.sqrt((accuracy * (1 - accuracy)) / episodes),
    nats: nats / episodes,
    ms: times.sort((a, b) => a - b)[episodes >> 1],
  };
}
