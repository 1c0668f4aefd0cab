// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Wraps a WebAssembly instance of the engine: calls its functions, and allocates, views and copies its memory. This module does not depend
 * on models.
 *
 *     0            __heap_base
 *     | stack, data | scratch | session | ... | model | ids | floats | session | ...   while opening, the file's bytes are below the model
 *
 * Memory grows when a model or a session is opened. Memory never grows during a computation, and it never shrinks. Views of the memory are
 * created for each use, because growing the memory detaches older views. A trap leaves the instance in an unknown state: the instance is
 * `poisoned`, every later call throws, and the owner must start another instance.
 */

import { NX_ABI_VERSION, NX_ALIGN } from './abi.js';
import { NextPixelError } from '../base/error.js';
import { Heap } from './heap.js';
import { readName, readProblem, scratchAreas } from './layout.js';

const PAGE = 65536;
/** Initial and maximum size of the memory in pages; the linker flags in build.sh have the same values. */
const MEMORY_PAGES = { initial: 16, maximum: 65536 };

/** The offset of each area of the scratch block. */
const AREAS = scratchAreas();

export class Instance {
  /** @type {Record<string, (...values: number[]) => number>} */
  #exports;
  /** @type {WebAssembly.Memory} */
  memory;
  /** The memory, if the build has threads. @type {WebAssembly.Memory | undefined} */
  shared;
  /** @type {Heap} */
  heap;
  /** Whether a trap has happened; the state of the instance is then unreliable. */
  poisoned = false;
  /** The addresses at which a struct, two words, a shape and an error are passed to and from the engine. */
  at;

  /** @param {WebAssembly.Module} module */
  constructor(module) {
    /** @type {any} */
    let exports;
    try {
      // A build with threads imports its memory.
      if (WebAssembly.Module.imports(module).length > 0) this.shared = new WebAssembly.Memory({ ...MEMORY_PAGES, shared: true });
      exports = new WebAssembly.Instance(module, /** @type {any} */ ({ env: { memory: this.shared } })).exports;
    } catch (cause) {
      throw new NextPixelError(
        'wasm',
        `Cannot start nextpixel.wasm (${cause}): close other pages, or check that the file ` + 'and the library have the same version',
        { cause },
      );
    }
    if (typeof exports.nx_abi_version !== 'function') {
      throw new NextPixelError('wasm', 'This is not nextpixel.wasm: it has no nx_abi_version');
    }
    this.#exports = exports;
    this.memory = this.shared ?? exports.memory;
    const version = this.call('nx_abi_version');
    if (version !== NX_ABI_VERSION) {
      throw new NextPixelError(
        'wasm',
        `nextpixel.wasm has ABI version ${version}, this library needs ${NX_ABI_VERSION}: ` + 'install both from the same release',
      );
    }
    // The heap begins in the middle of a cache line of 64 bytes, so the alignment of blocks to cache lines does not depend on the size of
    // the module's static data. With any other beginning, the pixelcnn-digits model is 2 to 4 % slower (tests/bench/paired.js).
    this.heap = new Heap(64 * Math.ceil((exports.__heap_base.value >>> 0) / 64) + 32, NX_ALIGN);
    const scratch = this.take(AREAS.bytes);
    this.at = {
      struct: scratch + AREAS.struct,
      result: scratch + AREAS.result,
      shape: scratch + AREAS.shape,
      problem: scratch + AREAS.problem,
    };
  }

  /**
   * Calls an exported function. Any exception from WebAssembly (a trap or a stack overflow) poisons the instance.
   *
   * @param {string} name
   * @param {number[]} values
   */
  call(name, ...values) {
    if (this.poisoned) throw new NextPixelError('trap', 'The engine stopped unexpectedly in an earlier call: start again');
    try {
      return this.#exports[name](...values);
    } catch (cause) {
      this.poisoned = true;
      throw new NextPixelError(
        'trap',
        `The engine stopped unexpectedly in ${name} (${cause}). Start again; if it happens ` + 'again, the weight file may be damaged',
        { cause },
      );
    }
  }

  /**
   * Allocates a block, and grows the memory if necessary.
   *
   * @param {number} bytes
   */
  take(bytes) {
    const address = this.heap.take(bytes);
    const missing = address + bytes - this.memory.buffer.byteLength;
    if (missing > 0) {
      try {
        this.memory.grow(Math.ceil(missing / PAGE));
      } catch (cause) {
        this.heap.free(address);
        const size = (missing / 1e6).toFixed(1);
        throw new NextPixelError(
          'memory',
          `Not enough memory: ${size} MB more are needed. Use fewer samples or tokens, a smaller ` + 'model, or close other models',
          { cause },
        );
      }
    }
    return address;
  }

  get bytes() {
    return new Uint8Array(this.memory.buffer);
  }

  get view() {
    return new DataView(this.memory.buffer);
  }

  /** @param {number} address */
  word(address) {
    return this.view.getUint32(address, true);
  }

  /**
   * Returns a copy of floats in memory.
   *
   * @param {number} address
   * @param {number} count
   */
  floats(address, count) {
    return new Float32Array(this.memory.buffer, address, count).slice();
  }

  /**
   * Returns a copy of 32-bit words in memory.
   *
   * @param {number} address
   * @param {number} count
   */
  words(address, count) {
    return new Uint32Array(this.memory.buffer, address, count).slice();
  }

  /** @param {number} address */
  name(address) {
    return readName(this.bytes, address);
  }

  /** Returns the engine's reason for rejecting the last file. */
  problem() {
    return readProblem(this.bytes, this.at.problem);
  }
}

/**
 * Turns this worker into a thread of another instance, permanently.
 *
 * @param {{ module: WebAssembly.Module, memory: any, stack: number }} share
 */
export function helpForEver({ module, memory, stack }) {
  /** @type {any} */
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  exports.__stack_pointer.value = stack;
  exports.nx_thread();
}
