// SPDX-License-Identifier: MIT
// Starts the chains page.
// @ts-check
import { byId, startPage, whenNear } from '../../shell/index.js';
import { createPlayers } from './players.js';
import { createRibRob } from './ribrob.js';
import { createTaggers } from './taggers.js';
import { createTrellis } from './trellis.js';
import { createVowels } from './vowels.js';

whenNear(byId('figure-trellis'), createTrellis);
whenNear(byId('figure-ribrob'), createRibRob);
whenNear(byId('figure-vowels'), createVowels);
whenNear(byId('figure-players'), createPlayers);
startPage(createTaggers());
