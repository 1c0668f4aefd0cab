// SPDX-License-Identifier: MIT
// @ts-check

import { checkOptions } from '../checks.js';
import { engineOf } from '../engine.js';
import { attributes as picture, fits as completes } from './complete.js';

/** @import { Label } from '../checks.js' */
/** @import { Model } from '../model.js' */
/** @import { DrawOptions, SoundOptions } from '../options.js' */
/** @import { Run } from '../run.js' */
/** @import { SoundRun } from '../sound-run.js' */
/** @import { Fitting } from './tasks.js' */

export const task = 'generate';
export const draws = true;
export const made = '{pictures} drawn from nothing';
export const settings = 'pictures sounds';
export const attributes = { tries: picture.tries };

/** @internal @type {(model: Fitting) => boolean} */
export const fits = completes;

/**
 * Draws whole images, from nothing or from a class.
 *
 * @overload
 * @param {DrawOptions} [options]
 * @returns {Run}
 */
/**
 * Draws a sound, from nothing, of a class or in a voice.
 *
 * @overload
 * @param {SoundOptions & ({ seconds: number } | { speaker: Label })} options  of a model of sounds
 * @returns {SoundRun}
 */
/**
 * @this {Model}
 * @param {any} [options]
 * @returns {any}
 */
export function start(options = {}) {
  checkOptions(options);
  return engineOf(this).kind.run(options);
}
