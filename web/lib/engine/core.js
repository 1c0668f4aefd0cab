// SPDX-License-Identifier: MIT
// @ts-check

/**
 * One WebAssembly instance with one model: the only caller of include/nextpixel.h, the owner of its memory, and the
 * place where a status becomes an error. No DOM, no worker: Node's tests use it directly.
 *
 *     0            __heap_base
 *     | stack, data | scratch | session | ... | model | ids | floats | session | ...   while opening, the file's bytes stand below the model
 *
 * Memory grows when a model or a session is opened, never while one computes, and never shrinks. Views of it are taken
 * afresh for each use, since growing it detaches the old ones. A trap leaves an instance in an unknown state: it is
 * `poisoned`, every later call throws, and its owner starts another one.
 */

import {
  CANDIDATE_WORDS, NX_ABI_VERSION, NX_ALIGN, NX_E_ARGUMENT, NX_MAX_SAMPLES, NX_MORE, NX_PORTS,
} from './abi.js';
import { NextPixelError, argumentError } from '../base/error.js';
import { partOf } from '../flow.js';
import { FIELDS } from './fields.js';
import { Heap } from './heap.js';
import { readName, readProblem, readStruct, scratchAreas, writeStruct } from './layout.js';
import { metadataOf } from './metadata.js';
import { checkStatus, statusError } from './status-error.js';

/** @import { Entry, Metadata } from './metadata.js' */
/** @import { Inputs, Part, Settings } from './protocol.js' */

/** Names, in messages, the step that fails when a file is refused; sniff.js has said what the file looks like instead. */
const OPENING = 'Opening the weight file';
const PAGE = 65536;
/** As build.sh tells the linker. */
const MEMORY_PAGES = { initial: 16, maximum: 65536 };
const STACK_BYTES = 65536;

/** The most ids that one call takes or draws: positions times samples times the ids of a position. */
const SLICE_IDS = 8192;

/** The smallest file with which guesses from the text so far pay: what second-level caches hold. */
const LOOK_UP_BYTES = 8e6;

/** begin() is told so about a head that is none yet. */
const TOO_SHORT = new Error('the head is too short');

/** The least bytes of weights that go on their way together. */
const FEED_BYTES = 1 << 20;

/** The beginning of each part of the first block. */
const AREAS = scratchAreas();

/**
 * A run in the wasm memory, from openSession to closeSession.
 *
 * @typedef {{ address: number, pointer: number, bytes: number, samples: number, part: Part, counts: number[], length: number }} Session
 *   length: positions that there is room for
 */

/**
 * Weights on their way: `at` is the next byte of the file, `held` bytes of the tensor's rows from `row` on wait at `address`.
 *
 * @typedef {object} Feed
 * @property {{ index: number, offset: number, rows: number, rowBytes: number }[]} tensors
 * @property {number} tensor
 * @property {number} row
 * @property {number} held
 * @property {number} at
 * @property {number} room
 * @property {number} address
 */

/** @param {number[]} numbers */
const product = (numbers) => numbers.reduce((all, one) => all * one, 1);

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
  /** Room for ids and as many floats. */
  #ids = 0;
  #floatsAt = 0;
  #room = 0;

  /** The memory, where the build has threads. @type {WebAssembly.Memory | undefined} */
  shared;
  /** Blocks that live as long as the instance. */
  #blocks = 4; // scratch, ids, floats, model

  /** A trap happened: nothing in this instance can be trusted. */
  poisoned = false;
  /** @type {Part[]} */
  parts;
  /** The part that draws: the first one that has a sequence. @type {Part} */
  part;
  /** Without those of a vocabulary, which may be long. @type {Metadata} */
  metadata;
  /** The metadata under `tokenizer.`, for the page to read. @type {Entry[]} */
  tokenizerEntries;
  /** Size of the weight file. @type {number} */
  fileBytes;

  /** The weights that are still to come, while a file is fed. @type {Feed | undefined} */
  #feed;

  /**
   * Opens a model from the beginning of its file, without weights: feed() takes the rest, in order. So a large file never stands in
   * memory beside its model.
   *
   * @param {WebAssembly.Module} module
   * @param {Uint8Array} head    the first bytes of the file; some of the weights may be among them
   * @param {number} fileBytes   of the whole file
   * @returns {Core | 'more' | 'whole'}  'more': the head has to be longer; 'whole': this file can only be opened whole
   */
  static begin(module, head, fileBytes) {
    try {
      return new this(module, head, fileBytes);
    } catch (error) {
      if (error === TOO_SHORT) return 'more';
      if (error instanceof NextPixelError && error.status === NX_E_ARGUMENT) return 'whole';
      throw error;
    }
  }

  /**
   * @param {WebAssembly.Module} module
   * @param {Uint8Array} file     the bytes of a weight file; not needed afterwards
   * @param {number} [fileBytes]  see begin()
   */
  constructor(module, file, fileBytes) {
    /** @type {any} */
    let exports;
    try {
      // A build with threads imports its memory.
      if (WebAssembly.Module.imports(module).length > 0) this.shared = new WebAssembly.Memory({ ...MEMORY_PAGES, shared: true });
      exports = new WebAssembly.Instance(module, /** @type {any} */ ({ env: { memory: this.shared } })).exports;
    } catch (cause) {
      throw new NextPixelError('wasm', `Cannot start nextpixel.wasm (${cause}): close other pages, or check that the file ` +
        'and library are of one version', { cause });
    }
    if (typeof exports.nx_abi_version !== 'function') {
      throw new NextPixelError('wasm', 'This is not nextpixel.wasm: it has no nx_abi_version');
    }
    this.#exports = exports;
    this.#memory = this.shared ?? exports.memory;
    const version = this.#call('nx_abi_version');
    if (version !== NX_ABI_VERSION) {
      throw new NextPixelError('wasm', `nextpixel.wasm has ABI version ${version}, this library needs ${NX_ABI_VERSION}: ` +
        'install both from one release');
    }
    this.#heap = new Heap(exports.__heap_base.value >>> 0, NX_ALIGN);
    this.#scratch = this.#take(AREAS.bytes);
    if (fileBytes === undefined) this.#openModel(file);
    else this.#beginModel(file, fileBytes);
    this.parts = Array.from({ length: this.#call('nx_model_parts', this.#model) >>> 0 }, (_, index) => this.#describePart(index));
    this.part = partOf(this.parts);
    const entries = this.#metadata();
    const ofTokenizer = (/** @type {Entry} */ { key }) => key.startsWith('tokenizer.');
    this.tokenizerEntries = entries.filter(ofTokenizer);
    this.metadata = metadataOf(entries.filter((entry) => !ofTokenizer(entry)));
    this.fileBytes = fileBytes ?? file.length;
    this.#room = Math.max(SLICE_IDS, ...this.parts.flatMap(({ outputs, span, maps }) => [outputs, NX_MAX_SAMPLES * span, ...maps.map(({ keys }) => keys)]));
    this.#ids = this.#take(4 * this.#room);
    this.#floatsAt = this.#take(4 * this.#room);
    if (this.#feed) this.feed(file.subarray(this.#feed.at));
  }

  /** The next byte of the file that feed() takes; the file's size when the model is complete. */
  get fed() {
    return this.#feed?.at ?? this.fileBytes;
  }

  /**
   * Takes the bytes of the file from `fed` on.
   *
   * @param {Uint8Array} bytes
   * @returns {boolean} the model is complete
   */
  feed(bytes) {
    for (let from = 0; this.#feed && from < bytes.length;) {
      const feed = this.#feed;
      const { offset, rows, rowBytes } = feed.tensors[feed.tensor];
      if (feed.at < offset) { // padding
        const skipped = Math.min(offset - feed.at, bytes.length - from);
        feed.at += skipped;
        from += skipped;
        continue;
      }
      const wanted = Math.min(feed.room - feed.room % rowBytes, (rows - feed.row) * rowBytes) - feed.held;
      const taken = bytes.subarray(from, from + wanted);
      this.#bytes().set(taken, feed.address + feed.held);
      feed.at += taken.length;
      feed.held += taken.length;
      from += taken.length;
      if (taken.length === wanted) this.#feedRows(feed);
    }
    return !this.#feed;
  }

  /** Hands on the rows held. @param {Feed} feed */
  #feedRows(feed) {
    const problem = this.#scratch + AREAS.problem;
    const { rows, rowBytes, index } = feed.tensors[feed.tensor];
    const count = feed.held / rowBytes;
    const status = this.#call('nx_model_feed', this.#model, index, feed.row, count, feed.address, problem);
    if (status < 0) throw statusError(status, OPENING, readProblem(this.#bytes(), problem));
    feed.held = 0;
    feed.row += count;
    if (feed.row === rows) {
      feed.row = 0;
      feed.tensor++;
    }
    if (status === NX_MORE) return;
    this.#heap.free(feed.address);
    this.#feed = undefined;
  }

  /**
   * Stacks for threads.
   *
   * @param {number} count
   * @returns {number[]} their upper ends
   */
  stacks(count) {
    this.#blocks += count;
    return Array.from({ length: count }, () => this.#take(STACK_BYTES) + STACK_BYTES);
  }

  /** The engine itself, for tests of what the library does not ask of it. @internal */
  get engine() {
    /** @type {(name: string, ...values: number[]) => number} */
    const call = (...given) => this.#call(...given);
    return { call, memory: this.#memory, heap: this.#heap, model: this.#model, scratch: this.#scratch };
  }

  /** Positions of a complete sequence. */
  get positions() {
    return this.part.length;
  }

  /** Bytes of the whole memory. */
  get memoryBytes() {
    return this.#memory.buffer.byteLength;
  }

  /** Number of sessions open. */
  get sessions() {
    return this.#heap.count - this.#blocks - (this.#feed ? 1 : 0);
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
   * @param {{ part?: number, maps?: boolean, length?: number, inputs?: Inputs, keyBits?: number }} [options]  part: which one runs, by default the one that
   *   draws; maps: keep those of the last position; length: the most positions of this run, up to those of the part; 0: the
   *   part's own. A shorter run takes less memory. inputs: those that input() will give, for their lengths.
   *   keyBits: of the keys that are kept, 8 or 16; 0: as the model says
   * @returns {Session}
   */
  openSession(settings, { part: index = this.part.index, maps = false, length = 0, inputs = {}, keyBits = 0 } = {}) {
    const part = this.parts[index];
    if (!part) throw argumentError(`The model has no part ${index}`);
    const at = this.#writeSettings(settings, maps);
    const shape = this.#scratch + AREAS.shape;
    const { logitBias = [] } = settings;
    // Items of each input: rows of its other dimensions.
    const counts = part.inputs.map(({ name, dims: [most, ...each] }) => (name in inputs ? Math.floor(inputs[name].length / product(each)) : most));
    const ports = part.inputs.map(({ name, anyLength }, i) => (anyLength && name in inputs ? counts[i] : 0));
    writeStruct(this.#view(), shape, 'nx_shape', { length, key_bits: keyBits, ...Object.fromEntries(Array.from({ length: NX_PORTS }, (_, i) => [`counts[${i}]`, ports[i] ?? 0])) });
    const result = this.#scratch + AREAS.result;
    const { samples } = settings;
    const positions = length || part.length;
    const size = this.#call('nx_session_size', this.#model, index, at, shape, result);
    if (size < 0) throw runError(size, part, samples, positions);
    const bytes = this.#word(result);
    const address = this.#take(bytes);
    try {
      const status = this.#call('nx_session_open', address, bytes, this.#model, index, at, shape, result);
      if (status < 0) throw runError(status, part, samples, positions);
      const session = { address, pointer: this.#word(result), bytes, samples, part, counts, length: positions };
      if (logitBias.length) this.bias(session, logitBias);
      return session;
    } catch (error) {
      this.#heap.free(address);
      throw error;
    }
  }

  /**
   * Makes room for more positions of a run of a part that grows.
   *
   * @param {Session} session
   * @param {number} length  more than before
   */
  growSession(session, length) {
    const { part, samples, pointer } = session;
    const result = this.#scratch + AREAS.result;
    const size = this.#call('nx_session_grown_size', this.#model, pointer, length, result);
    if (size < 0) throw runError(size, part, samples, length);
    const bytes = this.#word(result);
    const address = this.#take(bytes);
    const status = this.#call('nx_session_grow', address, bytes, this.#model, pointer, length, result);
    if (status < 0) {
      this.#heap.free(address);
      throw runError(status, part, samples, length);
    }
    this.#heap.free(session.address);
    Object.assign(session, { address, pointer: this.#word(result), bytes, length });
  }

  /**
   * @param {Settings} settings
   * @param {boolean} maps
   * @returns {number} where they stand
   */
  #writeSettings(settings, maps) {
    const at = this.#scratch + AREAS.struct;
    /** @type {Record<string, any>} */
    const given = { lookUp: this.fileBytes >= LOOK_UP_BYTES, ...settings };
    /** @type {Record<string, number>} */
    const fields = {
      seed_low: Number(settings.seed & 0xffffffffn), seed_high: Number(settings.seed >> 32n), maps: maps ? 1 : 0,
      biases: settings.logitBias?.length ?? 0,
    };
    for (const [name, field, off, on] of FIELDS) {
      const value = given[name] ?? off;
      fields[field] = value === true ? on : Number(value);
    }
    writeStruct(this.#view(), at, 'nx_settings', fields);
    return at;
  }

  /**
   * From now on so much is added to the logits of these ids, at most as many as the session was opened with.
   *
   * @param {Session} session
   * @param {[number, number][]} biases
   */
  bias(session, biases) {
    const count = biases.length;
    const address = this.#take(8 * count);
    try {
      new Uint32Array(this.#memory.buffer, address, count).set(biases.map(([id]) => id));
      new Float32Array(this.#memory.buffer, address + 4 * count, count).set(biases.map(([, bias]) => bias));
      const status = this.#call('nx_session_bias', this.#model, session.pointer, address, address + 4 * count, count);
      checkStatus(status, 'Reading the logit biases');
    } finally {
      this.#heap.free(address);
    }
  }

  /**
   * @param {Session} session  dead afterwards
   */
  closeSession(session) {
    this.#heap.free(session.address);
  }

  /**
   * Gives a run one of its inputs, before anything else.
   *
   * @param {Session} session
   * @param {string} name
   * @param {Uint32Array} ids
   */
  input(session, name, ids) {
    const port = session.part.inputs.findIndex((input) => input.name === name);
    const address = this.#take(4 * ids.length);
    try {
      new Uint32Array(this.#memory.buffer, address, ids.length).set(ids);
      const status = this.#call('nx_session_input', this.#model, session.pointer, port, address, ids.length);
      checkStatus(status, `Reading the input '${name}'`);
    } finally {
      this.#heap.free(address);
    }
  }

  /**
   * A slice of what is made of the inputs.
   *
   * @param {Session} session
   * @returns {boolean} there are more
   */
  encode(session) {
    const status = this.#call('nx_session_encode', this.#model, session.pointer);
    checkStatus(status, 'Reading the inputs');
    return status === NX_MORE;
  }

  /**
   * Numbers of a result: of one that grows, as far as it is there; else once all is encoded.
   *
   * @param {Session} session
   * @param {string} name
   * @param {number} from   the first of them
   * @param {number} count  at most 8192
   * @returns {Uint32Array<ArrayBuffer> | Float32Array<ArrayBuffer>}
   */
  result(session, name, from, count) {
    const index = this.#resultIndex(session, name);
    const status = this.#call('nx_session_result', this.#model, session.pointer, index, from, count, this.#ids);
    checkStatus(status, `Reading the result '${name}'`);
    return session.part.results[index].values > 0 ? this.#words(this.#ids, count) : this.#floats(this.#ids, count);
  }

  /**
   * The number of numbers of a result that are there, which is all of them once all is encoded.
   *
   * @param {Session} session
   * @param {string} name
   */
  resultLength(session, name) {
    const at = this.#scratch + AREAS.result;
    const status = this.#call('nx_session_result_count', this.#model, session.pointer, this.#resultIndex(session, name), at);
    checkStatus(status, `Reading the result '${name}'`);
    return this.#word(at);
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
   * @param {boolean} [each]    every sample has its own; else all have the same
   * @returns {Float32Array<ArrayBuffer>} (count, samples, span), or empty
   */
  put(session, ids, wantNats, each = false) {
    const { samples, pointer, part } = session;
    const { span } = part;
    const width = each ? samples * span : span;
    const count = ids.length / width;
    this.#checkSlice(count, session);
    new Uint32Array(this.#memory.buffer, this.#ids, ids.length).set(ids);
    const first = this.position(session);
    for (let done = 0, status = NX_MORE; status === NX_MORE; done = this.position(session) - first) {
      const nats = wantNats ? this.#floatsAt + 4 * done * samples * span : 0;
      status = this.#call('nx_session_put', this.#model, pointer, this.#ids + 4 * done * width, count - done, Number(each), nats);
      checkStatus(status, 'Reading what is known');
    }
    return this.#floats(this.#floatsAt, wantNats ? count * samples * span : 0);
  }

  /**
   * Draws the next positions of every sample.
   *
   * @param {Session} session
   * @param {number} steps  at most sliceLimit(session.samples)
   * @returns {{ ids: Uint32Array<ArrayBuffer>, nats: Float32Array<ArrayBuffer>, ahead: Uint8Array<ArrayBuffer>, ended: boolean }}
   *   ids and nats (drawn, samples, span), ahead (drawn): see StepMessage. Fewer than `steps` are drawn when all samples
   *   have `ended`, and possibly none when a position takes long
   */
  draw(session, steps) {
    this.#checkSlice(steps, session);
    const result = this.#scratch + AREAS.result;
    const status = this.#call('nx_session_draw', this.#model, session.pointer, steps, this.#ids, this.#floatsAt, result);
    if (status < 0) throw statusError(status, `Drawing position ${this.position(session)}`);
    const drawn = this.#word(result);
    const count = drawn * session.samples * session.part.span;
    const ids = this.#words(this.#ids, count);
    this.#call('nx_session_ahead', this.#model, session.pointer, this.position(session) - drawn, drawn, this.#ids);
    const ahead = this.#bytes().slice(this.#ids, this.#ids + drawn);
    return { ids, nats: this.#floats(this.#floatsAt, count), ahead, ended: status !== NX_MORE && drawn < steps };
  }

  /**
   * Each sample becomes what another one is.
   *
   * @param {Session} session
   * @param {Uint32Array} parents  (samples)
   */
  resample(session, parents) {
    new Uint32Array(this.#memory.buffer, this.#ids, parents.length).set(parents);
    const status = this.#call('nx_session_resample', this.#model, session.pointer, this.#ids);
    checkStatus(status, 'Drawing');
  }

  /**
   * The most probable ids of the next position, of the model's own distribution, without drawing any. What it computed serves the
   * draw that follows.
   *
   * @param {Session} session
   * @param {number} k
   * @returns {{ ids: Uint32Array<ArrayBuffer>, nats: Float32Array<ArrayBuffer> }} (samples, k), the most probable first
   */
  top(session, k) {
    const count = k * session.samples;
    if (count > this.#room) throw new RangeError(`${k} ids of ${session.samples} samples are too many`);
    let status = NX_MORE;
    while (status === NX_MORE) status = this.#call('nx_session_top', this.#model, session.pointer, k, this.#ids, this.#floatsAt);
    if (status < 0) throw statusError(status, `Looking at position ${this.position(session)}`);
    return { ids: this.#words(this.#ids, count), nats: this.#floats(this.#floatsAt, count) };
  }

  /**
   * A step of a search by beams, which the samples are.
   *
   * @param {Session} session
   * @param {number} alpha  of the length penalty
   * @returns {ReturnType<Core['draw']>} ids: the candidates as nx_candidate lies in memory, five words each; ended: that was the last step
   */
  search(session, alpha) {
    const result = this.#scratch + AREAS.result;
    let status = NX_MORE;
    while (status === NX_MORE) status = this.#call('nx_session_search', this.#model, session.pointer, alpha, this.#ids, result, result + 4);
    if (status < 0) throw statusError(status, `Searching position ${this.position(session)}`);
    const ids = this.#words(this.#ids, CANDIDATE_WORDS * this.#word(result));
    return { ids, nats: new Float32Array(0), ahead: new Uint8Array(1), ended: this.#word(result + 4) === 1 };
  }

  /**
   * @param {Session} session
   * @returns {number} positions known or drawn so far
   */
  position(session) {
    return this.#call('nx_session_position', session.pointer) >>> 0;
  }

  /**
   * One row of a map of the last position computed, of a session that keeps them.
   *
   * @param {Session} session
   * @param {number} sample
   * @param {number} map
   * @param {number} row
   * @returns {{ keys: Uint32Array<ArrayBuffer>, weights: Float32Array<ArrayBuffer> }} keys: what it looked at. In a map of the
   *   past the input is shifted by one: key j holds what stands at position j - 1, key 0 the start
   */
  map(session, sample, map, row) {
    const result = this.#scratch + AREAS.result;
    const { pointer } = session;
    const status = this.#call('nx_session_map', this.#model, pointer, sample, map, row, this.#ids, this.#floatsAt, result);
    checkStatus(status, 'Reading the attention weights');
    const count = this.#word(result);
    return { keys: this.#words(this.#ids, count), weights: this.#floats(this.#floatsAt, count) };
  }

  /**
   * @param {Uint8Array} file
   */
  #openModel(file) {
    const problem = this.#scratch + AREAS.problem;
    const result = this.#scratch + AREAS.result;
    /** @param {number} status */
    const check = (status) => {
      if (status >= 0) return;
      throw statusError(status, OPENING, readProblem(this.#bytes(), problem));
    };
    // How large the model will be is known when the file has been read: it goes first, and runs take the room that the file leaves.
    const first = this.#take(file.length);
    this.#bytes().set(file, first);
    check(this.#call('nx_model_size', first, file.length, result, problem));
    const modelBytes = this.#word(result);
    const model = this.#take(modelBytes);
    check(this.#call('nx_model_open', model, modelBytes, first, file.length, result, problem));
    this.#heap.free(first);
    this.#model = this.#word(result);
  }

  /**
   * @param {Uint8Array} head
   * @param {number} fileBytes
   */
  #beginModel(head, fileBytes) {
    const problem = this.#scratch + AREAS.problem;
    const result = this.#scratch + AREAS.result;
    /** @param {number} status */
    const check = (status) => {
      if (status === NX_MORE) throw TOO_SHORT;
      if (status < 0) throw statusError(status, OPENING, readProblem(this.#bytes(), problem));
    };
    const first = this.#take(head.length);
    this.#bytes().set(head, first);
    check(this.#call('nx_model_head_size', first, head.length, fileBytes, result, problem));
    const modelBytes = this.#word(result);
    this.#heap.free(first);
    const model = this.#take(modelBytes);
    const above = this.#take(head.length);
    this.#bytes().set(head, above);
    check(this.#call('nx_model_begin', model, modelBytes, above, head.length, fileBytes, result, problem));
    this.#heap.free(above);
    this.#model = this.#word(result);
    const at = this.#scratch + AREAS.struct;
    const count = this.#call('nx_model_tensors', this.#model) >>> 0;
    const tensors = Array.from({ length: count }, (_, index) => {
      this.#call('nx_model_tensor', this.#model, index, at);
      const { offset, rows, row_bytes: rowBytes } = readStruct(this.#view(), at, 'nx_tensor_info');
      return { index, offset, rows, rowBytes };
    }).filter(({ rowBytes }) => rowBytes > 0);
    const room = Math.max(FEED_BYTES, ...tensors.map(({ rowBytes }) => rowBytes));
    this.#feed = { tensors, tensor: 0, row: 0, held: 0, at: tensors[0].offset, room, address: this.#take(room) };
  }

  /** @param {number} index @returns {Part} */
  #describePart(index) {
    const at = this.#scratch + AREAS.struct;
    /** @param {string} what  @param {'nx_part_info' | 'nx_port' | 'nx_result' | 'nx_map' | 'nx_table'} struct  @param {number[]} which */
    const read = (what, struct, ...which) => {
      const status = this.#call(what, this.#model, index, ...which, at);
      checkStatus(status, 'Reading what the model is');
      return readStruct(this.#view(), at, struct);
    };
    /** @template T @param {number} n  @param {(i: number) => T} one */
    const each = (n, one) => Array.from({ length: n }, (_, i) => one(i));
    /** @param {Record<string, number>} fields */
    const dimsOf = (fields) => each(4, (i) => fields[`dims[${i}]`]);
    const { values, span, outputs, length, rewinds, inputs, results, maps, tables, ends, draft, grows, noisy, name: partName, ...parameters } = read('nx_model_part', 'nx_part_info');
    return {
      index, name: this.#name(partName), values, span, outputs, length, rewinds, draft: draft === 1, grows: grows === 1, noisy: noisy === 1,
      parameters: parameters.parameters_high * 2 ** 32 + parameters.parameters_low,
      inputs: each(inputs, (i) => {
        const port = read('nx_model_port', 'nx_port', i);
        const { name, values: below, optional, any_length: any, like } = port;
        return { name: this.#name(name), values: below, dims: dimsOf(port), optional: optional === 1, anyLength: any === 1, like };
      }),
      results: each(results, (i) => {
        const result = read('nx_model_result', 'nx_result', i);
        return { name: this.#name(result.name), values: result.values, dims: dimsOf(result) };
      }),
      maps: each(maps, (i) => {
        const { name, ...map } = read('nx_model_map', 'nx_map', i);
        return /** @type {Part['maps'][number]} */ ({ ...map, name: this.#name(name) });
      }),
      tables: each(tables, (i) => {
        const { name, rows, cols, data } = read('nx_model_table', 'nx_table', i);
        return { name: this.#name(name), rows, cols, data: this.#floats(data, rows * cols) };
      }),
      ends: each(ends, (i) => {
        const status = this.#call('nx_model_end', this.#model, index, i, at);
        checkStatus(status, 'Reading what the model is');
        return this.#word(at);
      }),
    };
  }

  /** @param {number} address */
  #name(address) {
    return readName(this.#bytes(), address);
  }

  #metadata() {
    const at = this.#scratch + AREAS.struct;
    const count = this.#call('nx_model_metadata_count', this.#model) >>> 0;
    /** @type {Entry[]} */
    const entries = [];
    for (let i = 0; i < count; i++) {
      const status = this.#call('nx_model_metadata', this.#model, i, at);
      checkStatus(status, 'Reading the metadata');
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
        throw new NextPixelError('memory', `Not enough memory: ${size} MB more are needed. Use fewer samples or tokens, a smaller ` +
          'model, or close other models', { cause });
      }
    }
    return address;
  }

  /**
   * @param {number} count    positions
   * @param {Session} session
   */
  #checkSlice(count, { samples, part }) {
    if (count > this.sliceLimit(samples, part)) throw new RangeError(`${count} positions of ${samples} samples are too many`);
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

/**
 * The error of a run that cannot be opened or made longer.
 *
 * @param {number} status
 * @param {Part} part
 * @param {number} samples
 * @param {number} length   positions
 */
function runError(status, part, samples, length) {
  const error = statusError(status, 'Starting a run');
  if (error.code !== 'limit') return error;
  const [what, advice] = samples > 1 ? [`${samples} samples of this model at once take`, 'draw fewer at a time'] :
    part.grows ? [`A text of ${length} tokens takes`, 'ask for fewer with maxTokens, or use a smaller model'] : ['A run of this model takes', 'use a smaller model'];
  return new NextPixelError('limit', `${what} more than 2 GB: ${advice}`, { status });
}

/**
 * Becomes a thread of another instance, for ever.
 *
 * @param {{ module: WebAssembly.Module, memory: any, stack: number }} share
 */
export function helpForEver({ module, memory, stack }) {
  /** @type {any} */
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  exports.__stack_pointer.value = stack;
  exports.nx_thread();
}
