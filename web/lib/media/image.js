// SPDX-License-Identifier: MIT
// @ts-check

/** Converts any image from a page to a model's 8-bit picture, of shape (rows, columns, channels). */

import { show } from '../base/checks.js';
import { argumentError, reading } from '../base/error.js';
import { part } from '../base/part.js';
import { classOf } from '../base/realm.js';
import { checkPixels, drawn, rowsAtOnce, worked } from './drawn.js';
import { fromRGBA, groundOf, laid } from './ground.js';
import { boxes, scaling } from './scale.js';

/** @import { AnyInfo } from '../engine/protocol.js' */
/** @import { Dom } from '../base/dom.js' */
/** @import { Source } from './drawn.js' */

/**
 * Raw pixels of the model's size: RGBA, or one value per channel of the model.
 *
 * @typedef {{ data: Uint8Array | Uint8ClampedArray | number[], width: number, height: number }} RawImage
 */
/** An image from the page is scaled to the model's size, so crop it first if its proportions matter. An image of more than 2^18 pixels is
 * read in chunks that yield to the event loop.
 * @typedef {RawImage | Dom<'ImageData'> | Dom<'HTMLCanvasElement'> | Dom<'OffscreenCanvas'> | Dom<'ImageBitmap'> | Dom<'HTMLImageElement'> |
 *   Dom<'HTMLVideoElement'> | Dom<'VideoFrame'> | Dom<'SVGImageElement'> | Blob | string | URL} ImageSource
 * a string is an address */
/** @typedef {Pick<AnyInfo, 'width' | 'height' | 'channels'>} Shape */

/**
 * Converts an image to a picture of the model's size. For one channel, colours are converted to luma; fromRGBA() handles transparent
 * pixels.
 *
 * @param {ImageSource} image
 * @param {Shape} shape
 * @param {AbortSignal} [signal]
 * @returns {Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>} bytes of shape (height, width, channels); a promise of them if the
 *   image has many pixels
 * @internal
 */
export function pictureOf(image, shape, signal) {
  return reading('image', () => readPicture(image, shape, signal));
}

/** Returns whether an image is an ImageData, which is scaled like other images from the page. @param {unknown} image */
const isOfPage = (image) => classOf(image) === 'ImageData';

/**
 * Returns whether an image is a file or the address of a file.
 * @param {unknown} image
 * @returns {image is Blob | string | URL | Dom<'SVGImageElement'>}
 */
const isFile = (image) => /^(String|URL|Blob|File|SVGImageElement)$/.test(classOf(image));

/** @template T @param {unknown} image @param {(decoded: any) => T | Promise<T>} use @param {AbortSignal} [signal] @returns {Promise<T>} */
const decodedFirst = async (image, use, signal) => (await part(() => import('./picture-file.js'))).decoded(image, use, signal);

/** @param {ImageSource} image @param {Shape} shape @param {AbortSignal} [signal] @returns {Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>} */
function readPicture(image, shape, signal) {
  if (isFile(image)) return decodedFirst(image, (decoded) => readPicture(decoded, shape, signal), signal);
  const { width, height, channels } = shape;
  if (!isRaw(image) || (isOfPage(image) && (image.width !== width || image.height !== height)))
    return drawn(/** @type {any} */ (image), (source) => scaled(source, shape, channels), signal);
  checkSize(image);
  if (image.width !== width || image.height !== height) throw wrongSize(image, `${width} x ${height}`);
  const data = bytesOf(image.data);
  return isRGBA(image, channels) ? fromRGBA(data, channels) : new Uint8Array(data);
}

/** @param {RawImage} image */
function checkSize({ width, height }) {
  if (typeof width !== 'number' || typeof height !== 'number')
    throw argumentError(`image.width and image.height must be numbers, not ${show(width)} and ${show(height)}`);
}

/** @param {RawImage} image @param {string} wanted */
function wrongSize({ width, height }, wanted) {
  return argumentError(
    `The image is ${width} x ${height} pixels, the model needs ${wanted}: scale it first, or pass a canvas, ImageBitmap or <img>, which are scaled for you`,
  );
}

/** Returns true if raw pixels are RGBA, or false if they have one value per channel of the model. @param {RawImage} image
 * @param {number} channels */
function isRGBA({ data, width, height }, channels) {
  const pixels = width * height;
  if (data.length === 4 * pixels) return true;
  if (data.length === channels * pixels) return false;
  throw argumentError(
    `image.data has ${data.length} values; ${width} x ${height} pixels are ${4 * pixels} (RGBA) or ` +
      `${channels * pixels} (${channels === 1 ? 'grey' : 'RGB'})`,
  );
}

/**
 * Converts an image to the small picture that a model takes as input. If the size of the image is a whole multiple of the model's input
 * size, each pixel of the result is the mean of a box of pixels. Otherwise, an image such as a canvas or an <img> is scaled, and raw pixels
 * are rejected.
 *
 * @param {ImageSource} image
 * @param {Pick<AnyInfo, 'inputWidth' | 'inputHeight' | 'channels'>} info
 * @param {AbortSignal} [signal]
 * @returns {Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>} bytes of shape (inputHeight, inputWidth, channels); a promise of
 *   them if the image has many pixels
 * @internal
 */
export function inputOf(image, info, signal) {
  return reading('image', () => readInput(image, info, signal));
}

/** @param {ImageSource} image @param {Pick<AnyInfo, 'inputWidth' | 'inputHeight' | 'channels'>} info @param {AbortSignal} [signal] @returns {Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>} */
function readInput(image, info, signal) {
  if (isFile(image)) return decodedFirst(image, (decoded) => readInput(decoded, info, signal), signal);
  const { inputWidth: width, inputHeight: height, channels } = info;
  const size = { width, height };
  if (!isRaw(image) || (isOfPage(image) && !holds(image, width, height)))
    return drawn(
      /** @type {any} */ (image),
      (source) => (holds(source, width, height) ? boxed(source, size, channels) : scaled(source, size, channels)),
      signal,
    );
  checkSize(image);
  if (!holds(image, width, height)) throw wrongSize(image, `${width} x ${height} or a whole multiple of each`);
  checkPixels(image.width, image.height);
  const raw = { data: bytesOf(image.data), width: image.width, height: image.height };
  const work = isRGBA(raw, channels) ? () => boxed(rawSource(raw), size, channels) : () => boxedElements(raw, size, channels);
  return worked(raw, work, signal);
}

/** @param {RawImage} image @returns {Source} */
function rawSource({ data, width, height }) {
  const rows = rowsAtOnce(width);
  return {
    width,
    height,
    *rows() {
      for (let first = 0; first < height; first += rows) yield { rgba: data.slice(4 * width * first, 4 * width * (first + rows)), first };
    },
  };
}

/**
 * Returns whether a picture can be divided into equal boxes of whole pixels: `width` boxes per row, and `height` rows of boxes.
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
 * Reduces a picture by integer factors: each new pixel is the mean of its box, with halves rounded up, as in training.
 *
 * @param {Uint8Array} picture  shape (height, width, channels)
 * @param {Shape} shape
 * @param {number} newWidth     a divisor of the width
 * @param {number} newHeight    a divisor of the height
 * @returns {Uint8Array<ArrayBuffer>}
 * @internal
 */
export function reduce(picture, shape, newWidth, newHeight) {
  const means = boxes(shape, { width: newWidth, height: newHeight }, shape.channels);
  means.add(picture, 0);
  return means.end();
}

/** @param {Source} source @param {{ width: number, height: number }} size @param {number} channels @returns {Generator<void, Uint8Array<ArrayBuffer>, void>} */
function* scaled(source, size, channels) {
  const { width, height, rows } = source;
  const same = width === size.width && height === size.height;
  const means = scaling(source, size);
  for (const { rgba, first } of rows()) {
    if (same && rgba.length === 4 * width * height) return fromRGBA(rgba, channels);
    means.add(rgba, first);
    yield;
  }
  return fromRGBA(means.end(), channels);
}

/** @param {Source} source @param {{ width: number, height: number }} size @param {number} channels @returns {Generator<void, Uint8Array<ArrayBuffer>, void>} */
function* boxed(source, size, channels) {
  const ground = groundOf(channels);
  for (const { rgba } of source.rows()) {
    ground.add(rgba);
    yield;
  }
  const kind = ground.end();
  const means = boxes(source, size, channels);
  for (const { rgba, first } of source.rows()) {
    means.add(laid(rgba, channels, kind), first);
    yield;
  }
  return means.end();
}

/**
 * Reads an image that has one value per channel of the model, not RGBA pixels.
 * @param {RawImage} image
 * @param {{ width: number, height: number }} size
 * @param {number} channels
 */
function* boxedElements({ data, width, height }, size, channels) {
  const means = boxes({ width, height }, size, channels);
  const row = width * channels;
  const rows = rowsAtOnce(width);
  for (let first = 0; first < height; first += rows) {
    means.add(data.slice(first * row, (first + rows) * row), first);
    yield;
  }
  return means.end();
}

/**
 * Returns whether an image consists of raw pixels; any other image must be drawn to be read.
 *
 * @param {Exclude<ImageSource, string>} image
 * @returns {image is RawImage | ImageData}
 */
function isRaw(image) {
  if (typeof image !== 'object' || image === null) {
    throw argumentError(
      'image must be an ImageData, a canvas, an ImageBitmap, an <img>, an <image> of an SVG, a <video>, a VideoFrame, a Blob, an address or { data, width, height }',
    );
  }
  // An ImageData with 16-bit floats, or in a colour space other than 'srgb' (such as 'display-p3'), does not count as raw, because drawing
  // it on a canvas converts it.
  return 'data' in image && !/Float16|-/.test(classOf(image.data) + /** @type {Partial<ImageData>} */ (image).colorSpace);
}

/** Maximum length of `data` if it is an array of numbers. Checking each number takes time. A typed array of bytes needs no check. */
const LONGEST_LIST = 2 ** 20;

/**
 * @param {RawImage['data']} data
 * @returns {Uint8Array | Uint8ClampedArray | number[]}
 */
function bytesOf(data) {
  if (/^Uint8(Clamped)?Array$/.test(classOf(data))) return data;
  if (Array.isArray(data) && data.length > LONGEST_LIST)
    throw argumentError(`image.data is a list of ${data.length} numbers, but at most ${LONGEST_LIST} can be read: give a Uint8Array`);
  if (Array.isArray(data) && Array.from(data).every((value) => Number.isInteger(value) && value >= 0 && value <= 255)) return data;
  throw argumentError('image.data must hold 8-bit values: a Uint8Array, Uint8ClampedArray or array of numbers from 0 to 255');
}
