// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The kinds of models. Each kind has a folder with a file kind.js, which exports the description of the kind, called its row. Every page
 * includes all rows; other code for a kind is loaded only when a model file needs it. list.js and types.js are generated from the rows.
 */

/** @import { Engine } from '../model/engine.js' */
/** @import { Facts, Part } from '../engine/protocol.js' */
/** @import { Metadata } from '../gguf/metadata.js' */
/** @import { VerbName } from '../verbs/table.js' */

/**
 * A model's facts, with its kind and its main part. The main part (`part`) is the first part that draws, or the first part if none draws.
 *
 * @typedef {Facts & { kind: Kind, part: Part }} Fitting
 */

/**
 * Returns an integer from a file's metadata. If the file lacks the key, the result is 0 or undefined. The key is given without its prefix,
 * which is the name of the architecture.
 * @typedef {(key: string) => number | undefined} NumberOf
 */

/**
 * @typedef {object} Kind
 * @property {string} name         the name of the kind's folder, and `info.kind`
 * @property {(facts: Facts, number: NumberOf) => boolean} says  returns whether a file is of this kind, based on its ports and its metadata
 * @property {{ [N in VerbName]?: { when?: (model: Fitting) => boolean, later?: true, settings?: string, names?: string[], before?: number } }} verbs
 *   the methods of the kind's models. `when` returns whether a model has the method; it is absent if all models of the kind have the
 *   method. If `later` is true, the method is not in `info.verbs` at first, and open() adds it if the model has the method. `settings`
 *   selects options from the table in settings.js by a name, such as 'picture'. The method has every option whose field `of` contains this
 *   name. `names` lists the method's other options. `before` is the number of arguments before the options, if it differs from the number
 *   in the verb's file
 * @property {(head: Uint8Array, signal?: AbortSignal) => Promise<any> | undefined} [early]  reads data from the beginning of a file while the
 *   workers open the file
 * @property {(engine: Engine, facts: Facts, early: any, signal?: AbortSignal) => any} open  returns an object with a method for each verb,
 *   and with resume() if runs can be saved
 * @property {string[]} [over]    kinds whose `says` also accepts files of this kind; this kind takes precedence over them
 * @property {(architecture: string, metadata: Metadata, part: Part) => object} [info]  returns the properties of `info` that only this kind
 *   has; open() may add more
 * @property {true} [last]        if true, a file that also fits another kind is opened as the other kind
 */

export { KINDS } from './list.js';
