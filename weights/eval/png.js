// SPDX-License-Identifier: MIT
// Encodes pictures as PNG files.
// @ts-check
import { crc32, deflateSync } from 'node:zlib';

/** Returns the bytes of a PNG file with these pixels. @param {Uint8Array} rgb @param {number} width @param {number} height */
export function png(rgb, width, height) {
  const lines = new Uint8Array(height * (1 + 3 * width)); // each row of a PNG starts with its filter type; 0 means none
  for (let y = 0; y < height; y++) lines.set(rgb.subarray(3 * width * y, 3 * width * (y + 1)), y * (1 + 3 * width) + 1);
  /** @param {string} type @param {Buffer} body */
  const chunk = (type, body) => {
    const typed = Buffer.concat([Buffer.from(type, 'latin1'), body]);
    const ends = Buffer.alloc(8);
    ends.writeUInt32BE(body.length, 0);
    ends.writeUInt32BE(crc32(typed), 4);
    return Buffer.concat([ends.subarray(0, 4), typed, ends.subarray(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8); // 8 bits per channel, RGB, deflate, default filters, no interlace
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(lines)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
