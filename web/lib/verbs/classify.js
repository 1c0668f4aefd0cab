// SPDX-License-Identifier: MIT
// @ts-check

import { engineOf } from '../model/engine.js';

/** @import { Model } from '../model/model.js' */
/** @import { Classification, ClassifyOptions } from '../kinds/signs/classification.js' */
/** @import { ImageSource } from '../kinds/picture/image.js' */
/** @import { Fitting } from './tasks.js' */

export const task = 'classify';
export const draws = false;
export const made = 'A name';
export const attributes = { src: {} };

/** @internal @param {Fitting} model */
export function fits({ codec }) {
  return codec === 'signs';
}

/**
 * Names pictures after examples, of which there may be one of each name and which the model never learned from.
 *
 * @template {ImageSource | ImageSource[]} T
 * @this {Model}
 * @param {ClassifyOptions<T>} options
 * @returns {Promise<T extends any[] ? Classification[] : Classification>} of many queries many, in their order
 */
export async function start(options) {
  return engineOf(this).kind.classify(options);
}
