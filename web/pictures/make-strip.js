// SPDX-License-Identifier: MIT
// Creates digits.bin, the strip of test digits on the pages; seven.png, the digit that the embedded element completes; and three.js, the
// digit with which the front page starts:
//
//   node web/pictures/make-strip.js data/mnist
//
// The argument is a folder with the MNIST test set as published: t10k-images-idx3-ubyte.gz and t10k-labels-idx1-ubyte.gz.
// The script takes the first four test images of class 0, then of class 1, and so on. Image i of digits.bin therefore shows a digit of
// class floor(i / 4). No image is selected by hand. digits.bin is an idx3 file like its source (big-endian magic 2051, count, rows,
// columns, then the bytes).
// @ts-check
import { readFileSync, writeFileSync } from 'node:fs';
import { crc32, deflateSync, gunzipSync } from 'node:zlib';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CLASSES = 10;
const EACH = 4;
const SIDE = 28;

const folder = process.argv[2];
if (!folder) {
  console.error('usage: node web/pictures/make-strip.js FOLDER_WITH_MNIST');
  process.exit(2);
}

/** @param {string} name */
const unpack = (name) => gunzipSync(readFileSync(join(folder, name)));
const images = unpack('t10k-images-idx3-ubyte.gz');
const labels = unpack('t10k-labels-idx1-ubyte.gz');
if (images.readUInt32BE(0) !== 2051 || images.readUInt32BE(8) !== SIDE || images.readUInt32BE(12) !== SIDE) {
  throw new Error('t10k-images-idx3-ubyte.gz is not the MNIST test set');
}

const head = Buffer.alloc(16);
[2051, CLASSES * EACH, SIDE, SIDE].forEach((n, i) => head.writeUInt32BE(n, 4 * i));
const parts = [head];
for (let digit = 0; digit < CLASSES; digit++) {
  let found = 0;
  for (let i = 0; found < EACH; i++) {
    if (labels[8 + i] !== digit) continue;
    parts.push(images.subarray(16 + i * SIDE * SIDE, 16 + (i + 1) * SIDE * SIDE));
    found++;
  }
}
const strip = Buffer.concat(parts);
writeFileSync(fileURLToPath(new URL('./digits.bin', import.meta.url)), strip);
console.log(`digits.bin: ${strip.length} bytes, sha256 ${createHash('sha256').update(strip).digest('hex')}`);

/** Encodes one chunk of a PNG file. @param {string} type @param {Buffer} data */
function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

const seven = parts[1 + 7 * EACH];
const header = Buffer.alloc(13); // width, height, 8 bits, grey, and three zeros
header.writeUInt32BE(SIDE, 0);
header.writeUInt32BE(SIDE, 4);
header[8] = 8;
const lines = Buffer.alloc(SIDE * (SIDE + 1)); // each line starts with a zero, which means no filter
for (let row = 0; row < SIDE; row++) seven.copy(lines, row * (SIDE + 1) + 1, row * SIDE, (row + 1) * SIDE);
const png = Buffer.concat([
  Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
  chunk('IHDR', header),
  chunk('IDAT', deflateSync(lines, { level: 9 })),
  chunk('IEND', Buffer.alloc(0)),
]);
writeFileSync(fileURLToPath(new URL('./seven.png', import.meta.url)), png);
console.log(`seven.png: ${png.length} bytes`);

/** Index of the digit on the front page. three.js stores this digit in 16 levels, two pixels per byte. */
const THREE = 14;
const SHADES = 15;
const levels = Array.from(parts[1 + THREE], (grey) => Math.floor((2 * grey * SHADES + 255) / 510));
const packed = Buffer.from(Array.from({ length: levels.length / 2 }, (_, i) => 16 * levels[2 * i] + levels[2 * i + 1])).toString('base64');
writeFileSync(
  fileURLToPath(new URL('./three.js', import.meta.url)),
  `// SPDX-License-Identifier: CC-BY-SA-3.0
// Test digit ${THREE} of digits.bin in 16 levels, two pixels per byte; created by make-strip.js.
// @ts-check
export const THREE =
  '${packed}';
`,
);
console.log(`three.js: ${packed.length} characters`);
