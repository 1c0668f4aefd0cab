// SPDX-License-Identifier: MIT
// Measures the quality of a model's captions of held-out scenes, and whether the model attends to the objects that it names. The control is
// the same model with a blank picture as its input. The model runs in the wasm engine.
// @ts-check
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { bleu } from '../../bleu.js';
import { readJson } from '../../files.js';

/** @import { AnyModel as Model } from '../../../../web/lib/model/of-kind.js' */

/**
 * A scene from a file that weights/train/held_out.py wrote. boxes[i] are the boxes [top, left, bottom, right] of the objects that word i
 * names.
 * @typedef {{ words: string[], boxes: number[][][] }} Told
 */

/**
 * @typedef {Object} CaptionResult
 * @property {number} scenes
 * @property {number} bleu1      BLEU with single words only: percentage of the words that occur in the reference, times the brevity penalty
 * @property {number} bleu4      0..100
 * @property {number} right      fraction of the captions that are entirely correct
 * @property {number} natsPerWord  negative log-likelihood of the references per word; the end token counts as a word
 * @property {number} nouns      number of generated nouns that name an object in the scene
 * @property {number} looked     fraction of these nouns for which the model attends to the named object: the centre of the location with
 *   the largest attention weight is inside the object's box
 * @property {number} sure       fraction of the captions whose probability is at least SURE
 * @property {number} sureRight  fraction of the captions with a probability of at least SURE that are entirely correct
 * @property {number} unsureRight  fraction of the captions with a probability below SURE that are entirely correct
 * @property {number} ms         median time per caption
 */

/** For captions with a probability below this value, the captions page states that the model is not sure. */
const SURE = 0.6;

/** @param {string} file  path of NAME.u8.gz, with NAME.json next to it */
function readScenes(file) {
  const about = readJson(file.replace(/\.u8\.gz$/, '.json'));
  /** @type {Told[]} */
  const scenes = about.scenes;
  const pixels = gunzipSync(readFileSync(file));
  const size = about.width * about.height * 3;
  if (!Array.isArray(scenes) || pixels.length !== scenes.length * size)
    throw new Error(`${file} holds no scenes: python3 weights/train/held_out.py scenes NAME writes them`);
  return {
    scenes,
    width: Number(about.width),
    height: Number(about.height),
    picture: (/** @type {number} */ i) => pixels.subarray(i * size, (i + 1) * size),
  };
}

/** Returns the index of the location with the largest weight. @param {{ weights: Float32Array }} map */
const likeliest = ({ weights }) => weights.indexOf(Math.max(...weights));

/**
 * @param {Model} model
 * @param {string} file
 * @param {{ most: number, blank: boolean, say: (done: string) => void, tell?: (reference: string, found: string) => void }} options  blank:
 *   the model sees a white image instead of the scene
 * @returns {Promise<CaptionResult>}
 */
export async function scoreCaptions(model, file, { most, blank, say, tell }) {
  const { scenes, width, height, picture } = readScenes(file);
  const count = Math.min(most, scenes.length);
  const white = new Uint8Array(width * height * 3).fill(255);
  /** @type {string[]} */
  const found = [];
  const times = [];
  /** @type {number[]} */
  const confidences = [];
  let nats = 0,
    words = 0,
    nouns = 0,
    looked = 0;
  for (let i = 0; i < count; i++) {
    const image = { data: blank ? white : picture(i), width, height };
    const named = new Map(scenes[i].words.flatMap((word, at) => (scenes[i].boxes[at].length > 0 ? [[word, scenes[i].boxes[at]]] : [])));
    const began = performance.now();
    const run = model.caption(image, { maps: true });
    const steps = [];
    for await (const step of run) steps.push(step);
    times.push(performance.now() - began);
    confidences.push(run.confidence ?? 0);
    const { rows, columns } = run.grid;
    for (const { word, maps, place: seen = -1 } of steps) {
      const boxes = named.get(word);
      if (!boxes || !maps) continue;
      const place = seen >= 0 ? seen : likeliest(maps[0]);
      const [y, x] = [(Math.floor(place / columns) + 0.5) * (height / rows), ((place % columns) + 0.5) * (width / columns)];
      nouns++;
      looked += Number(boxes.some(([top, left, bottom, right]) => top <= y && y < bottom && left <= x && x < right));
    }
    const text = steps.map(({ word }) => word).join(' ');
    const reference = scenes[i].words.join(' ');
    const score = await model.score(image, { text: reference });
    nats += score.nats;
    words += score.perWord.length;
    found.push(text);
    tell?.(reference, text);
    say(`${i + 1} of ${count}`);
  }
  const rightOf = (/** @type {(confidence: number) => boolean} */ belongs) => {
    const those = found.flatMap((text, i) => (belongs(confidences[i]) ? [text === scenes[i].words.join(' ')] : []));
    return those.filter(Boolean).length / Math.max(1, those.length);
  };
  const references = scenes.slice(0, count).map((scene) => scene.words.join(' '));
  const { score, correct, total, length, referenceLength } = bleu(found, references);
  const brevity = Math.exp(Math.min(0, 1 - referenceLength / Math.max(1, length)));
  return {
    scenes: count,
    bleu1: (100 * brevity * correct[0]) / Math.max(1, total[0]),
    bleu4: score,
    right: found.filter((text, i) => text === references[i]).length / count,
    sure: confidences.filter((confidence) => confidence >= SURE).length / count,
    sureRight: rightOf((confidence) => confidence >= SURE),
    unsureRight: rightOf((confidence) => confidence < SURE),
    natsPerWord: nats / words,
    nouns,
    looked: looked / Math.max(1, nouns),
    ms: times.sort((a, b) => a - b)[Math.floor(count / 2)],
  };
}
