// SPDX-License-Identifier: MIT
// Draws the picture for this page's card on the front page.
// @ts-check
import { stillOfFigure } from '../../front/stills.js';

export const still = () =>
  stillOfFigure('same-digit', { show: '.ending canvas', columns: 3, count: 6, side: 92, wait: '#transport[data-phase="done"]' });
