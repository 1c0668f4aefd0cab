// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Models by their kind, for a type checker: `load<'sound'>(address)` returns one that has only the verbs of its kind, with their options
 * and results. These types have no effect at run time: `info.kind` and `info.verbs` describe the file.
 */

/** @import { AllVerbs, AnyInfo, InfosOfKinds, ModelsOfKinds, VerbsOfKinds } from '../kinds/types.js' */
/** @import { Model } from './model.js' */

/** @typedef {keyof VerbsOfKinds} Kind */

/**
 * score() for a list of inputs, in parallel in all workers of the model (`workers` of load()): returns the scores in the order of the
 * inputs. An option is one value for all inputs, or a list with one for each.
 *
 * @template M
 * @typedef {M extends { score(input: infer Input, options?: infer Options): Promise<infer Score> } ?
 *   { score(inputs: Input[], options?: { [Name in keyof Options]: Options[Name] | NonNullable<Options[Name]>[] }): Promise<Score[]> } : {}} ScoresLists
 */

/**
 * A model of one kind; of all kinds, any model.
 *
 * @template {Kind} K
 * @typedef {[Kind] extends [K] ? Model : Omit<Model, keyof AllVerbs | 'tokenizer' | 'info'> & { info: InfosOfKinds[K] } & Pick<ModelsOfKinds[K], VerbsOfKinds[K] & keyof ModelsOfKinds[K]> & ScoresLists<ModelsOfKinds[K]>} ModelOf
 */

/** A model of a file that the code knows, whose kind it need not ask for: `info` has the properties of all kinds. @typedef {Model & { info: AnyInfo }} AnyModel */

export {};
