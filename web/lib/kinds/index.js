// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The meanings of ids: a row a codec, whose file has the rest. Codecs that only some pages need are loaded when a file says so.
 */

import { Pictures } from './picture/pictures.js';

/** @import { Engine } from '../model/engine.js' */
/** @import { Facts } from '../engine/protocol.js' */

/**
 * @typedef {object} CodecRow
 * @property {string} name
 * @property {(facts: Facts, number: (key: string) => number) => boolean} says  whether a file says that its ids are of this kind. number: of its
 *   metadata, under the name of its architecture; 0 where there is none
 * @property {(head: Uint8Array) => Promise<any> | undefined} [early]  what can be made of the beginning of a file while the workers open it
 * @property {(engine: Engine, facts: Facts, early: any) => any} open  what is particular to a model of this kind: what verbs ask for
 */

/** The first key of a vocabulary is at most so far from the beginning of its file. */
const HINT_BYTES = 4096;

/** The first that fits is the one. @type {CodecRow[]} */
export const CODECS = [
  {
    name: 'sound',
    says: (_, number) => number('sound.rate') > 0,
    open: async (engine, facts) => new (await import('./sound/sounds.js')).SoundModel(engine, facts),
  },
  {
    name: 'signs',
    says: ({ parts }) => parts[0].results.some(({ name }) => name === 'odds'),
    open: async (engine, facts) => new (await import('./signs/signs.js')).SignModel(engine, facts),
  },
  {
    name: 'picture',
    says: ({ tokenizerEntries }, number) => tokenizerEntries.length === 0 && number('image.width') > 0,
    open: async (engine, facts) => (facts.parts[0].outputs ? new Pictures(engine) : new (await import('./latent/latents.js')).LatentModel(engine, facts)),
  },
  {
    name: 'tags',
    says: ({ parts }) => parts[0].results.some(({ name }) => name === 'tags'),
    open: async (engine, facts) => new (await import('./tags/tags.js')).TagModel(engine, facts),
  },
  {
    name: 'text',
    says: ({ tokenizerEntries }, number) => tokenizerEntries.length > 0 || number('context_length') > 0,
    // The tokenizer, where this beginning has it; else it is made of what the engine has read, which says what is wrong.
    early: async (head) => (new TextDecoder('latin1').decode(head.subarray(0, HINT_BYTES)).includes('tokenizer.') ?
      (await import('./text/texts.js')).tokenizerOf(head).catch(() => undefined) : undefined),
    open: async (engine, { tokenizerEntries }, tokenizer) => new (await import('./text/texts.js')).TextModel(engine.links[0], engine.info, tokenizerEntries, tokenizer),
  },
];
