// SPDX-License-Identifier: MIT
// @ts-check

/** Sends the weight file to a worker that replaces another worker. */

import { NextPixelError } from '../base/error.js';
import { readSource } from '../load/source.js';
import { openModel } from './model.js';

/** @import { ModelInfo } from '../engine/protocol.js' */
/** @import { LoadOptions } from '../index.js' */
/** @import { Source } from '../load/source.js' */
/** @import { Link } from '../workers/link.js' */

/**
 * @param {Source} source
 * @param {LoadOptions} options  the options of load()
 * @param {WebAssembly.Module} module
 * @param {ModelInfo} info  the description of the earlier model
 * @param {(link: Link) => unknown} then
 * @returns {Promise<(link: Link) => Promise<void>>} sends the file to the new worker
 */
export async function restore(source, options, module, info, then) {
  const contents = await readSource(source, { ...options, signal: undefined, onProgress: undefined });
  return async (link) => {
    const now = await openModel([link], module, contents, {});
    if (JSON.stringify(now.info) !== JSON.stringify(info))
      throw new NextPixelError('closed', 'The weight file has changed meanwhile: load the model again');
    await then(link);
  };
}
