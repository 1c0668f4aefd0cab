// SPDX-License-Identifier: MIT
// @ts-check

/** Chooses the background that shows through the transparent pixels of a picture. */

/** A grey picture on a transparent background counts as a dark drawing if its brightest pixel is below this value. */
const DARK = 64;

/**
 * Blends transparent pixels with black if the model's pictures have one channel, and with white if they have three. If this would hide a
 * drawing, the picture is handled differently. A greyscale picture with dark ink is inverted, so it becomes light ink on black, as in
 * training. A colour picture with only white ink is blended with black.
 *
 * @param {ArrayLike<number>} rgba  shape (pixels, 4)
 * @param {number} channels  1 or 3
 * @returns {Uint8Array<ArrayBuffer>} shape (pixels, channels)
 * @internal
 */
export function fromRGBA(rgba, channels) {
  const ground = groundOf(channels);
  ground.add(rgba);
  return laid(rgba, channels, ground.end());
}

/**
 * @param {ArrayLike<number>} rgba
 * @param {number} channels
 * @param {'black' | 'white' | 'paper'} ground  paper: the picture has dark ink; it is inverted and blended with black
 * @returns {Uint8Array<ArrayBuffer>} shape (pixels, channels)
 * @internal
 */
export function laid(rgba, channels, ground) {
  const pixels = rgba.length / 4;
  const elements = new Uint8Array(pixels * channels);
  for (let i = 0; i < pixels; i++) {
    const [r, g, b, a] = [rgba[4 * i], rgba[4 * i + 1], rgba[4 * i + 2], rgba[4 * i + 3]];
    if (channels === 1) {
      // Integer weights keep grey values unchanged.
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

/** Chooses the background from all visible pixels. @param {number} channels */
export function groundOf(channels) {
  let transparent = false;
  let visible = false;
  let brightest = 0;
  let darkest = 255;
  return {
    /** @param {ArrayLike<number>} rgba */
    add(rgba) {
      for (let at = 0; at < rgba.length; at += 4) {
        const a = rgba[at + 3];
        if (a < 255) transparent = true;
        if (a === 0) continue;
        visible = true;
        brightest = Math.max(brightest, ((299 * rgba[at] + 587 * rgba[at + 1] + 114 * rgba[at + 2]) * a) / 255000);
        darkest = Math.min(darkest, rgba[at], rgba[at + 1], rgba[at + 2]);
      }
    },

    end() {
      if (channels === 1) return transparent && brightest < DARK ? 'paper' : 'black';
      return transparent && visible && darkest === 255 ? 'black' : 'white';
    },
  };
}
