// SPDX-License-Identifier: MIT
// @ts-check

import { BaseRun } from '../../runs/base-run.js';
import { Beams, candidatesOf } from '../../runs/beams.js';
import { probabilitiesAt } from '../../runs/probabilities.js';
import { join } from '../../base/arrays.js';
import { checkOptions } from '../../base/checks.js';
import { heardBy } from '../../base/heard-by.js';
import { AlignedPage } from './aligned-page.js';
import { mapsAt, mapsOf } from './text-maps.js';
import { AlignedSheet } from './aligned-sheet.js';

/** @import { Tokenizer } from './tokenizer.js' */
/** @import { Link } from '../../workers/link.js' */
/** @import { Settings, StepMessage } from '../../engine/protocol.js' */
/** @import { TranslateSettings } from './translation-settings.js' */
/** @import { AlignedSheetOptions } from './aligned-sheet.js' */
/** @import { AttentionMap } from '../../runs/attention-map.js' */
/** @import { Canvas } from '../../sinks/canvas.js' */

/**
 * One token of a translation: a drawn token, or a token that the beam search found.
 *
 * @typedef {object} TranslationStep
 * @property {string} text      the string that the token adds; if a character consists of several tokens, the last of these tokens has the
 *   whole character. The translation is the concatenation of these strings
 * @property {number} token     id of the token in the vocabulary
 * @property {number} nats      -log p of the token, given the sentence and all tokens before it, under the model's own distribution
 *   (temperature 1)
 * @property {Float32Array} [probabilities]  with the option `probabilities`: the probability of each token of the vocabulary at this
 *   position, under the model's own distribution
 * @property {AttentionMap[]} [maps]      with the option `maps`: the token's attention, one map for each attention head
 * @property {Float32Array} [alignment]   with the option `maps`: one weight for each token of `run.input`. Each weight is the mean over all
 *   heads of all layers. The weights add up to 1, with two exceptions. Local attention around a predicted position damps the weights, so
 *   their sum is below 1. In structured attention, each weight is the probability that the token is attended to, so the weights can have
 *   any sum. Undefined if the model has no attention
 */

/**
 * A candidate of a beam search: a hypothesis that is continued by one token.
 *
 * @typedef {object} Hypothesis
 * @property {number} parent   the hypothesis of the previous step that this candidate continues, given as the `living` index of that
 *   hypothesis; 0 in the first step
 * @property {number} token
 * @property {string} text     text of the token alone
 * @property {number} nats     -log p of the whole translation so far
 * @property {number} score    nats / ((5 + n) / 6)^lengthPenalty for n tokens; the complete candidate with the lowest score wins
 * @property {'lives' | 'ended' | 'cut'} fate
 * @property {number} living   index of the candidate among the live hypotheses of this step, where 0 is the best; -1 if it is not live
 */

/**
 * A step of a beam search. Each step extends the hypotheses by one position.
 *
 * @typedef {object} SearchStep
 * @property {number} position
 * @property {Hypothesis[]} hypotheses  the best candidates, starting with the best one
 */

/**
 * If `maxTokens` is not given, a translation may have this many more tokens than the source sentence [Vaswani et al. 2017, section 6.1].
 */
const LONGER = 50;

/**
 * A saved translation, from run.save(): a plain object, which can be stored as JSON and passed to model.resume().
 *
 * @typedef {object} SavedTranslation
 * @property {1} version
 * @property {string} model     identifies the model that the run belongs to
 * @property {string} seed
 * @property {number[]} source  the tokens of the sentences, each sentence followed by an end token
 * @property {number[]} ids     the tokens of the translation so far, with an end token between sentences
 * @property {object} options   the options of translate(), without seed, signal and onSearch
 */

/**
 * A run that translates. It can be read as an async iterable of tokens or as a string, and it can be drawn to a canvas. Reading and drawing
 * can happen in any order or at the same time. The run stops within about 10 ms when the loop that reads it exits, the signal is aborted or
 * `model.close()` is called.
 *
 * @extends {BaseRun<TranslationStep, string>}
 */
export class TranslationRun extends BaseRun {
  #link;
  #tokenizer;
  #sentences;
  /** The index of the current sentence. */
  #at;
  /** The tokens of the earlier sentences' translations, each translation followed by an end token. @type {number[]} */
  #ended;
  #checked;
  /** The emitted tokens of the current sentence's translation. @type {number[]} */
  #ids;
  /** The number of tokens that were emitted before the run was saved. */
  #first;

  /** The text before the first step: for a resumed run, the text emitted before the run was saved. @type {string} */
  before;

  /** With several beams: the steps of the search so far. @type {SearchStep[]} */
  search = [];

  /**
   * The attention of each encoder head; queries and keys are the tokens of the sentence. Requires the option `maps`, and is available after
   * the first token.
   *
   * @type {AttentionMap[]}
   */
  encoder = [];

  /**
   * @param {Link} link
   * @param {Tokenizer | undefined} tokenizer
   * @param {{ sentences: Uint32Array[], ids: number[] }} given  sentences: the sentences, each followed by an end token, or a single empty
   *   sentence; ids: the tokens that were emitted before the run was saved
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

  /** The input as the model receives it: the tokens of the sentence, followed by the end token; empty for an empty sentence. Several
   * sentences are concatenated.
   * @returns {Promise<Uint32Array>} */
  get input() {
    return Promise.resolve(this.source);
  }

  /** Returns the value with which the promise `input` resolves. @internal */
  get source() {
    return join(Uint32Array, this.#sentences);
  }

  /** Returns the tokens of the current sentence. */
  get #source() {
    return this.#sentences[this.#at];
  }

  /** Returns the text of each token of the sentence; '' for the end token. */
  get sourceTexts() {
    return textsOf(this.#tokenizer, this.source);
  }

  /** Returns the tokens of the translation so far, without end tokens. */
  get ids() {
    return Uint32Array.from(this.#all.filter((id) => !this.#tokenizer?.isEnd(id)));
  }

  /** Returns the tokens of all translations so far, with an end token between the translations of several sentences. */
  get #all() {
    return [...this.#ended, ...this.#ids];
  }

  /** Returns the maximum number of tokens, including the end token. */
  get #most() {
    const { maxTokens, positions } = this.#checked;
    return Math.max(0, Math.min(maxTokens === undefined ? this.#source.length + LONGER : maxTokens - this.#ended.length, positions));
  }

  /**
   * Reads the run to its end.
   *
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<string>} the translation; for a resumed run, including the text that was emitted before the run was saved
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
   * Returns everything that is needed to resume the run: model.resume(saved) draws the same tokens as this run would have drawn. With
   * several beams, the resumed run repeats the search.
   *
   * @returns {SavedTranslation}
   */
  save() {
    return this.saved({ source: [...this.source], ids: this.#all });
  }

  /**
   * Draws the translation above the sentence, word by word. Bands join each word to the words that it attends to. The width of a band shows
   * the attention weight, which is the mean over all heads of all layers. The canvas keeps its size on the page and uses the device's full
   * resolution. Its style sets the font and the colours. For screen readers, the text content of the canvas element is set to the
   * translation.
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
    this.#checked = { ...this.#checked, maps: true }; // needed to show the attention on the sheet
    const sheet = new AlignedSheet(canvas, this.sourceTexts, options);
    for (const step of this.#known()) sheet.add(step);
    return sheet;
  }

  /** Returns the text of each token that was emitted before the run was saved. */
  #known() {
    return translated(this.#tokenizer, this.#all.slice(0, this.#first)).map((text) => ({ text }));
  }

  /**
   * Shows the translation and its source sentence as text in an element of the page.
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

  /** Returns the drawn fraction of the translation, 0 to 1, assuming that the translation is about as long as its source. @internal */
  doneWith() {
    return Math.min(1, this.ids.length / (this.#checked.maxTokens || Math.max(1, this.source.length)));
  }

  /** Yields the tokens with their texts. @returns {AsyncGenerator<TranslationStep, void, void>} @internal */
  async *stream() {
    const first = this.#at;
    for (; this.#at < this.#sentences.length; this.#at++) {
      if (this.#at > first) {
        // stop if the translation already has the requested number of tokens
        if (this.#checked.maxTokens !== undefined && this.#ended.length + this.#ids.length + 1 >= this.#checked.maxTokens) break;
        this.#ended.push(...this.#ids, Number(this.#tokenizer?.end));
        this.#ids = [];
        this.finish = undefined;
      }
      yield* this.#sentence();
      if (this.stopped || this.#at + 1 === this.#sentences.length) return;
    }
  }

  /** Translates one sentence, and yields its steps. @returns {AsyncGenerator<TranslationStep, void, void>} */
  async *#sentence() {
    if (this.#source.length === 0) return;
    const writer = this.#tokenizer?.writer();
    for (const id of this.#ids) writer?.write(id); // a character may begin in the earlier tokens and end in a new token
    /** The steps of an incomplete character. @type {TranslationStep[]} */
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
      // a space separates the text from the previous translation
      const text = this.#at > 0 && this.#ids.length === 0 ? ` ${step.text}` : step.text;
      this.#ids.push(step.token);
      yield this.#placed({ ...step, text });
    }
  }

  /**
   * Shifts the indices in the maps of a step, so that they are indices into the tokens of all sentences.
   * @param {TranslationStep} step
   * @returns {TranslationStep}
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
   * Yields the tokens one by one: drawn tokens, or the tokens that the beam search found.
   *
   * @param {{ ids: Uint32Array, ended: boolean } | undefined} found
   * @returns {AsyncGenerator<Omit<TranslationStep, 'text'>, void, void>}
   */
  async *#draw(found) {
    const { settings, vocabulary, heads, maps, probabilities } = this.#checked;
    const length = found ? found.ids.length : this.#most;
    /**
     * Without a vocabulary, the newest token is held back until the next message, which shows whether another token follows. If none
     * follows, the held token is the end token.
     * @type {Omit<TranslationStep, 'text'>[]}
     */
    const held = [];
    const what = { settings: { ...settings, samples: 1 }, maps, probabilities, length, forced: found?.ids };
    for await (const message of this.#ask(what, this.#ids)) {
      const ended = message.last && (found ? found.ended : message.to < length);
      const rows = message.maps?.[0];
      const encoder = rows?.filter(({ name }) => name === 'encoder') ?? [];
      if (encoder.length > 0) this.encoder = mapsOf([encoder], heads, this.#source.length); // replaces the maps of the previous sentence
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
   * @returns {Promise<{ ids: Uint32Array<ArrayBuffer>, ended: boolean }>} the ids, including the end token if the translation has one
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
   * Yields the messages of a run whose input is the sentence. An empty sentence has no messages.
   *
   * @param {{ settings: Settings, length: number, maps?: boolean, probabilities?: boolean, search?: number, forced?: Uint32Array }} what
   * @param {number[]} known  tokens that are already drawn
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
 * Returns the text of each token. A token inside a multi-byte character has no text; the character's last token has the whole character.
 *
 * @param {Tokenizer | undefined} tokenizer
 * @param {ArrayLike<number>} ids
 */
function textsOf(tokenizer, ids) {
  const writer = tokenizer?.writer();
  return Array.from(ids, (id) => writer?.write(id) ?? '');
}

/**
 * Returns the text of each token of one or several translations, without end tokens. An added space separates each translation from the
 * previous one.
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
 * Shifts the indices in a map, so that they are indices into the tokens of all sentences.
 *
 * @param {AttentionMap} map
 * @param {number} source  number of tokens in the previous sentences
 * @param {number} target  number of tokens in the translations of the previous sentences
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
 * Returns, for each token of the sentence, the mean of its weights in all heads of all layers; undefined if the model has no attention to
 * the sentence.
 *
 * @param {AttentionMap[]} maps
 */
function meanOf(maps) {
  const rows = maps.filter(({ name }) => name === 'source');
  if (rows.length === 0) return undefined;
  return Float32Array.from(rows[0].weights, (_, key) => rows.reduce((sum, { weights }) => sum + weights[key], 0) / rows.length);
}
