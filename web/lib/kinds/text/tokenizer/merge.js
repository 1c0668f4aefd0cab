// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Merges symbols within a word, for bpe.js and spm.js. The adjacent pair with the lowest rank merges first. If several pairs have this
 * rank, the leftmost one merges first. This is repeated until no pair can merge. A heap of pairs and a linked list of symbols keep the time
 * for n symbols at O(n log n).
 */

/** Maps each pair of symbols to the symbol that they merge into: a hash table with open addressing. */
export class Pairs {
  #mask;
  #left;
  #right;
  #rank;
  #result;

  /** @param {number} most  maximum number of pairs that will be added */
  constructor(most) {
    const room = 2 ** Math.ceil(Math.log2(2 * most + 2));
    this.#mask = room - 1;
    this.#left = new Int32Array(room).fill(-1);
    this.#right = new Int32Array(room);
    this.#rank = new Int32Array(room);
    this.#result = new Int32Array(room);
  }

  /**
   * Returns the slot of a pair, or the free slot where it belongs.
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
   * Adds a pair. If the pair was added before, the first entry stays.
   *
   * @param {number} left
   * @param {number} right
   * @param {number} rank    from 0
   * @param {number} result  the symbol that the two symbols merge into
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
   * @param {number} left   a symbol, or -1 for a symbol that never merges
   * @param {number} right
   * @returns {number} the index of the pair for rank() and result(), or -1
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

/** Positions are below this bound, so that a position and a rank together fit in one number. */
const POSITIONS = 2 ** 26;

/** Number of steps between two yields to the event loop. These steps take about a millisecond. A word of a thousand symbols takes fewer
 * than SLICE steps. */
const SLICE = 8192;

/** Marks a symbol that was merged into another symbol. */
const GONE = -2;

/**
 * Merges symbols in place. If there are many symbols, yields between chunks of steps.
 *
 * @param {Int32Array} symbols  the symbols, at most 2^26
 * @param {number} count        number of symbols
 * @param {Pairs} pairs
 * @returns {Generator<void, number, void>} the number of remaining symbols, which are at the beginning of `symbols`
 */
export function* merge(symbols, count, pairs) {
  if (count < 2) return count;
  const row = new Row(symbols, count, pairs);
  for (let from = 0; from < count - 1; from += SLICE) {
    if (from > 0) yield;
    row.offer(from, Math.min(from + SLICE, count - 1));
  }
  while (!row.merge(SLICE)) yield;
  return yield* row.close();
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
    this.before[0] = this.next[count - 1] = -1;
  }

  /**
   * Links each symbol of a range to the symbol after it, and adds to the heap all pairs whose first symbol is in the range.
   *
   * @param {number} from
   * @param {number} to  index after the last one
   */
  offer(from, to) {
    for (let at = from; at < to; at++) {
      this.next[at] = at + 1;
      this.before[at + 1] = at;
      this.#offer(at);
    }
  }

  /** @param {number} at  index of a symbol, which forms a pair with the symbol after it */
  #offer(at) {
    const { symbols, next, pairs, heap } = this;
    const pair = pairs.find(symbols[at], symbols[next[at]]);
    if (pair >= 0) heap.push(pairs.rank(pair) * POSITIONS + at, pair);
  }

  /** @param {number} most  maximum number of steps @returns {boolean} whether there are no more pairs */
  merge(most) {
    const { symbols, next, before, pairs, heap } = this;
    for (let step = 0; step < most; step++) {
      if (heap.size === 0) return true;
      const pair = heap.pairs[0];
      const at = heap.keys[0] % POSITIONS;
      heap.pop();
      const right = next[at];
      // The symbols of the pair may have merged with others since the pair was found.
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

  /** Moves the remaining symbols to the beginning, and returns how many remain. @returns {Generator<void, number, void>} */
  *close() {
    let kept = 0;
    for (let i = 0; i >= 0; i = this.next[i]) {
      this.symbols[kept++] = this.symbols[i];
      if (kept % SLICE === 0) yield;
    }
    return kept;
  }
}

/** A binary heap of keys, each with a value. The smallest key comes first. */
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
