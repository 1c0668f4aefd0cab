// SPDX-License-Identifier: MIT
// Starts the chains page. Its figures are three taggers side by side, the trellis, the words rib and rob, players with neighbours, and
// letters without tags.
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
