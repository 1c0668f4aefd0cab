// SPDX-License-Identifier: MIT
// @ts-check

/** The engine with what the library does not ask of it: runs as bytes, other settings within a run, and what the output layer gave. */

import { NX_E_STATE, SAVED_LENGTH, SAVED_PART, SAVED_SETTINGS } from '../../web/lib/engine/abi.js';
import { Core as LibraryCore } from '../../web/lib/engine/core.js';
import { offsetOf, scratchAreas } from '../../web/lib/engine/layout.js';
import { checkStatus, statusError } from '../../web/lib/engine/status-error.js';

/** @import { Session } from '../../web/lib/engine/core.js' */
/** @import { Settings } from '../../web/lib/engine/protocol.js' */

/** Where a saved run says its samples. */
const SAVED_SAMPLES = SAVED_SETTINGS + offsetOf('nx_settings', 'samples');

const AREAS = scratchAreas();

export class Core extends LibraryCore {
  /**
   * A run as bytes that go on to the same ids wherever they are read back, with this model.
   *
   * @param {Session} session
   */
  save(session) {
    return new Uint8Array(this.engine.memory.buffer).slice(session.address, session.address + session.bytes);
  }

  /**
   * Goes on from what save() gave.
   *
   * @param {Uint8Array} saved  damaged bytes, and those of another model, are an error
   * @param {number} samples    as the run was opened with
   * @returns {Session}
   */
  restoreSession(saved, samples) {
    const { call, memory, heap, model } = this.engine;
    const bytes = saved.length;
    const address = heap.take(bytes);
    const missing = address + bytes - this.memoryBytes;
    if (missing > 0) memory.grow(Math.ceil(missing / 65536));
    new Uint8Array(memory.buffer).set(saved, address);
    const word = (/** @type {number} */ at) => new DataView(memory.buffer).getUint32(address + at, true);
    const same = bytes > SAVED_SAMPLES && word(SAVED_SAMPLES) === samples;
    const status = same ? call('nx_session_check', model, address, bytes) : NX_E_STATE;
    if (status >= 0) return { address, pointer: address, bytes, samples, part: this.parts[word(SAVED_PART)], counts: [], length: word(SAVED_LENGTH) };
    heap.free(address);
    throw statusError(status, 'Going on with a saved run');
  }

  /**
   * From now on draws with other settings. Samples, `first`, maps and the number of biases must be as they were.
   *
   * @param {Session} session
   * @param {Settings} settings
   */
  retune(session, settings) {
    const { call, memory, heap, model, scratch } = this.engine;
    this.closeSession(this.openSession(settings)); // which has written them where the engine reads them
    checkStatus(call('nx_session_retune', model, session.pointer, scratch + AREAS.struct), 'Changing the settings of a run');
    const { logitBias = [] } = settings;
    const at = heap.take(8 * logitBias.length);
    new Uint32Array(memory.buffer, at, logitBias.length).set(logitBias.map(([id]) => id));
    new Float32Array(memory.buffer, at + 4 * logitBias.length, logitBias.length).set(logitBias.map(([, bias]) => bias));
    const status = call('nx_session_bias', model, session.pointer, at, at + 4 * logitBias.length, logitBias.length);
    heap.free(at);
    checkStatus(status, 'Reading the logit biases');
  }

  /**
   * What the output layer gave for the last position computed with it: the logits of a categorical distribution, the parameters of another one.
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
