// SPDX-License-Identifier: MIT
// The page of the alignments: the batting order, one sentence through five attentions, and how they fare as sentences grow.
// @ts-check
import { byId, startPage, whenNear } from '../../shell/index.js';
import { createAlignment } from './alignment.js';
import { createBatting } from './batting.js';
import { createGrow } from './grow.js';
import { createLengths } from './lengths.js';

createBatting();
whenNear(byId('figure-lengths'), () => {
  createLengths();
  createGrow();
});
startPage(createAlignment());
