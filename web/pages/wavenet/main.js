// SPDX-License-Identifier: MIT
// Starts the WaveNet page. Its figures are a digit that is generated and played, the trees, the queues, the probabilities, and the
// continuation of a recording.
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
