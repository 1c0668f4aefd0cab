// SPDX-License-Identifier: MIT
// A field for a seed, and a button that rolls a new one.
// @ts-check

const LIMIT = 1e9;
/** Seeds of the button are short, to be remembered and typed. */
const ROLLED = 10000;

/**
 * @param {HTMLInputElement} input holds the first seed
 * @param {HTMLButtonElement} dice
 * @param {() => void} onSeed the visitor wants another seed, or the same once more
 */
export function createSeedField(input, dice, onSeed) {
  let seed = Number(input.value);
  /** @param {number} n */
  const set = (n) => {
    if (Number.isInteger(n) && n >= 0 && n < LIMIT) seed = n;
    input.value = String(seed);
    onSeed();
  };
  input.addEventListener('change', () => set(input.value.trim() === '' ? NaN : Number(input.value)));
  dice.addEventListener('click', () => set(Math.floor(Math.random() * ROLLED)));
  return { get value() { return seed; } };
}
