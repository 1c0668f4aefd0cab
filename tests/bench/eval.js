// SPDX-License-Identifier: MIT
// Measures a shipped file on held-out images, through the wasm:
//
//   npm run eval -- weights/digits.gguf --images 10000 [--data data/mnist] [--labels] [--json]
//
// Without --data it reads the 100 test images that live in tests/golden/. --labels tells the model each image's class. The result is
// the mean negative log-likelihood in nats per image and in bits per dimension, of the image at the model's number of grey levels.
// @ts-check
import { readFileSync, existsSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { parseArgs } from 'node:util';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from '../../web/lib/index.js';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    images: { type: 'string' },
    data: { type: 'string' },
    labels: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
if (positionals.length !== 1) {
  console.error('usage: npm run eval -- FILE [--images N] [--data DIR] [--labels] [--json]');
  process.exit(2);
}

/**
 * Reads an idx file, the container of MNIST: two zero bytes, a type (8: unsigned bytes), the number of dimensions, each dimension as
 * a big-endian 32-bit number, then the data.
 * @param {string} file
 */
function readIdx(file) {
  const bytes = gunzipSync(readFileSync(file));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint16(0) !== 0 || bytes[2] !== 8) throw new Error(`${file} is not an idx file of bytes`);
  const shape = Array.from({ length: bytes[3] }, (_, i) => view.getUint32(4 + 4 * i));
  const data = bytes.subarray(4 + 4 * shape.length);
  if (data.length !== shape.reduce((a, b) => a * b, 1)) throw new Error(`${file} is cut short`);
  return { shape, data };
}

/** The test images and labels: the standard files of `data`, or the small set of the tests. @param {string | undefined} folder */
function readImages(folder) {
  if (folder) {
    const images = path.join(folder, 't10k-images-idx3-ubyte.gz');
    if (!existsSync(images)) throw new Error(`${images} is missing: put the four standard MNIST files there`);
    return { pixels: readIdx(images).data, labels: readIdx(path.join(folder, 't10k-labels-idx1-ubyte.gz')).data };
  }
  const golden = new URL('../golden/', import.meta.url);
  const { labels } = JSON.parse(readFileSync(new URL('digits-test100.json', golden), 'utf8'));
  return { pixels: gunzipSync(readFileSync(new URL('digits-test100.u8.gz', golden))), labels: Uint8Array.from(labels) };
}

const model = await load(path.resolve(positionals[0]));
const { width, height, channels } = model.info;
const size = width * height * channels;
const { pixels, labels } = readImages(options.data);
const count = Math.min(Number(options.images ?? labels.length), labels.length);
if (!(count >= 1)) throw new Error('--images takes a positive number');

let sum = 0, squares = 0;
const started = performance.now();
for (let i = 0; i < count; i++) {
  const image = { data: pixels.subarray(i * size, (i + 1) * size), width, height };
  const { nats } = await model.score(image, options.labels ? { label: labels[i] } : {});
  sum += nats;
  squares += nats * nats;
  if (!options.json && process.stderr.isTTY && i % 20 === 19) process.stderr.write(`\r${i + 1} of ${count}: ${(sum / (i + 1)).toFixed(2)} nats`);
}
const seconds = (performance.now() - started) / 1000;
model.close();

const nats = sum / count;
const result = {
  file: path.relative(fileURLToPath(new URL('../..', import.meta.url)), path.resolve(positionals[0])),
  images: count,
  labels: options.labels,
  nats,
  standardError: Math.sqrt(Math.max(0, squares / count - nats * nats) / count),
  bitsPerDim: nats / (size * Math.LN2),
  secondsPerImage: seconds / count,
};
if (options.json) console.log(JSON.stringify(result));
else {
  if (process.stderr.isTTY) process.stderr.write('\r');
  console.log(`${result.file}: ${count} images${options.labels ? ' with labels' : ''}: ${nats.toFixed(2)} nats (standard error ` +
    `${result.standardError.toFixed(2)}), ${result.bitsPerDim.toFixed(4)} bits/dim, ${(1000 * result.secondsPerImage).toFixed(0)} ms an image`);
}
