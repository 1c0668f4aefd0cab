// SPDX-License-Identifier: MIT
// @ts-check

/** The Hugging Face Hub: loaded only for its addresses. */

import { argumentError } from '../base/error.js';

const HUB = 'https://huggingface.co';

/**
 * The address of a file on the Hugging Face Hub: hf:owner/name/file.gguf, or hf:owner/name@revision/file.gguf, or resolved from the address
 * of the file's page; any other address is unchanged.
 *
 * @param {string} text
 */
export function hubAddress(text) {
  if (!/^hf:/i.test(text)) return text.replace(/^(https:\/\/huggingface\.co\/[^/]+\/[^/]+)\/blob\//i, '$1/resolve/'); // the page about a file
  const [, owner, name, revision = 'main', path] = /^hf:\/*([\w.-]+)\/([\w.-]+)(?:@([\w./-]+?))?\/(.+)$/i.exec(text) ?? [];
  if (path === undefined) throw argumentError(`${text} is not hf:owner/name/file.gguf`);
  return `${HUB}/${owner}/${name}/resolve/${revision}/${path.replaceAll('#', '%23')}`;
}
