// SPDX-License-Identifier: MIT
// @ts-check

/** Converts lists of notes to ids and back. */

/** @import { Alphabet } from './alphabet.js' */
/** @import { Change } from './piece.js' */

/**
 * A note.
 *
 * @typedef {object} Note
 * @property {number} start     start in ticks from the beginning of the piece; a quarter note has `info.ticks` ticks
 * @property {number} length    ticks, 1 or more
 * @property {number} pitch     MIDI note number; 60 is middle C
 * @property {string} voice     one of `info.voices`
 * @property {number} velocity  1 to 127; always 80 for models without dynamics
 */

/** An event of a piece.
 * @typedef {object} NoteEvent
 * @property {'note' | 'off' | 'wait' | 'end'} kind
 * @property {number} time   time in ticks; for a wait, the time at which the wait begins
 * @property {string} voice  '' for waits and for the end
 * @property {number} pitch  pitch of a note; otherwise 0
 * @property {number} ticks  ticks of a wait; otherwise 0
 * @property {number} nats   -log p of the event, given all events before it
 * @property {boolean} given  whether the event was given, not drawn
 * @property {number} position  position of the event's id in the sequence
 */

export const VELOCITY = 80;

/**
 * Returns the changes that the notes cause, in order of time. At each change, a voice begins a note or falls silent. Changes at the same
 * time are ordered from the highest voice to the lowest. If a note follows a note of the same pitch without a gap, both count as one longer
 * note.
 *
 * @param {Alphabet} alphabet
 * @param {Pick<Note, 'start' | 'length' | 'pitch' | 'voice'>[]} notes  notes; the notes of one voice must not overlap
 * @param {number} end  end of the piece in ticks; a voice that sounds until then gets no change at the end
 * @returns {Change[]}
 */
export function changesOf(alphabet, notes, end) {
  /** @type {(Change & { voice: number })[]} */
  const changes = [];
  for (const [v, { name, of, off }] of alphabet.voices.entries()) {
    const own = notes.filter(({ voice }) => voice === name).sort((a, b) => a.start - b.start);
    own.forEach(({ start, length, pitch }, i) => {
      const [before, after] = [own[i - 1], own[i + 1]];
      const goesOn = before && before.start + before.length === start && before.pitch === pitch;
      if (!goesOn) changes.push({ time: start, voice: v, id: /** @type {number} */ (of.get(pitch)) });
      if (start + length !== after?.start && start + length < end) changes.push({ time: start + length, voice: v, id: off });
    });
  }
  return changes.sort((a, b) => a.time - b.time || a.voice - b.voice).map(({ time, id }) => ({ time, id }));
}

/**
 * @param {Alphabet} alphabet
 * @param {Pick<Note, 'start' | 'length' | 'pitch' | 'voice'>[]} notes
 * @returns {number[]} the ids of the piece up to the end of the last note. The first id is the end id, which also begins a piece
 */
export function encode(alphabet, notes) {
  const end = endOf(notes);
  const ids = [alphabet.end];
  let now = 0;
  for (const { time, id } of [...changesOf(alphabet, notes, end), { time: end, id: -1 }]) {
    for (const wait of alphabet.wait(time - now)) ids.push(wait);
    if (id >= 0) ids.push(id);
    now = time;
  }
  return ids;
}

/** Returns the tick at which all notes have ended. @param {{ start: number, length: number }[]} notes */
export const endOf = (notes) => notes.reduce((last, { start, length }) => Math.max(last, start + length), 0);

/** Decodes ids one by one. */
export class Reader {
  #alphabet;
  /** The number of ticks that have passed. */
  time = 0;
  /** The note that sounds in each voice. @type {(Omit<Note, 'length'> | undefined)[]} */
  #open = [];
  /** @type {Note[]} */
  #notes = [];
  /** Number of ids so far. */
  #count = 0;

  /** @param {Alphabet} alphabet */
  constructor(alphabet) {
    this.#alphabet = alphabet;
  }

  /**
   * @param {number} id
   * @param {number} nats
   * @param {boolean} given
   * @returns {NoteEvent | undefined} undefined for the first id, which begins the piece
   */
  push(id, nats, given) {
    const { ticks, voice, pitch } = this.#alphabet.said[id];
    const { time } = this;
    const position = this.#count++;
    const event = { time, voice: this.#alphabet.voices[voice]?.name ?? '', pitch, ticks, nats, given, position };
    if (ticks > 0) {
      this.time += ticks;
      return { kind: 'wait', ...event };
    }
    if (voice >= 0) {
      this.#close(voice);
      if (pitch > 0) this.#open[voice] = { start: time, pitch, voice: event.voice, velocity: VELOCITY };
      return { kind: pitch > 0 ? 'note' : 'off', ...event };
    }
    return position === 0 ? undefined : { kind: 'end', ...event };
  }

  /** @param {number} voice */
  #close(voice) {
    const note = this.#open[voice];
    if (note && this.time > note.start) this.#notes.push({ ...note, length: this.time - note.start });
    this.#open[voice] = undefined;
  }

  /**
   * Returns all notes so far, ordered by their start. Notes that start together are ordered from the highest voice to the lowest. A note
   * that is still sounding is returned with its length so far.
   *
   * @returns {Note[]}
   */
  notes() {
    const open = this.#open.flatMap((note) => (note && this.time > note.start ? [{ ...note, length: this.time - note.start }] : []));
    const order = this.#alphabet.voices.map(({ name }) => name);
    return [...this.#notes, ...open].sort((a, b) => a.start - b.start || order.indexOf(a.voice) - order.indexOf(b.voice));
  }
}

/**
 * @param {Alphabet} alphabet
 * @param {Iterable<number>} ids
 * @param {{ changes: Change[], most: number }} [held]  changes: the changes of the fixed voices, which are not among the ids; most: the
 *   end of the piece
 * @returns {Note[]}
 */
export function decode(alphabet, ids, { changes, most } = { changes: [], most: 0 }) {
  const reader = new Reader(alphabet);
  for (const id of ids) reader.push(id, 0, true);
  for (const { time, id } of [...changes, ...(changes.length > 0 ? [{ time: most, id: alphabet.end }] : [])]) {
    reader.time = time;
    reader.push(id, 0, true);
  }
  return reader.notes();
}
