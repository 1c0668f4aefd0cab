// SPDX-License-Identifier: MIT
// Starts the SAGAN page.
// @ts-check
import { byId, startPage, whenNear } from '../../shell/index.js';
import { createBoth } from './both.js';
import { createChannels } from './channels.js';
import { createGan } from './gan-figure.js';
import { createLook } from './look.js';
import { createModule } from './module.js';
import { createNorm } from './norm.js';
import { createPlaces } from './places.js';
import { createRuns } from './runs.js';
import { createSheet } from './sheet.js';
import { createWalk } from './walk.js';

const sheet = createSheet();
whenNear(byId('figure-walk'), () => createWalk(sheet));
whenNear(byId('figure-look'), () => createLook(sheet));
whenNear(byId('figure-module'), () => Promise.all([createModule(), createChannels(sheet)]));
whenNear(byId('figure-norm'), createNorm);
whenNear(byId('figure-gan'), createGan);
whenNear(byId('figure-runs'), createRuns);
whenNear(byId('figure-places'), () => createPlaces(sheet));
whenNear(byId('figure-both'), () => createBoth(sheet));
startPage(sheet.loaded);
