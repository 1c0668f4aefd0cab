// SPDX-License-Identifier: MIT
// @ts-check

/** Models of echoes: what they are asked for. */

/** @import { Engine } from '../../model/engine.js' */

export class EchoModel {
  #engine;

  /** @param {Engine} engine */
  constructor(engine) {
    this.#engine = engine;
  }

  /**
   * @param {ArrayLike<number>} ids
   * @param {{ signal?: AbortSignal }} options
   */
  async score(ids, { signal }) {
    const { nats } = await this.#engine.ask({ type: 'score', ids: Uint32Array.from(ids), inputs: {} }, signal);
    return { echo: nats.length };
  }
}
