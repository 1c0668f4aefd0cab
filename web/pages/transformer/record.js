// SPDX-License-Identifier: MIT
// Records an example of the model's output. A tile on the front page shows the example until the model has loaded.
// web/front/tiles/record.js runs this file in a browser.
// @ts-check
import { append, looksOf, sourceOf } from '../../lib/kinds/text/aligned-words.js';
import { rounded } from '../../front/tiles/recording.js';

/** @param {any} model */
export async function record(model) {
  const text = 'Eine Frau versucht, ihren Hund zu fangen.';
  /** @type {any[]} */
  const words = [];
  /** @type {number[][]} */
  const rows = [];
  const run = model.translate(text, { maps: true });
  for await (const step of run) {
    append(words, step.text, rows.length);
    rows.push(rounded(step.alignment));
  }
  /** @type {any[]} */
  const source = sourceOf(run.sourceTexts);
  /** @param {any[]} list */
  const said = (list) => list.map((word) => [word.text, Number(word.tight)]);
  return {
    text,
    source: said(source),
    words: said(words),
    looks: words.map((word) => looksOf(word, source, rows).map((/** @type {any} */ { at, weight }) => [at, ...rounded([weight])])),
  };
}
