// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The verbs, a row each: a method of a model has the same name, and its file says all about it. Methods of a model, `info.tasks`,
 * the tasks of the element and their attributes, the types of JSX and the manual come from here.
 *
 * A file exports
 *
 *     task        its name in `info.tasks`; without, it is not there
 *     draws       it draws elements, in a run that can be read; else it answers with a promise
 *     made        of a task of the element, what it made, as the element says it: {pictures} and {src} stand for what these are
 *     fits        whether a model has it, told from what its file says
 *     attributes  those of the element that are its own, beside those of its settings. What has them is a task of the element: a run, or an
 *                 answer that can be read and shown as a run can
 *     settings    whose settings are its options: words of `of` in the table of settings
 *     start       the method; `this` is the model
 *
 * Heavy code is loaded with the codec of the model (kinds/index.js): these files themselves are in every page.
 */

export * as attention from './attention.js';
export * as chat from './chat.js';
export * as classify from './classify.js';
export * as complete from './complete.js';
export * as generate from './generate.js';
export * as score from './score.js';
export * as superResolve from './super-resolve.js';
export * as tag from './tag.js';
export * as tokens from './tokens.js';
export * as translate from './translate.js';
export * as walk from './walk.js';
