// SPDX-License-Identifier: MIT
// The section in colour: completions of half an emoji or half a photograph.
// @ts-check
import { phrase, pictureOf, weights } from '../../shell/index.js';
import { createSection } from './section.js';
/** @import { Task } from './gallery.js' */

/** @type {Task} */
const completion = {
  kind: 'complete',
  plan: { given: [{ kind: 'given', name: phrase`the upper half` }], noun: 'ending', called: phrase`ending`, many: phrase`endings` },
  ask: (model, image, options) => model.complete(image, options),
  preview({ known }, codec) {
    const half = pictureOf(codec, known);
    return { given: [{ picture: half }], start: half };
  },
};

export const createColour = () =>
  createSection({
    id: 'colour',
    emoji: {
      strip: 'emoji',
      weights: weights('emoji.gguf'),
      temperature: 0.9,
      tries: 12,
      // Those of the 24 with recognisable completions, judged by one look at three completions of each, seed 7, with these tries.
      first: [15, 19, 2, 21, 12, 13],
    },
    photos: {
      strip: 'photos',
      weights: weights('cifar10.gguf'),
      // Chosen by looking at 0.8 to 1, halfway through the training: below 1 they became dark and lost detail.
      temperature: 1,
      // The first ones of different classes.
      first: [0, 1, 3, 4, 6, 10],
    },
    task: completion,
    fate: phrase`reduced to 32 by 32 pixels`,
  });
