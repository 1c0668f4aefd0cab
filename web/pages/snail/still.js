// SPDX-License-Identifier: MIT
// Draws the picture for this page's card on the front page: held-out characters in a grid of three by two.
// @ts-check
import { readFile } from 'node:fs/promises';

import { HEIGHT, WIDTH, ink } from '../../front/stills.js';
import { blank } from '../../shell/library.js';
import { encodePng } from '../../shell/picture/png.js';
import { DRAWINGS, SIGNS, unpack } from './signs.js';

export async function still() {
  const all = unpack(new Uint8Array(await readFile(new URL('signs.bin', import.meta.url))));
  const [side, scale] = [28, 3];
  const picture = blank(WIDTH, HEIGHT);
  for (let k = 0; k < 6; k++) {
    const pixels = all[k * SIGNS * DRAWINGS + (k % 4) * DRAWINGS];
    const [left, top] = [8 + (k % 3) * 100, 8 + Math.floor(k / 3) * 100];
    for (let y = 0; y < side * scale; y++)
      for (let x = 0; x < side * scale; x++) {
        picture.data.set([...ink, pixels[Math.floor(y / scale) * side + Math.floor(x / scale)]], 4 * ((top + y) * WIDTH + left + x));
      }
  }
  return encodePng(picture);
}
