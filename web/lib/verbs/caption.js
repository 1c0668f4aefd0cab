// SPDX-License-Identifier: MIT
// @ts-check

import { engineOf } from '../model/engine.js';
import { attributes as picture } from './complete.js';

/** @import { CaptionOptions } from '../options.js' */
/** @import { CaptionRun } from '../kinds/caption/caption-run.js' */
/** @import { ImageSource } from '../kinds/picture/image.js' */
/** @import { Model } from '../model/model.js' */

export const draws = true;
export const made = '{pictures} of {src}';

export const attributes = { src: picture.src };

/**
 * Says what a picture shows, word by word.
 *
 * @this {Model}
 * @param {ImageSource} image  scaled to the model's size; transparent pixels are laid over white
 * @param {CaptionOptions} [options]
 * @returns {CaptionRun}
 */
export function start(image, options = {}) {
  return engineOf(this).kind.caption(image, options);
}
