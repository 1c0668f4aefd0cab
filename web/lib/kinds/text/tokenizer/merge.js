// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The merging of symbols within a word, for both tokenizers: of all adjacent pairs that may merge, the leftmost one of the lowest rank
 * merges, until none may. With a heap of pairs over a linked list, n symbols take time n log n for any symbols.
 */

/** Maps each pair of symbols to the symbol that they become: a hash table with open addressing. */
export class Pairs {
  #mask;
  #left;
  #right;
  #rank;
  #result;

  /** @param {number} most  number of pairs that will be added */
  constructor(most) {
    const room = 2 ** Math.ceil(Math.log2(2 * most + 2));
    this.#mask = room - 1;
    this.#left = new Int32Array(room).fill(-1);
    this.#right = new Int32Array(room);
    this.#rank = new Int32Array(room);
    this.#result = new Int32Array(room);
  }

  /**
   * The slot of a pair, or the one that it would have.
   *
   * @param {number} left
   * @param {number} right
   */
  #slot(left, right) {
    const lefts = this.#left;
    const rights = this.#right;
    let hash = Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca6b);
    hash ^= hash >>> 15;
    let at = hash & this.#mask;
    while (lefts[at] >= 0 && (lefts[at] !== left || rights[at] !== right)) at = (at + 1) & this.#mask;
    return at;
  }

  /**
   * If a pair is added twice, the first entry stays.
   *
   * @param {number} left
   * @param {number} right
   * @param {number} rank    from 0
   * @param {number} result  the symbol that the two become
   */
  add(left, right, rank, result) {
    const at = this.#slot(left, right);
    if (this.#left[at] >= 0) return;
    this.#left[at] = left;
    this.#right[at] = right;
    this.#rank[at] = rank;
    this.#result[at] = result;
  }

  /**
   * @param {number} left   a symbol, or -1: one that never joins
   * @param {number} right
   * @returns {number} the number of the pair for rank() and result(), or -1
   */
  find(left, right) {
    if (left < 0 || right < 0) return -1;
    const at = this.#slot(left, right);
    return this.#left[at] < 0 ? -1 : at;
  }

  /** @param {number} pair */
  rank(pair) {
    return this.#rank[pair];
  }

  /** @param {number} pair */
  result(pair) {
    return this.#result[pair];
  }
}

/** Below this bound, a position and a rank fit in one number. */
const POSITIONS = 2 ** 26;

/** Steps between two yields to the event loop: about a millisecond. A word of a thousand symbols has fewer. */
const SLICE = 8192;

/** Marks a symbol that was merged into another. */
const GONE = -2;

/**
 * Merges symbols in place, in chunks if there are many.
 *
 * @param {Int32Array} symbols  at most 2^26
 * @param {number} count        how many of them
 * @param {Pairs} pairs
 * @returns {Generator<void, number, void>} their number, at the beginning of `symbols`
 */
export function* merge(symbols, count, pairs) {
  if (count < 2) return count;
  const row = new Row(symbols, count, pairs);
  for (let from = 0; from < count - 1; from += SLICE) {
    if (from > 0) yield;
    row.offer(from, Math.min(from + SLICE, count - 1));
  }
  while (!row.merge(SLICE)) yield;
  return row.close();
}

/** A sequence of symbols with linked neighbours. */
class Row {
  /** @param {Int32Array} symbols @param {number} count @param {Pairs} pairs */
  constructor(symbols, count, pairs) {
    this.symbols = symbols;
    this.pairs = pairs;
    this.next = new Int32Array(count);
    this.before = new Int32Array(count);
    this.heap = new Heap(count);
    for (let i = 0; i < count; i++) {
      this.next[i] = i + 1 < count ? i + 1 : -1;
      this.before[i] = i - 1;
    }
  }

  /** Finds the pairs that begin with some of the symbols. @param {number} from @param {number} to  one past the last */
  offer(from, to) {
    for (let at = from; at < to; at++) this.#offer(at);
  }

  /** @param {number} at  a symbol, with the next one */
  #offer(at) {
    const { symbols, next, pairs, heap } = this;
    const pair = pairs.find(symbols[at], symbols[next[at]]);
    if (pair >= 0) heap.push(pairs.rank(pair) * POSITIONS + at, pair);
  }

  /** @param {number} most  steps @returns {boolean} there are no more pairs */
  merge(most) {
    const { symbols, next, before, pairs, heap } = this;
    for (let step = 0; step < most; step++) {
      if (heap.size === 0) return true;
      const pair = heap.pairs[0];
      const at = heap.keys[0] % POSITIONS;
      heap.pop();
      const right = next[at];
      // The symbols of the pair may have been merged with others since it was found.
      if (symbols[at] === GONE || right < 0 || pairs.find(symbols[at], symbols[right]) !== pair) continue;
      symbols[at] = pairs.result(pair);
      symbols[right] = GONE;
      next[at] = next[right];
      if (next[at] >= 0) {
        before[next[at]] = at;
        this.#offer(at);
      }
      if (before[at] >= 0) this.#offer(before[at]);
    }
    return false;
  }

  /** Compacts the remaining symbols. @returns {number} their number */
  close() {
    let kept = 0;
    for (let i = 0; i >= 0; i = this.next[i]) this.symbols[kept++] = this.symbols[i];
    return kept;
  }
}

/** A binary heap of keys, the smallest first, each with a number. */
class Heap {
  size = 0;

  /** @param {number} room */
  constructor(room) {
    this.keys = new Float64Array(room);
    this.pairs = new Int32Array(room);
  }

  /**
   * @param {number} key
   * @param {number} pair
   */
  push(key, pair) {
    if (this.size === this.keys.length) this.#grow();
    const { keys, pairs } = this;
    let at = this.size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (keys[parent] <= key) break;
      keys[at] = keys[parent];
      pairs[at] = pairs[parent];
      at = parent;
    }
    keys[at] = key;
    pairs[at] = pair;
  }

  pop() {
    const { keys, pairs } = this;
    const size = --this.size;
    const key = keys[size];
    const pair = pairs[size];
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && keys[child + 1] < keys[child]) child++;
      if (keys[child] >= key) break;
      keys[at] = keys[child];
      pairs[at] = pairs[child];
      at = child;
    }
    keys[at] = key;
    pairs[at] = pair;
  }

  #grow() {
    const { keys, pairs } = this;
    this.keys = new Float64Array(2 * keys.length);
    this.keys.set(keys);
    this.pairs = new Int32Array(2 * pairs.length);
    this.pairs.set(pairs);
  }
}
