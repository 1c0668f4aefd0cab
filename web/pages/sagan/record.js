// SPDX-License-Identifier: MIT
// Records the answer that the tile of this page shows first (web/front/tiles/record.js). This file runs in a browser.
// @ts-check
import { nibbles, picturesOf } from '../../front/tiles/recording.js';

/** @param {any} model */
export const record = async (model) =>
  nibbles((await picturesOf(model.generate({ samples: 16, seed: 1, label: 'face' }), 3072)).flatMap((rgb) => Array.from(rgb)));
