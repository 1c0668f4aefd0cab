// SPDX-License-Identifier: MIT
// @ts-check

/** The engine with functions that the library does not use: the bytes of a run, and the output layer. */

import { Core as LibraryCore } from '../../web/lib/engine/core.js';
import { checkStatus } from '../../web/lib/engine/status-error.js';

/** @import { Session } from '../../web/lib/engine/sessions.js' */

export class Core extends LibraryCore {
  /**
   * The bytes of a run, equal for equal runs.
   *
   * @param {Session} session
   */
  save(session) {
    return new Uint8Array(this.engine.memory.buffer).slice(session.address, session.address + session.bytes);
  }

  /**
   * The output layer's values of the last computed position: the logits of a categorical distribution, or the parameters of another one.
   *
   * @param {Session} session
   * @param {number} sample
   */
  output(session, sample) {
    const { call, memory, heap, model } = this.engine;
    const { outputs } = session.part;
    const at = heap.take(4 * outputs);
    const missing = at + 4 * outputs - this.memoryBytes;
    if (missing > 0) memory.grow(Math.ceil(missing / 65536));
    const status = call('nx_session_output', model, session.pointer, sample, at);
    heap.free(at);
    checkStatus(status, 'Reading the output layer');
    return new Float32Array(memory.buffer, at, outputs).slice();
  }
}
