// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The rows of every page for the sweeps in tests/browser, in the form of tests/kinds (rows.js): tests/pages/NAME/browser.js has those of one
 * page. A new page adds two lines here.
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
 * Files of weights/: one that the figures of the page can show; and one that they cannot show, with the page's answer. wrong: by default
 * opened-decoder.gguf; always: whether npm test tries them, and not only npm run test:all
 *
 * @typedef {{ file: string, wrong?: string, said?: RegExp, always?: true }} OwnFile
 */

/** Name, content and type. @typedef {[string, string | Uint8Array, string]} GivenFile */

/**
 * A file that is dropped on a figure or pasted. figure: takes files; said: the element that shows the answer; refused: the element that shows
 * an error, by default the same; given: a suitable file; done: the expected answer
 *
 * @typedef {{ figure: string, said: string, refused?: string, given: () => GivenFile, done: RegExp }} GivenFiles
 */

/**
 * A row of the lectures that a figure shows. at: id of the figure; but: the part of the row that the figure leaves out
 *
 * @typedef {{ shows: string, at: string, but?: string }} Figure
 */

/**
 * The rows of one page.
 *
 * @typedef {object} Rows
 * @property {OwnFile | string} ownFile  own-file.js; a text is the reason why the page has no row
 * @property {GivenFiles} [givenFiles]   given-files.test.js, which finds the pages whose figures take files
 * @property {Record<string, Figure>} [figures]  figures.js, by the row of the lectures
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

/** The rows by page, for the sweep in which every page has a row or a reason. */
export const ownFiles = () => rows(ALL, 'ownFile', 'browser.js', Object.keys(ALL));

/**
 * Returns the rows of the pages that have any.
 *
 * @template {'givenFiles' | 'figures'} Sweep
 * @param {Sweep} sweep
 * @returns {Record<string, NonNullable<Rows[Sweep]>>}
 */
export const rowsOf = (sweep) =>
  /** @type {any} */ (Object.fromEntries(Object.entries(ALL).flatMap(([name, own]) => (own[sweep] ? [[name, own[sweep]]] : []))));
