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
      // Percentage of the rows that are given. If these rows do not include a face's mouth, the model rarely draws a mouth.
      given: 66,
      // Indices of the emoji, out of 24, that have recognisable completions. Each emoji was judged at a glance from three completions with
      // seed 7 and the values of `tries` and `given` above.
      first: [16, 15, 2, 18, 21, 23],
    },
    photos: {
      strip: 'photos',
      weights: weights('cifar10.gguf'),
      // Samples with temperatures from 0.8 to 1 were compared by eye, halfway through the training. Below 1, completions became dark and
      // lost detail.
      temperature: 1,
      // Indices of six photographs from six classes: the first of each class in the strip.
      first: [0, 1, 3, 4, 6, 10],
    },
    task: completion,
    fate: phrase`reduced to 32 by 32 pixels`,
  });
