// SPDX-License-Identifier: MIT
// Reduces the central square of a picture to a few pixels. Each pixel of the result is the mean of the area that it covers in the picture.
// Transparent areas count as white. The library, and the scripts that prepare emoji for training, reduce pictures in the same way. The
// picture is read in horizontal bands, because a canvas on a phone cannot hold a large photograph.
// @ts-check

/** Number of pixels read per step. */
const BAND = 2 ** 20;

/**
 * @param {ImageBitmap} picture
 * @param {number} size side of the result in pixels
 * @returns {Promise<ImageData>} the result, size x size pixels
 */
export async function centralSquare(picture, size) {
  const side = Math.min(picture.width, picture.height);
  const left = Math.floor((picture.width - side) / 2);
  const top = Math.floor((picture.height - side) / 2);
  const high = Math.min(side, Math.max(1, Math.floor(BAND / side)));
  const canvas = Object.assign(document.createElement('canvas'), { width: side, height: high });
  const context = canvas.getContext('2d', { willReadFrequently: true, colorSpace: 'srgb' });
  if (!context) throw new Error('The browser provides no canvas, which is needed to read the picture.');
  context.imageSmoothingEnabled = false;
  const shares = Array.from({ length: side }, (_, i) => parts(i, side, size));
  const sums = new Float64Array(3 * size * size);
  for (let from = 0; from < side; from += high) {
    const rows = Math.min(high, side - from);
    context.clearRect(0, 0, side, rows);
    context.drawImage(picture, left, top + from, side, rows, 0, 0, side, rows);
    const { data } = context.getImageData(0, 0, side, rows);
    for (let row = 0; row < rows; row++) {
      const line = lineOf(data.subarray(4 * row * side, 4 * (row + 1) * side), shares, size);
      for (const { part: y, share } of shares[from + row]) {
        for (let i = 0; i < 3 * size; i++) sums[3 * size * y + i] += share * line[i];
      }
    }
    await new Promise((resolve) => setTimeout(resolve)); // yields to the event loop
  }
  const image = new ImageData(size, size);
  const area = (side / size) ** 2;
  for (let i = 0; i < size * size; i++) {
    for (let channel = 0; channel < 3; channel++) image.data[4 * i + channel] = Math.round(sums[3 * i + channel] / area);
    image.data[4 * i + 3] = 255;
  }
  return image;
}

/**
 * part: index of one of the equal parts of the picture's width; share: fraction of a source pixel that overlaps this part.
 *
 * @typedef {{ part: number, share: number }} Share
 */

/**
 * Divides one row of the picture into `size` equal parts. Returns the sums of red, green and blue in each part; transparent pixels count as
 * white.
 * @param {Uint8ClampedArray} rgba
 * @param {Share[][]} shares for each pixel of the row, the parts that it overlaps
 * @param {number} size
 */
function lineOf(rgba, shares, size) {
  const line = new Float64Array(3 * size);
  for (let i = 0; i < shares.length; i++) {
    const opacity = rgba[4 * i + 3] / 255;
    const white = 255 * (1 - opacity);
    for (const { part, share } of shares[i]) {
      line[3 * part] += share * (opacity * rgba[4 * i] + white);
      line[3 * part + 1] += share * (opacity * rgba[4 * i + 1] + white);
      line[3 * part + 2] += share * (opacity * rgba[4 * i + 2] + white);
    }
  }
  return line;
}

/**
 * Divides the range 0..count into `size` equal parts. Returns the parts that overlap the pixel from i to i + 1.
 * @param {number} i
 * @param {number} count
 * @param {number} size
 */
function parts(i, count, size) {
  /** @type {Share[]} */
  const shares = [];
  for (let part = Math.floor((i * size) / count); part < size && part * count < (i + 1) * size; part++) {
    const share = Math.min(((part + 1) * count) / size, i + 1) - Math.max((part * count) / size, i);
    if (share > 1e-9) shares.push({ part, share }); // smaller shares are rounding errors
  }
  return shares;
}
