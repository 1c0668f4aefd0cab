// SPDX-License-Identifier: MIT
// @ts-check

import { engineOf } from '../model/engine.js';
import { attributes as picture } from './complete.js';

/** @import { Model } from '../model/model.js' */
/** @import { Classification, ClassifyOptions } from '../kinds/sign/classification.js' */
/** @import { ImageSource } from '../kinds/picture/image.js' */

export const draws = false;
export const names = ['support', 'maps', 'signal'];
export const made = 'A name';
export const attributes = { src: picture.src };

/** The examples stand inside the element. */
export const inside = 'support';

/**
 * Names pictures after examples that the model never learned from; one of each name is enough.
 *
 * @template {ImageSource | ImageSource[]} T
 * @this {Model}
 * @param {T} query  the picture to name; or several, which share the examples and do not see each other. Many pictures are read over some turns of
 *   the page: leave canvases as they are until the answer is there
 * @param {ClassifyOptions} options
 * @returns {Promise<T extends any[] ? Classification[] : Classification>} a list of pictures gives a list, in their order
 */
export async function start(query, options) {
  return engineOf(this).kind.classify(query, options);
}
