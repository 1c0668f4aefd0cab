// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Fuzzes saved runs of every verb that has them. A saved run is rejected with a message or accepted; saving an accepted run again gives the
 * same, which is accepted, too. One in a hundred of the accepted runs continues, and succeeds or fails with an error of the library.
 */

import assert from 'node:assert/strict';

import { DIGITS, GOLDEN, load } from '../../js/helpers.js';
import { toyText } from '../../js/toy-text.js';
import { toyTranslation } from '../../js/toy-translation.js';
import { toyModel } from '../../js/toy.js';
import { Input, damaged, refusedBy, refusedOr } from '../input.js';

const ONE_IN = 100;
const STEPS = 3;

/** @param {any} run @param {number} most */
async function steps(run, most) {
  let count = 0;
  for await (const step of run) if (step && ++count >= most) break;
}

/** Returns a saved run in the form in which it is stored. @param {any} saved */
const throughJson = (saved) =>
  saved === undefined ? saved : JSON.parse(JSON.stringify(saved, (_, value) => (typeof value === 'bigint' ? String(value) : value)));

/** @returns {Promise<import('../fuzz.js').Target>} */
export async function open() {
  const [pictures, digits, texts, translation, sound, codes] = /** @type {any[]} */ (
    await Promise.all([
      load(toyModel()),
      load(DIGITS),
      load(toyText()),
      load(toyTranslation()),
      load(`${GOLDEN}wavenet-tiny.gguf`),
      load(`${GOLDEN}jukebox-tiny.gguf`),
    ])
  );
  const grey = { data: new Uint8Array(784).fill(9), width: 28, height: 28 };
  /** @type {[any, () => any][]} */
  const runs = [
    [pictures, () => pictures.generate({ seed: 3, samples: 2 })],
    [digits, () => digits.complete(grey, { rows: 27, seed: 2 })],
    [texts, () => texts.generate('a b', { maxTokens: 9, seed: 4 })],
    [texts, () => texts.generate('ab', { maxTokens: 5, topK: 3 })],
    [translation, () => translation.translate('ab a', { beams: 2 })],
    [sound, () => sound.generate({ seconds: 0.01, label: 1, seed: 5 })],
    [codes, () => codes.generate({ label: 1, seed: 5 })],
  ];
  /** @type {{ model: any, saved: any }[]} */
  const all = [];
  for (const [model, begin] of runs) {
    for (const most of [2, Infinity]) {
      const run = begin();
      await steps(run, most);
      all.push({ model, saved: JSON.parse(JSON.stringify(run.save())) });
    }
  }
  let taken = 0;
  return {
    seeds: all.map((_, i) => Uint8Array.of(i, 0, 2, 1, 3, 5, 9)),
    run(bytes) {
      const input = new Input(bytes);
      const { model, saved } = input.pick(all);
      const given = throughJson(damaged(saved, input));
      const run = refusedOr(() =>
        model.resume(given, input.below(4) ? {} : throughJson(damaged({ at: 1, maxTokens: 3, seed: 1, chunkSize: 2 }, input))),
      );
      if (!run) return;
      const again = refusedOr(() => JSON.stringify(run.save()), ['state']); // a run that has not begun may have nothing to save
      if (again !== undefined) assert.ok(model.resume(JSON.parse(again)));
      if (++taken % ONE_IN === 0) return steps(run, STEPS).catch((error) => refusedBy(error));
    },
    close() {
      for (const model of [pictures, digits, texts, translation, sound, codes]) model.close();
    },
  };
}
