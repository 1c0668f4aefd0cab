// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Models by their kind, for a type checker: `load<'sound'>(address)` gives one whose generate() is a SoundRun and which has no tokens(). Nothing is
 * computed of it: what a file is, `info.codec` and `info.tasks` say.
 */

/** @import { LatentRun } from '../kinds/latent/latent-run.js' */
/** @import { Run } from '../kinds/picture/run.js' */
/** @import { SoundRun } from '../kinds/sound/sound-run.js' */
/** @import { CodesRun } from '../kinds/codes/codes-run.js' */
/** @import { CodesOptions, DrawOptions, LatentOptions, SoundOptions, VerbsOfKinds } from '../options.js' */
/** @import { VerbMethods } from '../verbs/methods.js' */
/** @import { Model } from './model.js' */

/** @typedef {keyof VerbsOfKinds} Kind */

/**
 * The result of a verb that several kinds have.
 *
 * @typedef {{
 *   picture: { generate(options?: DrawOptions): Run },
 *   latent: { generate(options?: LatentOptions): LatentRun },
 *   sound: { generate(options?: SoundOptions): SoundRun },
 *   codes: { generate(options?: CodesOptions): CodesRun } }} RunsOfKinds
 */

/**
 * A model of one kind; of all kinds, any model.
 *
 * @template {Kind} K
 * @typedef {[Kind] extends [K] ? Model : (K extends keyof RunsOfKinds ? RunsOfKinds[K] : {}) & { [V in Exclude<keyof VerbMethods, VerbsOfKinds[K]>]: never } & Model} ModelOf
 */

export {};
