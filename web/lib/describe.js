// SPDX-License-Identifier: MIT
// @ts-check

/** From the engine's description of a model and the file's metadata to `model.info`. */

import { pictureInfo } from './codecs/picture.js';
import { NextPixelError } from './error.js';
import { cardOf } from './metadata.js';

/** @import { Core } from './core.js' */
/** @import { ModelInfo } from './protocol.js' */

/** Models whose ids are tokens even where the file does not say what these are. */
const TEXT_ARCHITECTURES = ['llama', 'gpt2', 'qwen2', 'transformer'];

/**
 * @param {Core} core
 * @returns {ModelInfo}
 */
export function describe({ part, metadata, vocabulary, fileBytes }) {
  const architecture = String(metadata.get('general.architecture') ?? '');
  const picture = pictureInfo(architecture, metadata, part);
  const writes = picture.width === 0 && part.span === 1 && (vocabulary.length > 0 || TEXT_ARCHITECTURES.includes(architecture));
  if (picture.width === 0 && !writes) {
    throw new NextPixelError('unsupported', `This model (${architecture}) draws no pictures. The engine runs it, but this version of the library ` +
      'has no codec for what it makes', { status: -3 });
  }
  const reads = part.inputs.some(({ anyLength }) => anyLength); // a sentence
  const languages = metadata.get('general.languages');
  return {
    architecture,
    name: String(metadata.get('general.name') ?? architecture),
    tasks: writes ? [reads ? 'translate' : 'tokens', 'score'] : picture.inputHeight > 0 ? ['super-resolve', 'score'] : ['complete', 'generate', 'score'],
    positions: part.length,
    languages: Array.isArray(languages) ? languages.map(String) : [],
    vocabulary: writes ? part.values : 0,
    parameters: part.parameters,
    bytes: fileBytes,
    lookAhead: part.draft,
    card: cardOf(metadata),
    ...picture,
  };
}
