// SPDX-License-Identifier: MIT
// Opens a visitor's picture file, or describes why it cannot be read.
// @ts-check
import { phrase } from '../page/phrase.js';
import { bytes } from '../page/words.js';

/** Maximum size of a file and of a picture. Larger ones would exhaust the memory of a phone, so they are rejected before decoding. */
const MAX_BYTES = 100e6;
const MAX_PIXELS = 120e6;

/** An error whose message is shown to the visitor. */
export class PictureError extends Error {}

/** Decodes a picture file. @param {File} file @returns {Promise<ImageBitmap>} the picture, rotated as its EXIF data says */
export async function openPicture(file) {
  const name = file.name || phrase`The picture`;
  if (file.size === 0) throw new PictureError(phrase`${name} is empty.`);
  if (file.size > MAX_BYTES)
    throw new PictureError(phrase`${name} is too large: ${bytes(file.size)}. The maximum is ${bytes(MAX_BYTES)}. Reduce it first.`);
  const url = URL.createObjectURL(file);
  try {
    const image = new Image();
    await new Promise((resolve, reject) => {
      image.addEventListener('load', resolve);
      image.addEventListener('error', () =>
        reject(
          new PictureError(phrase`${name} is not a picture that this browser can read. PNG, JPEG, WebP and GIF work; HEIC often does not.`),
        ),
      );
      image.src = url;
    });
    const { naturalWidth: width, naturalHeight: height } = image;
    if (!(width > 0 && height > 0)) throw new PictureError(phrase`${name} does not state its size. Save it as a PNG first.`);
    if (width * height > MAX_PIXELS) {
      throw new PictureError(
        phrase`${name} is too large: ${width} x ${height} are ${Math.round((width * height) / 1e6)} million pixels. The maximum is ${MAX_PIXELS / 1e6} million. Reduce it first.`,
      );
    }
    try {
      return await createImageBitmap(image);
    } catch {
      throw new PictureError(
        phrase`${name} begins like a picture, but cannot be read to its end: it is damaged, or too large for this browser.`,
      );
    }
  } finally {
    URL.revokeObjectURL(url);
  }
}
