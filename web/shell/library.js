// SPDX-License-Identifier: MIT
// Imports the library for the modules of web/shell. Some of these modules also import single files of web/lib. If only one page needs a
// part of the library, that page imports the part.
// @ts-check

import { part } from '../lib/base/part.js';
import { acquire as acquireModel, load as loadModel } from '../lib/index.js';

export { part };
export { cache, supported, tokenizer } from '../lib/index.js';
export { announce } from '../lib/element/announce.js';
export { composing } from '../lib/element/composing.js';
export { Codec, quantise } from '../lib/media/codec.js';
export { blank, paint as paintElements, picture as pictureOf } from '../lib/sinks/pixels.js';
export { fromRGBA } from '../lib/media/ground.js';
export { reduce } from '../lib/media/image.js';
/** Loads the part of the library that only pages with text models need. */
export const texts = () => part(() => import('../lib/kinds/text/texts.js'));

/** Loads the definition of the element <next-pixel>. */
export const elements = () => part(() => import('../lib/define.js'));

/**
 * Loads the chat box and the element <next-pixel>. The chat box needs the element's translated sentences. Both use the language of the page
 * (language.js).
 */
export const talks = () => part(async () => (await Promise.all([import('../lib/element/talk.js'), import('../lib/define.js')]))[0]);

/**
 * Loads the code that opens a visitor's file of any size. The page loads the code in advance, because the code cannot be fetched once
 * the visitor is offline.
 */
export const ownFiles = () => part(() => Promise.all([import('../lib/load/handed.js'), import('../lib/load/large.js')]));

/** The library's load(), with the type that the pages use. @type {(...given: Parameters<typeof loadModel>) => Promise<Model>} */
export const load = /** @type {any} */ (loadModel);

/** The library's acquire(), with the type that the pages use. @type {(...given: Parameters<typeof acquireModel>) => Promise<Hold>} */
export const acquire = /** @type {any} */ (acquireModel);

/** @typedef {import('../lib/model/of-kind.js').AnyModel} Model */
/** @typedef {import('../lib/index.js').Message} Message */
/**
 * @template {import('../lib/index.js').Kind} K
 * @typedef {import('../lib/index.js').ModelOf<K>} ModelOf
 */
/** @typedef {Model['info']} ModelInfo */
/** @typedef {import('../lib/index.js').AttentionMap} AttentionMap */
/** @typedef {import('../lib/index.js').PictureRun} PictureRun */
/** @typedef {import('../lib/index.js').PictureStep} PictureStep */
/** @typedef {import('../lib/index.js').PictureOptions} PictureOptions */
/** @typedef {import('../lib/index.js').TextRun} TextRun */
/** @typedef {import('../lib/index.js').TextStep} TextStep */
/** @typedef {import('../lib/index.js').TextOptions} TextOptions */
/** @typedef {import('../lib/index.js').Alternative} Alternative */
/** @typedef {import('../lib/index.js').SavedText} SavedText */
/** @typedef {import('../lib/index.js').Tokenizer} Tokenizer */
/** @typedef {typeof import('../lib/kinds/text/text-sheet.js').TextSheet} TextSheet  the class, not an instance */
/** @typedef {typeof import('../lib/kinds/text/aligned-sheet.js').AlignedSheet} AlignedSheet  the class, not an instance */
/** @typedef {typeof import('../lib/element/talk.js').Talk} Talk  the class, not an instance */
/** @typedef {import('../lib/index.js').TranslationRun} TranslationRun */
/** @typedef {import('../lib/index.js').TranslationStep} TranslationStep */
/** @typedef {import('../lib/index.js').SearchStep} SearchStep */
/** @typedef {import('../lib/index.js').NextPixelError} NextPixelError */
/** @typedef {import('../lib/sinks/pixels.js').Picture} Picture RGBA */
/** @typedef {import('../lib/load/holders.js').Hold & { model: Model }} Hold */
/** @typedef {import('../lib/load/source.js').Progress} Progress */
