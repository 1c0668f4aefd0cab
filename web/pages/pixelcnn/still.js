// SPDX-License-Identifier: MIT
// Draws the picture for this page's card on the front page.
// @ts-check
import { stillOfFigure } from '../../front/stills.js';

export const still = () => stillOfFigure('pixelcnn', { show: '#figure-fields canvas', columns: 2, count: 2, side: 138 });
