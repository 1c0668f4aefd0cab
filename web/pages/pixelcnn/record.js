// SPDX-License-Identifier: MIT
// Records the answer that the tile of this page shows first (web/front/tiles/record.js). This file runs in a browser.
// @ts-check
import { nibbles, picturesOf } from '../../front/tiles/recording.js';

/** @param {any} model */
export const record = async (model) =>
  nibbles(
    (await picturesOf(model.generate({ samples: 12, seed: 3, label: '5', temperature: 0.9 }), 784)).flatMap((levels) => Array.from(levels)),
  );
