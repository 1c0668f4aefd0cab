// SPDX-License-Identifier: MIT
// @ts-check

import { engineOf } from '../model/engine.js';

/** @import { Label } from '../base/checks.js' */
/** @import { ImageSource } from '../kinds/picture/image.js' */
/** @import { Model } from '../model/model.js' */
/** @import { Attention } from '../kinds/picture/questions.js' */

export const draws = false;
export const names = ['row', 'column', 'channel', 'label', 'input', 'signal'];

/**
 * The attention of the query at a row and column, given the image before it. Where a position is a whole pixel, its
 * channels have one query.
 *
 * @this {Model}
 * @param {ImageSource} image
 * @param {{ row: number, column: number, channel?: number, label?: Label, input?: ImageSource, signal?: AbortSignal }}
 *   options  input: as in score()
 * @returns {Promise<Attention>}
 */
export function start(image, options) {
  return engineOf(this).kind.attention(image, options);
}
