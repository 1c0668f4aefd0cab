// SPDX-License-Identifier: MIT
// The page of the VQ-VAE: a sound, its codes and the sound again; the codebooks.
// @ts-check
import { byId, startPage, whenNear } from '../../shell/index.js';
import { createCodebook } from './codebook.js';
import { createStages } from './stages.js';

const stages = createStages();
whenNear(byId('figure-book'), () => createCodebook(stages));
startPage(stages.loaded);
