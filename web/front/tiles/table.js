// SPDX-License-Identifier: MIT
// Lists the tiles of the front page with their drawings, their models, and the input that each offers to visitors.
// @ts-check
import { phrase } from '../../shell/page/phrase.js';
import { addressOf, arcs, bands, caption, chorale, digits, face, faces, levelsOf, story, wave } from './paint.js';
/** @import { Painter } from './paint.js' */
/** @import { Model } from '../../shell/library.js' */

/** The recorded answers in web/front/tiles/record.json, which record.js creates. @typedef {Record<string, any>} Records */

/**
 * @typedef {Object} Tile
 * @property {string} page  name of the folder of its page in web/pages
 * @property {number} ms    duration of the drawing in milliseconds
 * @property {(records: Records) => Painter} paint
 * @property {(records: Records) => Record<string, string>} element  returns the attributes of <next-pixel> in the opened tile
 * @property {'prompt' | 'digit' | 'class'} [asks]  the attribute that visitors can set there
 * @property {string[]} [choices]
 * @property {true} [anew]  adds a button that draws with another seed; elements for audio have their own button for this
 * @property {{ file: string, draw: (model: Model, seed: number, signal: AbortSignal) => Promise<Painter> }} [live]  a file that is small
 *   enough to load before the visitor asks for it, and a function that draws another answer with its model
 */

/**
 * Returns all values of the pictures of a run, one picture after another.
 *
 * @param {AsyncIterable<any>} run
 * @param {number} samples
 * @param {number} size number of values per picture
 */
async function valuesOf(run, samples, size) {
  const all = new Uint8Array(samples * size);
  for await (const { sample, from = 0, values } of run) all.set(values, sample * size + from);
  return all;
}

/** Tiles by the name in their data-tile attribute, in the order of the page. @type {Record<string, Tile>} */
export const TILES = {
  face: {
    page: 'colour',
    anew: true,
    ms: 3200,
    paint: (records) => face(records.face),
    element: (records) => ({
      model: 'emoji-sr.gguf',
      task: 'super-resolve',
      src: addressOf(records.face.original, 32),
      samples: '3',
      tries: '8',
      temperature: '0.9',
      seed: '1',
    }),
  },
  bands: {
    page: 'transformer',
    ms: 3600,
    paint: (records) => bands(records.bands),
    element: (records) => ({ model: 'de-en.gguf', task: 'translate', prompt: records.bands.text }),
    asks: 'prompt',
  },
  arcs: {
    page: 'structure',
    ms: 3000,
    paint: (records) => arcs(records.arcs),
    element: (records) => ({ model: 'parents-en.gguf', task: 'parse', prompt: records.arcs.words.join(' ') }),
    asks: 'prompt',
  },
  chorale: {
    page: 'chorale',
    ms: 5000,
    paint: (records) => chorale(records.chorale),
    element: () => ({ model: 'chorales.gguf', task: 'generate', bars: '8', seed: '2' }),
  },
  wave: {
    page: 'wavenet',
    ms: 2600,
    paint: (records) => wave(records.wave),
    element: () => ({ model: 'wavenet.gguf', task: 'generate', label: '7', speaker: 'theo', seed: '8' }),
    asks: 'digit',
  },
  faces: {
    page: 'sagan',
    anew: true,
    ms: 2200,
    paint: (records) => faces(levelsOf(records.faces)),
    element: () => ({ model: 'sagan-emoji.gguf', task: 'generate', samples: '6', label: 'face', seed: '1' }),
    asks: 'class',
    choices: ['face', 'person', 'animal', 'hand', 'heart', 'clock', 'fruit', 'flag'],
    live: {
      file: 'sagan-emoji.gguf',
      draw: async (model, seed, signal) => faces(await valuesOf(model.generate({ samples: 16, label: 'face', seed, signal }), 16, 3072)),
    },
  },
  caption: {
    page: 'captions',
    ms: 4600,
    paint: (records) => caption(records.caption),
    element: (records) => ({ model: 'captions.gguf', task: 'caption', src: addressOf(records.caption.scene, 64) }),
  },
  digits: {
    page: 'pixelcnn',
    anew: true,
    ms: 2800,
    paint: (records) => digits(levelsOf(records.digits)),
    element: () => ({ model: 'gated-pixelcnn-digits.gguf', task: 'generate', samples: '6', label: '5', temperature: '0.9', seed: '3' }),
    asks: 'digit',
    live: {
      file: 'gated-pixelcnn-digits.gguf',
      draw: async (model, seed, signal) =>
        digits(await valuesOf(model.generate({ samples: 12, label: '5', temperature: 0.9, seed, signal }), 12, 784)),
    },
  },
  story: {
    page: 'tokens',
    anew: true,
    ms: 4800,
    paint: (records) => story(records.story),
    element: (records) => ({
      model: 'stories.gguf',
      task: 'generate',
      prompt: records.story.prompt,
      temperature: '0.7',
      seed: '1',
      'max-tokens': '80',
    }),
    asks: 'prompt',
  },
};

/** Returns the name of the setting that visitors can change. @param {Tile['asks']} asks */
export const askedOf = (asks) => (asks === 'digit' ? phrase`The digit` : asks === 'class' ? phrase`The class` : phrase`Your own text`);
