// SPDX-License-Identifier: MIT
// @ts-check

/** One model in one instance: opened or fed, and its runs. No DOM, no worker: Node's tests use it directly. */

import { NX_E_ARGUMENT } from './abi.js';
import { NextPixelError } from '../base/error.js';
import { readEntries } from './describe.js';
import { Instance } from './instance.js';
import { metadataOf } from '../gguf/metadata.js';
import { TOO_SHORT, beginModel, openModel } from './open.js';
import { Sessions } from './sessions.js';

/** @import { Entry } from '../gguf/values.js' */
/** @import { Metadata } from '../gguf/metadata.js' */
/** @import { Feed } from './open.js' */

const STACK_BYTES = 65536;

export class Core extends Sessions {
  #instance;
  /** Its address. */
  #model;
  /** The missing weights, while a file is fed. @type {Feed | undefined} */
  #feed;
  /** Blocks that live as long as the instance. */
  #blocks = 4; // scratch, ids, floats, model

  /** Without those of a vocabulary, which may be long. @type {Metadata} */
  metadata;
  /** The metadata under `tokenizer.`, for the page to read. @type {Entry[]} */
  tokenizerEntries;

  /**
   * Opens a model from the beginning of its file, without weights: feed() takes the rest, in order. This way a large file and its model are
   * never in memory together.
   *
   * @param {WebAssembly.Module} module
   * @param {Uint8Array} head    the first bytes of the file; some of the weights may be among them
   * @param {number} fileBytes   of the whole file
   * @returns {Core | 'more' | 'whole'}  'more': more of the head is needed; 'whole': this file can only be opened whole
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
    const instance = new Instance(module);
    const { model, feed } =
      fileBytes === undefined ? { model: openModel(instance, file), feed: undefined } : beginModel(instance, file, fileBytes);
    super(instance, model, fileBytes ?? file.length);
    this.#instance = instance;
    this.#model = model;
    this.#feed = feed;
    const entries = readEntries(instance, model);
    const ofTokenizer = (/** @type {Entry} */ { key }) => key.startsWith('tokenizer.');
    this.tokenizerEntries = entries.filter(ofTokenizer);
    this.metadata = metadataOf(entries.filter((entry) => !ofTokenizer(entry)));
    if (feed) this.feed(file.subarray(feed.at));
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
    if (this.#feed?.take(bytes)) this.#feed = undefined;
    return !this.#feed;
  }

  /**
   * Stacks for threads.
   *
   * @param {number} count
   * @returns {number[]} their upper ends
   */
  stacks(count) {
    this.#blocks += count;
    return Array.from({ length: count }, () => this.#instance.take(STACK_BYTES) + STACK_BYTES);
  }

  /** The engine itself, for tests of functions that the library does not use. @internal */
  get engine() {
    /** @type {(name: string, ...values: number[]) => number} */
    const call = (...given) => this.#instance.call(...given);
    const { memory, heap, at } = this.#instance;
    return { call, memory, heap, model: this.#model, scratch: at.struct };
  }

  /** A trap happened: its owner starts another one. */
  get poisoned() {
    return this.#instance.poisoned;
  }

  /** The memory, where the build has threads. */
  get shared() {
    return this.#instance.shared;
  }

  /** Positions of a complete sequence. */
  get positions() {
    return this.part.length;
  }

  /** Size of the whole memory in bytes. */
  get memoryBytes() {
    return this.#instance.memory.buffer.byteLength;
  }

  /** Number of sessions open. */
  get sessions() {
    return this.#instance.heap.count - this.#blocks - (this.#feed ? 1 : 0);
  }
}
