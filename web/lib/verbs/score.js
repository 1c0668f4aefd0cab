// SPDX-License-Identifier: MIT
// @ts-check

import { engineOf } from '../model/engine.js';

/** @import { Label } from '../base/checks.js' */
/** @import { SoundSource } from '../kinds/sound/heard.js' */
/** @import { ImageSource } from '../kinds/picture/image.js' */
/** @import { Model } from '../model/model.js' */
/** @import { PictureScore } from '../kinds/picture/questions.js' */
/** @import { CaptionScore } from '../kinds/caption/captions.js' */
/** @import { MusicSource } from '../kinds/note/given.js' */
/** @import { NoteScore } from '../kinds/note/notes.js' */
/** @import { SoundScore } from '../kinds/sound/sounds.js' */
/** @import { TextScore } from '../kinds/text/text-model.js' */

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
 * @returns {Promise<NoteScore>}
 */
/**
 * Tells how probable the model finds an image.
 *
 * @overload
 * @param {ImageSource} image
 * @param {{ label?: Label, input?: ImageSource, signal?: AbortSignal }} [options]  input: for super-resolution, the
 *   small picture, as in superResolve(). Default: the image itself, reduced
 * @returns {Promise<PictureScore>}
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
