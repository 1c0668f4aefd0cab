// SPDX-License-Identifier: MIT
// Starts the page on the VQ-VAE. Its figures are a sound with its codes and the decoded sound, digits that are drawn by sampling their
// codes, and the codebooks.
// @ts-check
import { byId, startPage, whenNear } from '../../shell/index.js';
import { createCodebook } from './codebook.js';
import { createDraw } from './draw.js';
import { createStages } from './stages.js';

const stages = createStages();
createDraw(stages);
whenNear(byId('figure-book'), () => createCodebook(stages));
startPage(stages.loaded);
