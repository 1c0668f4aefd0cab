// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Converts between Standard MIDI files and lists of notes. The package midi-file reads and writes the bytes, including all events and
 * running status. midi-file assumes that no chunk extends beyond the file, and that no event extends beyond its track. This module
 * therefore checks the lengths of chunks and events first.
 */

import { parseMidi, writeMidi } from 'midi-file';

import { sentenceOf } from '../../base/typed.js';
import { join } from '../../base/arrays.js';
import { NextPixelError, argumentError } from '../../base/error.js';

/** @import { MidiEvent } from 'midi-file' */
/** @import { Note } from './codec.js' */

/**
 * The maximum number of events in a file. Any piece within a model's capacity has far fewer events. A file with this number of events can
 * be read in about ten milliseconds.
 */
const MOST_EVENTS = 30_000;
/** Ticks per quarter note in a written file. The usual note lengths, such as sixteenths and triplets, are whole numbers of ticks. */
const RESOLUTION = 480;
/** Default tempo in quarter notes per minute. */
const TEMPO = 120;
/** A General MIDI program whose sound does not fade: church organ. */
const PROGRAMME = 19;

/** The MIDI channel of drums, counted from 0. */
const DRUMS = 9;

/** A note in a file. Times are in quarter notes, not in seconds.
 * @typedef {{ start: number, length: number, pitch: number, velocity: number, part: number }} HeardNote */

/**
 * The contents of a MIDI file.
 *
 * @typedef {object} Heard
 * @property {HeardNote[]} notes  ordered by their start
 * @property {string[]} parts     names of the tracks with notes or, if there is only one track, of the channels with notes
 * @property {number} empty       number of notes of length 0, which are dropped
 * @property {number} drums       number of drum notes, which are dropped
 * @property {number} tempo       tempo at the beginning, in quarter notes per minute
 * @property {boolean} tempos     whether the tempo changes within the piece; the times in `notes` are in quarter notes, so they do not show
 *   tempo changes
 */

/** @param {string} reason */
const wrong = (reason) => new NextPixelError('format', `This MIDI file cannot be read: ${reason}`);

/** @param {number} bytes */
const cutOff = (bytes) => wrong(`it is cut off: ${bytes} bytes are missing`);

/**
 * Extracts a MIDI file from a RIFF container (.rmi), which was common on Windows. Returns the bytes of any other file unchanged.
 * @param {Uint8Array} bytes
 */
function unwrapped(bytes) {
  if (nameAt(bytes, 0) !== 'RIFF' || nameAt(bytes, 8) !== 'RMID') return bytes;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 12; at + 8 <= bytes.length; ) {
    const size = view.getUint32(at + 4, true);
    if (nameAt(bytes, at) === 'data') return bytes.subarray(at + 8, at + 8 + size);
    at += 8 + size + (size & 1);
  }
  throw wrong('its RIFF container has no data');
}

/** @param {Uint8Array} bytes @param {number} at */
const nameAt = (bytes, at) => String.fromCharCode(...bytes.subarray(at, at + 4));

/**
 * Returns the header and the tracks of a file, without other chunks. A track is read up to its end event, regardless of the length of its
 * chunk. Bytes after the last track are ignored, as in MIDI players.
 *
 * @param {Uint8Array} given
 */
function tracksAlone(given) {
  if (given.length === 0) throw wrong('it is empty');
  const bytes = unwrapped(given);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 14 || nameAt(bytes, 0) !== 'MThd') throw wrong('it does not begin with MThd');
  const first = 8 + view.getUint32(4);
  const tracks = view.getUint16(10);
  if (first < 14) throw wrong('its header is too short');
  if (view.getUint16(8) === 2) throw wrong('its tracks are separate pieces (format 2)');
  if (view.getUint16(12) & 0x8000) throw wrong('its time is in frames of film, not in beats');
  if (view.getUint16(12) === 0) throw wrong('a beat has no ticks');
  const kept = [bytes.slice(0, 14)];
  let events = 0;
  let found = 0;
  for (let at = first; ; ) {
    const isTrack = nameAt(bytes, at) === 'MTrk';
    if (found >= tracks && !isTrack) break;
    if (at + 8 > bytes.length) {
      if (at >= bytes.length && found > 0) break; // the file has fewer tracks than its header states
      throw wrong(at === bytes.length ? 'it has no track' : `it ends within a chunk, at byte ${bytes.length}`);
    }
    const next = at + 8 + view.getUint32(at + 4);
    if (!isTrack) {
      if (next > bytes.length) throw cutOff(next - bytes.length);
      at = next;
      continue;
    }
    const track = bytes.slice(at + 8, next);
    const { count, end } = eventsOf(track, next - bytes.length);
    events += count;
    if (events > MOST_EVENTS) throw new NextPixelError('limit', `The MIDI file has more than ${MOST_EVENTS} events: give a shorter piece`);
    const chunk = new Uint8Array(8);
    chunk.set(bytes.subarray(at, at + 4));
    new DataView(chunk.buffer).setUint32(4, end);
    kept.push(chunk, track.subarray(0, end));
    found++;
    at = next > bytes.length ? at + 8 + end : next;
  }
  const whole = join(Uint8Array, kept);
  new DataView(whole.buffer).setUint32(4, 6);
  new DataView(whole.buffer).setUint16(10, found);
  return whole;
}

/** Number of data bytes of a channel event, indexed by the upper four bits of its status byte, minus 8. */
const DATA_BYTES = [2, 2, 2, 2, 1, 1, 2];

/**
 * Types of the meta events that are read: the name of a track, the end of a track, a tempo. The contents of all other meta events are
 * ignored.
 */
const NAME = 0x03;
const END = 0x2f;
const TEMPO_SET = 0x51;
/** The type of meta events that manufacturers define; these events may have any length. */
const SEQUENCER = 0x7f;

/**
 * Walks over the events of a track up to its end event. Rejects events that are longer than the track, and lengths that take more than four
 * bytes. midi-file would read some five-byte lengths as negative numbers, go backwards and never end. Sets the type of all meta events to
 * SEQUENCER, except track names, tempos and the end event, because midi-file accepts SEQUENCER events of any length.
 *
 * @param {Uint8Array} track  the track without its header; modified in place
 * @param {number} missing    number of bytes that the file lacks at the end of the track; if only bytes after the end event are missing,
 *   the track is valid
 * @returns {{ count: number, end: number }} end: offset at which the events end, in bytes
 */
function eventsOf(track, missing) {
  const short = () => (missing > 0 ? cutOff(missing) : wrong('an event is longer than its track'));
  let at = 0,
    running = 0,
    count = 0;
  const length = () => {
    let value = 0;
    for (let i = 0; i < 4; i++) {
      if (at >= track.length) throw short();
      const byte = track[at++];
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
      let type = 0;
      const place = at;
      if (status === 0xff) type = track[at++];
      else if (status !== 0xf0 && status !== 0xf7) throw wrong(`an event has the unknown status ${status}`);
      const bytes = length();
      if (type === END) {
        track[place + 1] = 0; // sets the length of the end event to 0, because this length is wrong in some files
        return { count: count + 1, end: place + 2 };
      }
      if (status === 0xff && type !== NAME && type !== TEMPO_SET) track[place] = SEQUENCER;
      at += bytes;
    } else {
      if (status < 0x80) throw wrong('an event has no status');
      at += DATA_BYTES[(status >> 4) - 8];
      running = status;
    }
    if (at > track.length) throw short();
  }
  if (missing > 0) throw short();
  return { count, end: at };
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
  let [empty, drums] = [0, 0];
  for (const [t, track] of file.tracks.entries()) readTrack(track, String(t));
  notes.sort((a, b) => a.start - b.start || b.pitch - a.pitch);
  if (notes.length === 0) throw argumentError('The MIDI file has no notes');
  // The tempo is 120 until the first tempo event; if one tick has several tempo events, the last one counts.
  const tempoAt = new Map([{ at: 0, tempo: TEMPO }, ...tempos].map(({ at, tempo }) => [at, tempo]));
  const tempo = tempoAt.get(0) ?? TEMPO;
  return { notes, parts, empty, drums, tempo, tempos: [...tempoAt.values()].some((other) => other !== tempo) };

  /** @param {MidiEvent[]} track @param {string} number */
  function readTrack(track, number) {
    let [now, name] = [0, ''];
    /**
     * Sounding notes, by channel and pitch. If a pitch is started twice, both notes stay in the list until each of them has ended.
     * @type {Map<number, { start: number, velocity: number }[]>}
     */
    const open = new Map();
    const close = (/** @type {number} */ key, /** @type {{ start: number, velocity: number } | undefined} */ begun) => {
      const [channel, pitch] = [key >> 7, key & 127];
      if (!begun) return;
      if (now <= begun.start) return void empty++;
      const label = `${number} ${channel}`;
      let part = partOf.get(label);
      if (part === undefined) partOf.set(label, (part = parts.push(name || `track ${Number(number) + 1}, channel ${channel + 1}`) - 1));
      notes.push({ start: begun.start / beat, length: (now - begun.start) / beat, pitch, velocity: begun.velocity, part });
    };
    for (const event of track) {
      if (!(event.deltaTime >= 0)) throw wrong('a time runs backwards');
      now += event.deltaTime;
      if (event.type === 'trackName')
        name = sentenceOf(new TextDecoder().decode(Uint8Array.from(event.text, (byte) => byte.charCodeAt(0))));
      else if (event.type === 'setTempo' && event.microsecondsPerBeat > 0) tempos.push({ at: now, tempo: 6e7 / event.microsecondsPerBeat });
      else if (event.type === 'noteOn' || event.type === 'noteOff') {
        const { channel, noteNumber, velocity } = event;
        if (channel === DRUMS) {
          if (event.type === 'noteOn') drums++;
          continue;
        }
        if (!(noteNumber < 128 && velocity < 128)) throw wrong('it ends within an event');
        const key = channel * 128 + noteNumber;
        const waiting = open.get(key) ?? [];
        if (event.type === 'noteOn') {
          waiting.push({ start: now, velocity });
          open.set(key, waiting);
        } else close(key, waiting.shift());
      }
    }
    for (const [key, left] of open) for (const begun of left) close(key, begun); // notes without an end last until the end of the track
  }
}

/**
 * Returns a MIDI file of format 1 with one track per voice.
 *
 * @param {Note[]} notes
 * @param {{ ticks: number, voices: string[], tempo: number }} how  ticks: per quarter note; tempo: quarter notes per minute
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
      // Among events at the same time, the ends of notes come before the beginnings.
      .sort((a, b) => a.time - b.time || Number(a.type === 'noteOn') - Number(b.type === 'noteOn'));
    let now = 0;
    tracks.push([
      { deltaTime: 0, meta: true, type: 'trackName', text: String.fromCharCode(...new TextEncoder().encode(voice)) },
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
