// SPDX-License-Identifier: MIT
// @ts-check

import { engineOf } from '../model/engine.js';
import { attributes as picture } from './complete.js';

/** @import { ImageSource } from '../kinds/picture/image.js' */
/** @import { Model } from '../model/model.js' */
/** @import { PictureOptions } from '../options.js' */
/** @import { PictureRun } from '../kinds/picture/picture-run.js' */

export const draws = true;
export const made = '{pictures} enlarged from {src}';
export const attributes = { src: picture.src, tries: picture.tries };

/**
 * Draws a large image from a small one.
 *
 * @this {Model}
 * @param {ImageSource} image  of `info.inputWidth` x `info.inputHeight` pixels. One that is a whole number of times as
 *   wide and as high is reduced to that, each pixel the mean of its box; another canvas, ImageBitmap or <img> is scaled
 * @param {PictureOptions} [options]
 * @returns {PictureRun}
 */
export function start(image, options = {}) {
  return engineOf(this).kind.superResolve(image, options);
}
