// SPDX-License-Identifier: MIT
// @ts-check

/** From whatever a page has to the 8-bit picture of a model: rows, columns, channels within a pixel. */

import { argumentError, reading } from '../../base/error.js';
import { classOf } from '../../base/realm.js';

/** @import { ModelInfo } from '../../engine/protocol.js' */
/** @import { Dom } from '../../base/dom.js' */

/**
 * Raw pixels of the model's size: RGBA, or one value per channel of the model.
 *
 * @typedef {{ data: Uint8Array | Uint8ClampedArray | number[], width: number, height: number }} RawImage
 */
/** An image of a page is scaled to the model's size; crop it first where its proportions matter.
 * @typedef {RawImage | Dom<'ImageData'> | Dom<'HTMLCanvasElement'> | Dom<'OffscreenCanvas'> | Dom<'ImageBitmap'> | Dom<'HTMLImageElement'> |
 *   Dom<'HTMLVideoElement'> | Dom<'VideoFrame'>} ImageSource */
/** @typedef {Pick<ModelInfo, 'width' | 'height' | 'channels'>} Shape */

/**
 * The picture of an image. For one channel, colours become their luma; what lies under transparent pixels, fromRGBA() says.
 *
 * @param {ImageSource} image
 * @param {Shape} shape
 * @returns {Uint8Array<ArrayBuffer>} (height, width, channels)
 * @internal
 */
export function pictureOf(image, shape) {
  return reading('image', () => readPicture(image, shape));
}

/** @param {ImageSource} image @param {Shape} shape */
function readPicture(image, shape) {
  const { width, height, channels } = shape;
  if (!isRaw(image)) {
    const pixels = drawn(image);
    return fromRGBA(resample(pixels.data, pixels.width, pixels.height, width, height), channels);
  }
  if (image.width !== width || image.height !== height) {
    throw argumentError(`The image is ${image.width} x ${image.height} pixels, the model needs ${width} x ${height}: ` +
      'scale it first, or pass a canvas, ImageBitmap or <img>, which are scaled for you');
  }
  const data = bytesOf(image.data);
  const pixels = width * height;
  if (data.length === 4 * pixels) return fromRGBA(data, channels);
  if (data.length === channels * pixels) return new Uint8Array(data);
  throw argumentError(`image.data has ${data.length} values; ${width} x ${height} pixels are ${4 * pixels} (RGBA) or ` +
    `${channels * pixels} (${channels === 1 ? 'grey' : 'RGB'})`);
}

/**
 * The small picture for a model that takes one: of an image as many times larger, the means of its boxes; of another
 * image of the page, scaled.
 *
 * @param {ImageSource} image
 * @param {Pick<ModelInfo, 'inputWidth' | 'inputHeight' | 'channels'>} info
 * @returns {Uint8Array<ArrayBuffer>} (inputHeight, inputWidth, channels)
 * @internal
 */
export function inputOf(image, info) {
  return reading('image', () => readInput(image, info));
}

/** @param {ImageSource} image @param {Pick<ModelInfo, 'inputWidth' | 'inputHeight' | 'channels'>} info */
function readInput(image, { inputWidth: width, inputHeight: height, channels }) {
  const pixels = isRaw(image) ? image : drawn(image);
  if (holds(pixels, width, height)) {
    const { width: fullWidth, height: fullHeight } = pixels;
    const shape = { width: fullWidth, height: fullHeight, channels };
    return reduce(pictureOf(pixels, shape), shape, width, height);
  }
  if (pixels === image) {
    throw argumentError(`The image is ${image.width} x ${image.height} pixels, the model needs ${width} x ${height} or a ` +
      'whole multiple of each: scale it first, or pass a canvas, ImageBitmap or <img>, which are scaled for you');
  }
  return fromRGBA(resample(/** @type {ImageData} */ (pixels).data, pixels.width, pixels.height, width, height), channels);
}

/**
 * Tells whether a picture can be cut into width x height equal boxes of whole pixels.
 *
 * @param {{ width: number, height: number }} picture
 * @param {number} width
 * @param {number} height
 * @internal
 */
export function holds(picture, width, height) {
  return picture.width >= width && picture.height >= height && picture.width % width === 0 && picture.height % height === 0;
}

/**
 * Reduces a picture by whole numbers: each new pixel is the mean of its box, halves rounded up, as in training.
 *
 * @param {Uint8Array} picture  (height, width, channels)
 * @param {Shape} shape
 * @param {number} newWidth     a divisor of the width
 * @param {number} newHeight    a divisor of the height
 * @returns {Uint8Array<ArrayBuffer>}
 * @internal
 */
export function reduce(picture, { width, height, channels }, newWidth, newHeight) {
  const wide = width / newWidth;
  const high = height / newHeight;
  return Uint8Array.from({ length: newWidth * newHeight * channels }, (_, i) => {
    const channel = i % channels;
    const left = (Math.floor(i / channels) % newWidth) * wide;
    const top = Math.floor(i / channels / newWidth) * high;
    let sum = 0;
    for (let row = top; row < top + high; row++) {
      for (let column = left; column < left + wide; column++) sum += picture[(row * width + column) * channels + channel];
    }
    return Math.floor((2 * sum + wide * high) / (2 * wide * high));
  });
}

/** A grey picture with less light than this on a transparent ground is a dark drawing. */
const DARK = 64;

/**
 * Transparent pixels are laid over black for one channel, and over white for three; where that leaves nothing of a drawing, over the other: dark ink on
 * a canvas that was never filled becomes light ink on black, as models of drawings learned it, and white ink on white stands on black.
 *
 * @param {ArrayLike<number>} rgba  (pixels, 4)
 * @param {number} channels  1 or 3
 * @returns {Uint8Array<ArrayBuffer>} (pixels, channels)
 * @internal
 */
export function fromRGBA(rgba, channels) {
  const pixels = rgba.length / 4;
  const elements = new Uint8Array(pixels * channels);
  const ground = groundOf(rgba, channels);
  for (let i = 0; i < pixels; i++) {
    const [r, g, b, a] = [rgba[4 * i], rgba[4 * i + 1], rgba[4 * i + 2], rgba[4 * i + 3]];
    if (channels === 1) {
      // In whole numbers, so that grey stays as it is.
      const luma = 299 * r + 587 * g + 114 * b;
      elements[i] = Math.round(((ground === 'paper' ? 255000 - luma : luma) * a) / 255000);
    } else {
      const under = ground === 'white' ? 255 * (255 - a) : 0;
      elements[3 * i] = Math.round((r * a + under) / 255);
      elements[3 * i + 1] = Math.round((g * a + under) / 255);
      elements[3 * i + 2] = Math.round((b * a + under) / 255);
    }
  }
  return elements;
}

/**
 * What lies under transparent pixels.
 *
 * @param {ArrayLike<number>} rgba
 * @param {number} channels
 * @returns {'black' | 'white' | 'paper'}  paper: light, and the picture is turned so that its ink is light
 */
function groundOf(rgba, channels) {
  let [transparent, visible, brightest, darkest] = [false, false, 0, 255];
  for (let at = 0; at < rgba.length; at += 4) {
    const a = rgba[at + 3];
    if (a < 255) transparent = true;
    if (a === 0) continue;
    visible = true;
    brightest = Math.max(brightest, ((299 * rgba[at] + 587 * rgba[at + 1] + 114 * rgba[at + 2]) * a) / 255000);
    darkest = Math.min(darkest, rgba[at], rgba[at + 1], rgba[at + 2]);
  }
  if (channels === 1) return transparent && brightest < DARK ? 'paper' : 'black';
  return transparent && visible && darkest === 255 ? 'black' : 'white';
}

/**
 * Scales by the mean over the area that each new pixel covers, weighted by opacity. Browsers scale differently, and
 * what a model completes should not depend on that.
 *
 * @param {Uint8ClampedArray} rgba
 * @param {number} width
 * @param {number} height
 * @param {number} newWidth
 * @param {number} newHeight
 * @returns {Uint8ClampedArray}
 * @internal
 */
export function resample(rgba, width, height, newWidth, newHeight) {
  if (width === newWidth && height === newHeight) return rgba;
  const columns = coverage(width, newWidth);
  const rows = coverage(height, newHeight);
  const out = new Uint8ClampedArray(4 * newWidth * newHeight);
  for (let y = 0; y < newHeight; y++) {
    for (let x = 0; x < newWidth; x++) {
      let r = 0, g = 0, b = 0, opacity = 0, area = 0;
      for (let i = rows.from[y]; i < rows.from[y + 1]; i++) {
        const line = rows.index[i] * width;
        const high = rows.share[i];
        for (let j = columns.from[x]; j < columns.from[x + 1]; j++) {
          const at = 4 * (line + columns.index[j]);
          const weight = high * columns.share[j];
          const alpha = weight * rgba[at + 3];
          r += alpha * rgba[at];
          g += alpha * rgba[at + 1];
          b += alpha * rgba[at + 2];
          opacity += alpha;
          area += weight;
        }
      }
      if (opacity > 0) out.set([r / opacity, g / opacity, b / opacity, opacity / area], 4 * (y * newWidth + x));
    }
  }
  return out;
}

/**
 * For each of `count` equal parts of 0..size, the unit intervals that it meets and how much of each: those of part i stand at from[i] to from[i + 1] - 1.
 *
 * @param {number} size
 * @param {number} count
 */
function coverage(size, count) {
  const from = [0];
  /** @type {number[]} */
  const index = [];
  /** @type {number[]} */
  const share = [];
  for (let part = 0; part < count; part++) {
    const begin = (part * size) / count;
    const end = ((part + 1) * size) / count;
    for (let i = Math.floor(begin); i < Math.min(size, Math.ceil(end)); i++) {
      const met = Math.min(end, i + 1) - Math.max(begin, i);
      if (met > 1e-9) {
        index.push(i);
        share.push(met);
      }
    }
    from.push(index.length);
  }
  return { from, index: Int32Array.from(index), share: Float64Array.from(share) };
}

/**
 * Tells whether an image is raw pixels; else it must be drawn to be read.
 *
 * @param {ImageSource} image
 * @returns {image is RawImage | ImageData}
 */
function isRaw(image) {
  if (typeof image !== 'object' || image === null) {
    throw argumentError('image must be an ImageData, a canvas, an ImageBitmap, an <img>, a <video>, a VideoFrame or { data, width, height }');
  }
  // An ImageData of other colours than those of 'srgb', such as 'display-p3', or of numbers of 16 bits, is drawn too: that converts it.
  return 'data' in image && !/Float16|-/.test(classOf(image.data) + /** @type {Partial<ImageData>} */ (image).colorSpace);
}

/** The most pixels of an image that is drawn: those of a photograph of a telephone. */
const MOST_PIXELS = 2 ** 26;

/** The pixels that it has, whatever its size on the page. @param {any} image @returns {[number, number]} */
function sizeOf(image) {
  if ('naturalWidth' in image) return [image.naturalWidth, image.naturalHeight];
  if ('videoWidth' in image) return image.readyState >= 2 ? [image.videoWidth, image.videoHeight] : [0, 0];
  return 'displayWidth' in image ? [image.displayWidth, image.displayHeight] : [image.width, image.height];
}

/**
 * The pixels of an image of the page, at its own size; of a film the frame that it shows.
 *
 * @param {HTMLCanvasElement | OffscreenCanvas | ImageBitmap | HTMLImageElement | HTMLVideoElement | VideoFrame | ImageData} image
 */
function drawn(image) {
  const [width, height] = sizeOf(image);
  if (!(width > 0 && height > 0)) {
    throw argumentError('naturalWidth' in image ? 'The <img> is not loaded: await image.decode() first' :
      'videoWidth' in image ? 'The <video> shows no frame yet: await its event loadeddata first' :
        'displayWidth' in image ? 'The VideoFrame was closed: it has no pixels' : 'The image has no pixels');
  }
  if (!(width * height <= MOST_PIXELS)) throw argumentError(`The image has ${width} x ${height} pixels, ${MOST_PIXELS} can be read: make it smaller first`);
  if (typeof OffscreenCanvas !== 'function' && typeof document !== 'object') {
    throw argumentError('Here an image is { data, width, height }');
  }
  const canvas = typeof OffscreenCanvas === 'function' ? new OffscreenCanvas(width, height) :
    Object.assign(document.createElement('canvas'), { width, height });
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d', { willReadFrequently: true }));
  try {
    if ('data' in image) context.putImageData(image, 0, 0); // which converts it
    else context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, width, height, { colorSpace: 'srgb' });
  } catch (cause) {
    throw argumentError(`The image cannot be read (${cause}). One from another origin needs crossorigin="anonymous"`);
  }
}

/**
 * @param {RawImage['data']} data
 * @returns {Uint8Array | Uint8ClampedArray | number[]}
 */
function bytesOf(data) {
  if (/^Uint8(Clamped)?Array$/.test(classOf(data))) return data;
  if (Array.isArray(data) && Array.from(data).every((value) => Number.isInteger(value) && value >= 0 && value <= 255)) return data;
  throw argumentError('image.data must hold 8-bit values: a Uint8Array, Uint8ClampedArray or array of numbers from 0 to 255');
}
