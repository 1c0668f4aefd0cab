// SPDX-License-Identifier: MIT
// @ts-check

import { Codec } from './codecs/picture.js';
import { NextPixelError, argumentError } from './error.js';
import { holds, inputOf, pictureOf, reduce } from './image.js';
import { Run } from './run.js';
import { checkDraw, checkLabel, checkOptions, checkRows, wholeNumber } from './settings.js';

/** @import { ImageSource } from './image.js' */
/** @import { Request } from './job.js' */
/** @import { Link } from './link.js' */
/** @import { AttendedMessage, Inputs, ModelInfo, OpenedMessage, ScoredMessage } from './protocol.js' */
/** @import { DrawOptions, Label } from './settings.js' */
/** @import { Contents, Count } from './source.js' */
/** @import { SavedTokens, TextModel, TextScore, TokenRun } from './tokens.js' */
/** @import { Tokenizer } from './codecs/text.js' */
/** @import { TokenOptions } from './tokens-settings.js' */
/** @import { TranslateOptions, Translation } from './translate.js' */

/**
 * What an image costs under a model: the image as the model sees it, rounded to its levels or to its palette.
 *
 * @typedef {object} Score
 * @property {number} nats              minus log p(image), natural logarithm
 * @property {number} bitsPerDim        the same in bits per element, which is a channel of a pixel
 * @property {Float32Array} perElement  nats of each element, as in a Step, in generation order
 */

/**
 * What the query that predicts a channel or a pixel attended to: `weights[(block * heads + head) * elements.length + k]`
 * is the weight that it gives to `elements[k]`.
 *
 * @typedef {object} Attention
 * @property {number} blocks
 * @property {number} heads
 * @property {Int32Array} elements   for each key, what it holds: a place in raster order as in `model.order`, or -1, the
 *   start, which comes before the image. In generation order
 * @property {Float32Array} weights  (blocks, heads, elements.length); each row sums to 1
 */

/**
 * A model that is ready to run, from load(). Several runs, scores and attentions may be in flight at once; they take
 * turns. `info.tasks` says which of the methods a model has.
 *
 * Values out of range throw a NextPixelError with code 'argument': complete(), generate() and superResolve() at once,
 * the methods that return a promise by rejecting it.
 */
export class Model {
  /** To each worker. */
  #links;
  /** Of a model of pictures. @type {Codec | undefined} */
  #pictures;
  /** Of a model of texts. @type {TextModel | undefined} */
  #texts;

  /** What the model is. @type {ModelInfo} */
  info;

  /**
   * Where each position of the generation order stands in raster order: rows, columns, and, where a position is one
   * channel (`info.positions` is `width * height * channels`), channels within a pixel; otherwise a position is a pixel.
   * 0, 1, 2, ... unless the model draws blocks of rows and columns.
   *
   * @type {Uint32Array}
   */
  order;

  /**
   * @param {Link[]} links
   * @param {ModelInfo} info
   * @param {TextModel} [texts]  what it does as a model of texts
   * @internal
   */
  constructor(links, info, texts) {
    this.#links = links;
    if (texts) this.#texts = texts;
    else this.#pictures = new Codec(info);
    this.info = info;
    this.order = this.#pictures?.order ?? new Uint32Array(0);
  }

  /** @returns {Codec} */
  get #codec() {
    if (!this.#pictures) throw argumentError(`This model writes text: use ${this.info.tasks[0]}()`);
    return this.#pictures;
  }

  /** @returns {TextModel} */
  get #text() {
    Model.#check(this, {});
    if (!this.#texts) throw argumentError('This model draws pictures: it has no tokens');
    return this.#texts;
  }

  /** Of a model of texts, what turns them into tokens and back. @type {Tokenizer} */
  get tokenizer() {
    return this.#text.tokenizer;
  }

  /** How many threads share the work of a step: what load() was given, or 1 where the page cannot share memory. */
  threads = 1;

  /** How many workers share the samples of a run: what load() was given, or found with `workers: 'auto'`. */
  get workers() {
    return this.#links.length;
  }

  /**
   * Draws what lies below the first rows of an image.
   *
   * @param {ImageSource} image
   * @param {DrawOptions & { rows?: number }} [options]  rows: how many rows are known, 0 to height; where the model draws
   *   blocks, a multiple of `info.blockRows`, or all. Default: half of them, or the closest to it
   * @returns {Run}
   */
  complete(image, options = {}) {
    Model.#check(this, options);
    this.#checkInput(false);
    const { height, positions } = this.info;
    const rows = checkRows(options.rows, this.info);
    const checked = checkDraw(options, this.info);
    const known = this.#codec.encode(pictureOf(image, this.info), (rows * positions) / height);
    return new Run(this.#links, this.#codec, { known, inputs: inputsOf(checked.label) }, checked, options.signal);
  }

  /**
   * Draws whole images, from nothing or from a class.
   *
   * @param {DrawOptions} [options]
   * @returns {Run}
   */
  generate(options = {}) {
    Model.#check(this, options);
    this.#checkInput(false);
    const checked = checkDraw(options, this.info);
    const given = { known: new Uint32Array(0), inputs: inputsOf(checked.label) };
    return new Run(this.#links, this.#codec, given, checked, options.signal);
  }

  /**
   * Draws a large image from a small one.
   *
   * @param {ImageSource} image  of `info.inputWidth` x `info.inputHeight` pixels. One that is a whole number of times as
   *   wide and as high is reduced to that, each pixel the mean of its box; another canvas, ImageBitmap or <img> is scaled
   * @param {DrawOptions} [options]
   * @returns {Run}
   */
  superResolve(image, options = {}) {
    Model.#check(this, options);
    this.#checkInput(true);
    const checked = checkDraw(options, this.info);
    const input = inputOf(image, this.info);
    const given = { known: new Uint32Array(0), inputs: inputsOf(checked.label, input), input };
    return new Run(this.#links, this.#codec, given, checked, options.signal);
  }

  /**
   * Goes on with a text, token by token.
   *
   * @param {string | ArrayLike<number>} prompt  a text, in which the names of control tokens count, or tokens by their numbers. The token
   *   that begins a text is put before it where the model wants that; an empty prompt is that token alone. It must leave room for
   *   one more token in the context, `info.positions`
   * @param {TokenOptions} [options]
   * @returns {TokenRun}
   */
  tokens(prompt, options = {}) {
    Model.#check(this, options);
    return this.#text.tokens(prompt, options);
  }

  /**
   * Translates a sentence, token by token.
   *
   * @param {string | ArrayLike<number>} text  a sentence of at most `info.positions` - 1 tokens. White space counts as single spaces, and at
   *   the ends not at all; of an empty sentence nothing comes. Characters that the model never saw are read as their bytes: it will not
   *   know them, and guess. Or tokens by their numbers
   * @param {TranslateOptions} [options]
   * @returns {Translation}
   */
  translate(text, options = {}) {
    Model.#check(this, options);
    return this.#text.translate(text, options);
  }

  /**
   * Goes on with a run that was saved, to the same tokens; or, with `at` or other options, branches off from it.
   *
   * @param {SavedTokens} saved  what run.save() gave
   * @param {TokenOptions & { at?: number }} [options]  those that shall be different. at: how many of the tokens that were drawn are
   *   kept, by default all; maxTokens counts from there
   * @returns {TokenRun}
   */
  resume(saved, options = {}) {
    Model.#check(this, options);
    return this.#text.resume(saved, options);
  }

  /**
   * How probable the model finds a text.
   *
   * @overload
   * @param {string | ArrayLike<number>} text  one longer than the context is read in stretches that overlap by half of it
   * @param {{ source?: string | ArrayLike<number>, signal?: AbortSignal }} [options]  source: of a model that translates, the sentence whose
   *   translation the text is; its end counts, for it was a choice too
   * @returns {Promise<TextScore>}
   */
  /**
   * How probable the model finds an image.
   *
   * @overload
   * @param {ImageSource} image
   * @param {{ label?: Label, input?: ImageSource, signal?: AbortSignal }} [options]  input: for super-resolution, the
   *   small picture, as in superResolve(). Default: the image itself, reduced
   * @returns {Promise<Score>}
   */
  /**
   * @param {any} image
   * @param {{ label?: Label, input?: ImageSource, source?: string | ArrayLike<number>, signal?: AbortSignal }} [options]
   * @returns {Promise<any>}
   */
  async score(image, options = {}) {
    Model.#check(this, options);
    const { label, input: small, signal } = options;
    if (this.#texts) return this.#texts.score(image, options);
    const picture = pictureOf(image, this.info);
    const inputs = inputsOf(checkLabel(label, this.info), this.#inputFor(picture, small));
    const message = { ids: this.#codec.encode(picture), inputs };
    /** @type {ScoredMessage} */
    const scored = await this.#ask({ type: 'score', ...message }, signal);
    const perElement = this.#codec.costs(scored.nats);
    const nats = perElement.reduce((sum, cost) => sum + cost, 0);
    return { nats, bitsPerDim: nats / (perElement.length * Math.LN2), perElement };
  }

  /**
   * What the query at a row and column attends to, given the image before it. Where a position is a whole pixel, its
   * channels have one query.
   *
   * @param {ImageSource} image
   * @param {{ row: number, column: number, channel?: number, label?: Label, input?: ImageSource, signal?: AbortSignal }}
   *   options  input: as in score()
   * @returns {Promise<Attention>}
   */
  async attention(image, options) {
    Model.#check(this, options);
    const { row, column, channel = 0, label, input: small, signal } = options;
    const { width, height, channels, blocks, heads } = this.info;
    void this.#codec;
    if (blocks === 0) throw argumentError('This model has no attention');
    wholeNumber('row', row, 0, height - 1);
    wholeNumber('column', column, 0, width - 1);
    wholeNumber('channel', channel, 0, channels - 1);
    const place = Math.floor(((row * width + column) * channels + channel) / this.#codec.span);
    const picture = pictureOf(image, this.info);
    const ids = this.#codec.encode(picture, this.order.indexOf(place) + 1);
    const message = { ids, inputs: inputsOf(checkLabel(label, this.info), this.#inputFor(picture, small)) };
    /** @type {AttendedMessage} */
    const { keys, weights } = await this.#ask({ type: 'attention', ...message }, signal);
    // The input is shifted by one: a key position holds what stands at the one before it.
    return { blocks, heads, elements: Int32Array.from(keys, (key) => (key > 0 ? this.order[key - 1] : -1)), weights };
  }

  /** Ends the worker and frees all memory. What is in flight rejects with code 'closed'. A second call does nothing. */
  close() {
    for (const link of this.#links) link.end(new NextPixelError('closed', 'The model was closed: load it again'));
  }

  /**
   * @param {Request} message
   * @param {AbortSignal} [signal]
   */
  async #ask(message, signal) {
    const job = this.#links[0].job(signal);
    try {
      return await job.ask(message);
    } finally {
      job.end();
    }
  }

  /**
   * Before anything else is looked at. A proxy of a model, as Vue's ref() makes them, has none of its private parts.
   *
   * @param {Model} model
   * @param {unknown} options
   */
  static #check(model, options) {
    if (!(#links in model)) throw argumentError('The model is behind a proxy: keep the model itself (in Vue, with shallowRef() or markRaw())');
    checkOptions(options);
    for (const { ended } of model.#links) if (ended) throw ended;
  }

  /** @param {boolean} wanted  whether what is asked for starts from a small picture */
  #checkInput(wanted) {
    void this.#codec;
    const takes = this.info.inputWidth > 0;
    if (takes && !wanted) throw argumentError('This model enlarges a small picture: use superResolve()');
    if (!takes && wanted) throw argumentError('This model takes no small picture: use complete() or generate()');
  }

  /**
   * The small picture that goes with a whole one.
   *
   * @param {Uint8Array} picture
   * @param {ImageSource} [input]
   */
  #inputFor(picture, input) {
    const { inputWidth, inputHeight } = this.info;
    if (input !== undefined) {
      this.#checkInput(true);
      return inputOf(input, this.info);
    }
    if (inputWidth === 0) return undefined;
    if (holds(this.info, inputWidth, inputHeight)) return reduce(picture, this.info, inputWidth, inputHeight);
    throw argumentError(`This model needs its small picture of ${inputWidth} x ${inputHeight} pixels as well: pass { input }`);
  }
}

/**
 * The inputs of the engine, by their names there.
 *
 * @param {number} label        class index, or -1 for none
 * @param {Uint8Array} [image]  of super-resolution
 * @returns {Inputs}
 */
function inputsOf(label, image) {
  return { ...(label >= 0 && { class: Uint32Array.of(label) }), ...(image && { image: Uint32Array.from(image) }) };
}

/** How much of a file is looked at for its vocabulary; and how far from the beginning its first key is. */
const HEAD_BYTES = 2 ** 19;
const HINT_BYTES = 4096;

/**
 * The tokenizer of a file, made while the workers open it; undefined where it has none, or a longer one than this beginning holds, or a bad one:
 * then it is made of what the engine has read, which says what is wrong.
 *
 * @param {Uint8Array} head
 */
async function earlyTokenizer(head) {
  if (!new TextDecoder('latin1').decode(head.subarray(0, HINT_BYTES)).includes('tokenizer.')) return undefined;
  return (await import('./texts.js')).tokenizerOf(head).catch(() => undefined);
}

/**
 * Has every worker read a weight file.
 *
 * @param {Link[]} links
 * @param {WebAssembly.Module} module
 * @param {Contents} contents  bytes are transferred
 * @param {{ signal?: AbortSignal, onProgress?: (progress: Count) => void, patience?: number }} how  what a large file needs, which is read now
 * @returns {Promise<Model>}
 * @internal
 */
export async function openModel(links, module, contents, how) {
  const jobs = links.map((link) => link.job(how.signal));
  try {
    // All but the last get a copy.
    const { bytes, large } = contents;
    const head = bytes.slice(0, HEAD_BYTES); // before they are transferred
    const open = () => Promise.all(jobs.map((job, i) => job.ask({ type: 'open', module, bytes }, i === jobs.length - 1 ? [bytes.buffer] : [])));
    const opening = large ? (await import('./large.js')).openLarge(jobs, module, large, how) : open();
    opening.catch(() => {}); // asked below
    const tokenizer = await earlyTokenizer(head);
    /** @type {OpenedMessage[]} */
    const [{ info, vocabulary }] = await opening;
    if (info.vocabulary === 0) return new Model(links, info);
    const { TextModel } = await import('./texts.js');
    return new Model(links, info, new TextModel(links[0], info, vocabulary, tokenizer));
  } finally {
    for (const job of jobs) job.end();
  }
}

/**
 * Has a worker that took the place of another one read the same file.
 *
 * @param {Link} link
 * @param {WebAssembly.Module} module
 * @param {Contents} contents
 * @param {ModelInfo} info  what the model was
 * @internal
 */
export async function reopen(link, module, contents, info) {
  const now = await openModel([link], module, contents, {});
  if (JSON.stringify(now.info) !== JSON.stringify(info)) throw new NextPixelError('closed', 'The weight file has changed meanwhile: load the model again');
}
