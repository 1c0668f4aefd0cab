// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The test cases ("rows") of every page. They are used by "sweeps", the tests in tests/browser that cover all pages. The rows of one page
 * are in tests/pages/NAME/browser.js; tests/kinds/rows.js describes their form. A new page adds two lines here.
 */

import { rows } from '../kinds/rows.js';
import * as alignment from './alignment/browser.js';
import * as captions from './captions/browser.js';
import * as chains from './chains/browser.js';
import * as chat from './chat/browser.js';
import * as chorale from './chorale/browser.js';
import * as colour from './colour/browser.js';
import * as fvsbn from './fvsbn/browser.js';
import * as imageTransformer from './image-transformer/browser.js';
import * as jukebox from './jukebox/browser.js';
import * as lookAhead from './look-ahead/browser.js';
import * as opened from './opened/browser.js';
import * as pixelcnn from './pixelcnn/browser.js';
import * as reading from './reading/browser.js';
import * as sagan from './sagan/browser.js';
import * as sameDigit from './same-digit/browser.js';
import * as snail from './snail/browser.js';
import * as sparse from './sparse/browser.js';
import * as structure from './structure/browser.js';
import * as tokens from './tokens/browser.js';
import * as transformer from './transformer/browser.js';
import * as wavenet from './wavenet/browser.js';

/**
 * Two weight files of weights/ that the test opens on the page.
 *
 * - file: a model that the page's figures can show
 * - wrong: a model that they cannot show, by default opened-decoder.gguf
 * - said: the page's message about `wrong`
 * - always: whether `npm test`, and not only `npm run test:all`, opens them
 *
 * @typedef {{ file: string, wrong?: string, said?: RegExp, always?: true }} OwnFile
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
 * A topic of the five lectures that a figure of this page shows (figures.js).
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
 * @property {Record<string, Figure>} [figures]  figures.js, by the number of the topic
 */

/** @type {Record<string, Rows>} */
const ALL = {
  alignment,
  captions,
  chains,
  chat,
  chorale,
  colour,
  fvsbn,
  'image-transformer': imageTransformer,
  jukebox,
  'look-ahead': lookAhead,
  opened,
  pixelcnn,
  reading,
  sagan,
  'same-digit': sameDigit,
  snail,
  sparse,
  structure,
  tokens,
  transformer,
  wavenet,
};

/** Returns the rows for own-file.js, by page; every page must have a row or a reason. */
export const ownFiles = () => rows(ALL, 'ownFile', 'browser.js', Object.keys(ALL));

/**
 * Returns the rows of a sweep, for the pages that have rows.
 *
 * @template {'givenFiles' | 'figures'} Sweep
 * @param {Sweep} sweep
 * @returns {Record<string, NonNullable<Rows[Sweep]>>}
 */
export const rowsOf = (sweep) =>
  /** @type {any} */ (Object.fromEntries(Object.entries(ALL).flatMap(([name, own]) => (own[sweep] ? [[name, own[sweep]]] : []))));
