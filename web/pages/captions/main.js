// SPDX-License-Identifier: MIT
// The page of Show, Attend and Tell: a scene with its caption, soft and hard attention compared, and the light moved by the visitor.
// @ts-check
import { byId, startPage, whenNear } from '../../shell/index.js';
import { createCompare } from './compare.js';
import { createHand } from './hand.js';
import { createScene } from './scene.js';
import { createTell } from './tell.js';

const scene = createScene();
const tell = createTell(scene);
whenNear(byId('figure-compare'), () => createCompare(tell));
whenNear(byId('figure-hand'), () => createHand(tell));
startPage(tell.loaded);
