// SPDX-License-Identifier: MIT
// @ts-check

/** Turns the fuzzer's bytes into choices. */

import assert from 'node:assert/strict';

import { NextPixelError } from '../../web/lib/index.js';

/** Generates random numbers from a seed: xorshift, 32 bits. */
export class Random {
  #state;

  /** @param {number} seed */
  constructor(seed) {
    this.#state = Math.imul(seed, 2654435761) | 1;
  }

  /** @param {number} n at most 65536 @returns {number} 0 to n - 1 */
  below(n) {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x;
    return (x >>> 0) % Math.max(1, n);
  }

  /** @template T @param {T[]} list */
  pick(list) {
    return list[this.below(list.length)];
  }
}

/** Reads an input from its beginning to its end. Reads past the end return zeros. */
export class Input {
  #bytes;
  #at = 0;

  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.#bytes = bytes;
  }

  get done() {
    return this.#at >= this.#bytes.length;
  }

  byte() {
    return this.#bytes[this.#at++] ?? 0;
  }

  /** @param {number} n at most 65536 */
  below(n) {
    return (n > 256 ? this.byte() + 256 * this.byte() : this.byte()) % n;
  }

  /** @template T @param {readonly T[]} list */
  pick(list) {
    return list[this.below(list.length)];
  }

  /** Reads this many bytes as a string; they may be invalid UTF-8. @param {number} [bytes] default: the rest */
  text(bytes = this.#bytes.length - this.#at) {
    const from = this.#at;
    this.#at += Math.max(0, bytes);
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(this.#bytes.subarray(from, this.#at));
    return text.replaceAll('\ufffd', '\ud800'); // half a surrogate pair
  }
}

/** Returns an arbitrary value that a caller might pass anywhere. @param {Input} input @returns {any} */
export function anything(input) {
  const texts = ['', 'x', '0', '-1', '1e9', '__proto__', 'constructor', 'NaN', '\u0000', '\ud800'];
  switch (input.below(8)) {
    case 0:
      return input.pick([undefined, null, true, false, [], {}]);
    case 1:
      return input.pick([0, -0, 1, -1, 0.5, 2 ** 31, 2 ** 32, 2 ** 53, -(2 ** 53), 1e300, NaN, Infinity, -Infinity]);
    case 2:
      return input.byte();
    case 3:
      return input.pick(texts);
    case 4:
      return input.text(1 + input.below(16));
    case 5:
      return input.pick([0n, -1n, 2n ** 64n, 2n ** 53n]);
    case 6:
      return Array.from({ length: input.below(5) }, () => input.below(300) - 2);
    default:
      return { [input.pick(texts)]: input.below(9), length: input.below(9) };
  }
}

/**
 * Returns a copy in which some values at any depth are replaced, removed or doubled.
 * @template T
 * @param {T} value
 * @param {Input} input
 * @returns {T}
 */
export function damaged(value, input) {
  const copy = /** @type {any} */ ({ value: structuredClone(value) });
  for (let i = 1 + input.below(3); i > 0; i--) {
    let [at, key] = /** @type {[any, any]} */ ([copy, 'value']);
    for (let depth = 1 + input.below(4); depth > 0; depth--) {
      const keys = at[key] && typeof at[key] === 'object' ? Object.keys(at[key]) : [];
      if (keys.length === 0) break;
      [at, key] = [at[key], keys[input.below(Math.min(keys.length, 65536))]];
    }
    if (at === copy && input.below(8)) continue; // replaces the whole value only rarely
    switch (input.below(5)) {
      case 0:
        if (Array.isArray(at)) at.splice(Number(key), 1);
        else delete at[key];
        break;
      case 1:
        if (Array.isArray(at)) at.splice(Number(key), 0, at[key]);
        else at[input.pick(['x', 'ids', 'length', 'at'])] = at[key];
        break;
      default:
        at[key] = anything(input);
    }
  }
  return copy.value;
}

/**
 * Returns the result of `call`, or undefined if it throws a NextPixelError with one of `codes`.
 *
 * @template T
 * @param {() => T} call
 * @param {string[]} [codes]  default: any code
 */
export function refusedOr(call, codes) {
  try {
    return call();
  } catch (error) {
    refusedBy(error, codes);
    return undefined;
  }
}

/** @param {unknown} error @param {string[]} [codes] */
export function refusedBy(error, codes) {
  if (!(error instanceof NextPixelError) || !(codes?.includes(error.code) ?? true)) throw error;
  assert.ok(error.message.length > 10);
}
