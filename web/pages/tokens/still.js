// SPDX-License-Identifier: MIT
// The picture on the page's card.
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
