// SPDX-License-Identifier: MIT
// @ts-check

/** The rows of every kind for the sweeps in tests/js (rows.js). A new kind adds two lines here. */

import { rows } from './rows.js';
import * as caption from './caption/js.js';
import * as code from './code/js.js';
import * as head from './head/js.js';
import * as latent from './latent/js.js';
import * as note from './note/js.js';
import * as picture from './picture/js.js';
import * as sign from './sign/js.js';
import * as sound from './sound/js.js';
import * as tag from './tag/js.js';
import * as text from './text/js.js';

/**
 * A weight file: its path, or a function that makes its bytes.
 *
 * @typedef {string | (() => Uint8Array<ArrayBuffer>)} File
 */

/**
 * A call of a verb that draws. input: makes the input of the verb; score: scores the result of a run
 *
 * @typedef {{ file: File, options: Record<string, any>, input?: (info: any) => unknown, score?: (model: any, result: any) => Promise<{ nats: number }> }} Drawing
 */

/**
 * An option that is a list or an object, and how a caller changes it afterwards. most: maxTokens of a resumed run
 *
 * @typedef {{ file: File, begin: (model: any, options: any) => any, options: (info: any) => any, change: (options: any) => void, most?: number }} List
 */

/**
 * A call that waits for something that never comes. forms: forms of its input that never arrive; immediate: a short input is encoded before
 * the call returns; rendered: Web Audio renders samples of the result
 *
 * @typedef {{ file: File, ask: (model: any, options: object, input: any) => any, forms?: ('address' | 'recording' | 'file')[], immediate?: true, rendered?: true }} Waiting
 */

/** A valid call of a verb: its file and arguments. @typedef {{ file: string, input: (info: any) => any[] }} Nested */

/**
 * Functions that compute something from a text. file: may be made of the words that are read
 *
 * @typedef {{ file: string | ((words: string[]) => Uint8Array<ArrayBuffer>), read: Record<string, (model: any, text: string) => Promise<unknown>> }} Typed
 */

/**
 * How to start a short run, and what is special about it. ids: the ids of a step; begins: the first step of a resumed run repeats the drawn
 * part; levels: levels whose order begins anew in a resumed run; rest: options of resume() that save() does not store; heard: what a
 * resumed run knows of an input; saved: shipped files whose saved runs are manipulated; alike: names of shipped files with the architecture
 * of a smaller file; bothWays: a file and an input, if the kind has encode() and decode()
 *
 * @typedef {{ run: (model: any, options: object) => any, ids: (step: any) => number[], begins?: true, levels?: string[], rest?: (model: any, drawn: number) => object, heard?: (input: any) => unknown, saved?: string[], alike?: RegExp, bothWays?: { file: File, input: (info: any) => unknown } }} Runs
 */

/**
 * Golden files with the verbs that no kind before it has. inputs: arguments of verbs that do not accept 'a'; besides: further options that a
 * verb needs
 *
 * @typedef {{ files: string[], inputs?: Record<string, (info: any) => any[]>, besides?: Record<string, object> }} Options
 */

/**
 * A very large file, and what its worker is asked: to encode these inputs, or to draw. alike: its expensive layers are of the same kind as
 * those of another row, so that only test:all computes it
 *
 * @typedef {{ file: () => Uint8Array<ArrayBuffer>, encode?: () => Record<string, Uint32Array<ArrayBuffer>>, draw?: () => object, alike?: true }} Slice
 */

/**
 * A run with the option `probabilities`. ids: the ids of a step, with the nats of each; -1: the step does not name the id
 *
 * @typedef {{ file: File, begin: (model: any, options: any) => any, ids: (step: any) => [number[], ArrayLike<number>][], options?: object }} Spread
 */

/**
 * Metadata keys of golden files. integers: files whose integers are read in every integer type, always or only by test:all; read: keys that
 * only JavaScript reads; use: a use of the model that reads them; numbers: keys that must not be negative, fractional or huge
 *
 * @typedef {{ integers?: Record<string, 'always' | 'more'>, read?: Record<string, string[]>, use?: (model: any) => unknown, numbers?: Record<string, string[]> }} Keys
 */

/**
 * The evaluation of shipped files. measured: files that refuse a folder as data; odd: files that refuse another JSON file, with the
 * message; made: files that name the program which makes their data
 *
 * @typedef {{ measured?: string[], odd?: [string, RegExp][], made?: [string, string][] }} Evaluation
 */

/**
 * Calls with lists in which the item 1 is missing.
 *
 * @typedef {{ file: string, said: RegExp, calls: (model: any, hole: (...list: unknown[]) => unknown[]) => (() => Promise<unknown>)[] }} Holes
 */

/**
 * A call of a verb with an input that may be large. n: a size at which the call takes some tens of milliseconds; make: returns the
 * arguments, with an input of a size
 *
 * @typedef {{ file: File, n: number, make: (n: number, info: any) => any[] }} Large
 */

/**
 * What doubling.test.js passes to a row. canvas, tall: a canvas that measures text and paints nothing, and one on which any number of lines
 * fit; doubled: compares the times for n items and for twice as many; list: makes a list; painted: adds steps to a sheet and paints it;
 * texts: texts that are shown
 *
 * @typedef {object} Tools
 * @property {() => any} canvas
 * @property {() => any} tall
 * @property {<T>(name: string, n: number, make: (count: number) => T, task: (input: T) => unknown) => void} doubled
 * @property {(count: number, make: (i: number) => any) => any[]} list
 * @property {(sheet: any, steps: any[]) => void} painted
 * @property {string[]} texts
 */

/**
 * Bounds of what outlives a call. maps: maps and sets of the kind's folder, by `FILE NAME`: the keys that are possible, or the code that
 * removes or refuses entries; keys: its keys of localStorage and sessionStorage
 *
 * @typedef {{ maps?: Record<string, string | RegExp>, keys?: string[] }} Bounds
 */

/**
 * The rows of one kind. A text instead of rows is the reason why it has none.
 *
 * @typedef {object} Rows
 * @property {Record<string, Drawing> | string} verbs  verbs.test.js, by `VERB` or `VERB, SPECIAL CASE`: one or more for each verb that draws
 * @property {Record<string, List> | string} lists     verbs.test.js, by option
 * @property {Record<string, Waiting | string>} waiting  waiting.test.js, by verb; a text is the reason why the verb waits only for its worker
 * @property {Record<string, (load: (source: any) => Promise<any>) => Promise<unknown>>} promises  promises.test.js: short uses of the library
 * @property {Record<string, Nested>} nested           nested-inputs.test.js, by verb
 * @property {Typed | string} typed                    typed.test.js
 * @property {Record<string, Large | string>} doubling  doubling.test.js, by `VERB, INPUT`: every input of each verb that may be large; a text
 *   is the reason why no input of the verb may be large
 * @property {Record<string, (tools: Tools) => Promise<void>> | string} sheets   doubling.test.js, by class: sheets of any length
 * @property {Record<string, (tools: Omit<Tools, 'texts'>) => Promise<void>> | string} scaling  doubling.test.js, by the title of a further
 *   test, which several kinds may share
 * @property {Record<string, string> | string} readers  doubling.test.js, by module that reads files: the test that doubles its input, or the
 *   reason why there is none
 * @property {Bounds | string} bounds                  stores.test.js
 * @property {Runs | string} runs                      runs.test.js, verbs.test.js
 * @property {Options} options                         options.test.js
 * @property {Record<string, Slice> | string} slices   slices.test.js, by the title of the test
 * @property {Spread[] | string} probabilities         numbers.test.js
 * @property {Keys | string} keys                      metadata-keys.test.js
 * @property {Evaluation | string} evaluation          eval.test.js
 * @property {Holes | string} holes                    limits.test.js
 * @property {{ draws?: string[], answers?: string[] }} tasks  tables.test.js: tasks of <next-pixel>
 */

/** @type {Record<string, Rows>} */
const ALL = { latent, picture, sound, code, note, sign, caption, text, head, tag };

/** Returns the rows of every kind for a sweep. @template {keyof Rows} Sweep @param {Sweep} sweep */
export const rowsOf = (sweep) => rows(ALL, sweep, 'js.js');

/** Returns what load() accepts. @param {File} file */
export const weightsOf = (file) => (typeof file === 'string' ? file : file());
