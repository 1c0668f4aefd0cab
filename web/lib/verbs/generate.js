// SPDX-License-Identifier: MIT
// @ts-check

import { checkOptions } from '../checks.js';
import { engineOf } from '../engine.js';
import { drawingOf } from '../pictures.js';
import { Run } from '../run.js';
import { attributes as picture } from './complete.js';
import { takes } from './fits.js';

/** @import { Model } from '../model.js' */
/** @import { DrawOptions } from '../options.js' */
/** @import { Fitting } from './tasks.js' */

export const task = 'generate';
export const draws = true;
export const made = '{pictures} drawn from nothing';
export const settings = 'pictures';
export const attributes = { tries: picture.tries };

/** @internal @param {Fitting} model */
export function fits({ codec, part }) {
  return codec === 'picture' && !takes(part, 'image');
}

/**
 * Draws whole images, from nothing or from a class.
 *
 * @this {Model}
 * @param {DrawOptions} [options]
 * @returns {Run}
 */
export function start(options = {}) {
  checkOptions(options);
  const { links, info, kind: { codec } } = engineOf(this);
  const { inputs, ...drawing } = drawingOf(options, info);
  return new Run(links, codec, { known: new Uint32Array(0), inputs }, drawing, options.signal);
}
