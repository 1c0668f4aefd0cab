// SPDX-License-Identifier: MIT
// @ts-check

/** Makes PNG files for the tests. */

import { deflateSync } from 'node:zlib';

/** @param {Buffer} bytes */
function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

/** @param {string} type @param {Buffer} content */
function chunk(type, content) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const frame = Buffer.alloc(4 + body.length + 4);
  frame.writeUInt32BE(content.length, 0);
  body.copy(frame, 4);
  frame.writeUInt32BE(crc32(body), 4 + body.length);
  return frame;
}

/**
 * @param {number} width
 * @param {number} height
 * @param {number} depth  bits
 * @param {number} colour  type: 0 grey, 6 RGBA
 * @param {Buffer} rows  each row begins with its filter byte
 */
function file(width, height, depth, colour, rows) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, colour], 8);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]);
}

/** @param {number} width @param {number} height @param {(x: number, y: number) => number[]} pixel RGBA */
export function png(width, height, pixel) {
  const rows = Buffer.alloc(height * (1 + 4 * width));
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) rows.set(pixel(x, y), y * (1 + 4 * width) + 1 + 4 * x);
  return file(width, height, 8, 6, rows);
}

/**
 * Returns a black picture with one bit per pixel; even a large picture takes only a few kilobytes.
 *
 * @param {number} width
 * @param {number} height
 */
export const blackPng = (width, height) => file(width, height, 1, 0, Buffer.alloc(height * (1 + Math.ceil(width / 8))));
