// SPDX-License-Identifier: MIT
// Records an example of the model's output. A tile on the front page shows the example until the model has loaded.
// web/front/tiles/record.js runs this file in a browser.
// @ts-check
import { base64, imageAt, picturesOf, pixelsOf, rgbOf } from '../../front/tiles/recording.js';

/** @param {any} model */
export async function record(model) {
  const emoji = await imageAt('/web/pictures/emoji.png');
  const FACE = 20; // index of the face with rolling eyes among the validation pictures of the page
  const original = pixelsOf(32, (context) => context.drawImage(emoji, 32 * (FACE % 8), 32 * Math.floor(FACE / 8), 32, 32, 0, 0, 32, 32));
  const run = model.superResolve(original, { samples: 8, resample: 8, seed: 1, temperature: 0.9 }); // the best of eight, as on the page
  const [drawn] = await picturesOf(run, 3072);
  return { original: base64(rgbOf(original.data)), small: base64(run.small), drawn: base64(drawn) };
}
