// SPDX-License-Identifier: MIT
// Records an example of the model's output. A tile on the front page shows the example until the model has loaded.
// web/front/tiles/record.js runs this file in a browser.
// @ts-check
import { arcsOf } from '../../lib/kinds/head/arcs.js';
import { rounded } from '../../front/tiles/recording.js';

/** @param {any} model */
export async function record(model) {
  const parse = await model.parse('I saw the man with the telescope', { marginals: true });
  return {
    words: parse.words,
    arcs: arcsOf(parse).map((/** @type {any} */ { head, child, p, best }) => [head, child, ...rounded([p]), Number(best)]),
  };
}
