// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Models by their kind, for a type checker: `load<'sound'>(address)` gives one whose generate() is a SoundRun and which has no tokens(). Nothing is
 * computed of it: what a file is, `info.codec` and `info.tasks` say.
 */

/** @import { LatentRun } from '../kinds/latent/latent-run.js' */
/** @import { Run } from '../kinds/picture/run.js' */
/** @import { SoundRun } from '../kinds/sound/sound-run.js' */
/** @import { DrawOptions, LatentOptions, SoundOptions } from '../options.js' */
/** @import { VerbName } from '../verbs/tasks.js' */
/** @import { Model } from './model.js' */

/**
 * The verbs that models of each kind may have. latent: pictures at once.
 *
 * @typedef {object} VerbsOfKinds
 * @property {'attention' | 'complete' | 'generate' | 'score' | 'superResolve'} picture
 * @property {'generate' | 'walk'} latent
 * @property {'complete' | 'generate' | 'score'} sound
 * @property {'chat' | 'score' | 'tokens' | 'translate'} text
 * @property {'tag'} tags
 * @property {'classify'} signs
 */

/** @typedef {keyof VerbsOfKinds} Kind */

/**
 * What one verb gives that several kinds have.
 *
 * @typedef {{
 *   picture: { generate(options?: DrawOptions): Run },
 *   latent: { generate(options?: LatentOptions): LatentRun },
 *   sound: { generate(options?: SoundOptions): SoundRun },
 *   text: {}, tags: {}, signs: {} }} RunsOfKinds
 */

/**
 * A model of one kind; of all kinds, any model.
 *
 * @template {Kind} K
 * @typedef {[Kind] extends [K] ? Model : RunsOfKinds[K] & { [V in Exclude<VerbName, VerbsOfKinds[K]>]: never } & Model} ModelOf
 */

export {};
