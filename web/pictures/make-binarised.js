// SPDX-License-Identifier: MIT
// Creates binarised-digits.bin, the training pictures on the page of the fully visible sigmoid belief network:
//
//   node web/pictures/make-binarised.js data/binarised_mnist
//
// The argument is a folder with train.bits.gz (see weights/train/README.md). The script copies the first 200 pictures of
// this file; no picture is selected by hand. Each picture has 98 bytes, with the first pixel in the highest bit.
// @ts-check
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

const COUNT = 200;
const BYTES = (28 * 28) / 8;
const TRAINING = 50000;

const folder = process.argv[2];
if (!folder) {
  console.error('usage: node web/pictures/make-binarised.js FOLDER_WITH_BINARIZED_MNIST');
  process.exit(2);
}
const all = gunzipSync(readFileSync(join(folder, 'train.bits.gz')));
if (all.length !== TRAINING * BYTES) throw new Error('train.bits.gz is not the training set of binarised MNIST');
const few = all.subarray(0, COUNT * BYTES);
writeFileSync(fileURLToPath(new URL('./binarised-digits.bin', import.meta.url)), few);
console.log(`binarised-digits.bin: ${few.length} bytes, sha256 ${createHash('sha256').update(few).digest('hex')}`);
