// SPDX-License-Identifier: MIT
// The page of attention with structure: soft parents, their marginals as attention, and a chain over four characters.
// @ts-check
import { byId, startPage, whenNear } from '../../shell/index.js';
import { createParents } from './parents.js';
import { createSixteen } from './sixteen.js';

whenNear(byId('figure-sixteen'), createSixteen);
startPage(createParents());
