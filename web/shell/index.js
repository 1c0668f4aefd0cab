// SPDX-License-Identifier: MIT
// The shell: all that a page may want. web/dist/page-shell.js is made of it.
// @ts-check
import { createProjector } from './projector.js';

export * from './library.js';
export * from './acquire-all.js';
export * from './address.js';
export * from './ask.js';
export { asked } from './asked.js';
export { misfit } from './misfit.js';
export * from './button.js';
export * from './cells.js';
export * from './classes.js';
export * from './digits.js';
export * from './dom.js';
export { fault } from './fault.js';
export * from './field.js';
export * from './in-sight.js';
export * from './legend.js';
export * from './load-own.js';
export * from './loading.js';
export * from './meter.js';
export * from './microphone.js';
export * from './model-switch.js';
export { fileNow, onFile, ownName } from './own-file.js';
export * from './pace.js';
export * from './page.js';
export * from './paint.js';
export * from './palette.js';
export * from './pictures.js';
export * from './pixel-grid.js';
export * from './playback.js';
export { pageAt, phrase } from './phrase.js';
export * from './start.js';
export * from './speed.js';
export * from './take.js';
export * from './transport.js';
export * from './weights.js';
export * from './words.js';
export * from './completion/describe.js';
export * from './completion/endings.js';
export * from './completion/figure.js';
export * from './completion/pad.js';
export * from './completion/panels.js';
export * from './completion/shots.js';
export * from './completion/state.js';
export * from './completion/strip.js';
/** @typedef {import('./completion/runner.js').Ending} Ending */

createProjector();
if (document.querySelector('next-pixel')) import('../lib/define.js').catch(() => {}); // without it there is the picture inside
