// SPDX-License-Identifier: MIT
// Writes contact sheets: many pictures in one PNG file, for inspection.
// @ts-check
import { writeFileSync } from 'node:fs';
import { png } from './png.js';

/** @typedef {Uint8Array | Uint8ClampedArray} Picture pixels of shape (height, width, channels), in the model's size */

const SCALE = 3; // enlargement of a picture: screen pixels per pixel
const GAP = 2; // gap between pictures and around them, in screen pixels
const WIDE = 10; // gap between groups, in screen pixels
const PAPER = 128; // grey of the gaps and of the unknown pixels

/**
 * Writes a PNG file of pictures in rows. Each row has `groups` groups side by side.
 * @param {string} file
 * @param {Picture[][]} pictures  groups of pictures that belong together
 * @param {number} groups
 * @param {{ width: number, height: number, channels: number }} size
 */
export function writeSheet(file, pictures, groups, { width, height, channels }) {
  const each = pictures[0].length;
  const [stepX, stepY] = [width * SCALE + GAP, height * SCALE + GAP];
  const gap = each > 1 ? WIDE : GAP;
  const groupWidth = each * stepX - GAP + gap;
  const sheetWidth = groups * groupWidth - gap + 2 * GAP;
  const sheetHeight = Math.ceil(pictures.length / groups) * stepY + GAP;
  const rgb = new Uint8Array(sheetWidth * sheetHeight * 3).fill(PAPER);
  pictures.forEach((group, g) =>
    group.forEach((picture, p) => {
      const left = GAP + (g % groups) * groupWidth + p * stepX;
      const top = GAP + Math.floor(g / groups) * stepY;
      for (let y = 0; y < height * SCALE; y++) {
        for (let x = 0; x < width * SCALE; x++) {
          const from = (Math.floor(y / SCALE) * width + Math.floor(x / SCALE)) * channels;
          const to = ((top + y) * sheetWidth + left + x) * 3;
          for (let c = 0; c < 3; c++) rgb[to + c] = picture[from + (channels === 3 ? c : 0)];
        }
      }
    }),
  );
  writeFileSync(file, png(rgb, sheetWidth, sheetHeight));
  console.log(`${file}: ${pictures.length} x ${each} pictures`);
}

/**
 * Enlarges the small input picture to the size of the model's output. Each input pixel becomes a rectangle of one colour.
 * @param {Uint8Array} input
 * @param {{ width: number, height: number, channels: number, inputWidth: number, inputHeight: number }} info
 */
export function squaresOf(input, { width, height, channels, inputWidth, inputHeight }) {
  return Uint8Array.from({ length: width * height * channels }, (_, k) => {
    const [pixel, c] = [Math.floor(k / channels), k % channels];
    const [y, x] = [Math.floor(pixel / width), pixel % width];
    return input[(Math.floor((y * inputHeight) / height) * inputWidth + Math.floor((x * inputWidth) / width)) * channels + c];
  });
}
