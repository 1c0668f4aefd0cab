// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Models by their kind, for a type checker: `load<'sound'>(address)` gives one whose generate() is a SoundRun and which has no chat(). Nothing is
 * computed of it: what a file is, `info.kind` and `info.verbs` say.
 */

/** @import { LatentRun } from '../kinds/latent/latent-run.js' */
/** @import { PictureRun } from '../kinds/picture/picture-run.js' */
/** @import { SoundRun } from '../kinds/sound/sound-run.js' */
/** @import { CodeRun } from '../kinds/code/code-run.js' */
/** @import { CodeOptions, PictureOptions, LatentOptions, SoundOptions, VerbsOfKinds } from '../options.js' */
/** @import { VerbMethods } from '../verbs/methods.js' */
/** @import { Model } from './model.js' */

/** @typedef {keyof VerbsOfKinds} Kind */

/**
 * The result of a verb that several kinds have.
 *
 * @typedef {{
 *   picture: { generate(options?: PictureOptions): PictureRun },
 *   latent: { generate(options?: LatentOptions): LatentRun },
 *   sound: { generate(options?: SoundOptions): SoundRun },
 *   code: { generate(options?: CodeOptions): CodeRun } }} RunsOfKinds
 */

/**
 * A model of one kind; of all kinds, any model.
 *
 * @template {Kind} K
 * @typedef {[Kind] extends [K] ? Model : (K extends keyof RunsOfKinds ? RunsOfKinds[K] : {}) & { [V in Exclude<keyof VerbMethods, VerbsOfKinds[K]>]: never } & Model} ModelOf
 */

export {};
