// SPDX-License-Identifier: MIT
// Finds the temperature and top-p at which a music model writes the fewest parallel fifths and octaves, on the validation chorales:
//
//   python3 weights/train/held_out.py chorales build/chorales-valid --split validation
//   node weights/eval/kinds/note/music-settings.js weights/chorales.gguf build/chorales-valid.json [--count 76] [--temperatures 1,0.9,0.8,0.7] [--top-p 1,0.95,0.9]
//
// The model harmonises the first voice of each piece, and the script compares this harmonisation with the composer's harmonisation. The
// seed is the index of the piece. The script chooses the setting with the fewest parallel fifths and octaves. A monotonous harmonisation
// breaks few rules. So the script considers only settings whose harmonisations have at least as many different chords per piece as the
// composer's harmonisations. The last line of the output gives the result at temperature 0.8 with `parallels: false`.
// @ts-check
import path from 'node:path';
import { parseArgs } from 'node:util';
import { load } from '../../../../web/lib/index.js';
import { readJson } from '../../files.js';
import { count } from './harmony.js';

/** @import { AnyModel } from '../../../../web/lib/model/of-kind.js' */

/** @typedef {import('../../../../web/lib/kinds/note/note-run.js').NoteRun} NoteRun */
/** @typedef {import('./harmony.js').Note} Note */

const {
  values: { count: wanted, temperatures, 'top-p': topPs },
  positionals: [file, data],
} = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '76' },
    temperatures: { type: 'string', default: '1,0.9,0.8,0.7' },
    'top-p': { type: 'string', default: '1,0.95,0.9' },
  },
});
if (!file || !data) {
  console.error(
    'usage: node weights/eval/kinds/note/music-settings.js FILE DATA.json [--count 76] [--temperatures 1,0.9,0.8,0.7] [--top-p 1,0.95,0.9]',
  );
  process.exit(2);
}
const model = /** @type {AnyModel} */ (await load(path.resolve(file)));
const { voices = [], ticks = 4 } = model.info;
/** @type {Note[][]} */
const pieces = readJson(data).slice(0, Number(wanted));

/** Returns the statistics of harmony (harmony.js), averaged over the pieces. @param {Note[][]} music */
function rulesOf(music) {
  const counted = music.map((piece) => count(piece, voices, ticks));
  const sum = (/** @type {keyof (typeof counted)[0]} */ name) => counted.reduce((all, one) => all + one[name], 0);
  const n = music.length;
  return {
    fifths: sum('fifths') / n,
    octaves: sum('octaves') / n,
    kinds: sum('kinds') / n,
    chords: (100 * sum('chords')) / sum('beats'),
    crossings: (100 * sum('crossings')) / sum('moments'),
  };
}

/** @param {string} name @param {ReturnType<typeof rulesOf>} rules */
const say = (name, { fifths, octaves, kinds, chords, crossings }) =>
  console.log(
    `${name.padEnd(28)} fifths ${fifths.toFixed(2)}  octaves ${octaves.toFixed(2)}  different chords ${kinds.toFixed(1)}  beats that are a chord ${chords.toFixed(1)} %  voices cross ${crossings.toFixed(1)} %`,
  );

const own = rulesOf(pieces);
say('as composed', own);

/** Harmonises all melodies. @param {{ temperature: number, topP?: number, parallels?: boolean }} options */
async function harmonised(options) {
  const drawn = [];
  for (const [seed, piece] of pieces.entries()) {
    const melody = piece.filter(({ voice }) => voice === voices[0]);
    const run = /** @type {NoteRun} */ (
      /** @type {any} */ (model.complete(/** @type {any} */ (melody), /** @type {any} */ ({ voices: [voices[0]], seed, ...options })))
    );
    drawn.push(await run.notes());
  }
  return rulesOf(drawn);
}

const found = [];
for (const temperature of temperatures.split(',').map(Number)) {
  for (const topP of topPs.split(',').map(Number)) {
    const rules = await harmonised({ temperature, topP });
    say(`temperature ${temperature}, top-p ${topP}`, rules);
    found.push({ temperature, topP, ...rules });
  }
}
say('0.8, no parallels', await harmonised({ temperature: 0.8, parallels: false }));
model.close();
const [best] = found.filter(({ kinds }) => kinds >= own.kinds).sort((a, b) => a.fifths + a.octaves - b.fifths - b.octaves);
console.log(
  best ? `chosen: temperature ${best.temperature}, top-p ${best.topP}` : 'no setting has as many different chords as the composed music',
);
