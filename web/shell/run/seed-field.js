// SPDX-License-Identifier: MIT
// Builds a field for a seed, with a button that draws a random seed.
// @ts-check
import { createButton } from '../page/button.js';
import { make } from '../page/dom.js';
import { phrase } from '../page/phrase.js';

const LIMIT = 1e9;
/** Random seeds are less than this number, because short numbers are easy to remember and type. */
const ROLLED = 10000;

/** @param {number} n */
const isSeed = (n) => Number.isInteger(n) && n >= 0 && n < LIMIT;

/**
 * @param {{ seed: string, dice: string }} ids
 * @param {number} first
 * @param {(seed: number) => void} onSeed called when the visitor wants another seed, or the same seed again
 */
export function createSeedField(ids, first, onSeed) {
  let seed = first;
  const input = make('input', {
    id: ids.seed,
    type: 'text',
    inputmode: 'numeric',
    autocomplete: 'off',
    maxlength: '9',
    value: String(first),
  });
  const { button: dice } = createButton(phrase`New seed`, { id: ids.dice, icon: 'dice' });
  /** @param {number} n */
  const put = (n) => {
    if (isSeed(n)) seed = n;
    input.value = String(seed);
  };
  input.addEventListener('change', () => {
    put(input.value.trim() === '' ? NaN : Number(input.value));
    onSeed(seed);
  });
  dice.addEventListener('click', () => {
    put(Math.floor(Math.random() * ROLLED));
    onSeed(seed);
  });
  return {
    root: make('span', { class: 'seed' }, make('label', { for: ids.seed }, phrase`Seed`), input, dice),
    get value() {
      return seed;
    },
    /** Sets the seed from code; listeners are not notified. @param {number} n */
    set value(n) {
      put(n);
    },
  };
}
