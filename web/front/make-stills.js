// SPDX-License-Identifier: MIT
// Makes web/pages/<name>/still.png for every card of the front page: what the card draws when it lives, in the inks of the light theme.
//
//   node web/front/make-stills.js [NAME...]
// @ts-check
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { Codec, blank, load } from '../shell/library.js';
import { encodePng } from '../shell/png.js';
import { PAPERS } from './papers.js';
import { layout, shareOf } from './thumbs.js';
/** @import { Thumb } from './papers.js' */

const css = await readFile(new URL('../shell/page.css', import.meta.url), 'utf8');
/** A colour of the light theme. @param {string} name @returns {number[]} */
const colour = (name) => {
  const n = parseInt(css.match(new RegExp(`--${name}: #([0-9a-f]{6})`))?.[1] ?? '', 16);
  return [n >> 16, (n >> 8) & 255, n & 255];
};
const ink = colour('predicted');
const stops = [0, 1, 2, 3, 4].map((i) => colour(`heat-${i}`));
/** The ramp has as many steps as in palette.js. */
const STEPS = 63;
/** @param {number} exact */
const heat = (exact) => {
  const share = Math.round(exact * STEPS) / STEPS;
  const k = Math.min(stops.length - 2, Math.floor(share * (stops.length - 1)));
  const t = share * (stops.length - 1) - k;
  return stops[k].map((from, c) => Math.round(from + (stops[k + 1][c] - from) * t));
};

/** @param {Thumb} thumb */
async function still({ file, samples, passes, ...options }) {
  const model = await load(new URL(`../../weights/${file}`, import.meta.url));
  const { width, height, channels } = model.info;
  const codec = new Codec(model.info, model.order);
  const place = layout(samples, model.info);
  const picture = blank(place.width, place.height);
  for await (const { sample, from, values, ahead } of model.generate({ samples, ...options })) {
    const { left, top } = place.at(sample);
    for (let i = 0; i < values.length; i += channels) {
      const pixel = Math.floor(codec.place(from + i) / channels);
      const rgba = passes ? [...heat(shareOf(ahead[i])), 255] : channels === 1 ? [...ink, values[i]] : [...values.subarray(i, i + 3), 255];
      picture.data.set(rgba, 4 * ((top + Math.floor(pixel / width)) * place.width + left + pixel % width));
    }
  }
  model.close();
  return encodePng(picture);
}

const wanted = process.argv.slice(2);
for (const { page, thumb } of PAPERS) {
  if (!page || !thumb || (wanted.length && !wanted.includes(page))) continue;
  const png = await still(thumb);
  await writeFile(fileURLToPath(new URL(`../pages/${page}/still.png`, import.meta.url)), png);
  console.log(`${page}: ${png.length} bytes`);
}
