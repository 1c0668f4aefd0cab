// SPDX-License-Identifier: MIT
// The page of chorales: keys that three voices answer, a chorale from nothing with what it looked at, and the same dice in another key.
// @ts-check
import { byId, startPage, whenNear } from '../../shell/index.js';
import { createAlone } from './alone.js';
import { createAnswer } from './answer.js';
import { createKey } from './key.js';

const answer = createAnswer();
whenNear(byId('figure-alone'), () => createAlone(answer));
whenNear(byId('figure-key'), () => createKey(answer));
startPage(answer.loaded);
