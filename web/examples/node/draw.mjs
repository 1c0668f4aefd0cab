// SPDX-License-Identifier: MIT
// node draw.mjs WEIGHTS.gguf OUT.png [label] [seed]
// Draws a picture without input and writes it as a PNG file, using only Node and nextpixel.

import { writeFile } from 'node:fs/promises';
import * as zlib from 'node:zlib';

import { load } from 'nextpixel';

/** Encodes RGBA pixels as a PNG: the signature, then chunks that consist of length, name, data and checksum. */
function png({ data, width, height }) {
  const chunk = (name, body) => {
    const named = Buffer.concat([Buffer.from(name), body]);
    const bytes = Buffer.alloc(8);
    bytes.writeUInt32BE(body.length, 0);
    bytes.writeUInt32BE(checksum(named), 4);
    return Buffer.concat([bytes.subarray(0, 4), named, bytes.subarray(4)]);
  };
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 6, 0, 0, 0]); // 8 bits, RGBA
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const rows = Array.from({ length: height }, (_, row) => Buffer.concat([Buffer.from([0]), new Uint8Array(data.buffer, 4 * width * row, 4 * width)]));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', zlib.deflateSync(Buffer.concat(rows))), chunk('IEND', Buffer.alloc(0))]);
}

/** Computes the CRC-32, which the zlib module provides only in newer versions of Node. */
function checksum(bytes) {
  if (zlib.crc32) return zlib.crc32(bytes);
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

const [weights, out, label, seed] = process.argv.slice(2);
if (out === undefined) {
  console.error('node draw.mjs WEIGHTS.gguf OUT.png [label] [seed]');
  process.exit(1);
}
const model = await load(weights);
const run = model.generate({ label, ...(seed !== undefined && { seed: Number(seed) }) });
const [picture] = await run.pictures();
await writeFile(out, png(picture));
console.log(`${out}: ${picture.width} x ${picture.height}, seed ${run.seed}`);
model.close();
