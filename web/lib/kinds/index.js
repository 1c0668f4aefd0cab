// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The kinds of models: one folder each, whose kind.js is its row. Code for one kind of model is loaded when a file needs it: only the rows
 * are in every page. list.js and types.js are generated from the rows.
 */

/** @import { Engine } from '../model/engine.js' */
/** @import { Facts, Part } from '../engine/protocol.js' */
/** @import { Metadata } from '../gguf/metadata.js' */
/** @import { VerbName } from '../verbs/table.js' */

/**
 * The facts about a model by which kinds recognise it: its metadata, and the part that draws, or the first.
 *
 * @typedef {Facts & { kind: Kind, part: Part }} Fitting
 */

/** An integer in a file's metadata, by its key under the name of the architecture; 0 or undefined if there is none.
 * @typedef {(key: string) => number | undefined} NumberOf */

/**
 * @typedef {object} Kind
 * @property {string} name         the name of its folder, and `info.kind`
 * @property {(facts: Facts, number: NumberOf) => boolean} says  whether a file is of this kind, by its ports and its metadata
 * @property {{ [N in VerbName]?: { when?: (model: Fitting) => boolean, later?: true, settings?: string, names?: string[], before?: number } }} verbs its
 *   methods: `when`, if not every model has it; `later`: open() adds it to `info.verbs` if the model has it; `settings`: whose settings are the options, a word of `of` in the table of settings;
 *   `names`: other options; `before`: the number of arguments before the options, if it differs from the verb
 * @property {(head: Uint8Array) => Promise<any> | undefined} [early]  work on the beginning of a file while the workers open it
 * @property {(engine: Engine, facts: Facts, early: any, signal?: AbortSignal) => any} open  an object with a method for each verb, and
 *   resume() if runs can be saved
 * @property {string[]} [over]    kinds that such a file also fits without belonging to them
 * @property {(architecture: string, metadata: Metadata, part: Part) => object} [info]  properties that `info` of this kind has; open() may add more
 * @property {true} [last]        a file that also fits another kind belongs to that one
 */

export { KINDS } from './list.js';
