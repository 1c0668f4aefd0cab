// SPDX-License-Identifier: MIT
// @ts-check

/** The Hugging Face Hub: loaded only where an address is one of it. */

import { argumentError } from './exports.js';

const HUB = 'https://huggingface.co';

/**
 * The address of a file on the Hugging Face Hub: hf:owner/name/file.gguf, or hf:owner/name@revision/file.gguf; of others, themselves.
 *
 * @param {string} text
 */
export function hubAddress(text) {
  if (!/^hf:/i.test(text)) return text;
  const [, owner, name, revision = 'main', path] = /^hf:\/*([\w.-]+)\/([\w.-]+)(?:@([\w./-]+?))?\/(.+)$/i.exec(text) ?? [];
  if (path === undefined) throw argumentError(`${text} is not hf:owner/name/file.gguf`);
  return `${HUB}/${owner}/${name}/resolve/${revision}/${path}`;
}
