// SPDX-License-Identifier: MIT
// Draws the picture for this page's card on the front page.
// @ts-check
import { stillOfAnswer } from '../../front/stills.js';

export const still = () =>
  stillOfAnswer({ file: 'parents-en.gguf', verb: 'parse', text: 'We saw a dog with one ear', options: { marginals: true }, font: '22px' });
