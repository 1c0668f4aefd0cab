// SPDX-License-Identifier: MIT
// @ts-check

import { argumentError } from './error.js';

const HUB = 'https://huggingface.co';

/**
 * The address of a file on the Hugging Face Hub: hf:owner/name/file.gguf, or hf:owner/name@revision/file.gguf; of others, themselves.
 *
 * @template T
 * @param {T} source
 * @returns {T | string}
 */
export function hubAddress(source) {
  const text = String(source);
  if ((typeof source !== 'string' && !(source instanceof URL)) || !/^hf:/i.test(text)) return source;
  const [, owner, name, revision = 'main', path] = /^hf:\/*([\w.-]+)\/([\w.-]+)(?:@([\w./-]+?))?\/(.+)$/i.exec(text) ?? [];
  if (path === undefined) throw argumentError(`${text} is not hf:owner/name/file.gguf`);
  return `${HUB}/${owner}/${name}/resolve/${revision}/${path}`;
}
