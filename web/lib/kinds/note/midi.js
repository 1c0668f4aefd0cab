// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Standard MIDI files and lists of notes. Bytes are read and written by midi-file, which knows all events and running status; what it takes for
 * granted, that no chunk is longer than its file and no event longer than its track, is checked here first.
 */

import { parseMidi, writeMidi } from 'midi-file';

import { join } from '../../base/arrays.js';
import { NextPixelError, argumentError } from '../../base/error.js';

/** @import { MidiEvent } from 'midi-file' */
/** @import { Note } from './codec.js' */

/** The most events of a file: many times those of a piece that a model has room for, and read in some ten milliseconds. */
const MOST_EVENTS = 30_000;
/** Ticks of a quarter in a file that is written: a multiple of the usual grids. */
const RESOLUTION = 480;
/** Quarters a minute, where nothing is said. */
const TEMPO = 120;
/** A general MIDI programme that sustains, as voices do: church organ. */
const PROGRAMME = 19;

/** A note of a file, in quarters of the file's clock.
 * @typedef {{ start: number, length: number, pitch: number, velocity: number, part: number }} HeardNote */

/**
 * The contents of a file.
 *
 * @typedef {object} Heard
 * @property {HeardNote[]} notes  by their start
 * @property {string[]} parts     names of the tracks, or of the channels of one, that have notes
 * @property {number} tempo       quarters a minute, at the beginning
 * @property {boolean} tempos     it changes in the piece, which notes in quarters do not show
 */

/** @param {string} reason */
const wrong = (reason) => new NextPixelError('format', `This is no MIDI file that can be read: ${reason}`);

/**
 * The tracks of a file and its header, with no other chunk.
 *
 * @param {Uint8Array} bytes
 */
function tracksAlone(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const named = (/** @type {number} */ at) => String.fromCharCode(...bytes.subarray(at, at + 4));
  if (bytes.length < 14 || named(0) !== 'MThd') throw wrong('it does not begin with MThd');
  if (view.getUint16(8) === 2) throw wrong('its tracks are separate pieces (format 2)');
  if (view.getUint16(12) & 0x8000) throw wrong('its time is in frames of film, not in beats');
  if (view.getUint16(12) === 0) throw wrong('a beat has no ticks');
  const kept = [];
  let events = 0;
  for (let at = 0; at < bytes.length; ) {
    if (at + 8 > bytes.length) throw wrong(`it ends within a chunk, at byte ${bytes.length}`);
    const next = at + 8 + view.getUint32(at + 4);
    if (next > bytes.length) throw wrong(`it is cut off: ${next - bytes.length} bytes are missing`);
    if (named(at) === 'MTrk') events += eventsOf(bytes.subarray(at + 8, next));
    if (events > MOST_EVENTS) throw new NextPixelError('limit', `The MIDI file has more than ${MOST_EVENTS} events: give a shorter piece`);
    if (named(at) === 'MTrk' || at === 0) kept.push(bytes.slice(at, next));
    at = next;
  }
  const whole = join(Uint8Array, kept);
  new DataView(whole.buffer).setUint16(10, kept.length - 1);
  return whole;
}

/** Data bytes of an event of a channel, by the upper half of its status less eight. */
const DATA_BYTES = [2, 2, 2, 2, 1, 1, 2];

/**
 * Counts the events of a track. None may be longer than the track: where a length of five bytes is negative, midi-file would go backwards for ever.
 *
 * @param {Uint8Array} track  without its head
 */
function eventsOf(track) {
  let at = 0,
    running = 0,
    count = 0;
  const length = () => {
    let value = 0;
    for (let i = 0; i < 4; i++) {
      const byte = track[at++] ?? NaN;
      value = value * 128 + (byte & 127);
      if (byte < 128) return value;
    }
    throw wrong('a length has more than four bytes');
  };
  for (; at < track.length; count++) {
    length();
    let status = track[at] ?? 0;
    if (status >= 0x80) at++;
    else status = running;
    if (status >= 0xf0) {
      if (status === 0xff)
        at++; // the type of the event
      else if (status !== 0xf0 && status !== 0xf7) throw wrong(`an event has the unknown status ${status}`);
      const bytes = length(); // advances `at`
      at += bytes;
    } else {
      if (status < 0x80) throw wrong('an event has no status');
      at += DATA_BYTES[(status >> 4) - 8];
      running = status;
    }
    if (at > track.length) throw wrong('an event is longer than its track');
  }
  return count;
}

/**
 * @param {Uint8Array} bytes
 * @returns {Heard}
 */
export function readMidi(bytes) {
  const whole = tracksAlone(bytes);
  let file;
  try {
    file = parseMidi(whole);
  } catch (cause) {
    throw Object.assign(wrong(`an event cannot be read (${cause instanceof Error ? cause.message : cause})`), { cause });
  }
  const beat = /** @type {number} */ (file.header.ticksPerBeat);
  /** @type {HeardNote[]} */
  const notes = [];
  /** @type {{ at: number, tempo: number }[]} */
  const tempos = [];
  /** @type {Map<string, number>} */
  const partOf = new Map();
  /** @type {string[]} */
  const parts = [];
  for (const [t, track] of file.tracks.entries()) readTrack(track, String(t));
  notes.sort((a, b) => a.start - b.start || b.pitch - a.pitch);
  if (notes.length === 0) throw argumentError('The MIDI file has no notes');
  tempos.sort((a, b) => a.at - b.at);
  return { notes, parts, tempo: tempos[0]?.tempo ?? TEMPO, tempos: tempos.some(({ tempo }) => tempo !== tempos[0].tempo) };

  /** @param {MidiEvent[]} track @param {string} number */
  function readTrack(track, number) {
    let [now, name] = [0, ''];
    /** Notes that sound, by channel and pitch; a second one waits for its own end. @type {Map<number, { start: number, velocity: number }[]>} */
    const open = new Map();
    const close = (/** @type {number} */ key, /** @type {{ start: number, velocity: number } | undefined} */ begun) => {
      const [channel, pitch] = [key >> 7, key & 127];
      if (!begun || now <= begun.start) return;
      const label = `${number} ${channel}`;
      let part = partOf.get(label);
      if (part === undefined) partOf.set(label, (part = parts.push(name || `track ${Number(number) + 1}, channel ${channel + 1}`) - 1));
      notes.push({ start: begun.start / beat, length: (now - begun.start) / beat, pitch, velocity: begun.velocity, part });
    };
    for (const event of track) {
      if (!(event.deltaTime >= 0)) throw wrong('a time runs backwards');
      now += event.deltaTime;
      if (event.type === 'trackName') name = event.text.trim();
      else if (event.type === 'setTempo' && event.microsecondsPerBeat > 0) tempos.push({ at: now, tempo: 6e7 / event.microsecondsPerBeat });
      else if (event.type === 'noteOn' || event.type === 'noteOff') {
        const { channel, noteNumber, velocity } = event;
        if (!(noteNumber < 128 && velocity < 128) || channel === 9) {
          // drums
          if (channel === 9) continue;
          throw wrong('it ends within an event');
        }
        const key = channel * 128 + noteNumber;
        const waiting = open.get(key) ?? [];
        if (event.type === 'noteOn') {
          waiting.push({ start: now, velocity });
          open.set(key, waiting);
        } else close(key, waiting.shift());
      }
    }
    for (const [key, left] of open) for (const begun of left) close(key, begun); // up to the end of the track
  }
}

/**
 * A file of format 1 with a track a voice.
 *
 * @param {Note[]} notes
 * @param {{ ticks: number, voices: string[], tempo: number }} how  ticks: of a quarter; tempo: quarters a minute
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function writeNotes(notes, { ticks, voices, tempo }) {
  const scale = RESOLUTION / ticks;
  const end = (/** @type {number} */ deltaTime) => /** @type {const} */ ({ deltaTime, meta: true, type: 'endOfTrack' });
  /** @type {MidiEvent[][]} */
  const tracks = [[{ deltaTime: 0, meta: true, type: 'setTempo', microsecondsPerBeat: Math.round(6e7 / tempo) }, end(0)]];
  for (const [channel, voice] of voices.entries()) {
    const own = notes.filter((note) => note.voice === voice);
    const events = own
      .flatMap(({ start, length, pitch, velocity }) => [
        { time: start * scale, type: /** @type {const} */ ('noteOn'), noteNumber: pitch, velocity },
        { time: (start + length) * scale, type: /** @type {const} */ ('noteOff'), noteNumber: pitch, velocity: 0 },
      ])
      .sort((a, b) => a.time - b.time || Number(a.type === 'noteOn') - Number(b.type === 'noteOn')); // what ends makes room first
    let now = 0;
    tracks.push([
      { deltaTime: 0, meta: true, type: 'trackName', text: voice },
      { deltaTime: 0, channel, type: 'programChange', programNumber: PROGRAMME },
      ...events.map(({ time, ...event }) => {
        const deltaTime = time - now;
        now = time;
        return { deltaTime, channel, ...event };
      }),
      end(0),
    ]);
  }
  return Uint8Array.from(writeMidi({ header: { format: 1, numTracks: tracks.length, ticksPerBeat: RESOLUTION }, tracks }));
}
