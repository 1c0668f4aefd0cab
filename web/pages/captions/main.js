// SPDX-License-Identifier: MIT
// Starts the page about the paper "Show, Attend and Tell". Its figures are a scene with its caption, the comparison of soft and hard
// attention, and the light that the visitor moves.
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
