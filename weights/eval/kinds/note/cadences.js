// SPDX-License-Identifier: MIT
// Measures how a model's harmonisations of melodies end. For the melodies that end on their tonic, the script counts the
// harmonisations that end on the tonic chord. For all melodies, it counts the harmonisations that do not end on a chord. It also counts
// parallel fifths and octaves.
//
//   node weights/eval/kinds/note/cadences.js weights/chorales.gguf [--keys 2,3,5,7] [--temperature 0.8] [--data build/chorales-test.json] [--once]
//
// By default, the melodies are twelve well-known songs, in four keys each; nine of the twelve end on their tonic. The seed is the index of
// the melody. With --data FILE, the melodies are taken from the chorales in FILE instead; the command weights/train/held_out.py chorales
// writes such a file. A chorale counts as ending on its tonic if the soprano's last note is the root of the composer's last chord. --once
// samples the last bar only once; by default, the last bar is sampled by the rule of the chorale page (web/pages/chorale/ending.js).
// @ts-check
import path from 'node:path';
import { parseArgs } from 'node:util';
import { load } from '../../../../web/lib/index.js';
import { endWell } from '../../../../web/pages/chorale/ending.js';
import { readJson } from '../../files.js';
import { chordOf, parallelsOf } from './harmony.js';

/** @import { AnyModel } from '../../../../web/lib/model/of-kind.js' */

/** @typedef {import('../../../../web/lib/kinds/note/note-run.js').NoteRun} NoteRun */
/** @typedef {{ start: number, length: number, pitch: number }} Sung */

/**
 * [name, notes, whether the song ends on its tonic]. A capital letter is a pitch in the octave from C4 upwards; a lower-case letter is an
 * octave higher. A note lasts one beat. After the letter, a dash adds one beat, a dot adds half a beat, and a comma halves the length.
 */
const SONGS = /** @type {[string, string, boolean][]} */ ([
  ['Twinkle', 'C C G G A A G- F F E E D D C-', true],
  ['Ode to Joy', 'E E F G G F E D C C D E D. C, C-', true],
  ['Mary had a little lamb', 'E D C D E E E- D D D- E G G- E D C D E E E E D D E D C---', true],
  ['Alle meine Entchen', 'C D E F G- G- A A A A G--- A A A A G--- F F F F E- E- D D D D C---', true],
  ['Hänschen klein', 'G E E- F D D- C D E F G G G- G E E- F D D- C E G G C---', true],
  ['London Bridge', 'G A G F E F G- D E F- E F G- G A G F E F G- D- G- E C--', true],
  ['Au clair de la lune', 'C C C D E- D- C E D D C---', true],
  ['Row, row, row your boat', 'C- C- C D, E- E D, E F, G--- c, c, c, c, G, G, G, G, E, E, E, E, C, C, C, C, G F, E D, C-', true],
  ['Joy to the World', 'c- B, A, G- F E- D- C--', true],
  ['Twinkle, first half of the middle', 'G G F F E E D-', false],
  ['Ode to Joy, first half', 'E E F G G F E D C C D E E. D, D-', false],
  ['Frère Jacques, first half', 'C D E C C D E C E F G- E F G-', false],
]);
const PITCH = /** @type {Record<string, number>} */ ({ C: 60, D: 62, E: 64, F: 65, G: 67, A: 69, B: 71, c: 72, d: 74, e: 76 });
const BEAT = 4;

/** @param {string} song @param {number} up @returns {Sung[]} */
function sung(song, up) {
  let start = 0;
  return song.split(' ').map((note) => {
    const length = note.includes(',')
      ? BEAT / 2
      : BEAT * (1 + [...note].filter((sign) => sign === '-').length) + (note.includes('.') ? BEAT / 2 : 0);
    return { start: (start += length) - length, length, pitch: PITCH[note[0]] + up };
  });
}

const {
  values,
  positionals: [file],
} = parseArgs({
  allowPositionals: true,
  options: {
    keys: { type: 'string', default: '2,3,5,7' },
    temperature: { type: 'string', default: '0.8' },
    data: { type: 'string', default: '' },
    once: { type: 'boolean', default: false },
    show: { type: 'boolean', default: false },
  },
});
if (!file) {
  console.error(
    'usage: node weights/eval/kinds/note/cadences.js FILE [--keys 2,3,5,7] [--temperature 0.8] [--data FILE.json] [--once] [--show]',
  );
  process.exit(2);
}
const model = /** @type {AnyModel} */ (await load(path.resolve(file)));
const { voices = [] } = model.info;

/** Returns the pitches that sound until the end of the piece. @param {{ start: number, length: number, pitch: number }[]} notes */
function lastOf(notes) {
  const end = Math.max(...notes.map(({ start, length }) => start + length));
  return notes.filter(({ start, length }) => start + length === end).map(({ pitch }) => pitch);
}

/** @param {string | undefined} chord @param {number} tonic  a pitch */
const isOf = (chord, tonic) =>
  chord !== undefined && [chordOf([tonic, tonic + 4, tonic + 7]), chordOf([tonic, tonic + 3, tonic + 7])].includes(chord.split('/')[0]);

/** @type {{ name: string, melody: Sung[], tonic?: number }[]} */
const tunes = values.data
  ? readJson(values.data).map((/** @type {import('./harmony.js').Note[]} */ piece, /** @type {number} */ i) => {
      const melody = piece.filter(({ voice }) => voice === voices[0]).map(({ start, length, pitch }) => ({ start, length, pitch }));
      const { pitch } = melody[melody.length - 1];
      return { name: `chorale ${i}`, melody, ...(isOf(chordOf(lastOf(piece)), pitch) && { tonic: pitch }) };
    })
  : SONGS.flatMap(([name, song, tonic]) =>
      values.keys
        .split(',')
        .map((up) => ({ name: `${name} ${up}`, melody: sung(song, Number(up)), ...(tonic && { tonic: 60 + Number(up) }) })),
    );

let [ends, tonics, none, parallels, ms] = [0, 0, 0, 0, 0];
for (const [seed, { name, melody, tonic }] of tunes.entries()) {
  const began = performance.now();
  let run = /** @type {NoteRun} */ (
    /** @type {any} */ (
      model.complete(
        /** @type {any} */ (melody),
        /** @type {any} */ ({ voices: [voices[0]], seed, temperature: Number(values.temperature), parallels: false }),
      )
    )
  );
  await run.notes();
  if (!values.once) run = await endWell(/** @type {any} */ (model), run, seed);
  const notes = await run.notes();
  ms += performance.now() - began;
  const chord = chordOf(lastOf(notes));
  parallels += parallelsOf(notes, voices).length;
  none += Number(chord === undefined || lastOf(notes).length < 3);
  if (tonic !== undefined) {
    tonics++;
    ends += Number(isOf(chord, tonic));
  }
  if (values.show) console.log(`${name}: ${chord ?? 'no chord'}`);
}
model.close();
console.log(
  `${ends} of ${tonics} that end on their tonic end on its chord; ${none} of ${tunes.length} last sonorities are not chords; ${parallels} parallel fifths and octaves; ${(ms / tunes.length).toFixed(0)} ms each`,
);
