// SPDX-License-Identifier: MIT
// Draws the picture for this page's card on the front page.
// @ts-check
import { stillOfAnswer } from '../../front/stills.js';

export const still = () =>
  stillOfAnswer({ file: 'de-en.gguf', verb: 'translate', text: 'Er hat im Garten einen Hund gesehen.', font: '15px' });
