// SPDX-License-Identifier: MIT
// Draws the picture for this page's card on the front page: the top-level codes of a recording, its bottom-level codes, and its waveform.
// @ts-check
import { HEIGHT, WIDTH, ink, withModel } from '../../front/stills.js';
import { blank } from '../../shell/library.js';
import { encodePng } from '../../shell/picture/png.js';
import { samplesOf } from './levels.js';
import { RECORDINGS } from './recordings.js';

export const still = () =>
  withModel('jukebox-small.gguf', async (model) => {
    const drawn = await model.encode({ samples: samplesOf(RECORDINGS[0].levels), sampleRate: model.info.sampleRate ?? 8000 });
    const { samples } = await model.decode(drawn);
    const picture = blank(WIDTH, HEIGHT);
    /** @param {number} x @param {number} top @param {number} bottom @param {number} alpha */
    const line = (x, top, bottom, alpha) => {
      for (let y = Math.round(top); y < Math.round(bottom); y++) picture.data.set([...ink, alpha], 4 * (y * WIDTH + x));
    };
    for (let x = 0; x < WIDTH; x++) {
      for (const [row, { name, codes: count }] of (model.info.codes ?? []).entries()) {
        const list = drawn[name];
        line(x, 8 + 44 * row, 46 + 44 * row, 40 + 30 * Math.floor((7 * list[Math.floor((x * list.length) / WIDTH)]) / count));
      }
      const some = samples.slice(Math.floor((x * samples.length) / WIDTH), Math.floor(((x + 1) * samples.length) / WIDTH));
      line(x, 146 - 50 * Math.max(0, ...some), 147 - 50 * Math.min(0, ...some), 255);
    }
    return encodePng(picture);
  });
