// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Opens one model, whole or in pieces, in one instance of the wasm, and manages the runs of the model. This module uses neither the DOM nor
 * a worker, so tests in Node call it directly.
 */

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
  /** The weights that are still missing, while a file is fed in pieces. @type {Feed | undefined} */
  #feed;
  /** Number of heap blocks that live as long as the instance. */
  #blocks = 4; // scratch, ids, floats, model

  /** All metadata except the vocabulary, because the vocabulary may be long. @type {Metadata} */
  metadata;
  /** The metadata under `tokenizer.`; the page reads them. @type {Entry[]} */
  tokenizerEntries;

  /**
   * Opens a model from the head of its file, without weights; feed() then takes the rest of the file in order. A large file and its model
   * are thus never in memory at the same time.
   *
   * @param {WebAssembly.Module} module
   * @param {Uint8Array} head    the first bytes of the file, which may include some of the weights
   * @param {number} fileBytes   size of the whole file
   * @returns {Core | 'more' | 'whole'}  'more': a longer head is needed; 'whole': this file cannot be opened in parts
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
   * @param {Uint8Array} file     the bytes of a weight file; they are not needed after this call
   * @param {number} [fileBytes]  see begin()
   */
  constructor(module, file, fileBytes) {
    const instance = new Instance(module);
    const { model, feed } =
      fileBytes === undefined ? { model: openModel(instance, file), feed: undefined } : beginModel(instance, file, fileBytes);
    super(instance, model, fileBytes ?? file.length);
    this.#feed = feed;
    const entries = readEntries(instance, model);
    const ofTokenizer = (/** @type {Entry} */ { key }) => key.startsWith('tokenizer.');
    this.tokenizerEntries = entries.filter(ofTokenizer);
    this.metadata = metadataOf(entries.filter((entry) => !ofTokenizer(entry)));
    if (feed) this.feed(file.subarray(feed.at));
  }

  /** The file offset of the next byte that feed() takes. Once the model is complete, this is the size of the file. */
  get fed() {
    return this.#feed?.at ?? this.fileBytes;
  }

  /**
   * Takes the next bytes of the file, beginning at `fed`.
   *
   * @param {Uint8Array} bytes
   * @returns {boolean} whether the model is complete
   */
  feed(bytes) {
    if (this.#feed?.take(bytes)) this.#feed = undefined;
    return !this.#feed;
  }

  /**
   * Allocates the stacks of threads.
   *
   * @param {number} count
   * @returns {number[]} the upper end of each stack
   */
  stacks(count) {
    this.#blocks += count;
    return Array.from({ length: count }, () => this.instance.take(STACK_BYTES) + STACK_BYTES);
  }

  /** Returns whether a trap has happened; the owner must then start another instance. */
  get poisoned() {
    return this.instance.poisoned;
  }

  /** Returns the shared memory, if the build has threads. */
  get shared() {
    return this.instance.shared;
  }

  /** Returns the number of open sessions. */
  get sessions() {
    return this.instance.heap.count - this.#blocks - (this.#feed ? 1 : 0);
  }
}
