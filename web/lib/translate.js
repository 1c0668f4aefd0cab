// SPDX-License-Identifier: MIT
// @ts-check

import { CANDIDATE_NATS as NATS, CANDIDATE_SCORE as SCORE, CANDIDATE_WORDS as WORDS, NX_CUT, NX_ENDED } from './abi.js';
import { argumentError } from './error.js';
import { checkOptions, checkSettings, show } from './checks.js';
import { AlignedSheet } from './sinks/aligned.js';
import { showAll } from './sinks/canvas.js';

/** @import { Tokenizer } from './codecs/text.js' */
/** @import { Link } from './link.js' */
/** @import { TranslateOptions } from './options.js' */
/** @import { MapRow, ModelInfo, Settings, StepMessage } from './protocol.js' */
/** @import { AlignedSheetOptions } from './sinks/aligned.js' */
/** @import { Canvas } from './sinks/canvas.js' */

/**
 * One token of a translation.
 *
 * @typedef {object} TranslateStep
 * @property {string} text      what it adds to the text; of characters in several tokens it comes with the last of them. All texts joined
 *   are the translation
 * @property {number} token     its number in the vocabulary
 * @property {number} nats      -log p of it, given the sentence and all before it, under the model's own distribution (temperature 1)
 * @property {SourceLook[]} [maps]        with the option `maps`: what it looked at, a head of a layer at a time
 * @property {Float32Array} [alignment]   with `maps`: one weight for each token of `run.source`, the mean of all heads of all layers. They
 *   add up to 1
 */

/**
 * The attention of one head of a layer when it predicted a token.
 *
 * @typedef {object} SourceLook
 * @property {string} name           'source': the tokens of the sentence; 'attention': what was written before, where key 0 is the start and
 *   key k the token k - 1 of the translation
 * @property {number} row            layer * heads + head
 * @property {Float32Array} weights  one for each of them, in their order; they add up to 1
 */

/**
 * A way to go on that a search considered.
 *
 * @typedef {object} Hypothesis
 * @property {number} parent   which hypothesis of the step before it continues, as in `living`; 0 in the first step
 * @property {number} token
 * @property {string} text     the token by itself
 * @property {number} nats     -log p of the whole translation so far
 * @property {number} score    nats / ((5 + n) / 6)^lengthPenalty of n tokens: the lower the better, and what decides among complete ones
 * @property {'lives' | 'ended' | 'cut'} fate
 * @property {number} living   where it lives, its number among the hypotheses of this step, 0 the best; else -1
 */

/**
 * One step of a search: as many positions are decided as there were steps before it.
 *
 * @typedef {object} SearchStep
 * @property {number} position
 * @property {Hypothesis[]} hypotheses  the best ways to go on, the best first
 */

/** @typedef {{ settings: Settings, seed: number | bigint, search: number | undefined, maxTokens: number | undefined, positions: number, maps: boolean,
 *   onSearch: ((step: SearchStep) => void) | undefined }} TranslateSettings */

/** So many tokens more than its sentence a translation has at most, unless more are asked for [Vaswani et al. 2017, section 6.1]. */
const LONGER = 50;

/**
 * @param {TranslateOptions} given
 * @param {ModelInfo} info
 * @returns {TranslateSettings}
 * @internal
 */
export function checkTranslate(given, { positions }) {
  const { settings, options, seed } = checkSettings('translations', given, { temperature: 0 });
  const { beams, lengthPenalty, maxTokens, maps, onSearch } = options;
  if (onSearch !== undefined && typeof onSearch !== 'function') throw argumentError(`onSearch must be a function, not ${show(onSearch)}`);
  if (beams > 1 && Number(settings.temperature) > 0) {
    throw argumentError('Several beams look for the most probable translation, and a temperature over 0 draws one at random: ask for one of them');
  }
  return { settings: { ...settings, samples: beams }, seed, search: beams > 1 ? lengthPenalty : undefined, maxTokens, positions, maps, onSearch };
}

/**
 * A sentence as models are trained on: composed characters, single spaces.
 *
 * @param {string} text
 * @internal
 */
export function sentenceOf(text) {
  return text.normalize('NFC').trim().replace(/\s+/g, ' ');
}

/**
 * A translation under way: an async iterable of tokens, a text, or drawn to a canvas. It can be read once. Leaving the loop, the signal and
 * `model.close()` stop it within some 10 ms.
 *
 * @implements {AsyncIterable<TranslateStep>}
 */
export class Translation {
  #link;
  #tokenizer;
  #source;
  #checked;
  #signal;
  #claimed = false;
  /** @type {number[]} */
  #ids = [];

  /** The seed, whether it was given or chosen at random. @type {number | bigint} */
  seed;

  /**
   * Why the run ended: 'end', the translation is complete; 'length', there were as many tokens as asked for, or as the model has room for;
   * 'abort', it was stopped. Undefined until then.
   *
   * @type {'end' | 'length' | 'abort' | undefined}
   */
  finish;

  /** With several beams, the search so far. @type {SearchStep[]} */
  search = [];

  /**
   * With the option `maps`, from the first token on: how the sentence was read. Of each head of a layer of the encoder, (layer * heads +
   * head), the weights with which each token of the sentence looked at each: (tokens, tokens).
   *
   * @type {Float32Array[]}
   */
  encoder = [];

  /**
   * @param {Link} link
   * @param {Tokenizer | undefined} tokenizer
   * @param {Uint32Array} source  with its end, or empty
   * @param {TranslateSettings} checked
   * @param {AbortSignal} [signal]
   * @internal
   */
  constructor(link, tokenizer, source, checked, signal) {
    this.#link = link;
    this.#tokenizer = tokenizer;
    this.#source = source;
    this.#checked = checked;
    this.#signal = signal;
    this.seed = checked.seed;
  }

  /** The tokens of the sentence, the one that ends it last; of an empty sentence none. */
  get source() {
    return this.#source.slice();
  }

  /** Their texts, '' for the end. */
  get sourceTexts() {
    return textsOf(this.#tokenizer, this.#source);
  }

  /** The tokens of the translation so far, without an end. */
  get ids() {
    return Uint32Array.from(this.#ids);
  }

  /** The most tokens, the end included. */
  get #most() {
    const { maxTokens = this.#source.length + LONGER, positions } = this.#checked;
    return Math.min(maxTokens, positions);
  }

  /** @returns {AsyncGenerator<TranslateStep, void, void>} */
  [Symbol.asyncIterator]() {
    return this.#claim();
  }

  /** Reads the run to its end. @returns {Promise<string>} the translation */
  async text() {
    let text = '';
    for await (const step of this) text += step.text;
    return text;
  }

  /**
   * Sets the translation above the sentence, word by word as it comes, each joined to the words that it looked at, by bands as wide as the
   * weight (the mean of all heads of all layers). It keeps the size that the canvas has on the page, at the device's own resolution, and
   * takes font and colours from its style. The canvas's own content becomes the translation, for those who do not see it.
   *
   * @param {Canvas} canvas
   * @param {AlignedSheetOptions & { signal?: AbortSignal }} [options]
   * @returns {Promise<string>} the translation
   */
  async drawTo(canvas, options = {}) {
    checkOptions(options);
    const { signal, ...how } = options;
    return showAll(this.#claim(signal, true), this.sink(canvas, how));
  }

  /**
   * Shows the run, with its sentence, on a canvas.
   *
   * @param {Canvas} canvas
   * @param {AlignedSheetOptions} [options]
   * @internal
   */
  sink(canvas, options) {
    this.#checked = { ...this.#checked, maps: true }; // they are what is drawn
    return new AlignedSheet(canvas, this.sourceTexts, options);
  }

  /** How much of the translation there is, 0 to 1: most are about as long as what they are of. @internal */
  doneWith() {
    return Math.min(1, this.#ids.length / (this.#checked.maxTokens || Math.max(1, this.#source.length)));
  }

  /**
   * @param {AbortSignal} [signal]  beside that of the run
   * @param {boolean} [maps]        they are wanted, whether or not they were asked for
   */
  #claim(signal, maps = this.#checked.maps) {
    if (this.#claimed) throw argumentError('A run can be read once: ask the model for another one');
    this.#claimed = true;
    return this.#stream(maps, signal);
  }

  /**
   * The tokens with their texts.
   *
   * @param {boolean} maps
   * @param {AbortSignal} [signal]
   * @returns {AsyncGenerator<TranslateStep, void, void>}
   */
  async *#stream(maps, signal) {
    const writer = this.#tokenizer?.writer();
    /** Steps in the middle of a character. @type {TranslateStep[]} */
    let held = [];
    try {
      if (this.#source.length === 0) {
        this.finish = 'end';
        return;
      }
      const found = this.#checked.search === undefined ? undefined : await this.#find(this.#checked.search, signal);
      for await (const step of this.#draw(found, maps, signal)) {
        held.push({ ...step, text: writer?.write(step.token) ?? '' });
        if (writer?.waiting()) continue;
        yield* this.#tell(held);
        held = [];
      }
      if (held.length > 0) held[held.length - 1].text += writer?.end() ?? '';
      yield* this.#tell(held);
    } finally {
      this.finish ??= 'abort';
    }
  }

  /** @param {TranslateStep[]} steps */
  *#tell(steps) {
    for (const step of steps) {
      this.#ids.push(step.token);
      yield step;
    }
  }

  /**
   * One token after another, drawn or known.
   *
   * @param {{ ids: Uint32Array, ended: boolean } | undefined} found
   * @param {boolean} maps
   * @param {AbortSignal} [signal]
   * @returns {AsyncGenerator<Omit<TranslateStep, 'text'>, void, void>}
   */
  async *#draw(found, maps, signal) {
    const length = found ? found.ids.length : this.#most;
    const what = { settings: { ...this.#checked.settings, samples: 1 }, maps, length, forced: found?.ids };
    for await (const message of this.#ask(what, signal)) {
      // Whoever has no vocabulary knows an end by that nothing follows.
      const ended = message.last && (found ? found.ended : message.to < length);
      const rows = message.maps?.[0];
      if (message.from === 0) this.encoder = joined(rows?.filter(({ name }) => name === 'encoder') ?? [], this.#source.length);
      const looks = rows?.filter(({ name }) => name !== 'encoder').map(({ name, row, weights }) => ({ name, row, weights }));
      for (const [i, token] of message.ids.entries()) {
        if (this.#tokenizer?.isEnd(token) || (ended && i === message.ids.length - 1)) {
          this.finish = 'end';
          return;
        }
        yield { token, nats: message.nats[i], ...(looks && { maps: looks, alignment: meanOf(looks) }) };
      }
    }
    this.finish ??= 'length';
  }

  /**
   * Searches for the best translation.
   *
   * @param {number} alpha
   * @param {AbortSignal} [signal]
   * @returns {Promise<{ ids: Uint32Array<ArrayBuffer>, ended: boolean }>} with its end, if it has one
   */
  async #find(alpha, signal) {
    /** The hypotheses that live after each step. @type {number[][]} */
    let living = [[]];
    let best = { score: Infinity, ids: /** @type {number[]} */ ([]) };
    for await (const { from, ids } of this.#ask({ settings: this.#checked.settings, length: this.#most, search: alpha }, signal)) {
      const hypotheses = this.#hypothesesOf(ids);
      /** @type {number[][]} */
      const next = [];
      for (const { parent, token, score, fate } of hypotheses) {
        if (fate === 'lives') next.push([...living[parent], token]);
        if (fate === 'ended' && score < best.score) best = { score, ids: [...living[parent], token] };
      }
      if (next.length > 0) living = next;
      const step = { position: from, hypotheses };
      this.search.push(step);
      this.#checked.onSearch?.(step);
    }
    const ended = best.score < Infinity;
    return { ids: Uint32Array.from(ended ? best.ids : living[0]), ended };
  }

  /**
   * @param {Uint32Array} words  as they lie in memory
   * @returns {Hypothesis[]}
   */
  #hypothesesOf(words) {
    const floats = new Float32Array(words.buffer, words.byteOffset, words.length);
    return Array.from({ length: words.length / WORDS }, (_, i) => {
      const [parent, token, fate] = words.subarray(WORDS * i);
      const lives = fate !== NX_ENDED && fate !== NX_CUT;
      return {
        parent, token, text: this.#tokenizer?.name(token) ?? '', nats: floats[WORDS * i + NATS], score: floats[WORDS * i + SCORE],
        fate: lives ? 'lives' : fate === NX_ENDED ? 'ended' : 'cut', living: lives ? fate : -1,
      };
    });
  }

  /**
   * The messages of a run that reads the sentence; none of one that has no length.
   *
   * @param {{ settings: Settings, length: number, maps?: boolean, search?: number, forced?: Uint32Array }} what
   * @param {AbortSignal} [signal]
   * @returns {AsyncGenerator<StepMessage, void, void>}
   */
  async *#ask(what, signal) {
    const job = this.#link.job(this.#signal, signal);
    try {
      job.check();
      if (what.length === 0) return;
      job.tell({ type: 'draw', known: new Uint32Array(0), inputs: { source: this.#source }, ...what });
      for (let last = false; !last;) {
        /** @type {StepMessage} */
        const message = await job.ask({ type: 'next', chunk: 0 });
        job.check();
        ({ last } = message);
        yield message;
        job.check();
      }
    } finally {
      job.end();
    }
  }
}

/**
 * Texts of tokens in a row; one in the middle of a character has none, the last one of it has it.
 *
 * @param {Tokenizer | undefined} tokenizer
 * @param {Uint32Array} ids
 */
function textsOf(tokenizer, ids) {
  const writer = tokenizer?.writer();
  return Array.from(ids, (id) => writer?.write(id) ?? '');
}

/**
 * The mean of the weights over the sentence.
 *
 * @param {SourceLook[]} looks
 */
function meanOf(looks) {
  const rows = looks.filter(({ name }) => name === 'source');
  return Float32Array.from(rows[0].weights, (_, key) => rows.reduce((sum, { weights }) => sum + weights[key], 0) / rows.length);
}

/**
 * The rows of the queries of each head as one.
 *
 * @param {MapRow[]} rows
 * @param {number} n  queries
 */
function joined(rows, n) {
  return Array.from({ length: rows.length / n }, (_, head) => {
    const all = new Float32Array(n * n);
    for (let query = 0; query < n; query++) all.set(rows[head * n + query].weights, query * n);
    return all;
  });
}
