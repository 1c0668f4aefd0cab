// SPDX-License-Identifier: MIT
// Draws the picture for this page's card on the front page.
// @ts-check
import { stillOfPictures } from '../../front/stills.js';

export const still = () => stillOfPictures({ file: 'sagan-emoji.gguf', seed: 1, samples: 6 });
