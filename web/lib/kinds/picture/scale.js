// SPDX-License-Identifier: MIT
// @ts-check

/** Pictures at another size, of rows that come one after another. Browsers scale differently, and what a model makes of a picture should not depend on that. */

/** Each new pixel is the mean over the area that it covers, weighted by opacity. */
export class Scaling {
  #width;
  #size;
  #columns;
  #rows;
  /** Red, green, blue, opacity and area of each new pixel. */
  #sums;

  /**
   * @param {{ width: number, height: number }} from
   * @param {{ width: number, height: number }} to
   */
  constructor(from, to) {
    this.#width = from.width;
    this.#size = to;
    this.#columns = coverage(from.width, to.width);
    this.#rows = coverage(from.height, to.height);
    this.#sums = new Float64Array(5 * to.width * to.height);
  }

  /**
   * @param {ArrayLike<number>} rgba  of whole rows
   * @param {number} first            of them
   */
  add(rgba, first) {
    const [rows, columns, sums, width] = [this.#rows, this.#columns, this.#sums, this.#width];
    const end = first + rgba.length / (4 * width);
    for (let y = 0; y < this.#size.height; y++) {
      for (let i = rows.from[y]; i < rows.from[y + 1]; i++) {
        if (rows.index[i] < first || rows.index[i] >= end) continue;
        const line = (rows.index[i] - first) * width;
        const high = rows.share[i];
        for (let x = 0; x < this.#size.width; x++) {
          const sum = 5 * (y * this.#size.width + x);
          let [r, g, b, opacity, area] = [sums[sum], sums[sum + 1], sums[sum + 2], sums[sum + 3], sums[sum + 4]];
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
          sums[sum] = r;
          sums[sum + 1] = g;
          sums[sum + 2] = b;
          sums[sum + 3] = opacity;
          sums[sum + 4] = area;
        }
      }
    }
  }

  /** @returns {Uint8ClampedArray} (pixels, 4) */
  end() {
    const out = new Uint8ClampedArray(4 * this.#size.width * this.#size.height);
    for (let pixel = 0; 4 * pixel < out.length; pixel++) {
      const [r, g, b, opacity, area] = this.#sums.subarray(5 * pixel, 5 * pixel + 5);
      if (opacity > 0) out.set([r / opacity, g / opacity, b / opacity, opacity / area], 4 * pixel);
    }
    return out;
  }
}

/** Each new pixel is the mean of its box of whole pixels, halves rounded up, as in training. */
export class Boxes {
  #width;
  #size;
  #channels;
  #wide;
  #high;
  #sums;

  /**
   * @param {{ width: number, height: number }} from
   * @param {{ width: number, height: number }} to  divisors of these
   * @param {number} channels
   */
  constructor(from, to, channels) {
    this.#width = from.width;
    this.#size = to;
    this.#channels = channels;
    this.#wide = from.width / to.width;
    this.#high = from.height / to.height;
    this.#sums = new Float64Array(to.width * to.height * channels);
  }

  /**
   * @param {ArrayLike<number>} elements  (rows, columns, channels) of whole rows
   * @param {number} first                of them
   */
  add(elements, first) {
    const [sums, width, channels, wide] = [this.#sums, this.#width, this.#channels, this.#wide];
    for (let row = 0, at = 0; at < elements.length; row++) {
      const line = Math.floor((first + row) / this.#high) * this.#size.width;
      for (let column = 0; column < width; column++) {
        const sum = (line + Math.floor(column / wide)) * channels;
        for (let channel = 0; channel < channels; channel++) sums[sum + channel] += elements[at++];
      }
    }
  }

  /** @returns {Uint8Array<ArrayBuffer>} (rows, columns, channels) */
  end() {
    const area = this.#wide * this.#high;
    return Uint8Array.from(this.#sums, (sum) => Math.floor((2 * sum + area) / (2 * area)));
  }
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
