// SPDX-License-Identifier: MIT
// @ts-check

import { NX_NONE } from '../../engine/abi.js';
import { checkOptions } from '../../base/checks.js';
import { NextPixelError } from '../../base/error.js';
import { withValue } from '../../base/turns.js';
import { mapOf } from '../../runs/attention-map.js';
import { BaseRun } from '../../runs/base-run.js';
import { Beams, candidatesOf } from '../../runs/beams.js';
import { probabilitiesAt } from '../../runs/probabilities.js';
import { CaptionSheet } from './caption-sheet.js';

/** @import { Link } from '../../workers/link.js' */
/** @import { MapRow, AnyInfo, Settings } from '../../engine/protocol.js' */
/** @import { AttentionMap } from '../../runs/attention-map.js' */
/** @import { Canvas } from '../../sinks/canvas.js' */
/** @import { CaptionSheetOptions } from './caption-sheet.js' */

/**
 * One word of a caption.
 *
 * @typedef {object} CaptionStep
 * @property {number} sample  index of the caption that the word belongs to
 * @property {string} text    the string that the word adds to the caption, including a space between words; joined, these strings give the
 *   caption
 * @property {string} word
 * @property {number} nats    -log p of the word, given the picture, all words before it and, for hard attention, the attended locations
 * @property {Float32Array} [probabilities]  with the option `probabilities`: the model's own distribution at this word, as one value for
 *   each of `model.words` and a last value for the end of the caption
 * @property {AttentionMap[]} [maps]  with the option `maps`: the map 'image' has the attention weight of each location of the picture. For
 *   hard attention, the map 'place' is 1 at the drawn location
 * @property {number} [place]  with the option `maps`: the single location that the word attends to, which is given by `lookAt` or, for hard
 *   attention, drawn; -1 if the word attends to all locations
 */

/** Words by their ids, and the id that ends a caption. @typedef {{ list: string[], end: number }} Words */
/** @typedef {{ settings: Settings, seed: number | bigint, search: number | undefined, maps: boolean, probabilities: boolean, forced: Uint32Array | undefined, lookAt: Uint32Array | undefined }} CaptionSettings */

/**
 * A saved caption, from run.save(): a plain object, which can be stored as JSON and passed to model.resume().
 *
 * @typedef {object} SavedCaption
 * @property {1} version
 * @property {string} model      identifies the model that drew the caption
 * @property {string} seed
 * @property {number[]} picture  bytes of the picture, scaled to the size of the model's pictures
 * @property {(number | null)[]} ids  ids of the words so far, flattened from shape (positions, samples); null after the end of a sample
 * @property {object} options    the options of caption(), without seed and signal
 */

/**
 * A run that draws captions. It can be read as an async iterable of words or as strings, and it can be drawn on a canvas. All of this can
 * be done in any order or at the same time. The run stops within about 10 ms when the loop that reads it exits, the signal is aborted or
 * `model.close()` is called.
 *
 * @extends {BaseRun<CaptionStep, string>}
 */
export class CaptionRun extends BaseRun {
  #link;
  #given;
  #checked;
  /** Empty until the picture has been read. @type {Uint8Array} */
  #picture = new Uint8Array(0);
  /** The ids of the words so far, shape (positions, samples). @type {number[]} */
  #ids;

  /** Rows and columns of the grid of locations in a map. @type {{ rows: number, columns: number }} */
  grid;

  /** The captions so far, one per sample. @type {string[]} */
  texts;

  /**
   * The probability of the first caption, 0 to 1: the product of the probabilities of its words and of its end. A low value means that the
   * caption is unreliable. Undefined before the end, and for a resumed run.
   *
   * @type {number | undefined}
   */
  confidence;

  /**
   * @param {Link} link
   * @param {{ picture: Uint8Array | Promise<Uint8Array>, ids: (number | null)[], words: Words, grid: { rows: number, columns: number },
   *   info: AnyInfo }} given ids: the earlier words, shape (positions, samples)
   * @param {CaptionSettings} checked
   * @param {{ model: string, options: object }} kept
   * @param {AbortSignal} [signal]
   * @internal
   */
  constructor(link, given, checked, kept, signal) {
    super(checked.seed, kept, signal);
    this.#link = link;
    this.#given = given;
    this.#checked = checked;
    this.#ids = given.ids.map((id) => id ?? NX_NONE);
    const read = withValue(given.picture, (picture) => void (this.#picture = picture));
    if (read) this.expect(read);
    this.grid = given.grid;
    this.texts = Array.from({ length: this.#samples }, (_, sample) =>
      this.#ids
        .filter((id, i) => i % this.#samples === sample && this.#says(id))
        .map((id) => given.words.list[id])
        .join(' '),
    );
    [this.#before] = this.texts;
  }

  get #samples() {
    return this.#checked.search === undefined ? this.#checked.settings.samples : 1;
  }

  /** @param {number} id */
  #says(id) {
    return id !== NX_NONE && id !== this.#given.words.end;
  }

  /**
   * The picture as the model receives it: bytes of shape (rows, columns, 3). Rejects if the picture cannot be read, or if the run ends
   * first.
   * @returns {Promise<Uint8Array>}
   */
  get input() {
    return this.once(() => this.#picture.slice());
  }

  /** The words drawn before the run was saved. @type {string} */
  #before;

  /**
   * Reads the run to its end.
   *
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<string>} the caption of the first sample
   */
  async text(options = {}) {
    checkOptions(options, 'text()', ['signal']);
    for await (const step of this.read(options.signal)) void step;
    return this.texts[0];
  }

  /** The same as text(). @param {{ signal?: AbortSignal }} [options] @returns {Promise<string>} */
  async result(options = {}) {
    return this.text(options);
  }

  /**
   * Returns everything that is needed to resume the run: model.resume(saved) draws the same words as this run would have drawn. With
   * several beams, the resumed run repeats the search.
   *
   * @returns {SavedCaption}
   */
  save() {
    if (this.#picture.length === 0)
      throw new NextPixelError('state', 'The picture has not been read yet: save the run after its first step');
    return this.saved({ picture: [...this.#picture], ids: this.#ids.map((id) => (id === NX_NONE ? null : id)) });
  }

  /**
   * Shows the picture and, under it, the words as they are drawn. While a word is written, the parts of the picture that it attends to are
   * bright. The canvas keeps its size on the page and uses the device's full resolution. Its style sets the font and the colours. For
   * screen readers, the text content of the canvas element is set to the caption.
   *
   * @param {Canvas} canvas
   * @param {CaptionSheetOptions & { signal?: AbortSignal }} [options]
   * @returns {Promise<string>} the caption
   */
  async drawTo(canvas, options = {}) {
    return this.show(canvas, options);
  }

  /**
   * @param {Canvas} canvas
   * @param {CaptionSheetOptions} [options]
   * @internal
   */
  sink(canvas, options) {
    this.#checked = { ...this.#checked, maps: true }; // needed to show the attention on the sheet
    const {
      info: { width, height },
    } = this.#given;
    return new CaptionSheet(canvas, { picture: this.#picture, width, height, grid: this.grid, before: this.#before }, options);
  }

  /** Returns the fraction of the caption that is drawn, 0 to 1, estimated from the usual length of captions. @internal */
  doneWith() {
    return this.finish ? 1 : Math.min(0.95, this.#ids.length / this.#samples / 8);
  }

  /** Draws the words. @returns {AsyncGenerator<CaptionStep, void, void>} @internal */
  async *stream() {
    let cost = this.#ids.length > 0 ? NaN : 0;
    for await (const { sample, id, nats, spread, look } of this.#read()) {
      if (sample === 0) cost += nats;
      if (!this.#says(id)) continue;
      const word = this.#given.words.list[id];
      const text = this.texts[sample] === '' ? word : ` ${word}`;
      this.texts[sample] += text;
      yield { sample, text, word, nats, ...spread, ...look };
    }
    if (this.stopped) return;
    if (!Number.isNaN(cost)) this.confidence = Math.exp(-cost);
    this.finish = this.#ids.slice(-this.#samples).some((id) => this.#says(id)) ? 'length' : 'end';
  }

  /** Yields the words of a given caption with their nats; the last item is the end of the caption. @internal */
  costs() {
    return this.#read();
  }

  /**
   * Yields the ids as they are drawn, for all samples that have not ended.
   *
   * @returns {AsyncGenerator<{ sample: number, id: number, nats: number, spread?: Pick<CaptionStep, 'probabilities'>, look?: Pick<CaptionStep, 'maps' | 'place'> }, void, void>}
   */
  async *#read() {
    const { settings, search, maps, probabilities, lookAt, forced } = this.#checked;
    const {
      words: { list, end },
      info,
    } = this.#given;
    const samples = this.#samples;
    const inputs = { image: Uint32Array.from(this.#picture), ...(lookAt && { light: lookAt }) };
    const ids = search === undefined ? forced : await this.#find(search, inputs);
    if (this.stopped) return;
    const known = Math.floor(this.#ids.length / samples);
    const told = this.#ids.length % samples; // the interrupted position is drawn again
    const length = ids ? ids.length : info.positions;
    const over = known >= length || (known > 0 && told === 0 && this.#ids.slice(-samples).every((id) => id === NX_NONE || id === end));
    const order = over
      ? undefined
      : {
          known: new Uint32Array(0),
          drawn: Uint32Array.from(this.#ids.slice(0, known * samples)),
          inputs,
          settings: { ...settings, samples },
          maps,
          probabilities,
          length,
          ...(ids && { forced: ids }),
        };
    for await (const { message, check } of this.messages([{ link: this.#link, order }])) {
      for (let position = message.from; position < message.to; position++) {
        for (let sample = position === known ? told : 0; sample < samples; sample++) {
          const at = (position - message.from) * samples + sample;
          const id = ids ? ids[position] : message.ids[at];
          this.#ids.push(id);
          if (id === NX_NONE) continue;
          yield {
            sample,
            id,
            nats: message.nats[at],
            spread: probabilitiesAt(message.probabilities, at, list.length),
            ...(message.maps && { look: lookOf(message.maps[sample], position, lookAt?.[position]) }),
          };
        }
      }
      check();
    }
  }

  /**
   * Searches for the most probable caption.
   *
   * @param {number} alpha  exponent of the length penalty
   * @param {{ image: Uint32Array, light?: Uint32Array }} inputs
   * @returns {Promise<Uint32Array>}
   */
  async #find(alpha, inputs) {
    const beams = new Beams();
    const order = {
      known: new Uint32Array(0),
      inputs,
      settings: this.#checked.settings,
      length: this.#given.info.positions,
      search: alpha,
    };
    for await (const {
      message: { ids },
      check,
    } of this.messages([{ link: this.#link, order }])) {
      beams.take(candidatesOf(ids));
      check();
    }
    return beams.found.ids;
  }
}

/**
 * @param {MapRow[]} rows  the rows of one sample at one position
 * @param {number} position
 * @param {number} [light]  the location given by `lookAt`, if any
 * @returns {Pick<CaptionStep, 'maps' | 'place'>}
 */
function lookOf(rows, position, light) {
  const maps = rows.map((row) => mapOf(row, 0, position));
  const drawn = maps.find(({ name }) => name === 'place');
  const lit = light !== undefined && light < maps[0].weights.length ? light : -1;
  return { maps, place: drawn ? drawn.weights.indexOf(1) : lit };
}
