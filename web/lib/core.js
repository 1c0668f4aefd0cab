// SPDX-License-Identifier: MIT
// @ts-check

/**
 * One WebAssembly instance with one model: the only caller of include/nextpixel.h, the owner of its memory, and the
 * place where a status becomes an error. No DOM, no worker: Node's tests use it directly.
 *
 *     0            __heap_base
 *     | stack, data | scratch | model | session | session | ...   while opening, the file's bytes stand above the model
 *
 * Memory grows when a model or a session is opened, never while one computes, and never shrinks. Views of it are taken
 * afresh for each use, since growing it detaches the old ones. A trap leaves an instance in an unknown state: it is
 * `poisoned`, every later call throws, and its owner starts another one.
 */

import { NextPixelError, statusError } from './error.js';
import { Heap } from './heap.js';
import { readProblem, readStruct, writeStruct } from './layout.js';
import { describe } from './metadata.js';
import { ABI_VERSION } from './protocol.js';
import { looksLike } from './sniff.js';

/** @import { ModelInfo, Settings } from './protocol.js' */

/** NX_ALIGN. */
const ALIGN = 16;
const PAGE = 65536;

/** The most values that one call takes or draws: positions times samples times the values of a position. */
const SLICE_VALUES = 8192;

/** look_ahead of nx_settings: what the header recommends. */
const LOOK_AHEAD = 8;

// The scratch block: a struct or a result pointer, a problem, values in, values or nats out.
const AT_STRUCT = 0;
const AT_PROBLEM = 112; // after the largest struct, nx_info
const AT_VALUES = 256;
const AT_NATS = AT_VALUES + SLICE_VALUES;
const SCRATCH_BYTES = AT_NATS + 4 * SLICE_VALUES;

/**
 * A run in the wasm memory, from openSession to closeSession.
 *
 * @typedef {{ address: number, pointer: number, samples: number }} Session
 */

export class Core {
  /** @type {Record<string, (...values: number[]) => number>} */
  #exports;
  /** @type {WebAssembly.Memory} */
  #memory;
  /** @type {Heap} */
  #heap;
  /** Addresses. */
  #scratch = 0;
  #model = 0;
  /** The fields of nx_info. @type {Record<string, number>} */
  #fields = {};

  /** A trap happened: nothing in this instance can be trusted. */
  poisoned = false;
  /** @type {ModelInfo} */
  info;
  /** The place of each position in raster order. @type {Uint32Array<ArrayBuffer>} */
  order;

  /**
   * @param {WebAssembly.Module} module
   * @param {Uint8Array} file  the bytes of a weight file; not needed afterwards
   */
  constructor(module, file) {
    /** @type {any} */
    let exports;
    try {
      exports = new WebAssembly.Instance(module, {}).exports;
    } catch (cause) {
      throw new NextPixelError('wasm', `Cannot start nextpixel.wasm (${cause}): close other pages, or check that the file ` +
        'and the library are of one version', { cause });
    }
    if (typeof exports.nx_abi_version !== 'function') {
      throw new NextPixelError('wasm', 'The WebAssembly module is not nextpixel.wasm: it has no nx_abi_version');
    }
    this.#exports = exports;
    this.#memory = exports.memory;
    const version = this.#call('nx_abi_version');
    if (version !== ABI_VERSION) {
      throw new NextPixelError('wasm', `nextpixel.wasm has ABI version ${version}, this library needs ${ABI_VERSION}: ` +
        'install both from one release');
    }
    this.#heap = new Heap(exports.__heap_base.value >>> 0, ALIGN);
    this.#scratch = this.#take(SCRATCH_BYTES);
    this.#openModel(file);
    this.#call('nx_model_info', this.#model, this.#scratch + AT_STRUCT);
    this.#fields = readStruct(this.#view(), this.#scratch + AT_STRUCT, 'nx_info');
    this.info = describe(this.#fields, this.#metadata(), this.#palette(), file.length);
    this.order = this.#order();
  }

  /** Steps in a complete image. */
  get positions() {
    return this.#fields.positions;
  }

  /** Values of a position: E of the header. */
  get positionValues() {
    return this.#fields.position_elements;
  }

  /** Bytes of the whole memory. */
  get memoryBytes() {
    return this.#memory.buffer.byteLength;
  }

  /** Number of sessions open. */
  get sessions() {
    return this.#heap.count - 2; // scratch and model
  }

  /**
   * The most positions of each sample that one call may take or draw.
   *
   * @param {number} samples
   */
  sliceLimit(samples) {
    return Math.floor(SLICE_VALUES / (samples * this.positionValues));
  }

  /**
   * @param {Settings} settings
   * @param {{ trace?: boolean }} [options]  keep the attention weights of the last position
   * @returns {Session}
   */
  openSession(settings, { trace = false } = {}) {
    const at = this.#scratch + AT_STRUCT;
    const write = () => writeStruct(this.#view(), at, 'nx_settings', {
      seed_low: Number(settings.seed & 0xffffffffn), seed_high: Number(settings.seed >> 32n),
      samples: settings.samples, first_sample: settings.first ?? 0, label: settings.label,
      temperature: settings.temperature, top_k: settings.topK, top_p: settings.topP, trace: trace ? 1 : 0,
      look_ahead: settings.lookAhead ? LOOK_AHEAD : 0,
    });
    write();
    const sized = this.#call('nx_session_size', this.#model, at, this.#scratch + AT_VALUES);
    if (sized < 0) throw statusError(sized, 'Starting a run');
    const bytes = this.#word(this.#scratch + AT_VALUES);
    const address = this.#take(bytes);
    const opened = this.#call('nx_session_open', address, bytes, this.#model, at, this.#scratch + AT_VALUES);
    if (opened < 0) {
      this.#heap.free(address);
      throw statusError(opened, 'Starting a run');
    }
    return { address, pointer: this.#word(this.#scratch + AT_VALUES), samples: settings.samples };
  }

  /**
   * @param {Session} session  dead afterwards
   */
  closeSession(session) {
    this.#heap.free(session.address);
  }

  /**
   * Reads the image that the run is conditioned on, before anything else.
   *
   * @param {Session} session
   * @param {Uint8Array} values  (input height, input width, channels) 8-bit
   */
  condition(session, values) {
    const address = this.#take(values.length);
    try {
      this.#bytes().set(values, address);
      const status = this.#call('nx_session_condition', this.#model, session.pointer, address, values.length);
      if (status < 0) throw statusError(status, 'Reading the small picture');
    } finally {
      this.#heap.free(address);
    }
  }

  /**
   * Feeds known positions, the same to every sample.
   *
   * @param {Session} session
   * @param {Uint8Array} values   (count, positionValues) 8-bit, at most sliceLimit(1) positions
   * @param {boolean} wantNats
   * @returns {Float32Array<ArrayBuffer>} (count, positionValues), or empty
   */
  prefill(session, values, wantNats) {
    const count = values.length / this.positionValues;
    const { bytes, floats } = this.#slice(count, 1);
    this.#bytes().set(values, bytes);
    const status = this.#call('nx_session_prefill', this.#model, session.pointer, bytes, count, wantNats ? floats : 0);
    if (status < 0) throw statusError(status, 'Reading the known pixels');
    return this.#floats(floats, wantNats ? values.length : 0);
  }

  /**
   * Draws the next positions of every sample.
   *
   * @param {Session} session
   * @param {number} steps  at most sliceLimit(session.samples)
   * @returns {{ values: Uint8Array<ArrayBuffer>, nats: Float32Array<ArrayBuffer>, ahead: Uint8Array<ArrayBuffer> }}
   *   values and nats (steps, samples, positionValues), ahead (steps): see StepMessage
   */
  step(session, steps) {
    const count = steps * session.samples * this.positionValues;
    const { bytes, floats } = this.#slice(steps, session.samples);
    const status = this.#call('nx_session_step', this.#model, session.pointer, steps, bytes, floats);
    if (status < 0) throw statusError(status, `Drawing position ${this.position(session)}`);
    const values = this.#bytes().slice(bytes, bytes + count);
    this.#call('nx_session_ahead', this.#model, session.pointer, this.position(session) - steps, steps, bytes);
    return { values, nats: this.#floats(floats, count), ahead: this.#bytes().slice(bytes, bytes + steps) };
  }

  /**
   * @param {Session} session
   * @returns {number} positions known or drawn so far
   */
  position(session) {
    return this.#call('nx_session_position', session.pointer) >>> 0;
  }

  /**
   * What the output layer gave for the last position computed with it: the logits of a categorical distribution, the
   * parameters of another one.
   *
   * @param {Session} session
   * @param {number} sample
   * @returns {Float32Array<ArrayBuffer>}
   */
  output(session, sample) {
    const status = this.#call('nx_session_output', this.#model, session.pointer, sample, this.#scratch + AT_NATS);
    if (status < 0) throw statusError(status, 'Reading the output layer');
    return this.#floats(this.#scratch + AT_NATS, this.#fields.outputs);
  }

  /**
   * The attention weights of the last position computed, of a session with trace.
   *
   * @param {Session} session
   * @param {number} sample
   * @returns {{ keys: Uint32Array<ArrayBuffer>, weights: Float32Array<ArrayBuffer> }} keys: the positions that it saw.
   *   The input is shifted by one: key j holds what stands at position j - 1, key 0 the start. weights (blocks, heads,
   *   keys)
   */
  attention(session, sample) {
    const { blocks, heads, window } = this.#fields;
    const address = this.#take(4 * window * (1 + blocks * heads));
    try {
      const result = this.#scratch + AT_STRUCT;
      const weights = address + 4 * window;
      const { pointer } = session;
      const status = this.#call('nx_session_attention', this.#model, pointer, sample, weights, address, result);
      if (status < 0) throw statusError(status, 'Reading the attention weights');
      const count = this.#word(result);
      return { keys: this.#words(address, count), weights: this.#floats(weights, blocks * heads * count) };
    } finally {
      this.#heap.free(address);
    }
  }

  /**
   * @param {Uint8Array} file
   */
  #openModel(file) {
    const problem = this.#scratch + AT_PROBLEM;
    const result = this.#scratch + AT_STRUCT;
    /** @param {number} status */
    const check = (status) => {
      if (status >= 0) return;
      const error = statusError(status, 'Opening the weight file', readProblem(this.#bytes(), problem));
      const hint = error.code === 'format' ? looksLike(file) : '';
      throw hint ? new NextPixelError(error.code, `${error.message} ${hint}`, { status }) : error;
    };
    // How large the model will be is known when the file has been read, so the file moves up to make room below it.
    const first = this.#take(file.length);
    this.#bytes().set(file, first);
    check(this.#call('nx_model_size', first, file.length, result, problem));
    const modelBytes = this.#word(result);
    this.#heap.free(first);
    const model = this.#take(modelBytes);
    const above = this.#take(file.length);
    this.#bytes().copyWithin(above, first, first + file.length);
    check(this.#call('nx_model_open', model, modelBytes, above, file.length, result, problem));
    this.#heap.free(above);
    this.#model = this.#word(result);
  }

  #order() {
    const { positions } = this.#fields;
    const address = this.#take(4 * positions);
    this.#call('nx_model_order', this.#model, address);
    const order = this.#words(address, positions);
    this.#heap.free(address);
    return order;
  }

  #palette() {
    if (!this.#fields.palette) return null;
    const at = this.#scratch + AT_VALUES;
    this.#call('nx_model_palette', this.#model, at);
    return this.#bytes().slice(at, at + 3 * this.#fields.levels);
  }

  #metadata() {
    const at = this.#scratch + AT_STRUCT;
    const count = this.#call('nx_model_metadata_count', this.#model) >>> 0;
    const entries = [];
    for (let i = 0; i < count; i++) {
      const status = this.#call('nx_model_metadata', this.#model, i, at);
      if (status < 0) throw statusError(status, 'Reading the metadata');
      const entry = readStruct(this.#view(), at, 'nx_metadata');
      const memory = this.#bytes();
      entries.push({
        key: new TextDecoder().decode(memory.slice(entry.key, entry.key + entry.key_bytes)),
        type: entry.type,
        itemType: entry.item_type,
        count: entry.count,
        value: memory.slice(entry.value, entry.value + entry.value_bytes),
      });
    }
    return entries;
  }

  /**
   * Takes a block and sees to it that memory reaches as far.
   *
   * @param {number} bytes
   */
  #take(bytes) {
    const address = this.#heap.take(bytes);
    const missing = address + bytes - this.memoryBytes;
    if (missing > 0) {
      try {
        this.#memory.grow(Math.ceil(missing / PAGE));
      } catch (cause) {
        this.#heap.free(address);
        const size = (missing / 1e6).toFixed(1);
        throw new NextPixelError('memory', `Not enough memory: ${size} MB more are needed. Use fewer samples or a smaller ` +
          'model, or close models that are no longer needed', { cause });
      }
    }
    return address;
  }

  /**
   * Scratch space for the values of (count, samples) positions and as many floats.
   *
   * @param {number} count
   * @param {number} samples
   */
  #slice(count, samples) {
    if (count > this.sliceLimit(samples)) throw new RangeError(`${count} positions of ${samples} samples are too many`);
    return { bytes: this.#scratch + AT_VALUES, floats: this.#scratch + AT_NATS };
  }

  /**
   * Calls an exported function. Whatever is thrown out of WebAssembly, a trap or a stack overflow, poisons the
   * instance.
   *
   * @param {string} name
   * @param {number[]} values
   */
  #call(name, ...values) {
    if (this.poisoned) throw new NextPixelError('trap', 'The engine stopped unexpectedly before: start again');
    try {
      return this.#exports[name](...values);
    } catch (cause) {
      this.poisoned = true;
      throw new NextPixelError('trap', `The engine stopped unexpectedly in ${name} (${cause}). Start again; if it happens ` +
        'again, the weight file may be damaged', { cause });
    }
  }

  #bytes() {
    return new Uint8Array(this.#memory.buffer);
  }

  #view() {
    return new DataView(this.#memory.buffer);
  }

  /** @param {number} address */
  #word(address) {
    return this.#view().getUint32(address, true);
  }

  /**
   * A copy of floats in memory.
   *
   * @param {number} address
   * @param {number} count
   */
  #floats(address, count) {
    return new Float32Array(this.#memory.buffer, address, count).slice();
  }

  /**
   * A copy of 32-bit words in memory.
   *
   * @param {number} address
   * @param {number} count
   */
  #words(address, count) {
    return new Uint32Array(this.#memory.buffer, address, count).slice();
  }
}
