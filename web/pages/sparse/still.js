// SPDX-License-Identifier: MIT
// The picture on the page's card.
// @ts-check
import { stillOfFigure } from '../../front/stills.js';

export const still = () => stillOfFigure('sparse', { show: '#figure-patterns canvas', columns: 2, count: 2, side: 138 });
