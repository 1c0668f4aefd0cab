// SPDX-License-Identifier: MIT
// For a music model, --data is a JSON file with a list of pieces; a piece is a list of notes { start, length, pitch, voice }. The results
// are the nats per note and per time step, and statistics of harmony (harmony.js). The statistics are computed for the pieces of --data,
// and for an equal number of pieces that the model generates at --temperatures. --images is the number of pieces.
//
//   npm run eval -- weights/chorales.gguf --data build/chorales-test.json
// @ts-check
import { reporter } from '../../reporter.js';
import { scoreMusic } from './music.js';

/** @import { AnyModel as Model } from '../../../../web/lib/model/of-kind.js' */
/** @import { DataSet } from '../../held-out.js' */
/** @import { Rules } from './music.js' */

/** @type {DataSet[]} */
export const DATA_SETS = [
  { dataset: /\bJSB Chorales\b/, data: 'build/chorales-test.json', make: 'python3 weights/train/held_out.py chorales build/chorales-test' },
];

/** @param {Model} model @param {string} file @param {{ data: string, images?: string, temperatures: string, json: boolean }} options */
export async function evaluate(model, file, { data, images = 'Infinity', temperatures, json }) {
  const { say, print } = reporter(file, { json });
  const temperature = Number(temperatures.split(',')[0]);
  const result = await scoreMusic(model, data, { most: Number(images), temperature, say: (done) => say(`${done}   `) });
  const rules = (/** @type {Rules} */ { fifths, octaves, crossings, chords }) =>
    `parallel fifths ${fifths.toFixed(2)} a piece, octaves ${octaves.toFixed(2)}; voices cross at ${crossings.toFixed(1)} % of moments; ${chords.toFixed(1)} % of beats are a chord`;
  print(
    result,
    [
      `: ${result.pieces} pieces: ${result.natsPerNote.toFixed(3)} nats a note, ${result.natsPerTick.toFixed(3)} a time step (standard error ${result.standardError.toFixed(3)})`,
      `  these:           ${rules(result.given)}`,
      `  drawn at ${temperature.toFixed(2)}:   ${rules(result.drawn)}; ${result.outOfRange} notes out of range; ${result.msPerId.toFixed(2)} ms an id`,
    ].join('\n'),
  );
}
