// SPDX-License-Identifier: MIT
// Converts completions of a digit to pictures that can be saved, and to the settings that reproduce the completions.
// @ts-check
import { quantise } from '../library.js';
import { fromText, numberIn, toText, wholeIn } from '../page/address.js';
import { phrase } from '../page/phrase.js';
import { PIXELS, SIDE } from '../picture/digits.js';
import { inked } from '../picture/inked.js';
/** @import { Settings } from '../page/address.js' */
/** @import { Shot } from '../picture/take.js' */
/** @import { Ending } from './runner.js' */
/** @import { State, Store } from './state.js' */

/** Titles of the completions. */
export const ENDINGS = [phrase`First ending`, phrase`Second ending`, phrase`Third ending`];

/** @param {Store<State>} store @param {Ending[]} endings @returns {Shot[]} */
export function shotsOf({ now: { rows, seed, source } }, endings) {
  const known = rows * SIDE;
  return endings
    .filter(({ filled }) => filled > known)
    .map(({ values, filled }, i) => ({
      name: ENDINGS[i],
      file: `${source?.name.toLowerCase().replaceAll(' ', '-')}-seed-${seed}-ending-${i + 1}`,
      picture: inked(values, known, filled),
      order: Array.from({ length: filled - known }, (_, k) => known + k),
    }));
}

/** @param {Store<State>} store @param {string} model @returns {Settings} */
export function settingsOf({ now: { rows, seed, temperature, label, source } }, model) {
  /** @type {Settings} */
  const from = !source ? {} : source.digit >= 0 ? { digit: source.digit } : { drawing: toText(source.pixels) };
  return { model, seed, ...from, rows, temperature, ...(label ? { label } : {}) };
}

/**
 * Applies the settings in an address to a figure.
 * @param {Store<State>} store
 * @param {URLSearchParams} settings
 * @param {{ count: number, choose: (i: number) => void, clear: () => void }} strip
 */
export function applySettings(store, settings, strip) {
  const { now } = store;
  const digit = wholeIn(settings, 'digit', 0, strip.count - 1, -1);
  const drawing = fromText(settings.get('drawing') ?? '', PIXELS);
  if (digit >= 0) strip.choose(digit);
  else if (drawing) {
    strip.clear();
    store.set({ source: { pixels: quantise(drawing, now.info?.levels ?? 16), name: phrase`Your drawing`, digit: -1 }, truth: null });
  }
  store.set({
    seed: wholeIn(settings, 'seed', 0, 1e9 - 1, now.seed),
    rows: wholeIn(settings, 'rows', 0, SIDE - 1, now.rows),
    temperature: numberIn(settings, 'temperature', 0, 1.5, now.temperature),
    label: settings.get('label') ?? '',
    truth: null,
  });
}
