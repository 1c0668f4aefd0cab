// SPDX-License-Identifier: MIT
// Generates some pieces with a music model, without input, draws them as piano rolls and prints their chords, for inspection:
//
//   node weights/eval/kinds/note/rolls.js weights/chorales.gguf [--out build/chorales] [--count 12] [--first 1] [--temperature 1] [--top-p 1]
//
//   OUT-rolls.png   one piano roll per piece; each row shows two rolls. The voices from the highest to the lowest are blue,
//                   green, ochre and red. A vertical black line marks parallel fifths or octaves
//
// The script prints the chord of each beat (harmony.js), with | between the measures. A dash marks a beat without a chord; a dot marks a
// beat on which fewer than three voices sing.
// @ts-check
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { load } from '../../../../web/lib/index.js';
import { chordsOf, count, parallelsOf } from './harmony.js';
import { png } from '../../png.js';

/** @import { AnyModel } from '../../../../web/lib/model/of-kind.js' */

/** @typedef {import('../../../../web/lib/kinds/note/note-run.js').NoteRun} NoteRun */
/** @typedef {import('./harmony.js').Note} Note */
/** @typedef {[number, number, number]} Colour */

const ACROSS = 2;
const [WIDE, HIGH, GAP] = [900, 150, 12]; // width and height of a roll, and the gap between two rolls, in screen pixels
const MOST = 300; // maximum number of ticks in a piano roll; longer pieces are cut off
const LOWEST = 35;
const ROW = 3; // height of a semitone in a piano roll, in screen pixels
const PAPER = 255;
/** @type {Colour[]} */
const VOICES = [
  [31, 61, 194],
  [20, 130, 80],
  [200, 130, 20],
  [190, 40, 40],
];

const {
  values: { out, count: wanted, first, temperature, 'top-p': topP },
  positionals: [file],
} = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string' },
    count: { type: 'string', default: '12' },
    first: { type: 'string', default: '1' },
    temperature: { type: 'string', default: '1' },
    'top-p': { type: 'string', default: '1' },
  },
});
if (!file) {
  console.error('usage: node weights/eval/kinds/note/rolls.js FILE [--out PREFIX] [--count 12] [--first 1] [--temperature 1] [--top-p 1]');
  process.exit(2);
}
const prefix = out ?? `build/${path.basename(file, '.gguf')}`;
mkdirSync(path.dirname(prefix), { recursive: true });
const model = /** @type {AnyModel} */ (await load(path.resolve(file)));
const { voices = [], ticks = 4, bar = 16 } = model.info;
const rows = Math.ceil(Number(wanted) / ACROSS);
const [width, height] = [ACROSS * (WIDE + GAP) + GAP, rows * (HIGH + GAP) + GAP];
const rgb = new Uint8Array(3 * width * height).fill(PAPER);

/** @param {number} left @param {number} top @param {number} w @param {number} h @param {Colour} colour */
function fill(left, top, w, h, colour) {
  for (let y = Math.max(0, top); y < Math.min(height, top + h); y++)
    for (let x = left; x < left + w; x++) rgb.set(colour, 3 * (y * width + x));
}

/** @param {Note[]} notes @param {number} left @param {number} top */
function paint(notes, left, top) {
  const x = (/** @type {number} */ tick) => left + Math.round((Math.min(tick, MOST) * WIDE) / MOST);
  fill(left, top, WIDE, HIGH, [246, 246, 246]);
  for (let tick = 0; tick < MOST; tick += bar) fill(x(tick), top, 1, HIGH, [205, 205, 205]);
  for (const { tick } of parallelsOf(notes, voices)) if (tick < MOST) fill(x(tick), top, 1, HIGH, [0, 0, 0]);
  for (const { start, length, pitch, voice } of notes) {
    if (start < MOST)
      fill(
        x(start),
        top + HIGH - ROW * (pitch - LOWEST),
        Math.max(1, x(start + length) - x(start) - 1),
        ROW,
        VOICES[voices.indexOf(voice) % VOICES.length],
      );
  }
}

for (let i = 0; i < Number(wanted); i++) {
  const seed = Number(first) + i;
  const notes = await /** @type {NoteRun} */ (
    /** @type {any} */ (model.generate({ seed, temperature: Number(temperature), topP: Number(topP) }))
  ).notes();
  paint(notes, GAP + (i % ACROSS) * (WIDE + GAP), GAP + Math.floor(i / ACROSS) * (HIGH + GAP));
  const { fifths, octaves, beats, chords } = count(notes, voices, ticks);
  const names = chordsOf(notes, voices, ticks).map((chord) => (chord === null ? '.' : (chord ?? '-')));
  console.log(
    `\nseed ${seed}: ${notes.length} notes, ${names.length} beats; ${chords} of ${beats} are a chord; parallel fifths ${fifths}, octaves ${octaves}`,
  );
  for (let at = 0, line = ''; at < names.length; at += bar / ticks) {
    line += `${names.slice(at, at + bar / ticks).join(' ')} | `;
    if (line.length > 120 || at + bar / ticks >= names.length) [line] = ['', console.log(`  ${line}`)];
  }
}
model.close();
writeFileSync(`${prefix}-rolls.png`, png(rgb, width, height));
console.log(`\n${prefix}-rolls.png`);
