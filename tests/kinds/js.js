// SPDX-License-Identifier: MIT
// @ts-check

/** The test cases (rows) for the sweeps in tests/js, for each kind of model. rows.js explains rows and sweeps. */

import { ofEach, rows } from './rows.js';

/**
 * A weight file: its path, or a function that makes its bytes.
 *
 * @typedef {string | (() => Uint8Array<ArrayBuffer>)} File
 */

/**
 * A call of a verb that draws samples, such as generate().
 *
 * - input: makes the input of the verb
 * - score: returns the score of a run's result
 *
 * @typedef {{ file: File, options: Record<string, any>, input?: (info: any) => unknown, score?: (model: any, result: any) => Promise<{ nats: number }> }} Drawing
 */

/**
 * An option that is a list or an object. The caller changes this list or object after the call.
 *
 * - change: makes the change
 * - most: maxTokens of a resumed run
 *
 * @typedef {{ file: File, begin: (model: any, options: any) => any, options: (info: any) => any, change: (options: any) => void, most?: number }} List
 */

/**
 * A call that waits for something that never arrives.
 *
 * - forms: the forms of input that never arrive
 * - immediate: whether a short input is encoded before the call returns
 * - rendered: whether the samples of the result need Web Audio
 *
 * @typedef {{ file: File, ask: (model: any, options: object, input: any) => any, forms?: ('address' | 'recording' | 'file')[], immediate?: true, rendered?: true }} Waiting
 */

/** A valid call of a verb: its file and arguments. @typedef {{ file: string, input: (info: any) => any[] }} Nested */

/**
 * Functions that pass a text to a model.
 *
 * - file: the weight file, or a function that makes it from the words of the text
 * - read: the functions, by name
 *
 * @typedef {{ file: string | ((words: string[]) => Uint8Array<ArrayBuffer>), read: Record<string, (model: any, text: string) => Promise<unknown>> }} Typed
 */

/**
 * The function that starts a short run, and the ways in which the runs of this kind differ from others.
 *
 * - ids: returns the ids of a step
 * - begins: whether the first step of a resumed run repeats the part that was drawn before
 * - levels: the names of levels, if a resumed run starts with the first level again
 * - rest: returns options for resume() that save() does not store
 * - heard: returns the part of an input that a resumed run still has
 * - saved: shipped files; the test changes saved runs of their models so that these runs are invalid
 * - alike: matches shipped files that have the architecture of a smaller file
 * - bothWays: a file and an input for encode() and decode(), if the kind has them
 *
 * @typedef {{ run: (model: any, options: object) => any, ids: (step: any) => number[], begins?: true, levels?: string[], rest?: (model: any, drawn: number) => object, heard?: (input: any) => unknown, saved?: string[], alike?: RegExp, bothWays?: { file: File, input: (info: any) => unknown } }} Runs
 */

/**
 * Golden files whose models together have every verb of the kind. A verb may be missing if another kind also has it.
 *
 * - inputs: valid arguments, by verb, for verbs that do not accept the string 'a'
 * - besides: options that a verb requires, by verb
 *
 * @typedef {{ files: string[], inputs?: Record<string, (info: any) => any[]>, besides?: Record<string, object> }} Options
 */

/**
 * A very large weight file, and a long task for the worker that opens it.
 *
 * - encode: returns inputs; the worker encodes them
 * - draw: returns fields of the message `draw`; the worker draws a run
 * - alike: whether another row has slow layers of the same type; then only `npm run test:all` tests this row
 *
 * @typedef {{ file: () => Uint8Array<ArrayBuffer>, encode?: () => Record<string, Uint32Array<ArrayBuffer>>, draw?: () => object, alike?: true }} Slice
 */

/**
 * A run with the option `probabilities`.
 *
 * - ids: returns the ids and the nats of a step; an id that the step does not contain is -1
 *
 * @typedef {{ file: File, begin: (model: any, options: any) => any, ids: (step: any) => [number[], ArrayLike<number>][], options?: object }} Spread
 */

/**
 * Metadata keys of golden files.
 *
 * - integers: files whose integer keys are tested with every integer type. 'always': `npm test` tests the file; 'more': only `npm run
 *   test:all` tests it
 * - read: keys that only JavaScript reads, by file
 * - use: uses a model so that it reads these keys
 * - numbers: keys whose values must not be negative, fractional or huge, by file
 *
 * @typedef {{ integers?: Record<string, 'always' | 'more'>, read?: Record<string, string[]>, use?: (model: any) => unknown, numbers?: Record<string, string[]> }} Keys
 */

/**
 * The evaluation of shipped files (npm run eval).
 *
 * - measured: files for which a folder is not accepted as test data
 * - odd: files for which an unsuitable JSON file is not accepted, with the error message
 * - made: files for which the error message names the program that makes the test data
 *
 * @typedef {{ measured?: string[], odd?: [string, RegExp][], made?: [string, string][] }} Evaluation
 */

/**
 * A weight file, and calls to its model that must fail. Each call passes a list made by `hole`, which leaves index 1 empty.
 *
 * @typedef {{ file: string, said: RegExp, calls: (model: any, hole: (...list: unknown[]) => unknown[]) => (() => Promise<unknown>)[] }} Holes
 */

/**
 * A call of a verb with an input that may be large.
 *
 * - n: a size of the input at which the call takes some tens of milliseconds
 * - make: returns the arguments, with an input of the given size
 *
 * @typedef {{ file: File, n: number, make: (n: number, info: any) => any[] }} Large
 */

/**
 * Functions and texts that doubling.test.js passes to a row.
 *
 * - canvas: makes a canvas that measures text and paints nothing
 * - tall: makes a canvas of this type that is tall enough for any number of lines
 * - doubled: compares the times for n items and for twice as many
 * - list: makes a list
 * - painted: adds steps to a sheet and paints the sheet
 * - texts: texts to paint
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
 * Limits on the size of data that outlives a call.
 *
 * - maps: for the maps and sets in the kind's folder, by `FILE NAME`: the possible keys, or the code that removes or refuses entries
 * - keys: the kind's keys in localStorage and sessionStorage
 *
 * @typedef {{ maps?: Record<string, string | RegExp>, keys?: string[] }} Bounds
 */

/**
 * The rows of one kind of model, with one property for each sweep. If the kind has no rows for a sweep, the property is a string with the
 * reason.
 *
 * @typedef {object} Rows
 * @property {Record<string, Drawing> | string} verbs  verbs.test.js, by `VERB` or `VERB, SPECIAL CASE`: one or more for each verb that draws
 * @property {Record<string, List> | string} lists     verbs.test.js, by option
 * @property {Record<string, Waiting | string>} waiting  waiting.test.js, by verb; a string is the reason why the verb waits
 *   only for its worker
 * @property {Record<string, (load: (source: any) => Promise<any>) => Promise<unknown>>} promises  promises.test.js: short uses of the library
 * @property {Record<string, Nested>} nested           nested-inputs.test.js, by verb
 * @property {Typed | string} typed                    typed.test.js
 * @property {Record<string, Large | string>} doubling  doubling.test.js, by `VERB, INPUT`: for every verb, each input that may be large; a
 *   string is the reason why no input of the verb may be large
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
const ALL = await ofEach((name) => import(`./${name}/js.js`));

/** Returns the rows of a sweep, by kind. @template {keyof Rows} Sweep @param {Sweep} sweep */
export const rowsOf = (sweep) => rows(ALL, sweep, 'js.js');

/** Returns the path or the bytes of a weight file, as load() accepts them. @param {File} file */
export const weightsOf = (file) => (typeof file === 'string' ? file : file());
