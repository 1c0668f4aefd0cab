// SPDX-License-Identifier: MIT
// The picture on the page's card.
// @ts-check
import { stillOfPictures } from '../../front/stills.js';

export const still = () => stillOfPictures({ file: 'sagan-emoji.gguf', seed: 1, samples: 6 });
