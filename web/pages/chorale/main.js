// SPDX-License-Identifier: MIT
// Starts the chorale page. Its figures are a keyboard for a melody, which the model accompanies with three voices; a chorale that the model
// composes without input, with arcs for its attention; and the first melody in another key.
// @ts-check
import { byId, startPage, whenNear } from '../../shell/index.js';
import { createAlone } from './alone.js';
import { createAnswer } from './answer.js';
import { createKey } from './key.js';

const answer = createAnswer();
whenNear(byId('figure-alone'), () => createAlone(answer));
whenNear(byId('figure-key'), () => createKey(answer));
startPage(answer.loaded);
