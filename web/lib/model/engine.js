// SPDX-License-Identifier: MIT
// @ts-check

/** The engine behind a model: its workers, its parts, and the object that implements its kind. */

import { argumentError } from '../base/error.js';
import { partOf } from '../engine/part-of.js';

/** @import { Link } from '../workers/link.js' */
/** @import { Job, Request } from '../workers/job.js' */
/** @import { Model } from './model.js' */
/** @import { AnyInfo, Part } from '../engine/protocol.js' */

export class Engine {
  /** The object that the kind's `open` made, with a method for each verb. @type {any} */
  kind;

  /**
   * @param {Link[]} links     the workers that share the samples
   * @param {AnyInfo} info
   * @param {string[]} verbs   names of the verbs that the model has
   * @param {Part[]} parts
   */
  constructor(links, info, verbs, parts) {
    this.links = links;
    this.info = info;
    this.verbs = verbs;
    this.parts = parts;
    /** The part to use if a kind uses only one part. */
    this.part = partOf(parts);
  }

  /** Number of pending requests of each worker. @type {Map<Link, number>} */
  #busy = new Map();

  /**
   * Sends a request to the worker with the fewest pending requests, and returns its response.
   *
   * @param {Request} message
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   */
  async ask(message, signal) {
    return this.work(signal, (job) => job.ask(message));
  }

  /**
   * Sends several requests, in order, to the worker with the fewest pending requests.
   *
   * @template T
   * @param {AbortSignal | undefined} signal
   * @param {(job: Job) => Promise<T>} requests
   * @returns {Promise<T>}
   */
  async work(signal, requests) {
    const load = (/** @type {Link} */ link) => this.#busy.get(link) ?? 0;
    const link = this.links.reduce((freest, other) => (load(other) < load(freest) ? other : freest));
    const job = link.job(signal);
    this.#busy.set(link, load(link) + 1);
    try {
      return await requests(job);
    } finally {
      this.#busy.set(link, load(link) - 1);
      job.end();
    }
  }
}

/** @type {WeakMap<object, Engine>} */
const engines = new WeakMap();

/** @param {Model} model @param {Engine} engine */
export function setEngine(model, engine) {
  engines.set(model, engine);
}

/**
 * Returns the engine of a model. This function is called before any other part of the model is used. A proxy of a model, like the one that
 * Vue's ref() makes, has no engine.
 *
 * @param {Model} model
 */
export function engineOf(model) {
  const engine = engines.get(model);
  if (!engine) throw argumentError('The model is behind a proxy: keep the model itself (in Vue, with markRaw())');
  for (const { ended } of engine.links) if (ended) throw ended;
  return engine;
}
