// SPDX-License-Identifier: MIT
// @ts-check

/** Scales pictures, row by row. Browsers scale in different ways, and a model's results should not depend on the browser. */

/** @typedef {{ width: number, height: number }} Size */

/**
 * Scales by areas: each new pixel is the mean over the area that it covers, weighted by opacity.
 *
 * @param {Size} from
 * @param {Size} to
 */
export function scaling({ width, height }, to) {
  const columns = coverage(width, to.width);
  const rows = coverage(height, to.height);
  /** Sums of red, green, blue, opacity and area for each new pixel. */
  const sums = new Float64Array(5 * to.width * to.height);
  return {
    /**
     * @param {ArrayLike<number>} rgba  one or more whole rows
     * @param {number} first            index of the first row in `rgba`
     */
    add(rgba, first) {
      const end = first + rgba.length / (4 * width);
      for (let y = 0; y < to.height; y++) {
        for (let i = rows.from[y]; i < rows.from[y + 1]; i++) {
          if (rows.index[i] < first || rows.index[i] >= end) continue;
          const line = (rows.index[i] - first) * width;
          const high = rows.share[i];
          for (let x = 0; x < to.width; x++) {
            const sum = 5 * (y * to.width + x);
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
    },

    /** @returns {Uint8ClampedArray} shape (pixels, 4) */
    end() {
      const out = new Uint8ClampedArray(4 * to.width * to.height);
      for (let pixel = 0; 4 * pixel < out.length; pixel++) {
        const [r, g, b, opacity, area] = sums.subarray(5 * pixel, 5 * pixel + 5);
        if (opacity > 0) out.set([r / opacity, g / opacity, b / opacity, opacity / area], 4 * pixel);
      }
      return out;
    },
  };
}

/**
 * Reduces a picture by integer factors: each new pixel is the mean of its box, with halves rounded up, as in training.
 *
 * @param {Size} from
 * @param {Size} to  divisors of the old width and height
 * @param {number} channels
 */
export function boxes({ width, height }, to, channels) {
  const wide = width / to.width;
  const high = height / to.height;
  const sums = new Float64Array(to.width * to.height * channels);
  return {
    /**
     * @param {ArrayLike<number>} elements  whole rows, of shape (rows, columns, channels)
     * @param {number} first                index of the first row in `elements`
     */
    add(elements, first) {
      for (let row = first, at = 0; at < elements.length; row++) {
        const line = Math.floor(row / high) * to.width;
        for (let column = 0; column < width; column++) {
          const sum = (line + Math.floor(column / wide)) * channels;
          for (let channel = 0; channel < channels; channel++) sums[sum + channel] += elements[at++];
        }
      }
    },

    /** @returns {Uint8Array<ArrayBuffer>} shape (rows, columns, channels) */
    end() {
      const area = wide * high;
      return Uint8Array.from(sums, (sum) => Math.floor((2 * sum + area) / (2 * area)));
    },
  };
}

/**
 * Divides the range from 0 to `size` into `count` equal parts. Returns the unit intervals that each part overlaps, and the lengths of the
 * overlaps. Entries from[i] to from[i + 1] - 1 of `index` and `share` belong to part i.
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
