// SPDX-License-Identifier: MIT
// Starts the page of WaveNet: a digit that is drawn and played, the trees, the queues, the probabilities, and a continued recording.
// @ts-check
import { byId, startPage, whenNear } from '../../shell/index.js';
import { createOdds } from './odds.js';
import { createPlayer } from './play.js';
import { createQueues } from './queues.js';
import { createTrees } from './trees.js';
import { createVoice } from './voice.js';

const player = createPlayer();
whenNear(byId('figure-trees'), createTrees);
whenNear(byId('figure-queues'), createQueues);
whenNear(byId('figure-odds'), () => createOdds(player));
whenNear(byId('figure-voice'), () => createVoice(player));
startPage(player.loaded);
