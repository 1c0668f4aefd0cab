// SPDX-License-Identifier: MIT
// @ts-check

import { engineOf } from '../model/engine.js';

/** @import { Label } from '../base/checks.js' */
/** @import { LatentRun } from '../kinds/latent/latent-run.js' */
/** @import { Model } from '../model/model.js' */
/** @import { Reading } from './table.js' */

export const draws = true;
export const names = ['steps', 'shape', 'label', 'maps', 'signal'];
export const before = 2;

/** @type {Record<'from' | 'to' | 'steps' | 'shape', Reading>} */
export const attributes = {
  /** seed of the picture that a walk begins with. Default 1 */
  from: { whole: [0, Number.MAX_SAFE_INTEGER], initial: 1, given: ({ from }) => from },
  /** seed of the one that it leads to. Default 2 */
  to: { whole: [0, Number.MAX_SAFE_INTEGER], initial: 2, given: ({ to }) => to },
  /** pictures of a walk. Default 30 */
  steps: { whole: [2, 4096], initial: 30 },
  /** `line`, `sphere` or `circle`. Default: `sphere` */
  shape: { read: (text) => text.trim().toLowerCase() },
};

/**
 * @typedef {object} WalkOptions
 * @property {number} [steps]  pictures, 2 to 4096, both ends among them. Default 30
 * @property {'line' | 'sphere' | 'circle'} [shape]  'line': straight; 'sphere': along the great circle from one to the other, where latents are as far
 *   from nought as those that are drawn; 'circle': all the way round, so that it ends where it begins. Default 'sphere'
 * @property {Label} [label]   the class of them all. Default: the first
 * @property {boolean} [maps]  also where each picture looked. Default false
 * @property {AbortSignal} [signal]
 */

/**
 * Walks from one latent to another: a step is a picture.
 *
 * @this {Model}
 * @param {number | bigint | ArrayLike<number>} from  a latent, or the seed of one
 * @param {number | bigint | ArrayLike<number>} to
 * @param {WalkOptions} [options]
 * @returns {LatentRun}
 */
export function start(from, to, options = {}) {
  return engineOf(this).kind.walk(from, to, options);
}
