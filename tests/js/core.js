// SPDX-License-Identifier: MIT
// @ts-check

/** The engine with additional functions for tests. These functions return the bytes of a run and the values of the output layer. */

import { Core as LibraryCore } from '../../web/lib/engine/core.js';
import { checkStatus } from '../../web/lib/engine/status-error.js';

/** @import { Session } from '../../web/lib/engine/sessions.js' */

export class Core extends LibraryCore {
  /**
   * Returns the bytes of a session's state; runs with equal states have equal bytes.
   *
   * @param {Session} session
   */
  save(session) {
    return this.instance.bytes.slice(session.address, session.address + session.bytes);
  }

  /**
   * Returns the values of the output layer for the last computed position: the logits of a categorical distribution, or the parameters of
   * another distribution.
   *
   * @param {Session} session
   * @param {number} sample
   */
  output(session, sample) {
    const { outputs } = session.part;
    const at = this.instance.take(4 * outputs);
    const status = this.call('nx_session_output', session, sample, at);
    this.instance.heap.free(at);
    checkStatus(status, 'Reading the output layer');
    return this.instance.floats(at, outputs);
  }
}

/** Returns the size of the whole memory in bytes. @param {LibraryCore} core */
export const memoryOf = (core) => core.instance.memory.buffer.byteLength;
