// SPDX-License-Identifier: MIT
// Draws the picture for this page's card on the front page.
// @ts-check
import { stillOfAnswer } from '../../front/stills.js';

export const still = () =>
  stillOfAnswer({
    file: 'stories.gguf',
    verb: 'generate',
    text: 'Once upon a time',
    options: { seed: 1, temperature: 0.8, maxTokens: 50 },
    font: '18px',
  });
