// SPDX-License-Identifier: MIT
// @ts-check

/** Validates the arguments of translate(). */

import { argumentError } from '../../base/error.js';
import { checkSettings, show } from '../../base/checks.js';

/** @import { TranslationOptions } from '../../options.js' */
/** @import { AnyInfo, Settings } from '../../engine/protocol.js' */
/** @import { SearchStep } from './translation-run.js' */

/** @typedef {{ settings: Settings, seed: number | bigint, search: number | undefined, maxTokens: number | undefined, positions: number, vocabulary: number, heads: number,
 *   maps: boolean, probabilities: boolean, onSearch: ((step: SearchStep) => void) | undefined }} TranslateSettings */

/**
 * @param {TranslationOptions} given
 * @param {AnyInfo} info
 * @returns {TranslateSettings}
 * @internal
 */
export function checkTranslate(given, { positions, vocabulary, heads }) {
  const { settings, options, seed } = checkSettings('translation', given, { temperature: 0 });
  const { beams, lengthPenalty, maxTokens, maps, probabilities, onSearch } = options;
  if (onSearch !== undefined && typeof onSearch !== 'function') throw argumentError(`onSearch must be a function, not ${show(onSearch)}`);
  if (beams > 1 && Number(settings.temperature) > 0) {
    throw argumentError(
      'Several beams search for the most probable translation, but a temperature over 0 draws one at random: use one of them',
    );
  }
  return {
    settings: { ...settings, samples: beams },
    seed,
    search: beams > 1 ? lengthPenalty : undefined,
    maxTokens,
    positions,
    vocabulary,
    heads,
    maps,
    probabilities,
    onSearch,
  };
}
