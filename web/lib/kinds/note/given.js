// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Converts the caller's music (notes or a MIDI file) to notes that the model can represent. The times of the resulting notes are whole
 * ticks, each voice has one note at a time, and each pitch is within the range of its voice.
 */

import { bytesOfBlob, isBlob } from '../../base/blob.js';
import { show, wholeNumber } from '../../base/checks.js';
import { NextPixelError, argumentError } from '../../base/error.js';
import { part } from '../../base/part.js';
import { sentenceOf } from '../../base/typed.js';
import { bytesOf, isAddress, isBytes } from '../../load/source.js';
import { pitchName } from './alphabet.js';
import { VELOCITY } from './codec.js';

/** @import { Alphabet } from './alphabet.js' */
/** @import { Note } from './codec.js' */
/** @import { Heard } from './midi.js' */

/** Maximum number of notes, and maximum start and length of a note in ticks. The limits are far above the capacity of any model. */
const MOST_NOTES = 30_000;
const MOST_TICKS = 1_000_000;
/** The largest MIDI file that is read, in bytes. */
const MOST_BYTES = 1_000_000;

/**
 * A note that the caller provides.
 * @typedef {Pick<Note, 'start' | 'length' | 'pitch'> & { voice?: string | number, velocity?: number }} GivenNote
 */

/**
 * Music: a list of notes, a MIDI file, or the address of a MIDI file.
 *
 * @typedef {GivenNote[] | Blob | ArrayBuffer | Uint8Array | string | URL} MusicSource
 */

/**
 * Music in the form that the model takes.
 *
 * @typedef {object} Given
 * @property {Note[]} notes
 * @property {number} tempo  the tempo of the MIDI file in quarter notes per minute; 0 if the music is not a MIDI file
 * @property {string} said   a sentence about the changes that were made to the music; '' if nothing was changed
 */

/**
 * @param {MusicSource} music
 * @param {Alphabet} alphabet
 * @param {number} ticks        ticks per quarter note
 * @param {string[]} [voices]   voices for notes that do not name a voice
 * @param {AbortSignal} [signal]
 * @returns {Promise<Given>}
 */
export async function given(music, alphabet, ticks, voices, signal) {
  if (isAddress(music))
    return given(await (await part(() => import('../../load/file-at.js'))).fileAt(music, signal), alphabet, ticks, voices, signal);
  if (!isBlob(music) && !isBytes(music)) {
    if (Array.isArray(music) && music.length > MOST_NOTES)
      throw new NextPixelError('limit', `The music has ${music.length} notes, but at most ${MOST_NOTES} can be read: give a shorter piece`);
    if (!Array.isArray(music))
      throw argumentError(`Music must be a list of notes, or a MIDI file as a Blob, bytes or an address, not ${show(music)}`);
    return { notes: checked(music, alphabet, ticks, voices), tempo: 0, said: '' };
  }
  const size = isBlob(music) ? music.size : music.byteLength;
  if (size > MOST_BYTES)
    throw new NextPixelError('limit', `The MIDI file has ${(size / 1e6).toFixed(1)} MB: give at most ${MOST_BYTES / 1e6}`);
  const bytes = isBlob(music) ? await bytesOfBlob(music, signal) : bytesOf(music);
  const { readMidi } = await part(() => import('./midi.js'));
  return ofFile(readMidi(bytes), alphabet, ticks, voices);
}

/**
 * Each part of a file becomes a voice. A part is a track with notes or, if there is only one track, a channel with notes. If the parts have
 * the names of the model's voices, each part becomes the voice with its name. Otherwise the parts, from the highest to the lowest, become
 * the requested voices or, by default, the first voices of the model.
 *
 * @param {Heard} heard
 * @param {Alphabet} alphabet
 * @param {number} ticks
 * @param {string[]} [voices]
 * @returns {Given}
 */
function ofFile({ notes, parts, empty, drums, tempo, tempos }, alphabet, ticks, voices) {
  const all = alphabet.voices.map(({ name }) => name);
  const height = parts.map((_, part) => {
    const own = notes.filter((note) => note.part === part);
    return own.reduce((sum, { pitch }) => sum + pitch, 0) / own.length;
  });
  const down = [...parts.keys()].sort((a, b) => height[b] - height[a]);
  const named = parts.map((part) => all.find((voice) => part.toLowerCase() === sentenceOf(voice).toLowerCase()));
  const every = named.every((voice) => voice) && new Set(named).size === parts.length;
  const able = every ? all : (voices ?? all);
  if (parts.length > able.length)
    throw argumentError(
      `${parts.length} tracks or channels have notes (${parts.slice(0, 8).join('; ')}${parts.length > 8 ? '; ...' : ''}), and ${able === all ? 'the model has' : '`voices` names'} ${able.length}: leave some out`,
    );
  const voiceOf = (/** @type {number} */ part) => (every && named[part]) || able[down.indexOf(part)];
  let moved = 0;
  const whole = notes.flatMap(({ start, length, pitch, velocity, part }) => {
    const [from, to] = [start * ticks, (start + length) * ticks].map(Math.round);
    if (Math.abs(from - start * ticks) > 1e-6 || Math.abs(to - (start + length) * ticks) > 1e-6) moved++;
    return to > from ? [{ start: from, length: to - from, pitch, velocity, voice: voiceOf(part) }] : [];
  });
  if (whole.length === 0) throw argumentError('The notes of the MIDI file are all too short');
  const said = [
    ...(moved > 0
      ? [`${moved} of its ${notes.length} notes were moved to the nearest ${ticks === 4 ? 'sixteenth' : `${ticks}th of a quarter`}`]
      : []),
    ...(whole.length < notes.length + empty ? [`${notes.length + empty - whole.length} notes that are too short were left out`] : []),
    ...(drums > 0 ? [`${drums} drum notes were left out`] : []),
    ...(tempos ? ['tempo changes were left out'] : []),
  ];
  return {
    notes: checked(whole, alphabet, ticks, voices),
    tempo,
    said: said.length > 0 ? `In the MIDI file, ${said.join(', and ')}.` : '',
  };
}

/**
 * @param {GivenNote[]} notes
 * @param {Alphabet} alphabet
 * @param {number} ticks
 * @param {string[]} [voices]
 * @returns {Note[]}
 */
function checked(notes, alphabet, ticks, voices) {
  if (notes.length === 0) throw argumentError('The music has no notes');
  const found = Array.from(notes, (note, i) => oneChecked(note, i, alphabet, voices));
  for (const { name } of alphabet.voices) {
    const own = found.filter(({ voice }) => voice === name).sort((a, b) => a.start - b.start);
    const second = own.findIndex(({ start }, i) => i > 0 && own[i - 1].start + own[i - 1].length > start);
    if (second > 0)
      throw argumentError(
        `The ${name} has two notes at once, ${pitchName(own[second - 1].pitch)} and ${pitchName(own[second].pitch)} in quarter ${Math.floor(own[second].start / ticks) + 1}: a voice sings one`,
      );
  }
  return found;
}

/** @param {GivenNote} note @param {number} i @param {Alphabet} alphabet @param {string[]} [voices] @returns {Note} */
function oneChecked(note, i, alphabet, voices) {
  const { start, length, pitch, velocity = VELOCITY } = Object(note);
  const label = note?.voice ?? voices?.[0] ?? 0;
  const voice = voiceNamed(label, alphabet);
  wholeNumber(`The first tick of note ${i}`, start, 0, MOST_TICKS);
  wholeNumber(`The length of note ${i} in ticks`, length, 1, MOST_TICKS);
  if (!Number.isInteger(velocity) || velocity < 1 || velocity > 127)
    throw argumentError(`velocity of note ${i} must be a whole number from 1 to 127, not ${show(velocity)}`);
  if (!Number.isInteger(pitch) || !voice.of.has(pitch)) {
    const what = Number.isInteger(pitch) && pitch >= 0 && pitch < 128 ? `${pitch} (${pitchName(pitch)})` : show(pitch);
    throw argumentError(
      `The ${voice.name} sings ${voice.low} to ${voice.high} (${pitchName(voice.low)} to ${pitchName(voice.high)}), and note ${i} is ${what}: transpose the music`,
    );
  }
  return { start, length, pitch, velocity, voice: voice.name };
}

/** @param {unknown} label  name or index of a voice @param {Alphabet} alphabet */
export function voiceNamed(label, { voices }) {
  const voice =
    typeof label === 'string' ? voices.find(({ name }) => name === label) : typeof label === 'number' ? voices[label] : undefined;
  if (!voice)
    throw argumentError(
      `voice must be one of ${voices.map(({ name }) => name).join(', ')}, or an index from 0 to ${voices.length - 1}, not ${show(label)}`,
    );
  return voice;
}
