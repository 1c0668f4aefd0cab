// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Manages the runs of one model in one instance of the wasm. In include/nextpixel.h, a run is called a session. The methods convert error
 * statuses of the C library to JavaScript errors.
 */

import { NX_MAX_SAMPLES, NX_MORE } from './abi.js';
import { argumentError } from '../base/error.js';
import { OpenSessions } from './open-sessions.js';
import { checkStatus, statusError } from './status-error.js';

/** @import { Instance } from './instance.js' */
/** @typedef {import('./open-sessions.js').Session} Session */
/** @import { Part } from './protocol.js' */

/** Maximum number of ids that one call takes or draws: positions times samples times ids per position. */
const SLICE_IDS = 8192;

export class Sessions extends OpenSessions {
  /** Addresses of a buffer for ids and of a buffer for the same number of floats. */
  ids;
  /** @internal */
  floatsAt;
  /** The number of ids that fit into the buffers. */
  room;

  /**
   * @param {Instance} instance
   * @param {number} model      the address of the model in WebAssembly memory
   * @param {number} fileBytes
   */
  constructor(instance, model, fileBytes) {
    super(instance, model, fileBytes);
    this.room = Math.max(
      SLICE_IDS,
      ...this.parts.flatMap(({ outputs, span, maps, hiddenWidth }) => [
        outputs,
        hiddenWidth,
        NX_MAX_SAMPLES * span,
        ...maps.map(({ keys }) => keys),
      ]),
    );
    this.ids = instance.take(4 * this.room);
    this.floatsAt = instance.take(4 * this.room);
  }

  /**
   * Returns the maximum number of positions per sample that one call can take or draw.
   *
   * @param {number} samples
   * @param {Part} [part]
   */
  sliceLimit(samples, { span } = this.part) {
    return Math.floor(this.room / (samples * span));
  }

  /**
   * Sets one input of a run; must be called before any other function of the run.
   *
   * @param {Session} session
   * @param {string} name
   * @param {Uint32Array} ids
   */
  input(session, name, ids) {
    const port = session.part.inputs.findIndex((input) => input.name === name);
    const address = this.instance.take(4 * ids.length);
    try {
      new Uint32Array(this.instance.memory.buffer, address, ids.length).set(ids);
      const status = this.call('nx_session_input', session, port, address, ids.length);
      checkStatus(status, `Reading the input '${name}'`);
    } finally {
      this.instance.heap.free(address);
    }
  }

  /**
   * Encodes a chunk of the inputs.
   *
   * @param {Session} session
   * @returns {boolean} whether more of the inputs must be encoded
   */
  encode(session) {
    const status = this.call('nx_session_encode', session);
    checkStatus(status, 'Reading the inputs');
    return status === NX_MORE;
  }

  /**
   * Returns some values of a result. If the result grows slice by slice, its first values can be read before all inputs are encoded. Any
   * other result can be read only after that.
   *
   * @param {Session} session
   * @param {string} name
   * @param {number} from   index of the first value
   * @param {number} count  at most 8192
   * @returns {Uint32Array<ArrayBuffer> | Float32Array<ArrayBuffer>}
   */
  result(session, name, from, count) {
    const index = this.#resultIndex(session, name);
    const status = this.call('nx_session_result', session, index, from, count, this.ids);
    checkStatus(status, `Reading the result '${name}'`);
    return session.part.results[index].values > 0 ? this.instance.words(this.ids, count) : this.instance.floats(this.ids, count);
  }

  /**
   * Returns how many values of a result are ready. Once everything is encoded, this is the total number of values.
   *
   * @param {Session} session
   * @param {string} name
   */
  resultLength(session, name) {
    const at = this.instance.at.result;
    const status = this.call('nx_session_result_count', session, this.#resultIndex(session, name), at);
    checkStatus(status, `Reading the result '${name}'`);
    return this.instance.word(at);
  }

  /** @param {Session} session @param {string} name */
  #resultIndex({ part }, name) {
    const index = part.results.findIndex((result) => result.name === name);
    if (index < 0) throw argumentError(`This part of the model has no result '${name}'`);
    return index;
  }

  /**
   * Feeds known ids.
   *
   * @param {Session} session
   * @param {Uint32Array} ids   shape (count, span), or (count, samples, span) with `each`; count: at most sliceLimit(samples)
   * @param {boolean} wantNats
   * @param {boolean} [each]    true if every sample has its own ids; false if all samples share the same ids
   * @param {() => boolean} [over]  returns whether to end the call early, even in the middle of a slow position. The next call must then
   *   repeat at least the ids of the positions that are not processed yet
   * @returns {Float32Array<ArrayBuffer>} shape (positions processed by this call, samples, span), or empty
   */
  put(session, ids, wantNats, each = false, over = () => false) {
    const { samples, part } = session;
    const { span } = part;
    const width = each ? samples * span : span;
    const count = ids.length / width;
    this.#checkSlice(count, session);
    new Uint32Array(this.instance.memory.buffer, this.ids, ids.length).set(ids);
    const first = this.position(session);
    let done = 0;
    let status;
    do {
      const nats = wantNats ? this.floatsAt + 4 * done * samples * span : 0;
      status = this.call('nx_session_put', session, this.ids + 4 * done * width, count - done, Number(each), nats);
      checkStatus(status, 'Reading the known ids');
      done = this.position(session) - first;
    } while (status === NX_MORE && !over());
    return this.instance.floats(this.floatsAt, wantNats ? done * samples * span : 0);
  }

  /**
   * Draws the next positions of every sample.
   *
   * @param {Session} session
   * @param {number} steps  at most sliceLimit(session.samples)
   * @returns {{ ids: Uint32Array<ArrayBuffer>, nats: Float32Array<ArrayBuffer>, ahead: Uint8Array<ArrayBuffer>, ended: boolean }} ids and
   *   nats have the shape (drawn, samples, span), ahead has the shape (drawn): see StepMessage. Fewer than `steps` positions are drawn if
   *   all samples have `ended`, and possibly none if a position is slow
   */
  draw(session, steps) {
    this.#checkSlice(steps, session);
    const result = this.instance.at.result;
    const status = this.call('nx_session_draw', session, steps, this.ids, this.floatsAt, result);
    if (status < 0) throw statusError(status, `Drawing position ${this.position(session)}`);
    const drawn = this.instance.word(result);
    const count = drawn * session.samples * session.part.span;
    const ids = this.instance.words(this.ids, count);
    this.call('nx_session_ahead', session, this.position(session) - drawn, drawn, this.ids);
    const ahead = this.instance.bytes.slice(this.ids, this.ids + drawn);
    return { ids, nats: this.instance.floats(this.floatsAt, count), ahead, ended: status !== NX_MORE && drawn < steps };
  }

  /**
   * Replaces each sample with a copy of its parent, which is one of the samples.
   *
   * @param {Session} session
   * @param {Uint32Array} parents  index of the parent of each sample
   */
  resample(session, parents) {
    new Uint32Array(this.instance.memory.buffer, this.ids, parents.length).set(parents);
    const status = this.call('nx_session_resample', session, this.ids);
    checkStatus(status, 'Drawing');
  }

  /**
   * @param {Session} session
   * @returns {number} number of positions known or drawn so far
   */
  position(session) {
    return this.instance.call('nx_session_position', session.pointer) >>> 0;
  }

  /**
   * Returns one row of a map at the last computed position. The session must keep maps.
   *
   * @param {Session} session
   * @param {number} sample
   * @param {number} map
   * @param {number} row
   * @returns {{ keys: Uint32Array<ArrayBuffer>, weights: Float32Array<ArrayBuffer> }} keys: the positions that the row attends to. In a map
   *   over earlier positions, the input is shifted by one: key j is the item at position j - 1, and key 0 is the start
   */
  map(session, sample, map, row) {
    const result = this.instance.at.result;
    const status = this.call('nx_session_map', session, sample, map, row, this.ids, this.floatsAt, result);
    checkStatus(status, 'Reading the attention weights');
    const count = this.instance.word(result);
    return { keys: this.instance.words(this.ids, count), weights: this.instance.floats(this.floatsAt, count) };
  }

  /**
   * Returns the hidden states of a layer at the last computed position. The session must have one sample and keep hidden states.
   *
   * @param {Session} session
   * @param {number} layer
   */
  hidden(session, layer) {
    checkStatus(this.call('nx_session_hidden', session, 0, layer, this.floatsAt), 'Reading the hidden states');
    return this.instance.floats(this.floatsAt, session.part.hiddenWidth);
  }

  /**
   * @param {number} count    positions
   * @param {Session} session
   */
  #checkSlice(count, { samples, part }) {
    if (count > this.sliceLimit(samples, part)) throw new RangeError(`${count} positions of ${samples} samples are too many`);
  }
}
