// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The test cases ("rows") of every page. The tests in tests/browser that cover all pages, called "sweeps", use these rows. The rows of one
 * page are in tests/pages/NAME/browser.js; tests/kinds/rows.js describes their form.
 */

import { existsSync, readdirSync } from 'node:fs';

import { ofEach, rows } from '../kinds/rows.js';

/**
 * Two files in weights/ that the test opens on the page.
 *
 * - file: a model that the page's figures can show
 * - wrong: a model that these figures cannot show, by default opened-decoder.gguf
 * - said: the page's message about `wrong`
 * - elsewhere: other pages, which cannot show `file`, and the message of these pages about `file`
 * - always: whether `npm test`, and not only `npm run test:all`, opens these files
 *
 * @typedef {{ file: string, wrong?: string, said?: RegExp, elsewhere?: { pages: string[], said: RegExp }, always?: true }} OwnFile
 */

/** A file: its name, content and MIME type. @typedef {[string, string | Uint8Array, string]} GivenFile */

/**
 * A file that is dropped on a figure or pasted.
 *
 * - figure: selector of a figure that accepts files
 * - said: selector of the element that shows the message
 * - refused: selector of the element that shows an error, by default `said`
 * - given: returns a suitable file
 * - done: the expected message
 *
 * @typedef {{ figure: string, said: string, refused?: string, given: () => GivenFile, done: RegExp }} GivenFiles
 */

/**
 * A button that uses a device, and the element (`said`) that shows messages about the device.
 *
 * @typedef {{ device: 'microphone' | 'camera', button: string, said: string }} Device
 */

/**
 * A topic of the five lectures (figures.js) for which this page has a figure.
 *
 * - at: id of the figure
 * - but: the part of the topic that the figure leaves out
 *
 * @typedef {{ shows: string, at: string, but?: string }} Figure
 */

/**
 * The rows of one page.
 *
 * @typedef {object} Rows
 * @property {OwnFile | string} ownFile  own-file.js; a string is the reason why the page has no row
 * @property {GivenFiles} [givenFiles]   given-files.test.js, which itself finds the pages whose figures accept files
 * @property {Device} [device]           devices.test.js, which itself finds the pages whose figures use a device
 * @property {Record<string, Figure>} [figures]  figures.js, by the number of the topic
 */

const PAGES = new URL('../../web/pages/', import.meta.url);

/** Returns the folders in a folder. @param {URL} folder */
const foldersIn = (folder) =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();

/** @type {Record<string, Rows>} */
const ALL = await ofEach((name) => import(`./${name}/browser.js`), foldersIn(new URL('.', import.meta.url)));

/** Returns the rows for own-file.js, by page. Every page must have a row, or a reason why it has none. */
export const ownFiles = () =>
  rows(
    ALL,
    'ownFile',
    'browser.js',
    foldersIn(PAGES).filter((name) => existsSync(new URL(`${name}/page.html`, PAGES))),
  );

/**
 * Returns the rows of a sweep, by page. Pages without rows are left out.
 *
 * @template {'givenFiles' | 'device' | 'figures'} Sweep
 * @param {Sweep} sweep
 * @returns {Record<string, NonNullable<Rows[Sweep]>>}
 */
export const rowsOf = (sweep) =>
  /** @type {any} */ (Object.fromEntries(Object.entries(ALL).flatMap(([name, own]) => (own[sweep] ? [[name, own[sweep]]] : []))));
