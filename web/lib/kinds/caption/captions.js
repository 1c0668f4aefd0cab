// SPDX-License-Identifier: MIT
// @ts-check

/** Models that caption pictures. They draw words from a list one by one, each with an attention map of the picture. */

import { modelName, resumedOptions } from '../../runs/base-run.js';
import { checkSaved, arrayOf, whole } from '../../runs/saved.js';
import { checkSettings, show } from '../../base/checks.js';
import { NextPixelError, argumentError } from '../../base/error.js';
import { sentenceOf } from '../../base/typed.js';
import { listOf } from '../../engine/keys.js';
import { pictureOf } from '../../media/image.js';
import { CaptionRun } from './caption-run.js';

/** @import { CaptionOptions } from '../../options.js' */
/** @import { Engine } from '../../model/engine.js' */
/** @import { Facts } from '../../engine/protocol.js' */
/** @import { ImageSource } from '../../media/image.js' */
/** @import { CaptionSettings, SavedCaption } from './caption-run.js' */

/**
 * The probability of given words as the caption of a picture.
 *
 * @typedef {object} CaptionScore
 * @property {number} nats         minus log p(words | picture), natural logarithm; for hard attention, given the most probable locations
 * @property {number} natsPerWord  nats per word, counting the end as a word
 * @property {string[]} words      the words of the caption, and '' for the end
 * @property {Float32Array} perWord  nats of each word
 */

export { litPixels } from './light.js';

/** Maximum length of a given caption, in characters. */
const LONGEST_TEXT = 1 << 16;

/**
 * The description of a caption model, with the size of its pictures.
 *
 * @typedef {object} CaptionInfo
 * @property {number} width         pixels
 * @property {number} height        pixels
 * @property {number} channels      1 (grey) or 3 (red, green, blue)
 * @property {number} vocabulary    number of words
 */

/** The methods of a caption model. */
export class CaptionModel {
  #engine;
  /** @type {string[]} */
  #words;
  /** @type {Map<string, number>} */
  #ids;
  #end;

  /** Rows and columns of the grid of locations in a map. @type {{ rows: number, columns: number }} @internal */
  grid;

  /**
   * @internal
   * @param {Engine} engine
   * @param {Facts} facts
   */
  constructor(engine, { metadata, parts: [part] }) {
    const { info } = engine;
    const architecture = String(metadata.get('general.architecture'));
    const words = listOf(metadata, `${architecture}.words`, 'strings');
    if (words.length !== part.values || part.ends.length !== 1) {
      throw new NextPixelError(
        'format',
        `The file lists ${words.length} words and the model has ${part.values}, one of which must end a caption: export the file again`,
      );
    }
    this.#engine = engine;
    engine.info.vocabulary = words.length;
    this.#words = words;
    // If the list contains a word several times, the first id of the word is used.
    this.#ids = new Map(words.map((word, id) => /** @type {const} */ ([sentenceOf(word).toLowerCase(), id])).reverse());
    [this.#end] = part.ends;
    const places = part.maps[0].keys;
    const columns = Math.round(Math.sqrt((places * info.width) / info.height));
    this.grid = { rows: places / columns, columns };
  }

  /** Returns all words except the end, in the order of their ids. */
  get words() {
    return this.#words.filter((_, id) => id !== this.#end);
  }

  /**
   * Returns the bytes of the picture, scaled to the size of the model's pictures. For a large image, returns a promise of the bytes.
   * @param {ImageSource} image
   * @param {AbortSignal} [signal]
   */
  #picture(image, signal) {
    const { width, height, channels } = this.#engine.info;
    return pictureOf(image, { width, height, channels }, signal);
  }

  /** Returns the ids of the words of a caption, without the id of the end. @param {string} text */
  #idsOf(text) {
    const { positions } = this.#engine.info;
    if (text.length > LONGEST_TEXT)
      throw argumentError(
        `The text has ${text.length} characters, more than ${LONGEST_TEXT}: captions have at most ${positions - 1} words`,
      );
    const words = sentenceOf(text).toLowerCase().split(' ').filter(Boolean);
    const unknown = words.find((word) => !this.#ids.has(word));
    if (unknown !== undefined) throw argumentError(`${show(unknown)} is not among the ${this.words.length} words of this model`);
    if (words.length >= positions) throw argumentError(`The text has ${words.length} words, but captions have at most ${positions - 1}`);
    return words.map((word) => /** @type {number} */ (this.#ids.get(word)));
  }

  /**
   * Describes a picture, word by word.
   *
   * @param {ImageSource} image  the picture; it is scaled to the size of the model's pictures, and transparent pixels are blended with
   *   white
   * @param {CaptionOptions} [options]
   * @returns {CaptionRun}
   */
  caption(image, options = {}) {
    const checked = this.#check(options);
    return this.#run(this.#picture(image, options.signal), [], options, checked);
  }

  /**
   * @param {Uint8Array | Promise<Uint8Array>} picture
   * @param {(number | null)[]} ids  the words so far, shape (positions, samples)
   * @param {CaptionOptions} given
   * @param {CaptionSettings} [checked]  the validated options
   */
  #run(picture, ids, given, checked = this.#check(given)) {
    const {
      info,
      links: [link],
    } = this.#engine;
    const { signal, seed: _, ...kept } = given;
    const words = { list: this.#words, end: this.#end };
    return new CaptionRun(link, { picture, ids, words, grid: this.grid, info }, checked, { model: modelName(info), options: kept }, signal);
  }

  /** @param {CaptionOptions} given @returns {CaptionSettings} */
  #check(given) {
    const { settings, options, seed } = checkSettings('caption', given, { temperature: 0 });
    const { beams, lengthPenalty, maps, probabilities, forced: text, lookAt } = options;
    const { samples } = settings;
    if (text !== undefined && typeof text !== 'string')
      throw argumentError(`forced must be a string, the words of a caption, not ${show(text)}`);
    if (beams > 1 && (Number(settings.temperature) > 0 || samples > 1 || text !== undefined)) {
      throw argumentError('beams finds the most probable caption: omit samples, forced and temperature');
    }
    const forced = text === undefined ? undefined : Uint32Array.from([...this.#idsOf(text), this.#end]);
    return {
      settings: beams > 1 ? { ...settings, samples: beams } : settings,
      seed,
      search: beams > 1 ? lengthPenalty : undefined,
      maps,
      probabilities,
      forced,
      lookAt: this.#placesOf(lookAt),
    };
  }

  /**
   * Converts the option `lookAt` (the locations that the first words attend to) into the form that the engine reads.
   * @param {unknown} lookAt
   */
  #placesOf(lookAt) {
    if (lookAt === undefined || lookAt === null) return undefined;
    const { positions } = this.#engine.info;
    const places = this.grid.rows * this.grid.columns;
    const list = Array.isArray(lookAt) ? lookAt : Array.from({ length: positions }, () => lookAt);
    if (list.length > positions)
      throw argumentError(`lookAt has ${list.length} locations, but captions have at most ${positions} words, including the end`);
    const wrong = Array.from(list).findIndex((place) => place !== null && !(Number.isInteger(place) && place >= 0 && place < places));
    if (wrong >= 0)
      throw argumentError(`lookAt must have locations from 0 to ${places - 1}, or null where the model chooses, not ${show(list[wrong])}`);
    return list.length === 0 ? undefined : Uint32Array.from(list, (place) => place ?? places);
  }

  /**
   * Resumes a saved run. The resumed run draws the caption that the saved run would have drawn.
   *
   * @param {SavedCaption} saved  the result of run.save()
   * @param {Pick<CaptionOptions, 'signal' | 'maps' | 'probabilities'>} [options]  options that may differ from those of the saved run
   * @returns {CaptionRun}
   */
  resume(saved, options = {}) {
    const all = resumedOptions(saved, this.#engine.info, options, ['signal', 'maps', 'probabilities']);
    const { width, height, channels, positions } = this.#engine.info;
    const { picture, ids } = saved;
    const checked = this.#check(all);
    const count = checked.search === undefined ? checked.settings.samples : 1;
    const size = width * height * channels;
    const isId = whole(0, this.#words.length - 1);
    checkSaved(saved, {
      picture: arrayOf(whole(0, 255), size, size),
      ids: (list) =>
        arrayOf((id) => id === null || isId(id), positions * count)(list) &&
        ids.every((id, i) =>
          i < count ? id !== null : ids[i - count] === null || ids[i - count] === this.#end ? id === null : id !== null,
        ), // after the end of a caption, its ids are null
    });
    return this.#run(Uint8Array.from(picture), ids, all, checked);
  }

  /**
   * Returns the probability of a caption for a picture under the model.
   *
   * @param {ImageSource} image
   * @param {{ text: string, signal?: AbortSignal }} options  text: the caption
   * @returns {Promise<CaptionScore>}
   */
  async score(image, { text, signal }) {
    if (typeof text !== 'string') throw argumentError('score() of a caption needs its words: score(image, { text })');
    const ids = Uint32Array.from([...this.#idsOf(text), this.#end]);
    const run = this.#run(await this.#picture(image, signal), [], { forced: text, signal });
    const perWord = new Float32Array(ids.length);
    let at = 0;
    for await (const { nats } of run.costs()) perWord[at++] = nats;
    const nats = perWord.reduce((sum, cost) => sum + cost, 0);
    return { nats, natsPerWord: nats / ids.length, words: Array.from(ids, (id) => this.#words[id]), perWord };
  }
}
