// SPDX-License-Identifier: MIT
// Runs the section in which models enlarge emoji and photographs from 8 by 8 pixels.
// @ts-check
import { blank, fromRGBA, phrase, reduce, weights } from '../../shell/index.js';
import { bicubic } from './bicubic.js';
import { distance } from './distance.js';
import { createSection } from './section.js';
/** @import { Picture } from '../../shell/index.js' */
/** @import { Task } from './gallery.js' */

/**
 * Converts RGB values to an opaque RGBA picture.
 *
 * @param {ArrayLike<number>} rgb
 * @param {number} width
 * @param {number} height
 * @returns {Picture}
 */
function opaque(rgb, width, height) {
  const picture = blank(width, height);
  for (let i = 0; i < width * height; i++) picture.data.set([rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2], 255], 4 * i);
  return picture;
}

/** Peak signal-to-noise ratio at the two ends of the bar, in decibels. */
const BAR = [10, 40];

/**
 * Returns the peak signal-to-noise ratio of 8-bit values, as text and as the length of a bar.
 *
 * @param {Uint8Array} values
 * @param {Uint8Array} wanted
 */
function agreement(values, wanted) {
  const squares = values.reduce((sum, value, i) => sum + (value - wanted[i]) ** 2, 0);
  const decibels = 10 * Math.log10((255 ** 2 * values.length) / squares);
  const share = Math.min(1, Math.max(0, (decibels - BAR[0]) / (BAR[1] - BAR[0])));
  return { words: squares === 0 ? phrase`exact` : `${decibels.toFixed(1)} dB`, share };
}

/** @type {Task} */
const enlargement = {
  kind: 'superResolve',
  plan: {
    given: [
      { kind: 'given', name: phrase`eight by eight pixels` },
      { kind: 'smooth', name: phrase`bicubic enlargement` },
    ],
    noun: 'enlargement',
    called: phrase`enlargement`,
    many: phrase`enlargements`,
  },
  ask: (model, image, options) => model.superResolve(image, options),
  preview({ small: input }, { info }, image) {
    const { width, height, channels, inputWidth = 0, inputHeight = 0 } = info;
    const small = /** @type {Uint8Array} */ (input);
    const smooth = opaque(bicubic(small, { width: inputWidth, height: inputHeight, channels }, info), width, height);
    /** The original picture. It is undefined unless the input has the size of the model's output. */
    const original = image.width === width && image.height === height ? fromRGBA(image.data, 3) : undefined;
    /**
     * Returns the text below an enlargement: how well it agrees with the given small picture, and how far it is from the original.
     *
     * @param {Picture} picture
     */
    const judge = (picture) => {
      const { words, share } = agreement(reduce(fromRGBA(picture.data, channels), info, inputWidth, inputHeight), small);
      return { words: original ? `${words} · ${distance(fromRGBA(picture.data, 3), original, width).toFixed(2)}` : words, share };
    };
    return {
      given: [{ picture: opaque(small, inputWidth, inputHeight) }, { picture: smooth, note: judge(smooth) }],
      start: blank(width, height),
      smooth,
      judge,
    };
  },
};

export const createSuperres = () =>
  createSection({
    id: 'superres',
    emoji: {
      strip: 'emoji',
      weights: weights('emoji-sr.gguf'),
      // Measured on the validation set with eight candidates per picture: enlargements at temperature 0.9 are about as close to the
      // originals as enlargements at 1. At 0.9, neighbouring pixels differ about as much as in the originals.
      temperature: 0.9,
      tries: 24,
      // Emoji that are still recognisable in 8 by 8 pixels.
      first: [20, 5, 22, 2],
    },
    photos: {
      strip: 'photos',
      weights: weights('cifar10-sr.gguf'),
      // Temperatures from 0.6 to 1 were compared. At 0.7, neighbouring pixels differ by 14.6 of 255, about as much as in validation
      // pictures (13.9), and no seams are visible.
      temperature: 0.7,
      // Indices of four photographs from four classes: the first of each class in the strip.
      first: [0, 1, 3, 4],
    },
    task: enlargement,
    fate: phrase`reduced to 32 by 32 pixels, and then to 8 by 8`,
  });
