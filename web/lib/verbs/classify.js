// SPDX-License-Identifier: MIT
// @ts-check

import { engineOf } from '../model/engine.js';
import { attributes as picture } from './complete.js';

/** @import { Model } from '../model/model.js' */
/** @import { Classification, ClassifyOptions } from '../kinds/signs/classification.js' */
/** @import { ImageSource } from '../kinds/picture/image.js' */

export const task = 'classify';
export const draws = false;
export const names = ['support', 'query', 'maps', 'signal'];
export const before = 0;
export const made = 'A name';
export const attributes = { src: picture.src };

/** The given picture becomes an option; the examples stand inside the element. */
export const named = { src: 'query' };
export const inside = 'support';

/**
 * Names pictures after examples that the model never learned from; one of each name is enough.
 *
 * @template {ImageSource | ImageSource[]} T
 * @this {Model}
 * @param {ClassifyOptions<T>} options
 * @returns {Promise<T extends any[] ? Classification[] : Classification>} of many queries many, in their order
 */
export async function start(options) {
  return engineOf(this).kind.classify(options);
}
