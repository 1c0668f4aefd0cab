// SPDX-License-Identifier: MIT
// For a picture model, --data is a folder with the four standard MNIST files, or a file of pictures:
//   NAME.u8.gz  the pixels, bytes of shape (count, height, width, channels), compressed by gzip
//   NAME.json   { "width", "height", "channels", "labels" }; other keys are ignored. The default sizes are those of the model. "labels" are
//               class indices or names, one per image; only the option --labels needs them
// Without --data, the script reads the small held-out set of the model's data set in tests/golden/, if that folder has one. --labels gives
// the model the class of each image. The result is the mean negative log-likelihood in nats per image and in bits per dimension. A
// dimension is one channel of one pixel. Before an image is scored, its values are reduced to the model's number of levels, or its colours
// to the model's palette.
//
//   npm run eval -- weights/digits.gguf --images 10000 [--data data/mnist] [--labels] [--json]
//   npm run eval -- weights/emoji-sr.gguf --data build/emoji-test.u8.gz
//
// For a super-resolution model, the input is the downscaled image. The model draws one sample for each image, with the index of the
// image as its seed. The sample and the bicubic upsampling of the input are downscaled again and compared with the input. The results are:
//   - the PSNR in dB between the downscaled sample and the input, over all images (null in JSON if the two are equal)
//   - the PSNR between the sample and the original image
//   - the mean difference between neighbouring pixels, in the samples and in the originals
//   - the nats of the samples; if they are far higher than the nats of the originals, the model diverges while it samples
//
// --temperatures 1,0.8 draws one sample at each of these temperatures. With --of 24, the model draws 24 samples, and only the most probable
// sample is measured. --resample 8 --resample-rows 4 resamples the samples in groups while they are drawn, like the library's options
// resample and resampleRows.
// @ts-check
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { reduce } from '../../../../web/lib/media/image.js';
import { bicubic } from '../../../../web/pages/colour/bicubic.js';
import { distance } from '../../../../web/pages/colour/distance.js';
import { picturesOf } from './drawn.js';
import { readHeldOut, readSmallSet } from './held-out.js';

/** @import { AnyModel as Model } from '../../../../web/lib/model/of-kind.js' */

/** Returns the sum of squared differences. @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
function squaredError(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] - b[i]) ** 2;
  return sum;
}

/**
 * Returns the mean absolute difference between horizontally or vertically neighbouring pixels, in 8-bit levels.
 *
 * @param {Uint8Array} picture  (height, width, channels)
 * @param {{ height: number, width: number, channels: number }} shape
 */
function roughness(picture, { height, width, channels }) {
  let right = 0,
    below = 0;
  const row = width * channels;
  picture.forEach((value, i) => {
    if (i % row < row - channels) right += Math.abs(value - picture[i + channels]);
    if (i < picture.length - row) below += Math.abs(value - picture[i + row]);
  });
  return (right / (height * (row - channels)) + below / ((height - 1) * row)) / 2;
}

/**
 * Measures the samples of a super-resolution model for one image. The measures are two squared errors (between the downscaled sample and
 * the input, and between the sample and the original), the roughness of the sample, and the mean nats of all samples.
 * @param {Model} model
 * @param {{ data: Uint8Array, width: number, height: number }} image
 * @param {{ label?: string | number, seed: number }} options
 * @param {number[]} temperatures  one sample is drawn at each of these temperatures
 * @param {{ samples: number, resample: number, resampleRows?: number }} contest  the likeliest of `samples` samples is measured
 */
async function consistency(model, image, options, temperatures, contest) {
  const { info } = model;
  const { inputWidth: width, inputHeight: height, channels } = info;
  const samples = [];
  let input = new Uint8Array();
  const back = (/** @type {Uint8Array} */ picture) => squaredError(reduce(picture, info, width, height), input);
  for (const temperature of temperatures) {
    const run = model.superResolve(image, { ...options, ...contest, temperature });
    input = /** @type {Uint8Array<ArrayBuffer>} */ (await run.input);
    const {
      pictures: [picture],
      nats,
    } = await picturesOf(model, run, contest.samples);
    samples.push({
      error: back(picture),
      originalError: squaredError(picture, image.data),
      distance: distance(picture, image.data, info.width),
      roughness: roughness(picture, info),
      nats: nats.reduce((a, b) => a + b, 0) / contest.samples,
    });
  }
  const smooth = new Uint8Array(bicubic(input, { width, height, channels }, info));
  return { samples, bicubic: back(smooth), bicubicDistance: distance(smooth, image.data, info.width) };
}

/**
 * @param {Model} model
 * @param {string} file
 * @param {{ images?: string, data?: string, labels: boolean, temperatures: string, of: string, resample: string, 'resample-rows'?: string, json: boolean }} options
 */
export async function evaluate(model, file, options) {
  const { info } = model;
  const { width, height, channels } = info;
  const size = width * height * channels;
  const { data } = options;
  const pictures = data === undefined ? readSmallSet(info) : readHeldOut(data, info);
  const { pixels, labels } = pictures;
  if (options.labels && !labels) throw new Error('These images have no labels');
  const count = Math.min(Number(options.images ?? pictures.count), pictures.count);

  const temperatures = options.temperatures.split(',').map(Number);
  const of = Number(options.of);
  const contest = {
    samples: of,
    resample: Number(options.resample),
    resampleRows: options['resample-rows'] === undefined ? undefined : Number(options['resample-rows']),
  };
  const drawings = temperatures.map(() => ({ error: 0, originalError: 0, distance: 0, roughness: 0, nats: 0 }));
  let sum = 0,
    squares = 0,
    bicubicError = 0,
    bicubicDistance = 0,
    originals = 0,
    scoring = 0;
  for (let i = 0; i < count; i++) {
    const image = { data: pixels.subarray(i * size, (i + 1) * size), width, height };
    const label = options.labels ? labels?.[i] : undefined;
    const started = performance.now();
    const { nats } = await model.score(image, { label });
    scoring += performance.now() - started;
    sum += nats;
    squares += nats * nats;
    if (info.inputWidth > 0) {
      const enlarged = await consistency(model, image, { label, seed: i }, temperatures, contest);
      enlarged.samples.forEach((sample, t) => {
        drawings[t].error += sample.error;
        drawings[t].originalError += sample.originalError;
        drawings[t].distance += sample.distance / count;
        drawings[t].roughness += sample.roughness / count;
        drawings[t].nats += sample.nats / count;
      });
      bicubicError += enlarged.bicubic;
      bicubicDistance += enlarged.bicubicDistance / count;
      originals += roughness(image.data, info) / count;
    }
    if (!options.json && process.stderr.isTTY && i % 20 === 19)
      process.stderr.write(`\r${i + 1} of ${count}: ${(sum / (i + 1)).toFixed(2)} nats`);
  }

  const nats = sum / count;
  const psnr = (/** @type {number} */ error, numbers = info.inputWidth * info.inputHeight * channels) =>
    10 * Math.log10((255 ** 2 * count * numbers) / error);
  const result = {
    file: path.relative(fileURLToPath(new URL('../../../..', import.meta.url)), path.resolve(file)),
    images: count,
    labels: options.labels,
    nats,
    standardError: Math.sqrt(Math.max(0, squares / count - nats * nats) / count),
    bitsPerDim: nats / (size * Math.LN2),
    secondsPerImage: scoring / 1000 / count,
    ...(info.inputWidth > 0 && {
      consistency: {
        psnr: psnr(drawings[0].error),
        bicubicPsnr: psnr(bicubicError),
        bicubicDistance,
        roughness: originals,
        temperatures: temperatures.map((temperature, t) => ({
          temperature,
          psnr: psnr(drawings[t].error),
          originalPsnr: psnr(drawings[t].originalError, size),
          distance: drawings[t].distance,
          roughness: drawings[t].roughness,
          nats: drawings[t].nats,
        })),
      },
    }),
  };
  if (options.json) {
    console.log(JSON.stringify(result));
    return;
  }
  if (process.stderr.isTTY) process.stderr.write('\r');
  console.log(
    `${result.file}: ${count} images${options.labels ? ' with labels' : ''}: ${nats.toFixed(2)} nats (standard error ` +
      `${result.standardError.toFixed(2)}), ${result.bitsPerDim.toFixed(4)} bits/dim, ${(1000 * result.secondsPerImage).toFixed(0)} ms an image`,
  );
  if (result.consistency) {
    console.log(
      `reduced again, ${of > 1 ? `the likeliest of ${of} samples` : 'one sample'} of each against its ${info.inputWidth} x ${info.inputHeight} input: PSNR ` +
        `${result.consistency.temperatures.map(({ temperature, psnr }) => `${psnr.toFixed(2)} dB at temperature ${temperature}`).join(', ')}; ` +
        `bicubic ${result.consistency.bicubicPsnr.toFixed(2)} dB`,
    );
    console.log(
      `against the originals ${result.consistency.temperatures.map(({ temperature, originalPsnr }) => `${originalPsnr.toFixed(2)} dB at temperature ${temperature}`).join(', ')}`,
    );
    console.log(
      `perceptual distance from the originals, 1 - SSIM: ${result.consistency.temperatures.map((one) => `${one.distance.toFixed(3)} at temperature ${one.temperature}`).join(', ')}; ` +
        `bicubic ${result.consistency.bicubicDistance.toFixed(3)}`,
    );
    console.log(
      `neighbouring pixels differ, of 255, by ${result.consistency.temperatures.map((one) => `${one.roughness.toFixed(1)} at temperature ${one.temperature}`).join(', ')}; ` +
        `${result.consistency.roughness.toFixed(1)} in the originals`,
    );
    console.log(
      `drawing cost ${result.consistency.temperatures.map((one) => `${one.nats.toFixed(0)} nats a sample at temperature ${one.temperature}`).join(', ')}; ` +
        `${nats.toFixed(0)} the originals`,
    );
  }
}
