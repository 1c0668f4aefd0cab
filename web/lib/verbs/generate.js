// SPDX-License-Identifier: MIT
// @ts-check

import { engineOf } from '../model/engine.js';
import { attributes as picture } from './complete.js';

/** @import { Label } from '../base/checks.js' */
/** @import { Model } from '../model/model.js' */
/** @import { LatentRun } from '../kinds/latent/latent-run.js' */
/** @import { CodeRun } from '../kinds/code/code-run.js' */
/** @import { CodeOptions, PictureOptions, LatentOptions, NoteOptions, SoundOptions, TextOptions } from '../options.js' */
/** @import { PictureRun } from '../kinds/picture/picture-run.js' */
/** @import { NoteRun } from '../kinds/note/note-run.js' */
/** @import { SoundRun } from '../kinds/sound/sound-run.js' */
/** @import { TextRun } from '../kinds/text/text-run.js' */
/** @import { Reading } from './table.js' */

export const draws = true;
export const before = 0;
export const made = '{pictures} drawn from nothing';

/** @type {Record<'prompt' | 'tries', Reading>} */
export const attributes = {
  /** what the text begins with, the sentence to translate or to tag, or the first message of a talk */
  prompt: { given: ({ prompt }) => prompt },
  tries: picture.tries,
};

/**
 * Draws whole images, from nothing or from a class.
 *
 * @overload
 * @param {PictureOptions & { latent?: undefined }} [options]
 * @returns {PictureRun}
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
 * @param {CodeOptions & ({ seconds: number } | { speaker: Label })} options  of a model of sounds by codes
 * @returns {CodeRun}
 */
/**
 * Draws music, from nothing.
 *
 * @overload
 * @param {NoteOptions} [options]  of a model of music
 * @returns {NoteRun}
 */
/**
 * Continues a text, token by token.
 *
 * @overload
 * @param {string | ArrayLike<number>} prompt  of a model of texts: a text, in which the names of control tokens count, or tokens by their numbers.
 *   The token that begins a text is put before it where the model wants that; an empty prompt is that token alone. It must leave room for
 *   one more token in the context, `info.positions`
 * @param {TextOptions} [options]
 * @returns {TextRun}
 */
/**
 * @this {Model}
 * @param {...any} given  the arguments of this model's kind
 * @returns {any}
 */
export function start(...given) {
  return engineOf(this).kind.generate(...given);
}
