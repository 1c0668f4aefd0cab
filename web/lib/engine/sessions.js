// SPDX-License-Identifier: MIT
// @ts-check

/** The runs of one model in one instance: the sessions of include/nextpixel.h, whose statuses become errors here. */

import { CANDIDATE_WORDS, NX_MAX_SAMPLES, NX_MORE, NX_MOST_BIAS, NX_NONE, NX_PORTS } from './abi.js';
import { NextPixelError, argumentError } from '../base/error.js';
import { describePart } from './describe.js';
import { FIELDS } from './fields.js';
import { writeStruct } from './layout.js';
import { partOf } from './part-of.js';
import { checkStatus, statusError } from './status-error.js';

/** @import { Instance } from './instance.js' */
/** @import { Inputs, Part, Settings } from './protocol.js' */

/** The most ids that one call takes or draws: positions times samples times the ids of a position. */
const SLICE_IDS = 8192;

/** The smallest file for which drafts from the text pay: the size of a second-level cache. */
const LOOK_UP_BYTES = 8e6;

/**
 * A run in the wasm memory, from openSession to closeSession.
 *
 * @typedef {{ address: number, pointer: number, bytes: number, samples: number, part: Part, counts: number[], length: number }} Session
 *   length: capacity in positions
 */

/** @param {number[]} numbers */
const product = (numbers) => numbers.reduce((all, one) => all * one, 1);

export class Sessions {
  #instance;
  #model;
  /** Buffers for ids and the same number of floats. */
  #ids;
  #floatsAt;
  #room;

  /** @type {Part[]} */
  parts;
  /** The part that draws: the first one that has a sequence. @type {Part} */
  part;
  /** Size of the weight file. @type {number} */
  fileBytes;

  /**
   * @param {Instance} instance
   * @param {number} model      its address
   * @param {number} fileBytes
   */
  constructor(instance, model, fileBytes) {
    this.#instance = instance;
    this.#model = model;
    this.parts = Array.from({ length: instance.call('nx_model_parts', model) >>> 0 }, (_, index) => describePart(instance, model, index));
    this.part = partOf(this.parts);
    this.fileBytes = fileBytes;
    this.#room = Math.max(
      SLICE_IDS,
      ...this.parts.flatMap(({ outputs, span, maps, hiddenWidth }) => [
        outputs,
        hiddenWidth,
        NX_MAX_SAMPLES * span,
        ...maps.map(({ keys }) => keys),
      ]),
    );
    this.#ids = instance.take(4 * this.#room);
    this.#floatsAt = instance.take(4 * this.#room);
  }

  /**
   * The most positions of each sample that one call may take or draw.
   *
   * @param {number} samples
   * @param {Part} [part]
   */
  sliceLimit(samples, { span } = this.part) {
    return Math.floor(this.#room / (samples * span));
  }

  /**
   * @param {Settings} settings
   * @param {{ part?: number, maps?: boolean, hidden?: boolean, length?: number, inputs?: Inputs, keyBits?: number, masked?: boolean }} [options]  part:
   *   which one runs, by default the one that draws; maps, hidden: keep the maps or the hidden states of the last position; length: the
   *   maximum number of positions of this run, up to those of the part; 0: the part's own. A shorter run takes less memory. inputs: those
   *   that input() will give, for their lengths.
   *   keyBits: of the cached keys, 8 or 16; 0: the model's own. masked: mask() will be called
   * @returns {Session}
   */
  openSession(
    settings,
    { part: index = this.part.index, maps = false, hidden = false, length = 0, inputs = {}, keyBits = 0, masked = false } = {},
  ) {
    const part = this.parts[index];
    if (!part) throw argumentError(`The model has no part ${index}`);
    const at = this.#writeSettings(settings, maps, masked ? part.values : 0, hidden);
    const shape = this.#instance.at.shape;
    const { logitBias = [] } = settings;
    // Items of each input: rows of its other dimensions.
    const counts = part.inputs.map(({ name, dims: [most, ...each] }) =>
      name in inputs ? Math.floor(inputs[name].length / product(each)) : most,
    );
    const ports = part.inputs.map(({ name, anyLength }, i) => (anyLength && name in inputs ? counts[i] : 0));
    writeStruct(this.#instance.view, shape, 'nx_shape', {
      length,
      key_bits: keyBits,
      ...Object.fromEntries(Array.from({ length: NX_PORTS }, (_, i) => [`counts[${i}]`, ports[i] ?? 0])),
    });
    const result = this.#instance.at.result;
    const { samples } = settings;
    const positions = length || part.length;
    const size = this.#instance.call('nx_session_size', this.#model, index, at, shape, result);
    if (size < 0) throw runError(size, part, samples, positions);
    const bytes = this.#instance.word(result);
    const address = this.#instance.take(bytes);
    try {
      const status = this.#instance.call('nx_session_open', address, bytes, this.#model, index, at, shape, result);
      if (status < 0) throw runError(status, part, samples, positions);
      const session = { address, pointer: this.#instance.word(result), bytes, samples, part, counts, length: positions };
      if (logitBias.length) this.bias(session, logitBias);
      return session;
    } catch (error) {
      this.#instance.heap.free(address);
      throw error;
    }
  }

  /**
   * Extends a run of a part that grows.
   *
   * @param {Session} session
   * @param {number} length  more than before
   */
  growSession(session, length) {
    const { part, samples, pointer } = session;
    const result = this.#instance.at.result;
    const size = this.#instance.call('nx_session_grown_size', this.#model, pointer, length, result);
    if (size < 0) throw runError(size, part, samples, length);
    const bytes = this.#instance.word(result);
    const address = this.#instance.take(bytes);
    const status = this.#instance.call('nx_session_grow', address, bytes, this.#model, pointer, length, result);
    if (status < 0) {
      this.#instance.heap.free(address);
      throw runError(status, part, samples, length);
    }
    this.#instance.heap.free(session.address);
    Object.assign(session, { address, pointer: this.#instance.word(result), bytes, length });
  }

  /**
   * Rewinds a run to one of its positions and continues from there, with other settings; samples, origin, maps and the number of biases
   * must be those it was opened with.
   *
   * @param {Session} session
   * @param {number} position
   * @param {Settings} settings
   * @param {boolean} [maps]
   */
  rewind(session, position, settings, maps = false) {
    checkStatus(this.#instance.call('nx_session_rewind', this.#model, session.pointer, position), 'Resuming a run');
    checkStatus(
      this.#instance.call('nx_session_retune', this.#model, session.pointer, this.#writeSettings(settings, maps)),
      'Resuming a run',
    );
    if (settings.logitBias?.length) this.bias(session, settings.logitBias);
  }

  /**
   * Switches speculative decoding on or off, unless a pass is unfinished.
   *
   * @param {Session} session  neither maps nor biases
   * @param {Settings} settings
   * @param {boolean} lookAhead
   * @returns {boolean} false: nothing changed
   */
  lookAhead(session, settings, lookAhead) {
    return (
      this.#instance.call('nx_session_retune', this.#model, session.pointer, this.#writeSettings({ ...settings, lookAhead }, false)) === 0
    );
  }

  /**
   * Opens a run at one of the positions of another one, which does not change.
   *
   * @param {Session} from  of one sample
   * @param {number} position
   * @param {Settings} settings
   * @param {{ part?: number, maps?: boolean, keyBits?: number }} options  as openSession() takes them
   * @returns {Session}
   */
  branch(from, position, settings, options) {
    const session = this.openSession(settings, { ...options, length: from.length });
    try {
      checkStatus(this.#instance.call('nx_session_branch', this.#model, session.pointer, from.pointer, 0, position), 'Resuming a run');
      checkStatus(this.#instance.call('nx_session_rewind', this.#model, session.pointer, position), 'Resuming a run');
    } catch (error) {
      this.closeSession(session);
      throw error;
    }
    return session;
  }

  /** A copy of the bytes of a run. @param {Session} session */
  bytesOf({ address, bytes }) {
    return this.#instance.bytes.slice(address, address + bytes);
  }

  /**
   * A run of one sample of the drawing part, from bytes of unknown origin: rewind() or branch() continues it, and checks the rest.
   *
   * @param {Uint8Array} saved
   * @param {number} length  capacity in positions
   * @returns {Session | undefined}  undefined: it cannot continue here
   */
  restore(saved, length) {
    const { part } = this;
    const bytes = saved.length;
    const pointer = this.#instance.take(bytes);
    this.#instance.bytes.set(saved, pointer);
    if (this.#instance.call('nx_session_check', this.#model, pointer, bytes) === 0)
      return { address: pointer, pointer, bytes, samples: 1, part, counts: [], length };
    this.#instance.heap.free(pointer);
    return undefined;
  }

  /**
   * @param {Settings} settings
   * @param {boolean} maps
   * @param {number} [masked]  ids that a mask covers
   * @param {boolean} [hidden]
   * @returns {number} their address
   */
  #writeSettings(settings, maps, masked = 0, hidden = false) {
    const at = this.#instance.at.struct;
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
    writeStruct(this.#instance.view, at, 'nx_settings', fields);
    return at;
  }

  /**
   * Adds these biases to the logits of their ids from now on; at most as many as the session was opened with.
   *
   * @param {Session} session
   * @param {[number, number][]} biases
   */
  bias(session, biases) {
    this.#bias(
      session,
      Uint32Array.from(biases, ([id]) => id),
      Float32Array.from(biases, ([, bias]) => bias),
    );
  }

  /**
   * From now on allows an id only if its bit is 1; none: all are allowed.
   *
   * @param {Session} session  opened with capacity to bias every id
   * @param {Uint32Array | undefined} allowed  bit id % 32 of word id / 32
   * @param {[number, number][]} biases  a value to add
   */
  mask(session, allowed, biases) {
    const { values } = session.part;
    const ids = new Uint32Array(biases.length + values);
    const numbers = new Float32Array(ids.length);
    let count = 0;
    const add = (/** @type {number} */ id, /** @type {number} */ bias) => {
      ids[count] = id;
      numbers[count++] = bias;
    };
    for (const [id, bias] of biases) add(id, bias);
    for (let id = 0; allowed && id < values; id++) {
      if (!((allowed[id >>> 5] >>> (id & 31)) & 1)) add(id, -NX_MOST_BIAS);
    }
    this.#bias(session, ids.subarray(0, count), numbers.subarray(0, count));
  }

  /** @param {Session} session  @param {Uint32Array} ids  @param {Float32Array} numbers  one for each */
  #bias(session, ids, numbers) {
    const count = ids.length;
    const address = this.#instance.take(8 * count);
    try {
      new Uint32Array(this.#instance.memory.buffer, address, count).set(ids);
      new Float32Array(this.#instance.memory.buffer, address + 4 * count, count).set(numbers);
      const status = this.#instance.call('nx_session_bias', this.#model, session.pointer, address, address + 4 * count, count);
      checkStatus(status, 'Reading the logit biases');
    } finally {
      this.#instance.heap.free(address);
    }
  }

  /**
   * @param {Session} session  dead afterwards
   */
  closeSession(session) {
    this.#instance.heap.free(session.address);
  }

  /**
   * Sets one of a run's inputs, before anything else.
   *
   * @param {Session} session
   * @param {string} name
   * @param {Uint32Array} ids
   */
  input(session, name, ids) {
    const port = session.part.inputs.findIndex((input) => input.name === name);
    const address = this.#instance.take(4 * ids.length);
    try {
      new Uint32Array(this.#instance.memory.buffer, address, ids.length).set(ids);
      const status = this.#instance.call('nx_session_input', this.#model, session.pointer, port, address, ids.length);
      checkStatus(status, `Reading the input '${name}'`);
    } finally {
      this.#instance.heap.free(address);
    }
  }

  /**
   * Encodes a chunk of the inputs.
   *
   * @param {Session} session
   * @returns {boolean} there is more to encode
   */
  encode(session) {
    const status = this.#instance.call('nx_session_encode', this.#model, session.pointer);
    checkStatus(status, 'Reading the inputs');
    return status === NX_MORE;
  }

  /**
   * Values of a result: for one that grows, those ready so far; for others once everything is encoded.
   *
   * @param {Session} session
   * @param {string} name
   * @param {number} from   the first of them
   * @param {number} count  at most 8192
   * @returns {Uint32Array<ArrayBuffer> | Float32Array<ArrayBuffer>}
   */
  result(session, name, from, count) {
    const index = this.#resultIndex(session, name);
    const status = this.#instance.call('nx_session_result', this.#model, session.pointer, index, from, count, this.#ids);
    checkStatus(status, `Reading the result '${name}'`);
    return session.part.results[index].values > 0 ? this.#instance.words(this.#ids, count) : this.#instance.floats(this.#ids, count);
  }

  /**
   * The number of values of a result that are ready; all of them once everything is encoded.
   *
   * @param {Session} session
   * @param {string} name
   */
  resultLength(session, name) {
    const at = this.#instance.at.result;
    const status = this.#instance.call('nx_session_result_count', this.#model, session.pointer, this.#resultIndex(session, name), at);
    checkStatus(status, `Reading the result '${name}'`);
    return this.#instance.word(at);
  }

  /** @param {Session} session @param {string} name */
  #resultIndex({ part }, name) {
    const index = part.results.findIndex((result) => result.name === name);
    if (index < 0) throw argumentError(`This part of the model leaves no result '${name}'`);
    return index;
  }

  /**
   * Feeds known ids.
   *
   * @param {Session} session
   * @param {Uint32Array} ids   (count, span), at most sliceLimit(samples) positions; with `each` (count, samples, span)
   * @param {boolean} wantNats
   * @param {boolean} [each]    every sample has its own ids; otherwise all share them
   * @returns {Float32Array<ArrayBuffer>} (count, samples, span), or empty
   */
  put(session, ids, wantNats, each = false) {
    const { samples, pointer, part } = session;
    const { span } = part;
    const width = each ? samples * span : span;
    const count = ids.length / width;
    this.#checkSlice(count, session);
    new Uint32Array(this.#instance.memory.buffer, this.#ids, ids.length).set(ids);
    const first = this.position(session);
    for (let done = 0, status = NX_MORE; status === NX_MORE; done = this.position(session) - first) {
      const nats = wantNats ? this.#floatsAt + 4 * done * samples * span : 0;
      status = this.#instance.call('nx_session_put', this.#model, pointer, this.#ids + 4 * done * width, count - done, Number(each), nats);
      checkStatus(status, 'Reading the known ids');
    }
    return this.#instance.floats(this.#floatsAt, wantNats ? count * samples * span : 0);
  }

  /**
   * Draws the next positions of every sample.
   *
   * @param {Session} session
   * @param {number} steps  at most sliceLimit(session.samples)
   * @returns {{ ids: Uint32Array<ArrayBuffer>, nats: Float32Array<ArrayBuffer>, ahead: Uint8Array<ArrayBuffer>, ended: boolean }}
   *   ids and nats (drawn, samples, span), ahead (drawn): see StepMessage. Fewer than `steps` are drawn when all samples have `ended`, and
   *   possibly none if a position takes long
   */
  draw(session, steps) {
    this.#checkSlice(steps, session);
    const result = this.#instance.at.result;
    const status = this.#instance.call('nx_session_draw', this.#model, session.pointer, steps, this.#ids, this.#floatsAt, result);
    if (status < 0) throw statusError(status, `Drawing position ${this.position(session)}`);
    const drawn = this.#instance.word(result);
    const count = drawn * session.samples * session.part.span;
    const ids = this.#instance.words(this.#ids, count);
    this.#instance.call('nx_session_ahead', this.#model, session.pointer, this.position(session) - drawn, drawn, this.#ids);
    const ahead = this.#instance.bytes.slice(this.#ids, this.#ids + drawn);
    return { ids, nats: this.#instance.floats(this.#floatsAt, count), ahead, ended: status !== NX_MORE && drawn < steps };
  }

  /**
   * Each sample becomes a copy of another one.
   *
   * @param {Session} session
   * @param {Uint32Array} parents  (samples)
   */
  resample(session, parents) {
    new Uint32Array(this.#instance.memory.buffer, this.#ids, parents.length).set(parents);
    const status = this.#instance.call('nx_session_resample', this.#model, session.pointer, this.#ids);
    checkStatus(status, 'Drawing');
  }

  /**
   * The most probable ids of the next position, of the model's own distribution, without drawing any. The draw that follows uses the
   * computed values.
   *
   * @param {Session} session
   * @param {number} k
   * @returns {{ ids: Uint32Array<ArrayBuffer>, nats: Float32Array<ArrayBuffer> }} (samples, k), the most probable first
   */
  top(session, k) {
    const count = k * session.samples;
    if (count > this.#room) throw new RangeError(`${k} ids of ${session.samples} samples are too many`);
    let status = NX_MORE;
    while (status === NX_MORE) status = this.#instance.call('nx_session_top', this.#model, session.pointer, k, this.#ids, this.#floatsAt);
    if (status < 0) throw statusError(status, `Looking at position ${this.position(session)}`);
    return { ids: this.#instance.words(this.#ids, count), nats: this.#instance.floats(this.#floatsAt, count) };
  }

  /**
   * The model's own distributions of the last drawn position: for each sample and each of its ids, zeros if the sample had already ended.
   *
   * @param {Session} session
   * @param {Uint32Array} ids  (samples, span), those of the position
   * @returns {Float32Array<ArrayBuffer>} (samples, span, values)
   */
  probabilities(session, ids) {
    const {
      samples,
      pointer,
      part: { span, values },
    } = session;
    const all = new Float32Array(samples * span * values);
    const address = this.#instance.take(4 * values);
    try {
      for (let i = 0; i < ids.length; i++) {
        if (ids[i] === NX_NONE) continue;
        checkStatus(
          this.#instance.call('nx_session_probabilities', this.#model, pointer, Math.floor(i / span), i % span, address),
          'Reading the probabilities',
        );
        all.set(this.#instance.floats(address, values), i * values);
      }
    } finally {
      this.#instance.heap.free(address);
    }
    return all;
  }

  /**
   * A step of a beam search, whose beams are the samples.
   *
   * @param {Session} session
   * @param {number} alpha  of the length penalty
   * @returns {ReturnType<Sessions['draw']>} ids: the candidates as nx_candidate in memory, five words each; ended: that was the last step
   */
  search(session, alpha) {
    const result = this.#instance.at.result;
    let status = NX_MORE;
    while (status === NX_MORE)
      status = this.#instance.call('nx_session_search', this.#model, session.pointer, alpha, this.#ids, result, result + 4);
    if (status < 0) throw statusError(status, `Searching position ${this.position(session)}`);
    const ids = this.#instance.words(this.#ids, CANDIDATE_WORDS * this.#instance.word(result));
    return { ids, nats: new Float32Array(0), ahead: new Uint8Array(1), ended: this.#instance.word(result + 4) === 1 };
  }

  /**
   * @param {Session} session
   * @returns {number} positions known or drawn so far
   */
  position(session) {
    return this.#instance.call('nx_session_position', session.pointer) >>> 0;
  }

  /**
   * One row of a map of the last computed position, for a session that keeps maps.
   *
   * @param {Session} session
   * @param {number} sample
   * @param {number} map
   * @param {number} row
   * @returns {{ keys: Uint32Array<ArrayBuffer>, weights: Float32Array<ArrayBuffer> }} keys: its attention. In a map of the past the input
   *   is shifted by one: key j is the item at position j - 1, key 0 the start
   */
  map(session, sample, map, row) {
    const result = this.#instance.at.result;
    const { pointer } = session;
    const status = this.#instance.call('nx_session_map', this.#model, pointer, sample, map, row, this.#ids, this.#floatsAt, result);
    checkStatus(status, 'Reading the attention weights');
    const count = this.#instance.word(result);
    return { keys: this.#instance.words(this.#ids, count), weights: this.#instance.floats(this.#floatsAt, count) };
  }

  /**
   * The hidden states of a layer at the last computed position, for a session of one sample that keeps them.
   *
   * @param {Session} session
   * @param {number} layer
   */
  hidden({ pointer, part }, layer) {
    checkStatus(this.#instance.call('nx_session_hidden', this.#model, pointer, 0, layer, this.#floatsAt), 'Reading the hidden states');
    return this.#instance.floats(this.#floatsAt, part.hiddenWidth);
  }

  /**
   * @param {number} count    positions
   * @param {Session} session
   */
  #checkSlice(count, { samples, part }) {
    if (count > this.sliceLimit(samples, part)) throw new RangeError(`${count} positions of ${samples} samples are too many`);
  }
}

/**
 * The error of a run that cannot be opened or extended.
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
