// SPDX-License-Identifier: MIT
// Records an example of the model's output. A tile on the front page shows the example until the model has loaded.
// web/front/tiles/record.js runs this file in a browser.
// @ts-check
import { base64, imageAt, pixelsOf, rgbOf, rounded } from '../../front/tiles/recording.js';
import { THINGS } from './emoji.js';

/** @param {any} model */
export async function record(model) {
  const things = await imageAt('/web/pages/captions/emoji.png');
  const scene = pixelsOf(64, (context) => {
    context.imageSmoothingQuality = 'high';
    context.globalCompositeOperation = 'darken';
    for (const [name, left, top, side] of /** @type {[string, number, number, number][]} */ ([
      ['cat', 5, 6, 26],
      ['red heart', 38, 8, 20],
      ['bicycle', 18, 34, 28],
    ]))
      context.drawImage(things, 32 * THINGS.indexOf(name), 0, 32, 32, left, top, side, side);
  });
  const run = model.caption(scene, { maps: true });
  const words = [];
  for await (const { text, maps } of run) words.push([text, rounded(maps[0].weights)]);
  return { scene: base64(rgbOf(scene.data)), grid: run.grid, words };
}
