// SPDX-License-Identifier: MIT
// Starts the chorale page.
// @ts-check
import { byId, startPage, whenNear } from '../../shell/index.js';
import { createAlone } from './alone.js';
import { createAnswer } from './answer.js';
import { createKey } from './key.js';

const answer = createAnswer();
whenNear(byId('figure-alone'), () => createAlone(answer));
whenNear(byId('figure-key'), () => createKey(answer));
startPage(answer.loaded);
