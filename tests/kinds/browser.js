// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The rows of every kind for the sweeps in tests/browser (rows.js). A new kind adds two lines here. A page gets the functions of rows as
 * text (functionsIn()), so they use nothing but their arguments.
 */

import { rows } from './rows.js';
import * as caption from './caption/browser.js';
import * as code from './code/browser.js';
import * as head from './head/browser.js';
import * as latent from './latent/browser.js';
import * as note from './note/browser.js';
import * as picture from './picture/browser.js';
import * as sign from './sign/browser.js';
import * as sound from './sound/browser.js';
import * as tag from './tag/browser.js';
import * as text from './text/browser.js';

/** @import { Page } from 'playwright-core' */

/**
 * A model in an element, and a short run of it with the library. ends: whether the nx-end of the element has the expected result; freed:
 * whether npm test checks that its removed elements are freed, and not only npm run test:all
 *
 * @typedef {{ attributes: Record<string, string>, begin: (model: any, options: { seed?: number, signal?: AbortSignal }) => any, ends?: (end: any) => boolean, freed?: true }} Shown
 */

/**
 * A request with the largest input that the model accepts, or with a larger one. make: makes the inputs (long-tasks.test.js); code: code of
 * the expected error
 *
 * @typedef {{ weights: string, ask: (model: any, make: any) => Promise<unknown>, code?: string }} Long
 */

/**
 * A verb that takes an input in several forms. ask: returns what must be the same for each form: values for a picture, the number of
 * samples for a sound; canvas, img: forms of the same picture
 *
 * @typedef {{ takes: 'picture' | 'sound' | 'music', weights: string, ask: (model: any, input: any, others: { canvas: any, img: any }) => Promise<any> }} Input
 */

/**
 * A task of the element, its small model and the attributes of every element. inside: its children, as HTML; values: what some attributes
 * are set to; often: whether npm test takes it, and not only npm run test:all
 *
 * @typedef {{ file: string | (() => Uint8Array), attributes: Record<string, string>, inside?: string, values?: Record<string, string>, often?: true }} Order
 */

/**
 * The rows of one kind. A text instead of rows is the reason why it has none.
 *
 * @typedef {object} Rows
 * @property {Record<string, Shown> | string} shown    element-life.test.js and left-behind.test.js, by weight file
 * @property {Record<string, Long> | string} long      long-tasks.test.js, by the name of the test
 * @property {Record<string, Input> | string} inputs   inputs.test.js, by verb
 * @property {Record<string, Order>} order              element-order.test.js, by task
 */

/** @type {Record<string, Rows>} */
const ALL = { picture, latent, sound, code, note, caption, sign, tag, head, text };

/** Returns the rows of every kind for a sweep. @template {keyof Rows} Sweep @param {Sweep} sweep */
export const rowsOf = (sweep) => rows(ALL, sweep, 'browser.js');

/**
 * Makes a function of each row available to a page: `rows[NAME]`.
 *
 * @param {Page} page
 * @param {Record<string, (...given: any[]) => unknown>} functions
 */
export const functionsIn = (page, functions) =>
  page.evaluate(`globalThis.rows = { ${Object.entries(functions).map(([name, one]) => `${JSON.stringify(name)}: ${one}`)} }; undefined`);
