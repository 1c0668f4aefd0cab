// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Allocates addresses above `base`: the lowest gap that is large enough. It does not access the memory itself. There are only a few blocks,
 * one per concurrent run, so a sorted list is enough.
 */
export class Heap {
  /** Live blocks by rising address, none overlapping. @type {{ address: number, end: number }[]} */
  #blocks = [];
  /** @type {number} */
  #base;
  /** @type {number} */
  #align;

  /**
   * @param {number} base   first address that may be handed out
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
    const size = Math.max(bytes, 1); // an empty block still gets its own address
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
   * @param {number} address  as take() returned it
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
    return Math.ceil(address / this.#align) * this.#align; // no bit operations: addresses reach 2^32
  }
}
