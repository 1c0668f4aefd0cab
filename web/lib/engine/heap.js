// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Allocates addresses above `base`, in the lowest gap that is large enough. The heap does not access the memory itself. There is one block
 * per concurrent run and few other blocks, so a sorted list is fast enough.
 */
export class Heap {
  /** The live blocks by ascending address, without overlaps. @type {{ address: number, end: number }[]} */
  #blocks = [];
  /** @type {number} */
  #base;
  /** @type {number} */
  #align;

  /**
   * @param {number} base   the lowest address to allocate
   * @param {number} align  a power of two
   */
  constructor(base, align) {
    this.#align = align;
    this.#base = this.#aligned(base);
  }

  /**
   * @param {number} bytes
   * @returns {number} an aligned address
   */
  take(bytes) {
    const size = Math.max(bytes, 1); // an empty block must have its own address, too
    let address = this.#base;
    let index = 0;
    for (; index < this.#blocks.length; index++) {
      if (this.#blocks[index].address - address >= size) break;
      address = this.#aligned(this.#blocks[index].end);
    }
    this.#blocks.splice(index, 0, { address, end: address + size });
    return address;
  }

  /**
   * @param {number} address  an address that take() returned
   */
  free(address) {
    const index = this.#blocks.findIndex((block) => block.address === address);
    if (index < 0) throw new RangeError(`nothing was taken at ${address}`);
    this.#blocks.splice(index, 1);
  }

  /** Number of live blocks. */
  get count() {
    return this.#blocks.length;
  }

  /**
   * @param {number} address
   */
  #aligned(address) {
    return Math.ceil(address / this.#align) * this.#align; // bit operations would fail, because addresses reach 2^32
  }
}
