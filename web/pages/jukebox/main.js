// SPDX-License-Identifier: MIT
// Starts the VQ-VAE page.
// @ts-check
import { byId, startPage, whenNear } from '../../shell/index.js';
import { createCodebook } from './codebook.js';
import { createDraw } from './draw.js';
import { createStages } from './stages.js';

const stages = createStages();
createDraw(stages);
whenNear(byId('figure-book'), () => createCodebook(stages));
startPage(stages.loaded);
