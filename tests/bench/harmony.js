// SPDX-License-Identifier: MIT
// What can be counted of music in voices: parallel fifths and octaves, crossings, chords.
//
// Two voices move in parallel fifths where both move at the same moment, in the same direction, and are a fifth apart, or an octave and a fifth, before and after; in
// parallel octaves likewise. A beat is read as a chord where the pitches that sound on it are all of one triad or seventh chord of common harmony.
// @ts-check
/** @typedef {{ start: number, length: number, pitch: number, voice: string }} Note */

/** Pitch classes above the root: major, minor, diminished, and with sevenths dominant, minor, major, half-diminished, diminished. */
const CHORDS = [[0, 4, 7], [0, 3, 7], [0, 3, 6], [0, 4, 7, 10], [0, 3, 7, 10], [0, 4, 7, 11], [0, 3, 6, 10], [0, 3, 6, 9]];
const FIFTH = 7;

/** What a voice sings at a tick; 0: nothing. @param {Note[]} notes @param {string} voice @param {number} tick */
const at = (notes, voice, tick) => notes.find((note) => note.voice === voice && note.start <= tick && tick < note.start + note.length)?.pitch ?? 0;

/** Whether some pitches are all of one chord. @param {number[]} pitches */
export function isChord(pitches) {
  const classes = new Set(pitches.map((pitch) => pitch % 12));
  return Array.from({ length: 12 }, (_, root) => root).some((root) => CHORDS.some((chord) => [...classes].every((each) => chord.includes((each - root + 12) % 12))));
}

/**
 * @param {Note[]} notes
 * @param {string[]} voices  from the highest down
 * @param {number} beat      ticks
 */
export function count(notes, voices, beat) {
  const moments = [...new Set(notes.map(({ start }) => start))].sort((a, b) => a - b);
  const end = notes.reduce((last, { start, length }) => Math.max(last, start + length), 0);
  const sung = moments.map((tick) => voices.map((voice) => at(notes, voice, tick)));
  let [fifths, octaves, crossings] = [0, 0, 0];
  sung.forEach((now, i) => {
    if (now.some((pitch, v) => v > 0 && pitch > 0 && now[v - 1] > 0 && pitch > now[v - 1])) crossings++;
    const before = sung[i - 1];
    for (let a = 0; before && a < voices.length; a++) {
      for (let b = a + 1; b < voices.length; b++) {
        const [one, other] = [now[a] - before[a], now[b] - before[b]];
        if (!now[a] || !now[b] || !before[a] || !before[b] || one * other <= 0) continue;
        const [was, is] = [before[a] - before[b], now[a] - now[b]].map((distance) => Math.abs(distance) % 12);
        if (was === FIFTH && is === FIFTH) fifths++;
        if (was === 0 && is === 0) octaves++;
      }
    }
  });
  let [beats, chords] = [0, 0];
  for (let tick = 0; tick < end; tick += beat) {
    const pitches = voices.map((voice) => at(notes, voice, tick)).filter((pitch) => pitch > 0);
    if (pitches.length < 3) continue;
    beats++;
    if (isChord(pitches)) chords++;
  }
  return { fifths, octaves, crossings, moments: moments.length, beats, chords };
}
