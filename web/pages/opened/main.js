// SPDX-License-Identifier: MIT
// Starts the page, which shows all numbers of a Transformer and explains step by step how they are computed.
// @ts-check
import { byId, startPage, whenNear } from '../../shell/index.js';
import { createBroken } from './broken.js';
import { createLayer, isLayer } from './layer.js';
import { createOpened } from './opened.js';
import { createOverture } from './overture.js';

createOverture();
/** @type {ReturnType<typeof createLayer> | undefined} */
let layer;
/** @type {ReturnType<typeof createBroken> | undefined} */
let broken;
/** @typedef {Parameters<ReturnType<typeof createLayer>['use']>[0]} Pass */
/**
 * any: the last pass of the first figure, through any network. layered: the last pass through a network that has the layer that layer.js
 * shows. The figure of the layer keeps showing this pass while the first figure shows a network without an encoder.
 * @type {Record<'any' | 'layered', Pass | undefined>}
 */
const last = { any: undefined, layered: undefined };
startPage(
  createOpened((pass) => {
    last.any = pass;
    broken?.use(pass);
    if (!isLayer(pass)) return;
    last.layered = pass;
    layer?.use(pass);
  }),
);
whenNear(byId('figure-broken'), () => {
  broken = createBroken();
  if (last.any) broken.use(last.any);
});
whenNear(byId('figure-layer'), () => {
  layer = createLayer();
  if (last.layered) layer.use(last.layered);
});
