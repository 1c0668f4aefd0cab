// SPDX-License-Identifier: MIT
// Reads held-out pictures from files, and finds the held-out set of a model's data set.
// @ts-check
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

import { readJson } from '../../files.js';
import { dataSetOf, noData } from '../../held-out.js';

/** @import { AnyInfo as ModelInfo } from '../../../../web/lib/engine/protocol.js' */
/** @import { DataSet } from '../../held-out.js' */
/** @typedef {{ pixels: Uint8Array, labels: (string | number)[] | undefined, count: number }} Pictures */

/**
 * Reads an idx file, the format of MNIST: two zero bytes, a type (8: unsigned bytes), the number of dimensions, the size of each dimension
 * as a big-endian 32-bit number, then the data.
 * @param {string} file
 */
function readIdx(file) {
  const bytes = gunzipSync(readFileSync(file));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint16(0) !== 0 || bytes[2] !== 8) throw new Error(`${file} is not an idx file of bytes`);
  const shape = Array.from({ length: bytes[3] }, (_, i) => view.getUint32(4 + 4 * i));
  const data = bytes.subarray(4 + 4 * shape.length);
  if (data.length !== shape.reduce((a, b) => a * b, 1)) throw new Error(`${file} is truncated`);
  return { shape, data };
}

/** Reads the test images of MNIST. @param {string} folder @param {ModelInfo} info @returns {Pictures} */
function readMnist(folder, { width, height, channels }) {
  const file = path.join(folder, 't10k-images-idx3-ubyte.gz');
  if (!existsSync(file)) throw new Error(`${file} is missing: put the four standard MNIST files there`);
  const { shape, data } = readIdx(file);
  if (shape[1] !== height || shape[2] !== width || channels !== 1) throw new Error(`${file} has images of another size than the model`);
  return { pixels: data, labels: [...readIdx(path.join(folder, 't10k-labels-idx1-ubyte.gz')).data], count: shape[0] };
}

/** Reads NAME.u8.gz, a file of pictures, and NAME.json next to it. @param {string} file @param {ModelInfo} info @returns {Pictures} */
export function readPictures(file, info) {
  const sidecar = file.replace(/(\.u8)?\.gz$/, '') + '.json';
  if (sidecar === `${file}.json`) throw new Error(`${file} must be NAME.u8.gz, with NAME.json next to it`);
  const about = readJson(sidecar);
  for (const key of /** @type {const} */ (['width', 'height', 'channels'])) {
    if ((about[key] ?? info[key]) !== info[key]) throw new Error(`${file}: ${key} is ${about[key]}, the model's ${info[key]}`);
  }
  const pixels = gunzipSync(readFileSync(file));
  const count = pixels.length / (info.width * info.height * info.channels);
  if (!Number.isInteger(count) || count === 0) throw new Error(`${file} does not hold a whole number of images of the model's size`);
  if (about.labels && about.labels.length !== count) throw new Error(`${file} has ${count} images and ${about.labels.length} labels`);
  return { pixels, labels: about.labels, count };
}

/** Reads the pictures of --data, a folder with the MNIST files or a file of pictures. @param {string} data @param {ModelInfo} info */
export const readHeldOut = (data, info) => (statSync(data).isDirectory() ? readMnist(data, info) : readPictures(data, info));

/** small: the name of the small held-out set in tests/golden/, if there is one. @type {(DataSet & { small?: string })[]} */
const DATA_SETS = [
  {
    dataset: /\bbinari[sz]ed MNIST/i,
    small: 'fvsbn-test100',
    data: 'build/binarised-test.u8.gz',
    make: 'python3 weights/train/held_out.py binarised_mnist build/binarised-test',
  },
  { dataset: /\bMNIST\b/, small: 'digits-test100', data: 'data/mnist', make: 'python3 weights/train/prepare.py mnist' },
  {
    dataset: /\bNoto Emoji\b/,
    small: 'emoji-test100',
    data: 'build/emoji-test.u8.gz',
    make: 'python3 weights/train/held_out.py emoji build/emoji-test',
  },
  { dataset: /\bCIFAR-10\b/, data: 'build/cifar10-test.u8.gz', make: 'python3 weights/train/held_out.py cifar10 build/cifar10-test' },
];

/** Reads the small held-out set of a model's data set. @param {ModelInfo} info */
export function readSmallSet(info) {
  const { small } = dataSetOf(info, DATA_SETS) ?? {};
  if (small === undefined) throw noData(info, DATA_SETS);
  return readPictures(fileURLToPath(new URL(`../../../../tests/golden/${small}.u8.gz`, import.meta.url)), info);
}
