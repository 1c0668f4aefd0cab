// SPDX-License-Identifier: MIT
// The page of structured attention: heads of words with their probabilities, these as attention, characters through three attentions, a
// chain over four of them, and one over players.
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
