// SPDX-License-Identifier: MIT
// Starts the structured attention page. Its figures are the head of each word with its probability, a matrix of all head probabilities,
// characters with three kinds of attention, a chain over four characters, and a chain over players.
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
