// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Executes the plan through the JavaScript library, in a page or in Node; every engine runs this same module. native.c does the same
 * through the C header.
 */

import { TASKS } from '../kinds/engines.js';

/** @import { LoadOptions } from '../../web/lib/index.js' */
/** @import { AnyModel as Model } from '../../web/lib/model/of-kind.js' */
/** @import { Say } from '../kinds/engines.js' */
/** @typedef {typeof import('../../web/lib/index.js').load} Load */
/** @import { PlannedRun } from './plan.js' */

/**
 * A hash of a result. Results of the same model, task and item must have the same hash, in every mode.
 *
 * @typedef {object} Result
 * @property {string} model
 * @property {string} work
 * @property {string} item  the hashed part of the result, one of itemsOf() of plan.js
 * @property {string} way   mode in which it was computed
 * @property {string} hash  SHA-256, hexadecimal
 */

/**
 * @param {Load} loadModel
 * @param {PlannedRun[]} plan
 * @param {(path: string) => Promise<Uint8Array<ArrayBuffer>>} read  returns the bytes of a weight file
 * @param {LoadOptions} options
 * @returns {Promise<Result[]>}
 */
export async function runPlan(loadModel, plan, read, options) {
  /** @type {Result[]} */
  const results = [];
  /** @type {Model | undefined} */
  let model;
  for (const run of plan) {
    /** @type {Say} */
    const say = async (item, way, data) => {
      results.push({ model: run.model, work: run.work, item, way, hash: await sha256(data) });
    };
    if (run.task === 'open') {
      model?.close();
      const bytes = await read(run.path);
      await say('bytes', 'read', bytes);
      model = /** @type {Model} */ (await loadModel(bytes, options));
    } else if (model === undefined) {
      throw new Error('a plan opens a model first');
    } else {
      await TASKS[run.task].run(model, run, say);
    }
  }
  model?.close();
  return results;
}

/** @param {Uint8Array | Float32Array | Int32Array | Uint32Array} data  its bytes are little-endian, as on every machine with a browser */
async function sha256(data) {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const digest = await crypto.subtle.digest('SHA-256', /** @type {Uint8Array<ArrayBuffer>} */ (bytes));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
