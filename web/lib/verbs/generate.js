// SPDX-License-Identifier: MIT
// @ts-check

import { checkOptions } from '../checks.js';
import { engineOf } from '../engine.js';
import { attributes as picture, fits as completes } from './complete.js';

/** @import { Model } from '../model.js' */
/** @import { DrawOptions } from '../options.js' */
/** @import { Run } from '../run.js' */
/** @import { Fitting } from './tasks.js' */

export const task = 'generate';
export const draws = true;
export const made = '{pictures} drawn from nothing';
export const settings = 'pictures';
export const attributes = { tries: picture.tries };

/** @internal @type {(model: Fitting) => boolean} */
export const fits = completes;

/**
 * Draws whole images, from nothing or from a class.
 *
 * @this {Model}
 * @param {DrawOptions} [options]
 * @returns {Run}
 */
export function start(options = {}) {
  checkOptions(options);
  return engineOf(this).kind.run(options);
}
