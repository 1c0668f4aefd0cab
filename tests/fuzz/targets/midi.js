// SPDX-License-Identifier: MIT
// @ts-check

/** Fuzzes MIDI files. A file must either be rejected with a message or be read as valid notes. A file that is written from these notes must
 * be readable again. */

import assert from 'node:assert/strict';

import { readMidi, writeNotes } from '../../../web/lib/kinds/note/midi.js';
import { Input, refusedOr } from '../input.js';

const VOICES = ['one', 'two'];

/** @param {Input} input */
const notesOf = (input) =>
  Array.from({ length: 1 + input.below(6) }, (_, i) => ({
    start: 4 * i,
    length: 1 + input.below(3),
    pitch: 20 + input.below(80),
    velocity: 1 + input.below(127),
    voice: input.pick(VOICES),
  }));

/** @returns {import('../fuzz.js').Target} */
export function open() {
  const written = [[3, 1, 1, 60, 64, 2, 1, 9], [5, 2, 40, 1, 3, 3, 3, 3, 7, 80], [0]].map((bytes) =>
    writeNotes(notesOf(new Input(Uint8Array.from(bytes))), { ticks: 4, voices: VOICES, tempo: 100 }),
  );
  return {
    seeds: written,
    words: ['MThd', 'MTrk', 'XFIH', '\u0000\u0000\u0000\u0006', '\u0000\u0001'],
    run(bytes) {
      const heard = refusedOr(() => readMidi(bytes), ['format', 'limit', 'argument']);
      if (heard) {
        const { notes, parts, tempo } = heard;
        assert.ok(notes.length > 0 && tempo > 0 && Number.isFinite(tempo));
        for (const { start, length, pitch, velocity, part } of notes) {
          assert.ok(
            start >= 0 &&
              length > 0 &&
              Number.isFinite(start + length) &&
              pitch >= 0 &&
              pitch < 128 &&
              velocity > 0 &&
              velocity < 128 &&
              typeof parts[part] === 'string',
          );
        }
      }
      const notes = notesOf(new Input(bytes));
      const again = readMidi(writeNotes(notes, { ticks: 4, voices: VOICES, tempo: 60 + (bytes.length % 100) }));
      assert.deepEqual(
        again.notes.map(({ start, length, pitch, velocity, part }) => [4 * start, 4 * length, pitch, velocity, again.parts[part]]),
        notes.map(({ start, length, pitch, velocity, voice }) => [start, length, pitch, velocity, voice]),
      );
    },
  };
}
