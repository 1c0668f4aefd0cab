// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The kinds of models. Each kind has a folder, whose kind.js defines the row of the kind. Code for a kind is loaded only when a file needs
 * it; every page includes only the rows. list.js and types.js are generated from the rows.
 */

/** @import { Engine } from '../model/engine.js' */
/** @import { Facts, Part } from '../engine/protocol.js' */
/** @import { Metadata } from '../gguf/metadata.js' */
/** @import { VerbName } from '../verbs/table.js' */

/**
 * The facts by which kinds recognise a model: its metadata, and the part that draws, or the first part if none does.
 *
 * @typedef {Facts & { kind: Kind, part: Part }} Fitting
 */

/** Returns an integer of a file's metadata, by its key below the name of the architecture; 0 or undefined if there is none.
 * @typedef {(key: string) => number | undefined} NumberOf */

/**
 * @typedef {object} Kind
 * @property {string} name         the name of the kind's folder, and `info.kind`
 * @property {(facts: Facts, number: NumberOf) => boolean} says  whether a file is of this kind, judged by its ports and its metadata
 * @property {{ [N in VerbName]?: { when?: (model: Fitting) => boolean, later?: true, settings?: string, names?: string[], before?: number } }} verbs
 *   the methods of the kind's models. `when`: present if only some models have the method; `later`: open() adds the method to `info.verbs`
 *   if the model has it; `settings`: the settings that are its options, as a word of `of` in the table of settings; `names`: other options;
 *   `before`: the number of arguments before the options, if it differs from the verb's
 * @property {(head: Uint8Array, signal?: AbortSignal) => Promise<any> | undefined} [early]  reads data from the beginning of a file while the
 *   workers open the file
 * @property {(engine: Engine, facts: Facts, early: any, signal?: AbortSignal) => any} open  returns an object with a method for each verb,
 *   and with resume() if runs can be saved
 * @property {string[]} [over]    kinds whose test also accepts files of this kind; this kind takes precedence over them
 * @property {(architecture: string, metadata: Metadata, part: Part) => object} [info]  the properties that only `info` of this kind has;
 *   open() may add more
 * @property {true} [last]        true: a file that also fits another kind belongs to that other kind
 */

export { KINDS } from './list.js';
