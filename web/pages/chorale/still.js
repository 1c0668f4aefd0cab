// SPDX-License-Identifier: MIT
// Draws the picture for this page's card on the front page.
// @ts-check
import { stillOfAnswer } from '../../front/stills.js';

export const still = () =>
  stillOfAnswer({ file: 'chorales.gguf', verb: 'generate', options: { bars: 8, seed: 2, temperature: 0.9 }, font: '14px' });
