// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Types of models, one for each kind. For example, `load<'sound'>(address)` returns a model that has only the verbs of audio models, with
 * their options and results. The types have no effect at run time; `info.kind` and `info.verbs` describe the actual file.
 */

/** @import { AllVerbs, AnyInfo, InfosOfKinds, ModelsOfKinds, VerbsOfKinds } from '../kinds/types.js' */
/** @import { Model } from './model.js' */

/** @typedef {keyof VerbsOfKinds} Kind */

/**
 * Runs score() for a list of inputs, in parallel in all workers of the model (`workers` of load()). Returns the scores in the order of the
 * inputs. An option is one value for all inputs, or a list with one value for each.
 *
 * @template M
 * @typedef {M extends { score(input: infer Input, options?: infer Options): Promise<infer Score> } ?
 *   { score(inputs: Input[], options?: { [Name in keyof Options]: Options[Name] | NonNullable<Options[Name]>[] }): Promise<Score[]> } : {}} ScoresLists
 */

/**
 * A model of one kind, or of any kind.
 *
 * @template {Kind} K
 * @typedef {[Kind] extends [K] ? Model : Omit<Model, keyof AllVerbs | 'tokenizer' | 'info'> & { info: InfosOfKinds[K] } & Pick<ModelsOfKinds[K], VerbsOfKinds[K] & keyof ModelsOfKinds[K]> & ScoresLists<ModelsOfKinds[K]>} ModelOf
 */

/**
 * A model of a known file, for code that does not check the kind: `info` has the properties of all kinds.
 * @typedef {Model & { info: AnyInfo }} AnyModel
 */

export {};
