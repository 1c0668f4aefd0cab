// SPDX-License-Identifier: MIT
// Runs the colour section, in which models complete emoji and photographs from their upper part.
// @ts-check
import { phrase, pictureOf, weights } from '../../shell/index.js';
import { createSection } from './section.js';
/** @import { Task } from './gallery.js' */

/** @type {Task} */
const completion = {
  kind: 'complete',
  plan: { given: [{ kind: 'given', name: phrase`the given part` }], noun: 'ending', called: phrase`ending`, many: phrase`endings` },
  ask: (model, image, options) => model.complete(image, options),
  preview({ known }, codec) {
    const part = pictureOf(codec, known);
    return { given: [{ picture: part }], start: part };
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
      // Percentage of the rows that are given. If the mouth of a face is not among them, the model rarely draws one.
      given: 66,
      // Indices of the emoji, out of 24, that have recognisable completions. Each was judged at a glance from three completions with seed 7
      // and the values of `tries` and `given` above.
      first: [16, 15, 2, 18, 21, 23],
    },
    photos: {
      strip: 'photos',
      weights: weights('cifar10.gguf'),
      // Chosen between 0.8 and 1 by looking at samples, halfway through the training. Below 1, completions became dark and lost detail.
      temperature: 1,
      // The first photographs in the strip that belong to different classes.
      first: [0, 1, 3, 4, 6, 10],
    },
    task: completion,
    fate: phrase`reduced to 32 by 32 pixels`,
  });
