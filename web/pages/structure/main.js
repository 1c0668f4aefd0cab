// SPDX-License-Identifier: MIT
// Starts the structured attention page.
// @ts-check
import { byId, startPage, whenNear } from '../../shell/index.js';
import { createBatting } from './batting.js';
import { createParents } from './parents.js';
import { createSegments } from './segments.js';
import { createSixteen } from './sixteen.js';

const showFour = createSixteen();
whenNear(byId('figure-segments'), () => createSegments(showFour));
createBatting();
startPage(createParents());
