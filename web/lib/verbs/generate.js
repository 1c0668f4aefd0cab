// SPDX-License-Identifier: MIT
// @ts-check

import { engineOf } from '../model/engine.js';
import { attributes as picture } from './complete.js';

/** @import { Label } from '../base/checks.js' */
/** @import { Model } from '../model/model.js' */
/** @import { LatentRun } from '../kinds/latent/latent-run.js' */
/** @import { CodesRun } from '../kinds/codes/codes-run.js' */
/** @import { CodesOptions, DrawOptions, LatentOptions, NotesOptions, SoundOptions } from '../options.js' */
/** @import { Run } from '../kinds/picture/run.js' */
/** @import { NoteRun } from '../kinds/notes/note-run.js' */
/** @import { SoundRun } from '../kinds/sound/sound-run.js' */

export const task = 'generate';
export const draws = true;
export const before = 0;
export const made = '{pictures} drawn from nothing';
export const attributes = { tries: picture.tries };

/**
 * Draws whole images, from nothing or from a class.
 *
 * @overload
 * @param {DrawOptions & { latent?: undefined }} [options]
 * @returns {Run}
 */
/**
 * Makes whole images at once, of a latent and a class.
 *
 * @overload
 * @param {LatentOptions} options  of a model of latents
 * @returns {LatentRun}
 */
/**
 * Draws a sound, from nothing, of a class or in a voice.
 *
 * @overload
 * @param {SoundOptions & ({ seconds: number } | { speaker: Label })} options  of a model of sounds
 * @returns {SoundRun}
 */
/**
 * Draws a sound by its codes: those of the top level, those of the bottom level below them, and samples while these are drawn.
 *
 * @overload
 * @param {CodesOptions & ({ seconds: number } | { speaker: Label })} options  of a model of sounds by codes
 * @returns {CodesRun}
 */
/**
 * Draws music, from nothing.
 *
 * @overload
 * @param {NotesOptions} [options]  of a model of music
 * @returns {NoteRun}
 */
/**
 * @this {Model}
 * @param {any} [options]
 * @returns {any}
 */
export function start(options = {}) {
  return engineOf(this).kind.run(options);
}
