// SPDX-License-Identifier: MIT
// Runs the section in colour: emoji and photographs, completed from their upper part.
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
      // Faces that are cut above the mouth rarely get a mouth.
      given: 66,
      // The emoji among the 24 with recognisable completions, judged by one look at three completions of each, seed 7, with these tries and
      // rows.
      first: [16, 15, 2, 18, 21, 23],
    },
    photos: {
      strip: 'photos',
      weights: weights('cifar10.gguf'),
      // Chosen by looking at 0.8 to 1, halfway through the training: below 1, completions became dark and lost detail.
      temperature: 1,
      // The first photographs of different classes.
      first: [0, 1, 3, 4, 6, 10],
    },
    task: completion,
    fate: phrase`reduced to 32 by 32 pixels`,
  });
