// SPDX-License-Identifier: MIT
// The picture on the page's card.
// @ts-check
import { stillOfAnswer } from '../../front/stills.js';

export const still = () =>
  stillOfAnswer({ file: 'de-en.gguf', verb: 'translate', text: 'Er hat im Garten einen Hund gesehen.', font: '15px' });
