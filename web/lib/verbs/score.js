// SPDX-License-Identifier: MIT
// @ts-check

import { engineOf } from '../model/engine.js';

/** @import { Label } from '../base/checks.js' */
/** @import { SoundSource } from '../kinds/sound/heard.js' */
/** @import { ImageSource } from '../kinds/picture/image.js' */
/** @import { Model } from '../model/model.js' */
/** @import { Score } from '../kinds/picture/questions.js' */
/** @import { CaptionScore } from '../kinds/captions/captions.js' */
/** @import { MusicSource } from '../kinds/notes/given.js' */
/** @import { NotesScore } from '../kinds/notes/notes.js' */
/** @import { SoundScore } from '../kinds/sound/sounds.js' */
/** @import { TextScore } from '../kinds/text/text-model.js' */

export const task = 'score';
export const draws = false;
export const names = ['label', 'speaker', 'input', 'source', 'text', 'signal'];

/**
 * Tells how probable the model finds a text.
 *
 * @overload
 * @param {string | ArrayLike<number>} text  one longer than the context is read in stretches that overlap by half of it
 * @param {{ source?: string | ArrayLike<number>, signal?: AbortSignal }} [options]  source: of a model that translates, the sentence whose
 *   translation the text is; its end counts, for it was a choice too
 * @returns {Promise<TextScore>}
 */
/**
 * Tells how probable the model finds a sound, sample by sample.
 *
 * @overload
 * @param {SoundSource} sound  as in complete()
 * @param {{ label?: Label, speaker?: Label, signal?: AbortSignal }} [options]
 * @returns {Promise<SoundScore>}
 */
/**
 * Tells how probable the model finds it that a picture is told in these words.
 *
 * @overload
 * @param {ImageSource} image
 * @param {{ text: string, signal?: AbortSignal }} options
 * @returns {Promise<CaptionScore>}
 */
/**
 * Tells how probable the model finds music, id by id.
 *
 * @overload
 * @param {MusicSource} music  as in complete()
 * @param {{ signal?: AbortSignal }} [options]
 * @returns {Promise<NotesScore>}
 */
/**
 * Tells how probable the model finds an image.
 *
 * @overload
 * @param {ImageSource} image
 * @param {{ label?: Label, input?: ImageSource, signal?: AbortSignal }} [options]  input: for super-resolution, the
 *   small picture, as in superResolve(). Default: the image itself, reduced
 * @returns {Promise<Score>}
 */
/**
 * @this {Model}
 * @param {any} what
 * @param {{ label?: Label, speaker?: Label, input?: ImageSource, source?: string | ArrayLike<number>, text?: string, signal?: AbortSignal }} [options]
 * @returns {Promise<any>}
 */
export function start(what, options = {}) {
  return engineOf(this).kind.score(what, options);
}
