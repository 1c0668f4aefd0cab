// SPDX-License-Identifier: MIT
// @ts-check

/** Finds the download address of a file on the Hugging Face Hub. This module is loaded on demand. */

import { argumentError } from '../base/error.js';

const HUB = 'https://huggingface.co';

/**
 * Returns the address of a file on the Hugging Face Hub, given hf:owner/name/file.gguf, hf:owner/name@revision/file.gguf, or the address of
 * the file's page. Any other address is returned unchanged.
 *
 * @param {string} text
 */
export function hubAddress(text) {
  // The address of the file's page is replaced by the address of the file.
  if (!/^hf:/i.test(text)) return text.replace(/^(https:\/\/huggingface\.co\/[^/]+\/[^/]+)\/blob\//i, '$1/resolve/');
  const [, owner, name, revision = 'main', path] = /^hf:\/*([\w.-]+)\/([\w.-]+)(?:@([\w./-]+?))?\/(.+)$/i.exec(text) ?? [];
  if (path === undefined) throw argumentError(`${text} is not hf:owner/name/file.gguf`);
  return `${HUB}/${owner}/${name}/resolve/${revision}/${path.replaceAll('#', '%23')}`;
}
