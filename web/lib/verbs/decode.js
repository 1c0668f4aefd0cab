// SPDX-License-Identifier: MIT
// @ts-check

import { engineOf } from '../model/engine.js';

/** @import { Model } from '../model/model.js' */
/** @import { Codes } from '../kinds/code/codebooks.js' */

export const draws = false;
export const names = ['signal'];

/**
 * Turns codes into samples again: those of the bottom level, or, where only the top level is given, of that one.
 *
 * @this {Model}
 * @param {Codes} codes  { bottom }, { top }, or both, as encode() gives them: then the bottom level is heard
 * @param {{ signal?: AbortSignal }} [options]
 * @returns {Promise<{ samples: Float32Array, sampleRate: number }>} samples about -1 to 1
 */
export async function start(codes, options = {}) {
  return engineOf(this).kind.decode(codes, options);
}
