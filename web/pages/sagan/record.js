// SPDX-License-Identifier: MIT
// Records an example of the model's output. A tile on the front page shows the example until the model has loaded.
// web/front/tiles/record.js runs this file in a browser.
// @ts-check
import { nibbles, picturesOf } from '../../front/tiles/recording.js';

/** @param {any} model */
export const record = async (model) =>
  nibbles((await picturesOf(model.generate({ samples: 16, seed: 1, label: 'face' }), 3072)).flatMap((rgb) => Array.from(rgb)));
