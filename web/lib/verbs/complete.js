// SPDX-License-Identifier: MIT
// @ts-check

import { NX_MAX_SAMPLES } from '../engine/abi.js';
import { engineOf } from '../model/engine.js';
import { canBeKnown } from '../kinds/picture/rows.js';

/** @import { ImageSource } from '../kinds/picture/image.js' */
/** @import { Model } from '../model/model.js' */
/** @import { SoundSource } from '../kinds/sound/heard.js' */
/** @import { CodeRun } from '../kinds/code/code-run.js' */
/** @import { CodeOptions, PictureOptions, NoteOptions, SoundOptions } from '../options.js' */
/** @import { PictureRun } from '../kinds/picture/picture-run.js' */
/** @import { MusicSource } from '../kinds/note/given.js' */
/** @import { NoteRun } from '../kinds/note/note-run.js' */
/** @import { SoundRun } from '../kinds/sound/sound-run.js' */
/** @import { Reading } from './table.js' */

export const draws = true;
export const names = ['rows', 'voices'];
export const made = '{pictures} completed from {src}';

/** @type {Record<'src' | 'rows' | 'voices' | 'tries', Reading>} */
export const attributes = {
  /** picture to complete or to enlarge, sound to go on with, or MIDI file to go on with or to harmonise */
  src: { given: (element, signal, { fetch }) => fetch?.(element.src, signal, element) },
  /** rows of it that are known; absent: half of them */
  rows: { whole: [0, 65536], fits: canBeKnown },
  /** of a MIDI file, the voices that it has and that are held while the others are drawn, with spaces between; absent: none, it is gone on with */
  voices: { read: (names) => names.trim().split(/\s+/), fits: (_, { voices }) => voices !== undefined },
  /** pictures drawn for each that is shown, its likeliest at the end; they compete on the way (`resample`). 4 to 8 make fewer slips and
   * take as much longer; `samples` times `tries` is at most 64. Default 1 */
  tries: { whole: [1, NX_MAX_SAMPLES], initial: 1 },
};

/**
 * Draws what lies below the first rows of an image.
 *
 * @overload
 * @param {ImageSource} image
 * @param {PictureOptions & { rows?: number }} [options]  rows: how many rows are known, 0 to height; where the model draws
 *   blocks, a multiple of `info.blockRows`, or all. Default: half of them, or the closest to it
 * @returns {PictureRun}
 */
/**
 * Goes on with a sound.
 *
 * @overload
 * @param {SoundSource} sound  an AudioBuffer, a Blob, the bytes of a WAV file, or { samples, sampleRate }; at most 60 seconds. One of another rate is
 *   brought to that of the model, and channels are mixed: `run.input` says so
 * @param {SoundOptions} [options]
 * @returns {SoundRun}
 */
/**
 * Goes on with a sound by its codes, through which what was given is heard too.
 *
 * @overload
 * @param {SoundSource} sound  as above; less than what the model can draw
 * @param {CodeOptions} [options]  seconds: of what is drawn
 * @returns {CodeRun}
 */
/**
 * Goes on with music, or, with `voices`, harmonises it: the voices that are given stay as they are, and the others are drawn around them.
 *
 * @overload
 * @param {MusicSource} music  notes, or a MIDI file as a Blob or bytes. Its notes are brought to whole ticks: `run.input` says so
 * @param {NoteOptions & { voices?: (string | number)[] }} [options]  voices: those that the music has, by name or number
 * @returns {NoteRun}
 */
/**
 * @this {Model}
 * @param {any} what
 * @param {any} [options]
 * @returns {any}
 */
export function start(what, options = {}) {
  return engineOf(this).kind.complete(what, options);
}
