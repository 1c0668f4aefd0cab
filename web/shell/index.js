// SPDX-License-Identifier: MIT
// Exports the modules that every page may use. web/dist/page-shell.js is built from this file.
// @ts-check
import { elements } from './library.js';
import { createProjector } from './page/projector.js';

export * from './library.js';
export * from './page/address.js';
export { asked } from './page/asked.js';
export * from './page/blank.js';
export * from './page/button.js';
export * from './page/dom.js';
export { fault } from './page/fault.js';
export * from './page/files.js';
export * from './page/in-sight.js';
export * from './page/devices.js';
export * from './page/page.js';
export { pageAt, phrase } from './page/phrase.js';
export * from './page/words.js';
export * from './model/acquire-all.js';
export * from './model/load-own.js';
export * from './model/loading.js';
export { misfit } from './model/misfit.js';
export * from './model/model-switch.js';
export { fileNow, onFile, ownName } from './model/own-file.js';
export * from './model/start.js';
export * from './model/weights.js';
export * from './run/meter.js';
export * from './run/pace.js';
export * from './run/playback.js';
export * from './run/speed.js';
export * from './run/transport.js';
export * from './picture/ask.js';
export * from './picture/cells.js';
export * from './picture/classes.js';
export * from './picture/digits.js';
export * from './picture/field.js';
export * from './picture/head-grid.js';
export * from './picture/inked.js';
export * from './picture/legend.js';
export * from './picture/open-picture.js';
export * from './picture/paint.js';
export * from './picture/palette.js';
export * from './picture/pictures.js';
export * from './picture/pixel-grid.js';
export * from './picture/take.js';

createProjector();
// Without a connection, the placeholder picture inside the element stays visible until the browser is online again.
const define = () => void elements().catch(() => addEventListener('online', define, { once: true }));
if (document.querySelector('next-pixel')) define();
