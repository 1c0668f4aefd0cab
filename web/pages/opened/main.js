// SPDX-License-Identifier: MIT
// The page of the Transformer, opened: a network whose every number can be looked at, and a walk through it.
// @ts-check
import { byId, startPage, whenNear } from '../../shell/index.js';
import { createLayer } from './layer.js';
import { createOpened } from './opened.js';
import { createOverture } from './overture.js';

createOverture();
/** @type {ReturnType<typeof createLayer> | undefined} */
let layer;
/** @type {Parameters<ReturnType<typeof createLayer>['use']>[0] | undefined} */
let last;
startPage(createOpened((pass) => {
  last = pass;
  layer?.use(pass);
}));
whenNear(byId('figure-layer'), () => {
  layer = createLayer();
  if (last) layer.use(last);
});
