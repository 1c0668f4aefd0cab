// SPDX-License-Identifier: MIT
// Computes statistics of music for several voices: parallel fifths and octaves, crossings of voices, and chords.
//
// Two voices move in parallel fifths if they move at the same time in the same direction, and are a fifth (or an octave and a fifth) apart
// both before and after the move. Parallel octaves are defined in the same way. The voices form a chord on a beat if all their pitches
// belong to one of the triads or seventh chords in CHORDS.
// @ts-check
/** @typedef {{ start: number, length: number, pitch: number, voice: string }} Note */

/**
 * [suffix of the chord's name, pitch classes of the chord in semitones above its root]: major, minor and diminished triads; dominant,
 * minor, major, half-diminished and diminished seventh chords.
 * @type {[string, number[]][]}
 */
const CHORDS = [
  ['', [0, 4, 7]],
  ['m', [0, 3, 7]],
  ['dim', [0, 3, 6]],
  ['7', [0, 4, 7, 10]],
  ['m7', [0, 3, 7, 10]],
  ['maj7', [0, 4, 7, 11]],
  ['m7b5', [0, 3, 6, 10]],
  ['dim7', [0, 3, 6, 9]],
];
const ROOTS = ['C', 'C#', 'D', 'Eb', 'E', 'F', 'F#', 'G', 'Ab', 'A', 'Bb', 'B'];
const FIFTH = 7;

/** Returns the pitch of a voice at a tick; 0 for a rest. @param {Note[]} notes @param {string} voice @param {number} tick */
const at = (notes, voice, tick) =>
  notes.find((note) => note.voice === voice && note.start <= tick && tick < note.start + note.length)?.pitch ?? 0;

/**
 * Returns the name of the chord that contains all of these pitches, for example D7/F#; undefined if there is none. If several chords
 * contain these pitches, returns the chord that has the fewest other pitches; in a tie, the chord whose root is the lowest of the pitches.
 *
 * @param {number[]} pitches
 */
export function chordOf(pitches) {
  const classes = new Set(pitches.map((pitch) => pitch % 12));
  const bass = Math.min(...pitches) % 12;
  const found = ROOTS.flatMap((name, root) =>
    CHORDS.flatMap(([kind, above]) => {
      if (![...classes].every((each) => above.includes((each - root + 12) % 12))) return [];
      return [
        {
          name: `${name}${kind}${root === bass ? '' : `/${ROOTS[bass]}`}`,
          missing: above.length - classes.size,
          inverted: Number(root !== bass),
        },
      ];
    }),
  );
  return found.sort((a, b) => a.missing - b.missing || a.inverted - b.inverted)[0]?.name;
}

/**
 * A parallel motion of two voices: both move from the previous note onset to the onset at `tick`.
 * @typedef {{ tick: number, interval: 'fifths' | 'octaves', voices: [string, string] }} Parallel
 */

/** @param {Note[]} notes */
const momentsOf = (notes) => [...new Set(notes.map(({ start }) => start))].sort((a, b) => a - b);

/** @param {Note[]} notes @param {string[]} voices  from the highest down @returns {Parallel[]} */
export function parallelsOf(notes, voices) {
  const moments = momentsOf(notes);
  const sung = moments.map((tick) => voices.map((voice) => at(notes, voice, tick)));
  /** @type {Parallel[]} */
  const found = [];
  for (let i = 1; i < moments.length; i++) {
    const [before, now] = [sung[i - 1], sung[i]];
    for (let a = 0; a < voices.length; a++) {
      for (let b = a + 1; b < voices.length; b++) {
        const [one, other] = [now[a] - before[a], now[b] - before[b]];
        if (!now[a] || !now[b] || !before[a] || !before[b] || one * other <= 0) continue;
        const [was, is] = [before[a] - before[b], now[a] - now[b]].map((distance) => Math.abs(distance) % 12);
        if (was === is && (is === FIFTH || is === 0))
          found.push({ tick: moments[i], interval: is === FIFTH ? 'fifths' : 'octaves', voices: [voices[a], voices[b]] });
      }
    }
  }
  return found;
}

/**
 * Returns the chord of each beat: undefined if its pitches form no chord, null if fewer than three voices sing.
 * @param {Note[]} notes
 * @param {string[]} voices
 * @param {number} beat  ticks
 */
export function chordsOf(notes, voices, beat) {
  const end = notes.reduce((last, { start, length }) => Math.max(last, start + length), 0);
  return Array.from({ length: Math.ceil(end / beat) }, (_, i) => {
    const pitches = voices.map((voice) => at(notes, voice, i * beat)).filter((pitch) => pitch > 0);
    return pitches.length < 3 ? null : chordOf(pitches);
  });
}

/**
 * @param {Note[]} notes
 * @param {string[]} voices  names of the voices, from the highest to the lowest
 * @param {number} beat      ticks
 */
export function count(notes, voices, beat) {
  const moments = momentsOf(notes);
  const crossings = moments.filter((tick) => {
    const now = voices.map((voice) => at(notes, voice, tick));
    return now.some((pitch, v) => v > 0 && pitch > 0 && now[v - 1] > 0 && pitch > now[v - 1]);
  }).length;
  const parallels = parallelsOf(notes, voices);
  const read = chordsOf(notes, voices, beat).filter((chord) => chord !== null);
  const chords = read.filter((chord) => chord !== undefined);
  return {
    fifths: parallels.filter(({ interval }) => interval === 'fifths').length,
    octaves: parallels.filter(({ interval }) => interval === 'octaves').length,
    crossings,
    moments: moments.length,
    beats: read.length,
    chords: chords.length,
    kinds: new Set(chords).size,
  };
}
