// SPDX-License-Identifier: MIT
// @ts-check

import { engineOf } from '../model/engine.js';

/** @import { Model } from '../model/model.js' */
/** @import { Encoded } from '../kinds/code/codebooks.js' */
/** @import { SoundSource } from '../kinds/sound/heard.js' */

export const draws = false;
export const names = ['signal'];

/**
 * Turns a sound into codes of each level.
 *
 * @this {Model}
 * @param {SoundSource} sound  as in complete(); one longer than the model takes at once is refused
 * @param {{ signal?: AbortSignal }} [options]
 * @returns {Promise<Encoded>}
 */
export async function start(sound, options = {}) {
  return engineOf(this).kind.encode(sound, options);
}
