// SPDX-License-Identifier: MIT
// Draws the picture for this page's card on the front page.
// @ts-check
import { stillOfAnswer } from '../../front/stills.js';

export const still = () =>
  stillOfAnswer({ file: 'crf-en.gguf', verb: 'tag', text: 'Time flies like an arrow', options: { marginals: true }, font: '30px' });
