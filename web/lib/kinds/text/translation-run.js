// SPDX-License-Identifier: MIT
// @ts-check

import { BaseRun } from '../../runs/base-run.js';
import { Beams, candidatesOf } from '../../runs/beams.js';
import { probabilitiesAt } from '../../runs/probabilities.js';
import { join } from '../../base/arrays.js';
import { argumentError } from '../../base/error.js';
import { checkOptions, checkSettings, show } from '../../base/checks.js';
import { heardBy } from '../../base/heard-by.js';
import { AlignedPage } from './aligned-page.js';
import { mapsAt, mapsOf } from './text-maps.js';
import { AlignedSheet } from './aligned-sheet.js';

/** @import { Tokenizer } from './tokenizer.js' */
/** @import { Link } from '../../workers/link.js' */
/** @import { TranslationOptions } from '../../options.js' */
/** @import { AnyInfo, Settings, StepMessage } from '../../engine/protocol.js' */
/** @import { AlignedSheetOptions } from './aligned-sheet.js' */
/** @import { AttentionMap } from '../../runs/attention-map.js' */
/** @import { Canvas } from '../../sinks/canvas.js' */

/**
 * One token of a translation.
 *
 * @typedef {object} TranslationStep
 * @property {string} text      the text that it adds; for a character in several tokens it comes with the last of them. All texts joined
 *   are the translation
 * @property {number} token     its id in the vocabulary
 * @property {number} nats      -log p of it, given the sentence and all before it, under the model's own distribution (temperature 1)
 * @property {Float32Array} [probabilities]  with the option `probabilities`: (tokens of the vocabulary) of each one here, under the model's own distribution
 * @property {AttentionMap[]} [maps]      with the option `maps`: its attention, one map per head of a layer
 * @property {Float32Array} [alignment]   with `maps`: one weight for each token of `run.input`, the mean of all heads of all layers. They
 *   add up to 1; to less if the model damps them, as local attention about a predicted position does; to any sum if each is the probability
 *   that the token is attended to, as in structured attention. A model without attention has none
 */

/**
 * A continuation that a search considered.
 *
 * @typedef {object} Hypothesis
 * @property {number} parent   which hypothesis of the previous step it continues, as in `living`; 0 in the first step
 * @property {number} token
 * @property {string} text     only the token
 * @property {number} nats     -log p of the whole translation so far
 * @property {number} score    nats / ((5 + n) / 6)^lengthPenalty for n tokens; the lowest wins among complete ones
 * @property {'lives' | 'ended' | 'cut'} fate
 * @property {number} living   if it is live, its index among the hypotheses of this step, 0 the best; otherwise -1
 */

/**
 * One step of a search: the n-th step decides position n.
 *
 * @typedef {object} SearchStep
 * @property {number} position
 * @property {Hypothesis[]} hypotheses  the best continuations, the best first
 */

/** @typedef {{ settings: Settings, seed: number | bigint, search: number | undefined, maxTokens: number | undefined, positions: number, vocabulary: number, heads: number,
 *   maps: boolean, probabilities: boolean, onSearch: ((step: SearchStep) => void) | undefined }} TranslateSettings */

/** The most tokens by which a translation exceeds its sentence, unless more are requested [Vaswani et al. 2017, section 6.1]. */
const LONGER = 50;

/**
 * @param {TranslationOptions} given
 * @param {AnyInfo} info
 * @returns {TranslateSettings}
 * @internal
 */
export function checkTranslate(given, { positions, vocabulary, heads }) {
  const { settings, options, seed } = checkSettings('translation', given, { temperature: 0 });
  const { beams, lengthPenalty, maxTokens, maps, probabilities, onSearch } = options;
  if (onSearch !== undefined && typeof onSearch !== 'function') throw argumentError(`onSearch must be a function, not ${show(onSearch)}`);
  if (beams > 1 && Number(settings.temperature) > 0) {
    throw argumentError(
      'Several beams look for the most probable translation, and a temperature over 0 draws one at random: ask for one of them',
    );
  }
  return {
    settings: { ...settings, samples: beams },
    seed,
    search: beams > 1 ? lengthPenalty : undefined,
    maxTokens,
    positions,
    vocabulary,
    heads,
    maps,
    probabilities,
    onSearch,
  };
}

/**
 * A translation as run.save() gives it: a plain object, which can be stored as JSON and passed to model.resume().
 *
 * @typedef {object} SavedTranslation
 * @property {1} version
 * @property {string} model     which model it belongs to
 * @property {string} seed
 * @property {number[]} source  the tokens of the sentences, each with its end
 * @property {number[]} ids     those of the translation so far, with an end between sentences
 * @property {object} options   as they were given to translate(), without seed, signal and onSearch
 */

/**
 * A translation in progress: an async iterable of tokens, a text, or drawn to a canvas, in any order or at the same time. Leaving the loop,
 * the signal and `model.close()` stop it within some 10 ms.
 *
 * @extends {BaseRun<TranslationStep, string>}
 */
export class TranslationRun extends BaseRun {
  #link;
  #tokenizer;
  #sentences;
  /** The index of the current sentence. */
  #at;
  /** Tokens of the previous translations, each with an end. @type {number[]} */
  #ended;
  #checked;
  /** Emitted tokens of its translation. @type {number[]} */
  #ids;
  /** The tokens emitted before it was saved. */
  #first;

  /** The translation before the first step: for a resumed run, the text emitted before it was saved. @type {string} */
  before;

  /** With several beams, the search so far. @type {SearchStep[]} */
  search = [];

  /**
   * With the option `maps`, from the first token on: the attention of each head of a layer of the encoder. Queries and keys are the tokens
   * of the sentence.
   *
   * @type {AttentionMap[]}
   */
  encoder = [];

  /**
   * @param {Link} link
   * @param {Tokenizer | undefined} tokenizer
   * @param {{ sentences: Uint32Array[], ids: number[] }} given  sentences: each with its end, or a single empty one; ids: those already
   *   emitted
   * @param {TranslateSettings} checked
   * @param {{ model: string, options: object }} kept
   * @param {AbortSignal} [signal]
   * @internal
   */
  constructor(link, tokenizer, { sentences, ids }, checked, kept, signal) {
    super(checked.seed, kept, signal);
    this.#link = link;
    this.#tokenizer = tokenizer;
    this.#sentences = sentences;
    this.#checked = checked;
    const ends = ids.flatMap((id, i) => (tokenizer?.isEnd(id) ? [i] : []));
    this.#at = ends.length;
    const last = 1 + (ends.at(-1) ?? -1);
    this.#ended = ids.slice(0, last);
    this.#ids = ids.slice(last);
    this.#first = ids.length;
    this.before = translated(tokenizer, ids).join('');
  }

  /** The input in the form of the model: the tokens of the sentence, the end token last; empty for an empty sentence. Several sentences are
   * concatenated.
   * @returns {Promise<Uint32Array>} */
  get input() {
    return Promise.resolve(this.source);
  }

  /** The same synchronously. @internal */
  get source() {
    return join(Uint32Array, this.#sentences);
  }

  /** The current sentence. */
  get #source() {
    return this.#sentences[this.#at];
  }

  /** The texts of the tokens of the sentence, '' for the end. */
  get sourceTexts() {
    return textsOf(this.#tokenizer, this.source);
  }

  /** The tokens of the translation so far, without an end. */
  get ids() {
    return Uint32Array.from(this.#all.filter((id) => !this.#tokenizer?.isEnd(id)));
  }

  /** The same with an end between the translations of several sentences. */
  get #all() {
    return [...this.#ended, ...this.#ids];
  }

  /** The most tokens, including the end. */
  get #most() {
    const { maxTokens, positions } = this.#checked;
    return Math.max(0, Math.min(maxTokens === undefined ? this.#source.length + LONGER : maxTokens - this.#ended.length, positions));
  }

  /**
   * Reads the run to its end.
   *
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<string>} the translation; for a resumed run, including the text emitted before
   */
  async text(options = {}) {
    checkOptions(options, 'text()', ['signal']);
    let text = '';
    for await (const step of this.read(options.signal)) text += step.text;
    return this.before + text;
  }

  /** The same as text(). @param {{ signal?: AbortSignal }} [options] @returns {Promise<string>} */
  async result(options = {}) {
    return this.text(options);
  }

  /**
   * Returns all that is needed to resume the run: model.resume(saved) draws the same tokens as this run would have. With several beams the
   * search is repeated.
   *
   * @returns {SavedTranslation}
   */
  save() {
    return this.saved({ source: [...this.source], ids: this.#all });
  }

  /**
   * Draws the translation above the sentence, word by word, with bands to the attended words, as wide as the weight (the mean of all heads
   * of all layers). It keeps the size that the canvas has on the page, at the device's own resolution, and takes font and colours from its
   * style. The canvas's own content becomes the translation, for screen readers.
   *
   * @param {Canvas} canvas
   * @param {AlignedSheetOptions & { signal?: AbortSignal }} [options]
   * @returns {Promise<string>} the translation
   */
  async drawTo(canvas, options = {}) {
    return this.show(canvas, options);
  }

  /**
   * Shows the run, with its sentence, on a canvas.
   *
   * @param {Canvas} canvas
   * @param {AlignedSheetOptions} [options]
   * @internal
   */
  sink(canvas, options) {
    this.#checked = { ...this.#checked, maps: true }; // they are drawn
    const sheet = new AlignedSheet(canvas, this.sourceTexts, options);
    for (const step of this.#known()) sheet.add(step);
    return sheet;
  }

  /** The text reported before. */
  #known() {
    return translated(this.#tokenizer, this.#all.slice(0, this.#first)).map((text) => ({ text }));
  }

  /**
   * Shows the run, with its sentence, as text of the page.
   *
   * @param {HTMLElement} box
   * @internal
   */
  page(box) {
    this.#checked = { ...this.#checked, maps: true };
    const page = new AlignedPage(box, this.sourceTexts);
    for (const step of this.#known()) page.add(step);
    return page;
  }

  /** The drawn fraction of the translation, 0 to 1: most are about as long as their source. @internal */
  doneWith() {
    return Math.min(1, this.ids.length / (this.#checked.maxTokens || Math.max(1, this.source.length)));
  }

  /** The tokens with their texts. @returns {AsyncGenerator<TranslationStep, void, void>} @internal */
  async *stream() {
    const first = this.#at;
    for (; this.#at < this.#sentences.length; this.#at++) {
      if (this.#at > first) {
        // the requested number
        if (this.#checked.maxTokens !== undefined && this.#ended.length + this.#ids.length + 1 >= this.#checked.maxTokens) break;
        this.#ended.push(...this.#ids, Number(this.#tokenizer?.end));
        this.#ids = [];
        this.finish = undefined;
      }
      yield* this.#sentence();
      if (this.stopped || this.#at + 1 === this.#sentences.length) return;
    }
  }

  /** The translation of one sentence. @returns {AsyncGenerator<TranslationStep, void, void>} */
  async *#sentence() {
    if (this.#source.length === 0) return;
    const writer = this.#tokenizer?.writer();
    for (const id of this.#ids) writer?.write(id); // so that later text continues it
    /** Steps within a character. @type {TranslationStep[]} */
    let pending = [];
    const found = this.#checked.search === undefined ? undefined : await this.#find(this.#checked.search);
    if (this.stopped) return;
    for await (const step of this.#draw(found)) {
      pending.push({ ...step, text: writer?.write(step.token) ?? '' });
      if (writer?.waiting()) continue;
      yield* this.#emit(pending);
      pending = [];
    }
    if (pending.length > 0) pending[pending.length - 1].text += writer?.end() ?? '';
    yield* this.#emit(pending);
  }

  /** @param {TranslationStep[]} steps */
  *#emit(steps) {
    for (const step of steps) {
      const text = this.#at > 0 && this.#ids.length === 0 ? ` ${step.text}` : step.text; // after the previous translation
      this.#ids.push(step.token);
      yield this.#placed({ ...step, text });
    }
  }

  /**
   * If there are several sentences, shifts a step's maps to the indices of all their tokens. @param {TranslationStep} step @returns
   * {TranslationStep}
   */
  #placed({ maps, alignment, ...step }) {
    const from = this.#sentences.slice(0, this.#at).reduce((sum, { length }) => sum + length, 0);
    const whole = new Float32Array(alignment ? this.source.length : 0);
    if (alignment) whole.set(alignment, from);
    return {
      ...step,
      ...(maps && { maps: maps.map((map) => shifted(map, from, this.#ended.length)) }),
      ...(alignment && { alignment: whole }),
    };
  }

  /**
   * Tokens one by one, drawn or known.
   *
   * @param {{ ids: Uint32Array, ended: boolean } | undefined} found
   * @returns {AsyncGenerator<Omit<TranslationStep, 'text'>, void, void>}
   */
  async *#draw(found) {
    const { settings, vocabulary, heads, maps, probabilities } = this.#checked;
    const length = found ? found.ids.length : this.#most;
    /**
     * Without a vocabulary, the last token: it is an end if nothing follows, which only the next message shows. @type
     * {Omit<TranslationStep, 'text'>[]}
     */
    const held = [];
    const what = { settings: { ...settings, samples: 1 }, maps, probabilities, length, forced: found?.ids };
    for await (const message of this.#ask(what, this.#ids)) {
      const ended = message.last && (found ? found.ended : message.to < length);
      const rows = message.maps?.[0];
      const encoder = rows?.filter(({ name }) => name === 'encoder') ?? [];
      if (encoder.length > 0) this.encoder = mapsOf([encoder], heads, this.#source.length); // of the current sentence
      const told = rows && mapsAt(rows, heads, message.from);
      const alignment = told && meanOf(told);
      for (const [i, token] of message.ids.entries()) {
        yield* held.splice(0);
        if (this.#tokenizer?.isEnd(token) || (ended && i === message.ids.length - 1)) {
          this.finish = 'end';
          return;
        }
        const spread = probabilitiesAt(message.probabilities, i, vocabulary);
        const step = { token, nats: message.nats[i], ...spread, ...(told && { maps: told }), ...(alignment && { alignment }) };
        if (this.#tokenizer) yield step;
        else held.push(step);
      }
      if (ended) {
        this.finish = 'end';
        return;
      }
    }
    yield* held;
    if (!this.stopped) this.finish ??= 'length';
  }

  /**
   * Searches for the best translation.
   *
   * @param {number} alpha
   * @returns {Promise<{ ids: Uint32Array<ArrayBuffer>, ended: boolean }>} with its end, if it has one
   */
  async #find(alpha) {
    const beams = new Beams();
    /** The error of an asynchronous onSearch. @type {{ reason: unknown } | undefined} */
    let failed;
    let over = false;
    const heard = heardBy(this.#checked.onSearch, (reason) => {
      if (over) throw reason;
      failed = { reason };
    });
    for await (const { from, ids } of this.#ask({ settings: this.#checked.settings, length: this.#most, search: alpha }, [])) {
      const candidates = candidatesOf(ids);
      beams.take(candidates);
      const step = {
        position: from,
        hypotheses: candidates.map(({ parent, id, ...rest }) => ({ parent, token: id, text: this.#tokenizer?.name(id) ?? '', ...rest })),
      };
      this.search.push(step);
      heard(step);
      if (failed) throw failed.reason;
    }
    await heard.turn();
    over = true;
    if (failed) throw failed.reason;
    return beams.found;
  }

  /**
   * The messages of a run that reads the sentence; none for one without a length.
   *
   * @param {{ settings: Settings, length: number, maps?: boolean, probabilities?: boolean, search?: number, forced?: Uint32Array }} what
   * @param {number[]} known  tokens that are not drawn again
   * @returns {AsyncGenerator<StepMessage, void, void>}
   */
  async *#ask(what, known) {
    const order = known.length >= what.length ? undefined : { known: Uint32Array.from(known), inputs: { source: this.#source }, ...what };
    for await (const { message, check } of this.messages([{ link: this.#link, order }])) {
      yield message;
      check();
    }
  }
}

/**
 * The text of each token. A token inside a multi-byte character has none; the character's last token has all of it.
 *
 * @param {Tokenizer | undefined} tokenizer
 * @param {ArrayLike<number>} ids
 */
function textsOf(tokenizer, ids) {
  const writer = tokenizer?.writer();
  return Array.from(ids, (id) => writer?.write(id) ?? '');
}

/**
 * The same for the translations of several sentences, which are joined by spaces, without the ends between them.
 *
 * @param {Tokenizer | undefined} tokenizer
 * @param {number[]} ids
 */
function translated(tokenizer, ids) {
  let behind = false;
  return textsOf(tokenizer, ids).flatMap((text, i) => {
    if (tokenizer?.isEnd(ids[i])) {
      behind = true;
      return [];
    }
    const said = behind ? ` ${text}` : text;
    behind = false;
    return [said];
  });
}

/**
 * @param {AttentionMap} map @param {number} source  tokens of the previous sentences @param {number} target  and of their translations
 * @returns {AttentionMap}
 */
const shifted = (map, source, target) =>
  source === 0
    ? map
    : {
        ...map,
        queries: map.queries.map((query) => query + target),
        keys: map.keys.map((key) => key + (map.name === 'attention' ? target : source)),
      };

/**
 * The mean of the weights over the sentence; undefined if the model has none.
 *
 * @param {AttentionMap[]} maps
 */
function meanOf(maps) {
  const rows = maps.filter(({ name }) => name === 'source');
  if (rows.length === 0) return undefined;
  return Float32Array.from(rows[0].weights, (_, key) => rows.reduce((sum, { weights }) => sum + weights[key], 0) / rows.length);
}
