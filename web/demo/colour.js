// SPDX-License-Identifier: MIT
// The section in colour: halves of emoji, completed.
// @ts-check
import { picture } from '../lib/draw.js';
import { createSection } from './section.js';
/** @import { Task } from './gallery.js' */

/** @type {Task} */
const completion = {
  plan: { given: [{ kind: 'given', name: 'the upper half' }], noun: 'ending' },
  temperature: 0.9,
  ask: (model, image, options) => model.complete(image, options),
  look({ known }, codec) {
    const half = picture(codec, known);
    return { given: [{ picture: half }], start: half };
  },
};

export const createColour = () => createSection({
  id: 'colour',
  root: 'in-colour',
  weights: new URL('../../weights/emoji.gguf', import.meta.url).href,
  // Picked before the model was trained to its end.
  first: [5, 12, 3, 16, 19, 2],
  task: completion,
  fate: 'reduced to 32 by 32 pixels',
});
