// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The test cases (rows) for the sweeps in tests/browser, for each kind of model. rows.js explains rows and sweeps. functionsIn() sends the
 * functions in the rows to a page as text, so these functions may use only their arguments.
 */

import { ofEach, rows } from './rows.js';

/** @import { Page } from 'playwright-core' */

/**
 * A small model for tests of the element.
 *
 * - attributes, inside: the element's attributes, and its children as HTML
 * - begin: starts a short run of the same model with the library, without an element
 * - ends: returns whether the element's nx-end event has the expected result
 * - freed: whether `npm test`, and not only `npm run test:all`, checks that removed elements with this model are freed
 *
 * @typedef {{ attributes: Record<string, string>, inside?: string, begin: (model: any, options: { seed?: number, signal?: AbortSignal }) => any, ends?: (end: any) => boolean, freed?: true }} Shown
 */

/**
 * A request with the largest input that the model accepts, or with a larger one.
 *
 * - make: functions of long-tasks.test.js that make inputs
 * - code: code of the expected error
 *
 * @typedef {{ weights: string, ask: (model: any, make: any) => Promise<unknown>, code?: string }} Long
 */

/**
 * A verb whose input may have several forms (for a picture: a canvas, an <img>, a Blob, ...).
 *
 * - ask: calls the verb and returns a result that must be the same for each form: values for a picture, the number of samples for audio
 * - canvas, img: two forms of the picture `input`
 *
 * @typedef {{ takes: 'picture' | 'sound' | 'music', weights: string, ask: (model: any, input: any, others: { canvas: any, img: any }) => Promise<any> }} Input
 */

/**
 * A task of the element, a small model for the task, and the attributes that every tested element gets.
 *
 * - inside: the element's children, as HTML
 * - values: values to which the test sets some of the attributes
 * - often: whether `npm test`, and not only `npm run test:all`, tests the task
 *
 * @typedef {{ file: string | (() => Uint8Array), attributes: Record<string, string>, inside?: string, values?: Record<string, string>, often?: true }} Order
 */

/**
 * The rows of one kind of model, with one property for each sweep. If the kind has no rows for a sweep, the property is a string with the
 * reason.
 *
 * @typedef {object} Rows
 * @property {Record<string, Shown> | string} shown    element-life.test.js and left-behind.test.js, by weight file
 * @property {Record<string, Long> | string} long      long-tasks.test.js, by the name of the test
 * @property {Record<string, Input> | string} inputs   inputs.test.js, by verb
 * @property {Record<string, Order>} order              element-order.test.js, by task
 * @property {Record<string, () => Uint8Array | string>} [files]  files that these tests serve, by their addresses
 */

/** @type {Record<string, Rows>} */
const ALL = await ofEach((name) => import(`./${name}/browser.js`));

/** Returns the rows of a sweep, by kind. @template {keyof Rows} Sweep @param {Sweep} sweep */
export const rowsOf = (sweep) => rows(ALL, sweep, 'browser.js');

/** All files that the tests serve, by address. */
export const FILES = Object.assign({}, ...Object.values(ALL).map(({ files }) => files));

/**
 * Defines functions in a page, as `rows[NAME]`.
 *
 * @param {Page} page
 * @param {Record<string, (...given: any[]) => unknown>} functions
 */
export const functionsIn = (page, functions) =>
  page.evaluate(`globalThis.rows = { ${Object.entries(functions).map(([name, one]) => `${JSON.stringify(name)}: ${one}`)} }; undefined`);
