// SPDX-License-Identifier: MIT
// Draws the picture for this page's card on the front page.
// @ts-check
import { stillOfAnswer } from '../../front/stills.js';

export const still = () =>
  stillOfAnswer({ file: 'wavenet.gguf', verb: 'generate', options: { label: '7', speaker: 'jackson', seconds: 1, seed: 1 }, font: '14px' });
