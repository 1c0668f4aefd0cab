// SPDX-License-Identifier: MIT
// Measures the probability of held-out music under a model. For comparison, also computes statistics of harmony (harmony.js) of this music
// and of music that the model generates. The model runs in the wasm engine.
// @ts-check
import { readJson } from '../../files.js';
import { count } from './harmony.js';

/** @import { AnyModel as Model } from '../../../../web/lib/model/of-kind.js' */
/** @typedef {import('./harmony.js').Note} Note */

/**
 * Parallel fifths and octaves per piece, the percentage of moments at which voices cross, and the percentage of beats with a chord.
 * @typedef {{ pieces: number, fifths: number, octaves: number, crossings: number, chords: number }} Rules
 */

/**
 * @typedef {Object} MusicResult
 * @property {number} pieces
 * @property {number} natsPerNote   negative log-likelihood per note onset
 * @property {number} natsPerTick   negative log-likelihood per tick, the unit of time
 * @property {number} standardError standard error of the nats per tick over the pieces
 * @property {number} msPerId       mean time per sampled token id
 * @property {Rules} given          statistics of the given music
 * @property {Rules} drawn          statistics of an equal number of pieces that the model generates without input, with seeds 1, 2, ...
 * @property {number} outOfRange    number of generated notes outside the range that the model's info gives for their voice
 */

/** @param {Note[][]} pieces @param {string[]} voices @param {number} beat @returns {Rules} */
function rulesOf(pieces, voices, beat) {
  const sum = { fifths: 0, octaves: 0, crossings: 0, moments: 0, beats: 0, chords: 0 };
  for (const piece of pieces)
    for (const [name, n] of Object.entries(count(piece, voices, beat))) sum[/** @type {keyof typeof sum} */ (name)] += n;
  const n = pieces.length;
  return {
    pieces: n,
    fifths: sum.fifths / n,
    octaves: sum.octaves / n,
    crossings: (100 * sum.crossings) / sum.moments,
    chords: (100 * sum.chords) / sum.beats,
  };
}

/**
 * @param {Model} model
 * @param {string} data  a JSON file: [piece: [{ start, length, pitch, voice }]]
 * @param {{ most: number, temperature: number, say: (done: string) => void }} how
 * @returns {Promise<MusicResult>}
 */
export async function scoreMusic(model, data, { most, temperature, say }) {
  /** @type {Note[][]} */
  const pieces = readJson(data).slice?.(0, most);
  if (!Array.isArray(pieces) || pieces.length === 0) throw new Error(`${data} holds no list of pieces`);
  const { voices = [], ticks = 4, ranges = [] } = model.info;
  let [nats, notes, time, sum, squares] = [0, 0, 0, 0, 0];
  for (const [i, piece] of pieces.entries()) {
    const score = /** @type {import('../../../../web/lib/kinds/note/notes.js').NoteScore} */ (
      /** @type {any} */ (await /** @type {any} */ (model).score(piece))
    );
    nats += score.nats;
    notes += score.nats / score.natsPerNote;
    time += score.nats / score.natsPerTick;
    sum += score.natsPerTick;
    squares += score.natsPerTick ** 2;
    say(`${i + 1} of ${pieces.length}: ${(nats / notes).toFixed(3)} nats a note`);
  }
  const drawn = [];
  let [ids, ms] = [0, 0];
  for (let seed = 1; seed <= pieces.length; seed++) {
    const began = performance.now();
    const run = /** @type {import('../../../../web/lib/kinds/note/note-run.js').NoteRun} */ (
      /** @type {any} */ (model.generate({ seed, temperature }))
    );
    drawn.push(await run.notes());
    ms += performance.now() - began;
    ids += run.save().ids.length;
    say(`drawn ${seed} of ${pieces.length}`);
  }
  const mean = sum / pieces.length;
  return {
    pieces: pieces.length,
    natsPerNote: nats / notes,
    natsPerTick: nats / time,
    standardError: Math.sqrt(Math.max(0, squares / pieces.length - mean * mean) / pieces.length),
    msPerId: ms / ids,
    given: rulesOf(pieces, voices, ticks),
    drawn: rulesOf(drawn, voices, ticks),
    outOfRange: drawn.flat().filter(({ pitch, voice }) => {
      const [low, high] = ranges[voices.indexOf(voice)];
      return pitch < low || pitch > high;
    }).length,
  };
}
