// SPDX-License-Identifier: MIT
// Draws the picture for this page's card on the front page.
// @ts-check
import { stillOfFigure } from '../../front/stills.js';

export const still = () => stillOfFigure('opened', { show: '.diagram', columns: 1, count: 1, side: 0, clip: [0, 0.42, 0.333] });
