// SPDX-License-Identifier: MIT
// @ts-check

import { checkOptions, show } from './checks.js';
import { Tokenizer } from './codecs/text.js';
import { NextPixelError, argumentError } from './error.js';
import { lookupOf } from './metadata.js';
import { showAll } from './sinks/canvas.js';
import { TextSheet } from './sinks/text.js';
import { checkTokens } from './tokens-settings.js';
import { Translation, checkTranslate, sentenceOf } from './translate.js';

/** @import { Link } from './link.js' */
/** @import { Entry } from './metadata.js' */
/** @import { ModelInfo, ScoredMessage, StepMessage } from './protocol.js' */
/** @import { TokenOptions, TranslateOptions } from './options.js' */
/** @import { Canvas } from './sinks/canvas.js' */
/** @import { TextSheetOptions } from './sinks/text.js' */
/** @import { TokenSettings } from './tokens-settings.js' */

/**
 * One token that was drawn.
 *
 * @typedef {object} TokenStep
 * @property {string} text      what it adds to the text. Empty while a character is not complete: it comes with the token that
 *   completes it. All texts joined are the text of the run
 * @property {number} token     its number in the vocabulary
 * @property {number} nats      minus log p of it, given all before it, under the model's own distribution (temperature 1, no filter)
 * @property {Alternative[]} [alternatives]  with the option `alternatives`: the most probable tokens here, the first first
 * @property {TokenLook[]} [maps]            with the option `maps`: what it looked at, a head of a layer at a time
 */

/**
 * @typedef {object} Alternative
 * @property {number} token
 * @property {string} text      the token by itself, or its bytes as <0x..> where they are no character
 * @property {number} nats      minus log p, under the model's own distribution
 */

/**
 * The attention of one head of a layer when it predicted a token.
 *
 * @typedef {object} TokenLook
 * @property {number} row            layer * heads + head
 * @property {Uint32Array} tokens    places among all tokens of the run, its prompt included: `run.ids`
 * @property {Float32Array} weights  one for each of them; they add up to 1
 */

/**
 * The cost of a text under a model.
 *
 * @typedef {object} TextScore
 * @property {number} nats          minus log p(text), natural logarithm
 * @property {number} natsPerToken
 * @property {number} natsPerByte   by the bytes of the tokens that were predicted
 * @property {Uint32Array} tokens   those that were predicted. Where nothing begins a text for this model, the first one is given
 * @property {Float32Array} perToken  nats of each
 */

/**
 * A run as run.save() gives it: a plain object, which can be kept as JSON and read by model.resume().
 *
 * @typedef {object} SavedTokens
 * @property {1} version
 * @property {string} model      which model it belongs to
 * @property {string} seed
 * @property {number} prompt     how many of the tokens were given
 * @property {number[]} ids      all tokens, in order
 * @property {object} options    as they were given to tokens(), without seed, signal and maxTokens
 */

/** @typedef {'stop' | 'length' | 'end' | 'abort'} Finish */

/** @param {Entry[]} vocabulary @returns {Tokenizer | undefined} */
function tokenizerIn(vocabulary) {
  const metadata = lookupOf(vocabulary);
  return metadata.has('tokenizer.ggml.model') ? new Tokenizer(metadata) : undefined;
}

/**
 * Tokens of a vocabulary and their model, for the runs.
 *
 * @internal
 */
export class TextModel {
  /** The one that writes: a text is one sample. */
  #link;
  #info;
  /** @type {Tokenizer | undefined} */
  #tokenizer;

  /**
   * @param {Link} link
   * @param {ModelInfo} info
   * @param {Entry[]} vocabulary  the metadata of the file that concern it
   * @param {Tokenizer} [early]   what they say, where it is there already
   * @internal
   */
  constructor(link, info, vocabulary, early) {
    const tokenizer = early ?? tokenizerIn(vocabulary);
    if (tokenizer && tokenizer.size !== info.vocabulary) {
      throw new NextPixelError('format', `The vocabulary has ${tokenizer.size} tokens, but the weights are for ${info.vocabulary}: the file ` +
        'was exported wrongly, get it anew');
    }
    this.#link = link;
    this.#info = info;
    this.#tokenizer = tokenizer;
  }

  /** @returns {Tokenizer} */
  get tokenizer() {
    if (!this.#tokenizer) throw new NextPixelError('unsupported', 'This weight file has no vocabulary: give and take tokens by their numbers');
    return this.#tokenizer;
  }

  /**
   * @param {string | ArrayLike<number>} prompt
   * @param {TokenOptions} options
   */
  tokens(prompt, options) {
    const ids = this.#read(prompt);
    const { positions } = this.#info;
    if (ids.length >= positions) {
      throw argumentError(`The prompt has ${ids.length} tokens, and this model sees ${positions}: at most ${positions - 1} leave room for another`);
    }
    return this.#run(ids, ids.length, options);
  }

  get #translates() {
    return this.#info.tasks.includes('translate');
  }

  /**
   * @param {string | ArrayLike<number>} text
   * @param {TranslateOptions} options
   */
  translate(text, options) {
    const checked = checkTranslate(options, this.#info);
    return new Translation(this.#link, this.#tokenizer, this.#sentence(text), checked, options.signal);
  }

  /**
   * A sentence as the model reads and writes it: its tokens and the one that ends it. An empty one is nothing at all.
   *
   * @param {string | ArrayLike<number>} text
   */
  #sentence(text) {
    const given = typeof text === 'string' ? this.tokenizer.encode(sentenceOf(text)) : this.#listed('A sentence', text);
    const end = this.#tokenizer?.end;
    const ids = end === undefined || given.length === 0 || given[given.length - 1] === end ? given : Uint32Array.of(...given, end);
    const { positions } = this.#info;
    if (ids.length > positions) {
      throw argumentError(`The sentence has ${given.length} tokens, and this model sees ${positions}, its end included: give it sentence by sentence`);
    }
    return ids;
  }

  /**
   * @param {SavedTokens} saved
   * @param {TokenOptions & { at?: number }} options
   */
  resume(saved, { at, ...options }) {
    const name = this.#name();
    if (saved?.version !== 1 || !Array.isArray(saved.ids) || !(saved.prompt <= saved.ids.length)) {
      throw new NextPixelError('state', 'This is no saved run: give what run.save() gave');
    }
    if (saved.model !== name) throw new NextPixelError('state', `The saved run belongs to another model (${saved.model}), this one is ${name}`);
    const drawn = saved.ids.length - saved.prompt;
    if (at !== undefined && !(Number.isInteger(at) && at >= 0 && at <= drawn)) {
      throw argumentError(`at must be a whole number from 0 to ${drawn}, the tokens that were drawn`);
    }
    const ids = saved.ids.slice(0, saved.prompt + (at ?? drawn));
    this.#checkIds(ids);
    return this.#run(Uint32Array.from(ids), saved.prompt, { ...saved.options, seed: BigInt(saved.seed), ...options });
  }

  /**
   * @param {string | ArrayLike<number>} text
   * @param {{ source?: string | ArrayLike<number>, signal?: AbortSignal }} options
   * @returns {Promise<TextScore>}
   */
  async score(text, { source, signal }) {
    if (this.#translates) return this.#scoreTranslation(text, source, signal);
    const ids = this.#read(text);
    const head = ids[0] === this.#begin() ? 1 : 0;
    const given = 1; // the one that begins the text, or else its first
    if (ids.length > given) windowStart(ids.length - 1, head, this.#info.positions);
    const tokens = ids.slice(given);
    const perToken = new Float32Array(tokens.length);
    const job = this.#link.job(signal);
    try {
      // Stretches as long as the context, of which the later ones repeat half of it and are counted from there.
      for (let to = given; to < ids.length;) {
        const from = windowStart(to, head, this.#info.positions);
        const end = Math.min(ids.length, from + this.#info.positions - (from > 0 ? head : 0));
        const known = this.#window(ids.subarray(0, end), from);
        /** @type {ScoredMessage} */
        const { nats } = await job.ask({ type: 'score', ids: known, inputs: {} });
        perToken.set(nats.subarray(nats.length - (end - to)), to - given);
        to = end;
      }
    } finally {
      job.end();
    }
    return this.#scored(tokens, perToken);
  }

  /**
   * @param {string | ArrayLike<number>} text
   * @param {string | ArrayLike<number> | undefined} source
   * @param {AbortSignal | undefined} signal
   */
  async #scoreTranslation(text, source, signal) {
    if (source === undefined) throw argumentError('score() of a translation needs the sentence that it is of: score(text, { source })');
    const [tokens, from] = [this.#sentence(text), this.#sentence(source)];
    if (tokens.length === 0 || from.length === 0) throw argumentError('An empty sentence has no score');
    const job = this.#link.job(signal);
    try {
      /** @type {ScoredMessage} */
      const { nats } = await job.ask({ type: 'score', ids: tokens, inputs: { source: from } });
      return this.#scored(tokens, nats);
    } finally {
      job.end();
    }
  }

  /**
   * @param {Uint32Array} tokens
   * @param {Float32Array} perToken
   * @returns {TextScore}
   */
  #scored(tokens, perToken) {
    const nats = perToken.reduce((sum, cost) => sum + cost, 0);
    const bytes = this.#tokenizer ? tokens.reduce((sum, id) => sum + this.tokenizer.bytes(id).length, 0) : NaN;
    return { nats, natsPerToken: nats / tokens.length, natsPerByte: nats / bytes, tokens, perToken };
  }

  /**
   * @param {Uint32Array} ids
   * @param {number} prompt
   * @param {TokenOptions} options
   */
  #run(ids, prompt, options) {
    const { seed, maxTokens, signal, ...kept } = options;
    const checked = checkTokens(options, this.#tokenizer, this.#info.vocabulary);
    const { positions } = this.#info;
    const head = ids[0] === this.#begin() ? 1 : 0;
    const most = maxTokens ?? Math.max(0, positions - ids.length);
    if (most > 0) windowStart(ids.length + most - 1, head, positions); // where it cannot go on so far, it does not begin
    return new TokenRun(this.#link, this.#tokenizer, {
      ids: Array.from(ids), prompt, positions, head, name: this.#name(), kept, most,
      window: (/** @type {number[]} */ all, /** @type {number} */ from) => this.#window(Uint32Array.from(all), from),
    }, checked, signal);
  }

  /**
   * @param {string | ArrayLike<number>} prompt
   * @returns {Uint32Array}
   */
  #read(prompt) {
    const ids = typeof prompt === 'string' ? this.tokenizer.encode(prompt, { special: true }) : this.#listed('A prompt', prompt);
    if (ids.length > 0) return ids;
    const begin = this.#begin();
    if (begin === undefined) throw argumentError('Nothing begins a text for this model: give a prompt of at least one token');
    return Uint32Array.of(begin);
  }

  /**
   * Tokens by their numbers.
   *
   * @param {string} what
   * @param {ArrayLike<number>} ids
   * @returns {Uint32Array<ArrayBuffer>}
   */
  #listed(what, ids) {
    const isIds = Array.isArray(ids) || ids instanceof Uint32Array || ids instanceof Int32Array || ids instanceof Uint16Array;
    if (!isIds) throw argumentError(`${what} is a text, or a list of tokens by their numbers`);
    this.#checkIds(ids);
    return Uint32Array.from(ids);
  }

  /** @param {ArrayLike<unknown>} ids */
  #checkIds(ids) {
    const { vocabulary } = this.#info;
    const all = Array.from(ids); // of a list with holes too
    const wrong = all.findIndex((id) => !(Number.isInteger(id) && Number(id) >= 0 && Number(id) < vocabulary));
    if (wrong >= 0) throw argumentError(`${show(all[wrong])} is no token: they are 0 to ${vocabulary - 1}`);
  }

  #begin() {
    return this.#tokenizer?.begin;
  }

  /** Which file a saved run belongs to, as far as its description tells. */
  #name() {
    const { architecture, name, parameters, vocabulary } = this.#info;
    return `${architecture} ${name} ${parameters} ${vocabulary}`;
  }

  /**
   * The tokens of a text that the model sees: the one that begins it, and the rest from one on.
   *
   * @param {Uint32Array} ids
   * @param {number} from
   */
  #window(ids, from) {
    if (from === 0) return ids.slice();
    const rest = ids.subarray(from);
    if (ids[0] !== this.#begin()) return rest.slice();
    const window = new Uint32Array(rest.length + 1);
    window[0] = ids[0];
    window.set(rest, 1);
    return window;
  }
}

/**
 * From which token on a model sees a text, apart from the one that begins it: whenever its context is full, it keeps the newer half.
 *
 * @param {number} count      tokens of the text
 * @param {number} head       1 where its first one begins every text
 * @param {number} positions  those that the model sees
 * @internal
 */
export function windowStart(count, head, positions) {
  if (count < positions) return 0;
  const half = Math.floor(positions / 2);
  const forgotten = positions - half - head; // each time: the rest, the first token and the newer half are seen
  if (forgotten < 1) throw argumentError(`A text of ${count} tokens is too long: this model sees ${positions}, too few to forget the oldest and go on`);
  return positions - half + Math.floor((count - positions) / forgotten) * forgotten;
}

/**
 * One run of a model of texts: an async iterable of tokens, a text, or drawn to a canvas. It can be read once. The tokens are
 * computed while they are awaited, and some 10 ms ahead.
 *
 * @implements {AsyncIterable<TokenStep>}
 */
export class TokenRun {
  #link;
  #tokenizer;
  #plan;
  #checked;
  #signal;
  #claimed = false;
  /** Steps that may not be told yet: a stop may begin in them, or a character is not complete. @type {TokenStep[]} */
  #held = [];
  /** How many tokens are part of what was told, the prompt included; and how many were before it began. */
  #told;
  #begun;

  /** The seed, whether it was given or chosen at random. @type {number | bigint} */
  seed;

  /**
   * Why the run ended: 'stop', a stop text came; 'end', the model ended its text; 'length', there were as many tokens as asked for,
   * or as the context has room for; 'abort', it was stopped. Undefined until then.
   *
   * @type {Finish | undefined}
   */
  finish;

  /**
   * @param {Link} link
   * @param {Tokenizer | undefined} tokenizer
   * @param {{ ids: number[], prompt: number, positions: number, head: number, most: number, name: string, kept: object,
   *   window: (ids: number[], from: number) => Uint32Array }} plan
   * @param {TokenSettings} checked
   * @param {AbortSignal} [signal]
   * @internal
   */
  constructor(link, tokenizer, plan, checked, signal) {
    this.#link = link;
    this.#tokenizer = tokenizer;
    this.#plan = plan;
    this.#checked = checked;
    this.#signal = signal;
    this.seed = checked.seed;
    this.#begun = this.#told = plan.ids.length;
  }

  /** All tokens so far, those of the prompt first. */
  get ids() {
    return Uint32Array.from(this.#plan.ids.slice(0, this.#told));
  }

  /** How many tokens were given. */
  get promptLength() {
    return this.#plan.prompt;
  }

  /** The text before the first step: the prompt, and of a run that goes on also what was drawn. */
  get before() {
    return this.#tokenizer?.decode(this.#plan.ids) ?? '';
  }

  /** @returns {AsyncGenerator<TokenStep, void, void>} */
  [Symbol.asyncIterator]() {
    return this.#claim();
  }

  /** Reads the run to its end. @returns {Promise<string>} what was drawn, without the prompt */
  async text() {
    let text = '';
    for await (const step of this) text += step.text;
    return text;
  }

  /**
   * All that is needed to go on from here: model.resume(saved) draws the same tokens as this run would have.
   *
   * @returns {SavedTokens}
   */
  save() {
    const { name, prompt, ids, kept } = this.#plan;
    return { version: 1, model: name, seed: String(this.#checked.settings.seed), prompt, ids: ids.slice(0, this.#told), options: kept };
  }

  /**
   * Sets the text on a canvas as it comes: words wrapped, each token shaded by its surprise, a caret, scrolled when it is full. It
   * keeps the size that the canvas has on the page, at the device's own resolution, and takes font and colours from its style.
   * The canvas's own content becomes the text, for those who do not see it; `mirror` says where it shall stand as well.
   *
   * @param {Canvas} canvas
   * @param {TextSheetOptions & { signal?: AbortSignal }} [options]
   * @returns {Promise<string>} what was drawn, without the prompt
   */
  async drawTo(canvas, options = {}) {
    checkOptions(options);
    const { signal, ...how } = options;
    return showAll(this.#claim(signal), this.sink(canvas, how));
  }

  /**
   * Shows the run, with the prompt, on a canvas.
   *
   * @param {Canvas} canvas
   * @param {TextSheetOptions} [options]
   * @internal
   */
  sink(canvas, options) {
    const sheet = new TextSheet(canvas, options);
    sheet.add({ text: this.before, given: true });
    return sheet;
  }

  /** How much of the text there is, 0 to 1, if it becomes as long as it may. @internal */
  doneWith() {
    const { most } = this.#plan;
    return most > 0 ? Math.min(1, (this.#told - this.#begun) / most) : 1;
  }

  /** @param {AbortSignal} [signal]  beside that of the run */
  #claim(signal) {
    if (this.#claimed) throw argumentError('A run can be read once: ask the model for another one, or resume a saved one');
    this.#claimed = true;
    return this.#stream(signal);
  }

  /**
   * @param {AbortSignal} [signal]
   * @returns {AsyncGenerator<TokenStep, void, void>}
   */
  async *#stream(signal) {
    try {
      for await (const step of this.#tell(signal)) {
        this.#told++;
        yield step;
      }
    } finally {
      this.finish ??= 'abort';
    }
  }

  /**
   * The tokens as steps with text, up to a stop.
   *
   * @param {AbortSignal} [signal]
   * @returns {AsyncGenerator<TokenStep, void, void>}
   */
  async *#tell(signal) {
    const writer = this.#tokenizer?.writer();
    for (const id of this.#plan.ids) writer?.write(id); // so that what follows continues it
    const held = this.#held;
    let waitingFrom = writer?.waiting() ? 0 : Infinity;
    for await (const { token, ...rest } of this.#draw(signal)) {
      const text = writer?.write(token) ?? '';
      held.push({ text, token, ...rest });
      if (writer?.waiting()) waitingFrom = Math.min(waitingFrom, held.length - 1);
      else waitingFrom = Infinity;
      const { cut, safe } = this.#look(held.map((step) => step.text).join(''));
      if (cut >= 0) {
        this.finish = 'stop';
        yield* this.#upTo(cut, true);
        return;
      }
      let released = 0;
      for (let length = 0; released < Math.min(held.length, waitingFrom); released++) {
        length += held[released].text.length;
        if (length > safe) break;
      }
      waitingFrom -= released;
      for (const step of held.splice(0, released)) yield step;
    }
    if (held.length > 0) held[held.length - 1].text += writer?.end() ?? '';
    const { cut } = this.#look(held.map((step) => step.text).join(''));
    if (cut >= 0) this.finish = 'stop';
    yield* this.#upTo(cut < 0 ? Infinity : cut, cut >= 0);
  }

  /**
   * Tells held steps up to a place in their text.
   *
   * @param {number} cut
   * @param {boolean} stopped  the steps after it are forgotten
   */
  *#upTo(cut, stopped) {
    let left = cut;
    while (this.#held.length > 0 && (left > 0 || !stopped)) {
      const step = /** @type {TokenStep} */ (this.#held.shift());
      const text = step.text.slice(0, left);
      left -= step.text.length;
      yield { ...step, text };
    }
    this.#plan.ids.length -= this.#held.length;
    this.#held.length = 0;
  }

  /**
   * @param {string} text  of the held steps
   * @returns {{ cut: number, safe: number }}  cut: where a stop stands, or -1; safe: how much of the text none can begin in
   */
  #look(text) {
    const { stop } = this.#checked;
    const found = stop.map((end) => text.indexOf(end)).filter((at) => at >= 0);
    if (found.length > 0) return { cut: Math.min(...found), safe: 0 };
    let safe = text.length;
    for (const end of stop) {
      for (let at = Math.max(0, text.length - end.length + 1); at < safe; at++) if (end.startsWith(text.slice(at))) safe = at;
    }
    return { cut: -1, safe };
  }

  /**
   * The tokens as the worker draws them, from one context to the next.
   *
   * @param {AbortSignal} [signal]
   * @returns {AsyncGenerator<{ token: number, nats: number, alternatives?: Alternative[], maps?: TokenLook[] }, void, void>}
   */
  async *#draw(signal) {
    const { ids, positions, head, most, window } = this.#plan;
    const { settings, alternatives: k, maps } = this.#checked;
    for (let left = most; left > 0;) {
      const from = windowStart(ids.length, head, positions);
      const known = window(ids, from);
      const length = Math.min(positions, known.length + left);
      let drawn = 0;
      const job = this.#link.job(this.#signal, signal);
      try {
        job.check();
        job.tell({ type: 'draw', known, inputs: {}, settings: { ...settings, origin: from === 0 ? 0 : from - head }, maps, length, alternatives: k });
        for (let last = false; !last;) {
          /** @type {StepMessage} */
          const message = await job.ask({ type: 'next', chunk: 0 });
          for (const [i, token] of message.ids.entries()) {
            job.check();
            if (this.#isEnd(token)) {
              this.finish = 'end';
              return;
            }
            ids.push(token);
            drawn++;
            left--;
            yield {
              token, nats: message.nats[i],
              ...(message.alternatives && { alternatives: this.#alternatives(message.alternatives, i, k) }),
              ...(message.maps && { maps: looksOf(message.maps[0], from, head) }),
            };
          }
          job.check();
          last = message.last;
        }
        if (known.length + drawn < length) { // an end that the vocabulary does not know
          this.finish = 'end';
          return;
        }
      } finally {
        job.end();
      }
    }
    this.finish = 'length';
  }

  /** @param {number} token */
  #isEnd(token) {
    return this.#tokenizer?.isEnd(token) ?? false;
  }

  /**
   * @param {NonNullable<StepMessage['alternatives']>} all
   * @param {number} step
   * @param {number} k
   */
  #alternatives({ ids, nats }, step, k) {
    return Array.from(ids.subarray(step * k, step * k + k), (token, i) => (
      { token, text: this.#tokenizer?.name(token) ?? '', nats: nats[step * k + i] }));
  }
}

/**
 * @param {import('./protocol.js').MapRow[]} rows
 * @param {number} from  the first token seen, apart from the one that begins the text
 * @param {number} head
 * @returns {TokenLook[]}
 */
function looksOf(rows, from, head) {
  // Key j holds what stands at position j - 1 of what the model sees.
  const place = (/** @type {number} */ key) => (key - 1 < head || from === 0 ? Math.max(0, key - 1) : key - 1 - head + from);
  return rows.map(({ row, keys, weights }) => ({ row, tokens: Uint32Array.from(keys, place), weights }));
}
