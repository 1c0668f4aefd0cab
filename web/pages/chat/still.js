// SPDX-License-Identifier: MIT
// Draws the picture for this page's card on the front page.
// @ts-check
import { stillOfAnswer } from '../../front/stills.js';

export const still = () =>
  stillOfAnswer({
    file: 'stories.gguf',
    verb: 'generate',
    text: 'Lily had a red ball. One day',
    options: { seed: 2, temperature: 0.6, maxTokens: 43 },
    font: '18px',
  });
