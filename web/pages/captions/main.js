// SPDX-License-Identifier: MIT
// The page of show, attend and tell: a scene that is told in words, soft attention beside hard, and the light by hand.
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
