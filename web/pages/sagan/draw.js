// SPDX-License-Identifier: MIT
// Shows a generated picture on a canvas.
// @ts-check

/** @typedef {import('../../lib/index.js').LatentStep} LatentStep */
/** @typedef {import('../../lib/index.js').LatentOptions} LatentOptions */
/** @typedef {import('../../shell/index.js').Model} Model */

/** @param {HTMLCanvasElement} canvas @param {Uint8Array} values shape (side, side, 3) */
export function show(canvas, values) {
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  const side = Math.sqrt(values.length / 3);
  // A visitor's own model may draw pictures of another size.
  if (3 * canvas.width * canvas.height !== values.length) Object.assign(canvas, { width: side, height: side });
  const image = context.createImageData(canvas.width, canvas.height);
  const { data } = image;
  data.fill(255);
  for (let i = 0, j = 0; i < values.length; i += 3, j += 4) {
    data[j] = values[i];
    data[j + 1] = values[i + 1];
    data[j + 2] = values[i + 2];
  }
  context.putImageData(image, 0, 0);
  canvas.dataset.sum = String(sumOf(values)); // tests use this hash to compare engines
}

/** Returns a hash of the picture. Different pictures almost always have different hashes. @param {Uint8Array} values */
export const sumOf = (values) => values.reduce((sum, value) => (31 * sum + value) % 1000003, 7);

/**
 * Generates pictures with the given options, and yields the pictures in order.
 *
 * @param {Model} model
 * @param {LatentOptions} options
 * @returns {AsyncIterable<LatentStep>}
 */
export const made = (model, options) => model.generate(options);

/**
 * Returns the step with the picture of a single latent vector.
 *
 * @param {Model} model
 * @param {LatentOptions} options
 * @returns {Promise<LatentStep>}
 */
export async function one(model, options) {
  for await (const step of made(model, options)) return step;
  throw new Error('nothing was made');
}
