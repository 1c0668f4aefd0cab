// SPDX-License-Identifier: MIT
// @ts-check

/** Opens, extends, copies and closes the runs of one model, and passes their settings and biases to the engine. */

import { NX_PORTS } from './abi.js';
import { NextPixelError, argumentError } from '../base/error.js';
import { describePart } from './describe.js';
import { FIELDS } from './fields.js';
import { writeStruct } from './layout.js';
import { partOf } from './part-of.js';
import { checkStatus, statusError } from './status-error.js';

/** @import { Instance } from './instance.js' */
/** @import { Inputs, Part, Settings } from './protocol.js' */

/**
 * If a weight file has at least this size in bytes, speculative decoding may copy drafts from earlier text. The size is about that of a
 * second-level cache. With a smaller file, copied drafts do not make drawing faster.
 */
const LOOK_UP_BYTES = 8e6;

/**
 * A run in WebAssembly memory. The run exists from openSession() to closeSession().
 *
 * @typedef {{ address: number, pointer: number, bytes: number, samples: number, part: Part, counts: number[], length: number }} Session
 *   length: capacity in positions
 */

/** @param {number[]} numbers */
const product = (numbers) => numbers.reduce((all, one) => all * one, 1);

export class OpenSessions {
  /** @internal */
  instance;
  /** The address of the model in WebAssembly memory. */
  model;

  /** @type {Part[]} */
  parts;
  /** The first part that draws, or the first part if none draws. @type {Part} */
  part;
  /** Size of the weight file. @type {number} */
  fileBytes;

  /**
   * @param {Instance} instance
   * @param {number} model      the address of the model
   * @param {number} fileBytes
   */
  constructor(instance, model, fileBytes) {
    this.instance = instance;
    this.model = model;
    this.parts = Array.from({ length: instance.call('nx_model_parts', model) >>> 0 }, (_, index) => describePart(instance, model, index));
    this.part = partOf(this.parts);
    this.fileBytes = fileBytes;
  }

  /**
   * Calls a function of the engine that takes the model, a session and other values.
   *
   * @param {string} name
   * @param {{ pointer: number }} session
   * @param {number[]} values
   * @internal
   */
  call(name, { pointer }, ...values) {
    return this.instance.call(name, this.model, pointer, ...values);
  }

  /**
   * @param {Settings} settings
   * @param {{ part?: number, maps?: boolean, hidden?: boolean, length?: number, inputs?: Inputs, keyBits?: number, masked?: boolean }} [options]
   *   part: the part to run, by default the part that draws; maps, hidden: keep the maps or the hidden states of the last position; length:
   *   the maximum number of positions of this run, at most the maximum of the part; if `length` is 0, the run has as many positions as the
   *   part allows. A shorter run takes less memory. inputs: the inputs that input() will set; only their lengths are used here. keyBits:
   *   size of the values in the cached keys, 8 or 16 bits; 0: the model's default. masked: mask() will be called
   * @returns {Session}
   */
  openSession(
    settings,
    { part: index = this.part.index, maps = false, hidden = false, length = 0, inputs = {}, keyBits = 0, masked = false } = {},
  ) {
    const part = this.parts[index];
    if (!part) throw argumentError(`The model has no part ${index}`);
    const at = this.#writeSettings(settings, maps, masked ? part.values : 0, hidden);
    const shape = this.instance.at.shape;
    const { logitBias = [] } = settings;
    // Number of items of each input. The first dimension counts the items; the other dimensions are the shape of an item.
    const counts = part.inputs.map(({ name, dims: [most, ...each] }) =>
      name in inputs ? Math.floor(inputs[name].length / product(each)) : most,
    );
    const ports = part.inputs.map(({ name, anyLength }, i) => (anyLength && name in inputs ? counts[i] : 0));
    writeStruct(this.instance.view, shape, 'nx_shape', {
      length,
      key_bits: keyBits,
      ...Object.fromEntries(Array.from({ length: NX_PORTS }, (_, i) => [`counts[${i}]`, ports[i] ?? 0])),
    });
    const result = this.instance.at.result;
    const { samples } = settings;
    const positions = length || part.length;
    const size = this.instance.call('nx_session_size', this.model, index, at, shape, result);
    if (size < 0) throw runError(size, part, samples, positions);
    const bytes = this.instance.word(result);
    const address = this.instance.take(bytes);
    try {
      const status = this.instance.call('nx_session_open', address, bytes, this.model, index, at, shape, result);
      if (status < 0) throw runError(status, part, samples, positions);
      const session = { address, pointer: this.instance.word(result), bytes, samples, part, counts, length: positions };
      if (logitBias.length) this.bias(session, logitBias);
      return session;
    } catch (error) {
      this.instance.heap.free(address);
      throw error;
    }
  }

  /**
   * Increases the capacity of a run. `session.part.grows` must be true.
   *
   * @param {Session} session
   * @param {number} length  the new capacity in positions, larger than before
   */
  growSession(session, length) {
    const { part, samples } = session;
    const result = this.instance.at.result;
    const size = this.call('nx_session_grown_size', session, length, result);
    if (size < 0) throw runError(size, part, samples, length);
    const bytes = this.instance.word(result);
    const address = this.instance.take(bytes);
    const status = this.instance.call('nx_session_grow', address, bytes, this.model, session.pointer, length, result);
    if (status < 0) {
      this.instance.heap.free(address);
      throw runError(status, part, samples, length);
    }
    this.instance.heap.free(session.address);
    Object.assign(session, { address, pointer: this.instance.word(result), bytes, length });
  }

  /**
   * Rewinds a run to one of its positions and continues from there with other settings. Samples, origin, maps and the number of biases must
   * stay as they were when the run was opened.
   *
   * @param {Session} session
   * @param {number} position
   * @param {Settings} settings
   * @param {boolean} [maps]
   */
  rewind(session, position, settings, maps = false) {
    checkStatus(this.call('nx_session_rewind', session, position), 'Resuming a run');
    checkStatus(this.call('nx_session_retune', session, this.#writeSettings(settings, maps)), 'Resuming a run');
    if (settings.logitBias?.length) this.bias(session, settings.logitBias);
  }

  /**
   * Switches speculative decoding on or off, unless a pass is unfinished.
   *
   * @param {Session} session  a session without maps and biases
   * @param {Settings} settings
   * @param {boolean} lookAhead
   * @returns {boolean} false if nothing was changed
   */
  lookAhead(session, settings, lookAhead) {
    return this.call('nx_session_retune', session, this.#writeSettings({ ...settings, lookAhead }, false)) === 0;
  }

  /**
   * Opens a run that continues from a position of another run. The other run does not change.
   *
   * @param {Session} from  a session of one sample
   * @param {number} position
   * @param {Settings} settings
   * @param {{ part?: number, maps?: boolean, keyBits?: number }} options  as in openSession()
   * @returns {Session}
   */
  branch(from, position, settings, options) {
    const session = this.openSession(settings, { ...options, length: from.length });
    try {
      checkStatus(this.call('nx_session_branch', session, from.pointer, 0, position), 'Resuming a run');
      checkStatus(this.call('nx_session_rewind', session, position), 'Resuming a run');
    } catch (error) {
      this.closeSession(session);
      throw error;
    }
    return session;
  }

  /** Returns a copy of the bytes of a run. @param {Session} session */
  bytesOf({ address, bytes }) {
    return this.instance.bytes.slice(address, address + bytes);
  }

  /**
   * Opens a run of one sample from saved bytes, which are not trusted, and checks whether the part that draws can use them. rewind() or
   * branch() then continues the run, and checks its position.
   *
   * @param {Uint8Array} saved
   * @param {number} length  capacity in positions
   * @returns {Session | undefined}  undefined if this part cannot continue the saved run
   */
  restore(saved, length) {
    const { part } = this;
    const bytes = saved.length;
    const pointer = this.instance.take(bytes);
    this.instance.bytes.set(saved, pointer);
    if (this.call('nx_session_check', { pointer }, bytes) === 0)
      return { address: pointer, pointer, bytes, samples: 1, part, counts: [], length };
    this.instance.heap.free(pointer);
    return undefined;
  }

  /**
   * @param {Settings} settings
   * @param {boolean} maps
   * @param {number} [masked]  number of ids that a mask covers
   * @param {boolean} [hidden]
   * @returns {number} the address of the nx_settings
   */
  #writeSettings(settings, maps, masked = 0, hidden = false) {
    const at = this.instance.at.struct;
    /** @type {Record<string, any>} */
    const given = { lookUp: this.fileBytes >= LOOK_UP_BYTES, ...settings };
    /** @type {Record<string, number>} */
    const fields = {
      seed_low: Number(settings.seed & 0xffffffffn),
      seed_high: Number(settings.seed >> 32n),
      maps: Number(maps),
      hidden: Number(hidden),
      biases: (settings.logitBias?.length ?? 0) + masked,
    };
    for (const [name, field, off, on] of FIELDS) {
      const value = given[name] ?? off;
      fields[field] = value === true ? on : Number(value);
    }
    writeStruct(this.instance.view, at, 'nx_settings', fields);
    return at;
  }

  /**
   * Sets biases that are added to the logits of the given ids from now on. The session must have been opened with capacity for this number
   * of biases.
   *
   * @param {Session} session
   * @param {[number, number][]} biases
   */
  bias(session, biases) {
    this.biasIds(
      session,
      Uint32Array.from(biases, ([id]) => id),
      Float32Array.from(biases, ([, bias]) => bias),
    );
  }

  /**
   * Sets biases like bias(), but takes typed arrays.
   * @param {Session} session
   * @param {Uint32Array} ids
   * @param {Float32Array} numbers  one bias for each id
   * @internal
   */
  biasIds(session, ids, numbers) {
    const count = ids.length;
    const address = this.instance.take(8 * count);
    try {
      new Uint32Array(this.instance.memory.buffer, address, count).set(ids);
      new Float32Array(this.instance.memory.buffer, address + 4 * count, count).set(numbers);
      const status = this.call('nx_session_bias', session, address, address + 4 * count, count);
      checkStatus(status, 'Reading the logit biases');
    } finally {
      this.instance.heap.free(address);
    }
  }

  /**
   * @param {Session} session  must not be used afterwards
   */
  closeSession(session) {
    this.instance.heap.free(session.address);
  }
}

/**
 * Returns the error for a run that cannot be opened or extended.
 *
 * @param {number} status
 * @param {Part} part
 * @param {number} samples
 * @param {number} length   positions
 */
function runError(status, part, samples, length) {
  const error = statusError(status, 'Starting a run');
  if (error.code !== 'limit') return error;
  const [what, advice] =
    samples > 1
      ? [`${samples} samples of this model together take`, 'draw fewer at a time']
      : part.grows
        ? [`A text of ${length} tokens takes`, 'ask for fewer with maxTokens, or use a smaller model']
        : ['A run of this model takes', 'use a smaller model'];
  return new NextPixelError('limit', `${what} more than 2 GB: ${advice}`, { status });
}
