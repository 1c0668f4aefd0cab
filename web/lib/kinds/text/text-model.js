// SPDX-License-Identifier: MIT
// @ts-check

/** Text models and translation models, with their methods. */

import { modelName, resumedOptions } from '../../runs/base-run.js';
import { checkSaved, arrayOf, whole } from '../../runs/saved.js';
import { checkedTalk, promptOf, renderedByPage } from './chat.js';
import { show } from '../../base/checks.js';
import { AT_ONCE, Tokenizer } from './tokenizer.js';
import { Context } from './context.js';
import { NextPixelError, argumentError } from '../../base/error.js';
import { lookupOf } from '../../gguf/metadata.js';
import { checkLayers } from '../hidden-states.js';
import { mapsOf } from './text-maps.js';
import { classOf } from '../../base/realm.js';
import { restored } from './saved-state.js';
import { TextRun } from './text-run.js';
import { atOnce, inTurns, withValue } from '../../base/turns.js';
import { sentenceOf } from '../../base/typed.js';
import { scoreOf, scoreWindows } from './text-score.js';
import { checkTokens } from './text-settings.js';
import { sentencesIn } from './sentences.js';
import { TranslationRun } from './translation-run.js';
import { checkTranslate } from './translation-settings.js';

/** @import { ChatOptions, Dropped, Message, Prompt } from './chat.js' */
/** @import { Stop } from '../../base/turns.js' */
/** @import { Engine } from '../../model/engine.js' */
/** @import { AttentionMap } from '../../runs/attention-map.js' */
/** @import { Entry } from '../../gguf/values.js' */
/** @import { TextOptions, TranslationOptions } from '../../options.js' */
/** @import { AnyInfo, Facts, Inputs, LookedMessage, ScoredMessage } from '../../engine/protocol.js' */
/** @import { SavedText } from './text-run.js' */
/** @import { TextScore } from './text-score.js' */
/** @import { SavedTranslation } from './translation-run.js' */

/** The beginning of a run. ids: its first tokens; prompt: the number of these tokens that belong to the prompt.
 * @typedef {{ ids: Uint32Array, prompt: number, dropped?: Dropped[] }} Given */

/** @param {Entry[]} entries @param {string} architecture @param {AbortSignal} [signal] @returns {Promise<Tokenizer | undefined>} */
async function tokenizerIn(entries, architecture, signal) {
  const metadata = lookupOf(entries);
  return metadata.has('tokenizer.ggml.model') ? inTurns(Tokenizer.reading(metadata, architecture), signal) : undefined;
}

/**
 * Returns a chat template of the file. A template that is too long is ignored, with a warning.
 * @param {Entry[]} entries
 * @param {AnyInfo} info
 * @param {string} [name]
 */
function templateIn(entries, { warnings }, name = '') {
  try {
    return String(lookupOf(entries).get(`tokenizer.chat_template${name}`) ?? '');
  } catch (error) {
    warnings.push(error instanceof Error ? error.message : '');
    return '';
  }
}

/** Maximum number of weights that attention() returns. This many weights take half a gigabyte. */
const MOST_WEIGHTS = 2 ** 27;

/** A sentence that exceeds the model's context by more than this factor is rejected, even if it consists mostly of white space. */
const MOST_SPACE = 64;

/** Maximum length of a text that is translated sentence by sentence, in characters. */
const MOST_TEXT = 1 << 16;

/**
 * The description of a text model.
 *
 * @typedef {object} TextInfo
 * @property {number} vocabulary    number of tokens
 * @property {string[]} languages   the source and target languages of a translation model, such as 'de' and 'en', if the file states them
 * @property {string} chatTemplate  the file's chat template, a program in Jinja, for `chat()`; '' if the file has none
 */

/** A text model or a translation model, with its methods. */
export class TextModel {
  #engine;
  /** The worker that runs the model; one worker is enough, because a text is a single sample. */
  #link;
  #info;
  /** @type {Tokenizer | undefined} */
  #tokenizer;
  /** The template for chats with tools, if the file has a separate one; otherwise ''. */
  #toolTemplate;

  /**
   * @param {Engine} engine
   * @param {Facts} facts
   * @param {Tokenizer} [early]   a tokenizer made from the beginning of the file, if that was possible
   * @param {AbortSignal} [signal]
   * @internal
   */
  static async of(engine, facts, early, signal) {
    return new TextModel(engine, facts, early ?? (await tokenizerIn(facts.tokenizerEntries, engine.info.architecture, signal)));
  }

  /**
   * @param {Engine} engine
   * @param {Facts} facts
   * @param {Tokenizer | undefined} tokenizer
   * @internal
   */
  constructor(engine, { metadata, tokenizerEntries }, tokenizer) {
    const { info, links, part } = engine;
    const languages = metadata.get('general.languages');
    info.vocabulary = part.values;
    info.languages = Array.isArray(languages) ? languages.map(String) : [];
    if (tokenizer && tokenizer.size !== info.vocabulary) {
      throw new NextPixelError(
        'format',
        `The vocabulary has ${tokenizer.size} tokens, but the weights are for ${info.vocabulary}: the file ` +
          'was exported wrongly: download it again',
      );
    }
    this.#engine = engine;
    this.#link = links[0];
    this.#info = info;
    this.#tokenizer = tokenizer;
    info.warnings.push(...(tokenizer?.warnings ?? []));
    this.#toolTemplate = templateIn(tokenizerEntries, info, '.tool_use');
    info.chatTemplate = templateIn(tokenizerEntries, info) || this.#toolTemplate;
    if (info.chatTemplate && !this.#translates) info.verbs.push('chat');
  }

  /** Returns the tokenizer, which converts strings to tokens and back. @returns {Tokenizer} */
  get tokenizer() {
    if (!this.#tokenizer) throw new NextPixelError('unsupported', 'This weight file has no vocabulary: use token ids instead of text');
    return this.#tokenizer;
  }

  /**
   * Returns whether a text is too long for the model, based only on its number of characters or tokens. The text itself is not read.
   *
   * @param {number} length
   * @param {boolean} characters
   * @param {number} [slack]  a text may be longer than the model's context by this factor
   */
  #over(length, characters, slack = 1) {
    return length > this.#info.positions * (characters ? slack * (this.#tokenizer?.longest ?? 1) : 1);
  }

  /**
   * Continues a text, token by token.
   *
   * @param {string | ArrayLike<number>} prompt  a string or token ids. If the string contains the name of a control token, the name is read
   *   as this token. If the model needs a begin token, it is added before the prompt, so that even an empty prompt has one token. The
   *   prompt must have fewer tokens than the context (`info.positions`), so that at least one token can be drawn
   * @param {TextOptions} [options]
   * @returns {TextRun}
   */
  generate(prompt, options = {}) {
    const isLong = typeof prompt === 'string' && prompt.length > AT_ONCE && !this.#over(prompt.length, true);
    if (!isLong) return this.#given(this.#prompted(prompt), options);
    return this.#run((stop) => inTurns(this.tokenizer.encoding(prompt, true), stop).then((ids) => this.#prompted(ids)), options);
  }

  /**
   * Returns the tokens of a prompt. Throws if the prompt leaves no room in the context for another token.
   *
   * @param {string | ArrayLike<number> | { length: number }} prompt  the prompt; if it is too long, only its length is read
   * @param {boolean} [talk]
   * @returns {Given}
   */
  #prompted(prompt, talk = false) {
    const { positions } = this.#info;
    const long = this.#over(prompt?.length, typeof prompt === 'string');
    const ids = long ? undefined : this.#read(/** @type {string} */ (prompt));
    if (!ids || ids.length >= positions) {
      const count = `has ${ids?.length ?? `over ${positions}`} tokens, and this model sees ${positions}`;
      throw argumentError(
        talk
          ? `The chat ${count}: begin a new one, or shorten its messages`
          : `The prompt ${count}: at most ${positions - 1} leave room for another`,
      );
    }
    return { ids, prompt: ids.length };
  }

  /**
   * Writes the next answer in a conversation. The chat template of the file, a program in the Jinja language, defines the form of the
   * prompt. The template's interpreter is loaded with the first conversation and runs in short steps, so the tokens of the prompt are
   * available only after `await run.input` or the first step. `run.dropped` then lists the parts of the conversation that the template left
   * out.
   *
   * @param {Message[]} messages  all messages in order, such as [{ role: 'user', content: 'Hello' }]; the answer is the assistant's next
   *   message
   * @param {TextOptions & ChatOptions} [options]
   * @returns {TextRun}
   */
  chat(messages, { template, tools, variables, render, ...options } = {}) {
    const { begin, end } = this.tokenizer;
    const nameOf = (/** @type {number | undefined} */ id) => (id === undefined ? '' : this.tokenizer.name(id));
    const own = (tools?.length && this.#toolTemplate) || this.#info.chatTemplate;
    const talk = checkedTalk(messages, own, { template, tools, variables, render });
    const names = { bos_token: nameOf(begin), eos_token: nameOf(end) };
    const given = (/** @type {Prompt} */ prompt, /** @type {Stop} */ stop) => {
      const { length } = prompt.text;
      if (this.#over(length, true)) return this.#prompted({ length }, true);
      const encoding = this.tokenizer.encodingPrompt(prompt);
      const read = (/** @type {Uint32Array} */ ids) => ({ ...this.#prompted(ids, true), dropped: prompt.dropped });
      return length > AT_ONCE ? inTurns(encoding, stop).then(read) : read(atOnce(encoding));
    };
    if (render) {
      const prompt = renderedByPage(talk, names);
      return this.#run((stop) => given(prompt, stop), options);
    }
    const length = talk.messages.reduce((sum, { content }) => sum + (content ?? '').length, 0);
    if (this.#over(length, true)) this.#prompted({ length }, true);
    return this.#run((stop) => promptOf(talk, names, stop).then((prompt) => given(prompt, stop)), options);
  }

  get #translates() {
    return this.#info.verbs.includes('translate');
  }

  /**
   * Translates a text, sentence by sentence and token by token.
   *
   * @param {string | ArrayLike<number>} text  a string of one or more sentences, each of at most `info.positions` - 1 tokens; or the token
   *   ids of one sentence. The translations of several sentences are joined by spaces. Runs of white space count as single spaces and are
   *   removed at the ends; an empty sentence has an empty translation. Characters that did not occur in training are read as their bytes,
   *   and the model can only guess their translation.
   * @param {TranslationOptions} [options]
   * @returns {TranslationRun}
   */
  translate(text, options = {}) {
    const several = typeof text === 'string' && text.length <= MOST_TEXT && this.#tokenizer?.end !== undefined ? sentencesIn(text) : [];
    const sentences = several.length > 1 ? several.map((one) => this.#source(one)).filter(({ length }) => length > 0) : [];
    return this.#translation(sentences.length > 0 ? sentences : [this.#source(text)], [], options);
  }

  /**
   * @param {Uint32Array[]} sentences
   * @param {number[]} ids  ids that the run emitted before it was saved
   * @param {TranslationOptions} options
   */
  #translation(sentences, ids, options) {
    const checked = checkTranslate(options, this.#info);
    const { seed, signal, onSearch, ...kept } = options;
    return new TranslationRun(
      this.#link,
      this.#tokenizer,
      { sentences, ids },
      checked,
      { model: modelName(this.#info), options: kept },
      signal,
    );
  }

  /**
   * Returns the tokens of a sentence. A sentence in capitals is lowercased if it has fewer tokens in lower case.
   *
   * @param {string} sentence
   * @param {(text: string) => Uint32Array} encode
   */
  #pasted(sentence, encode) {
    const ids = encode(sentence);
    const lower = sentence.toLowerCase();
    if (sentence === lower || sentence !== sentence.toUpperCase() || !/\p{L}{4}/u.test(sentence)) return ids;
    const written = encode(lower.replace(/\p{L}/u, (letter) => letter.toUpperCase()));
    return written.length < ids.length ? written : ids;
  }

  /** Returns the ids of a text to translate. @param {string | ArrayLike<number>} text */
  #source(text) {
    return this.#sentence(text, (plain) => this.tokenizer.encodeSource(plain));
  }

  /**
   * Returns a sentence in the form that the model takes: its tokens and the end token. An empty sentence has no tokens, not even the end
   * token.
   *
   * @param {string | ArrayLike<number>} text
   * @param {(text: string) => Uint32Array} [encode]
   */
  #sentence(text, encode = (plain) => this.tokenizer.encode(plain)) {
    // white space is reduced first, so a text with many spaces may still fit
    const plain = typeof text === 'string' && !this.#over(text.length, true, MOST_SPACE) ? sentenceOf(text) : text;
    if (this.#over(plain?.length, typeof plain === 'string')) {
      throw argumentError(
        `The sentence has over ${this.#info.positions} tokens, and this model sees ${this.#info.positions}, with the end token: pass single sentences`,
      );
    }
    const given = typeof plain === 'string' ? this.#pasted(plain, encode) : this.#listed('A sentence', plain);
    const end = this.#tokenizer?.end;
    const ids = end === undefined || given.length === 0 || given[given.length - 1] === end ? given : Uint32Array.from([...given, end]);
    const { positions } = this.#info;
    if (ids.length > positions) {
      throw argumentError(
        `The sentence has ${given.length} tokens, and this model sees ${positions}, with the end token: pass single sentences`,
      );
    }
    return ids;
  }

  /**
   * Resumes a saved translation. The resumed run draws the same tokens as it would have drawn without the interruption.
   *
   * @overload
   * @param {SavedTranslation} saved  the result of run.save()
   * @param {Pick<TranslationOptions, 'signal' | 'maps' | 'onSearch'>} [options]  options that may differ from those of the saved run
   * @returns {TranslationRun}
   */
  /**
   * Resumes a saved text. The resumed run draws the same tokens as it would have drawn without the interruption. If options differ from
   * those of the saved run, the text may continue differently. `maxTokens` counts from the position at which the run resumes.
   *
   * @overload
   * @param {SavedText} saved  the result of run.save()
   * @param {TextOptions & { at?: number }} [options]  at: number of drawn tokens to keep, by default all. All other options may differ from
   *   those of the saved run
   * @returns {TextRun}
   */
  /**
   * @param {any} saved
   * @param {any} [options]
   * @returns {any}
   */
  resume(saved, options = {}) {
    return this.#translates ? this.#resumeTranslation(saved, options) : this.#resumeTokens(saved, options);
  }

  /**
   * @param {SavedText} saved
   * @param {TextOptions & { at?: number }} options
   */
  #resumeTokens(saved, { at, ...options }) {
    const all = resumedOptions(saved, this.#info, options);
    checkSaved(saved, { prompt: whole(0, saved.ids.length) });
    const drawn = saved.ids.length - saved.prompt;
    if (at !== undefined && !(Number.isInteger(at) && at >= 0 && at <= drawn)) {
      throw argumentError(`at must be a whole number from 0 to ${drawn}, the number of drawn tokens`);
    }
    const ids = saved.ids.slice(0, saved.prompt + (at ?? drawn));
    this.#checkIds(ids);
    return this.#given({ ids: Uint32Array.from(ids), prompt: saved.prompt }, { ...all, state: options.state ?? saved.state });
  }

  /**
   * @param {SavedTranslation} saved
   * @param {TranslationOptions} options
   */
  #resumeTranslation(saved, options) {
    const all = resumedOptions(saved, this.#info, options, ['signal', 'maps', 'probabilities', 'onSearch']);
    const tokens = arrayOf(whole(0, this.#info.vocabulary - 1), MOST_TEXT * 2);
    checkSaved(saved, { source: tokens, ids: tokens });
    this.#checkIds(saved.ids);
    /** @param {number[]} ids */
    const split = (ids) => {
      /** @type {number[][]} */
      const parts = [[]];
      for (const id of ids) {
        parts[parts.length - 1].push(id);
        if (this.#tokenizer?.isEnd(id)) parts.push([]);
      }
      return parts;
    };
    const sentences = split(saved.source).filter(({ length }) => length > 0);
    const translations = split(saved.ids);
    checkSaved(saved, {
      ids: () => translations.length <= Math.max(1, sentences.length) && translations.every(({ length }) => length <= this.#info.positions),
    });
    return this.#translation(sentences.length > 0 ? sentences.map((ids) => this.#source(ids)) : [this.#source([])], saved.ids, all);
  }

  /**
   * Returns the probability of a text under the model.
   *
   * @param {string | ArrayLike<number>} text  a string or token ids. A text that is longer than the context is read in windows that overlap
   *   by half
   * @param {{ source?: string | ArrayLike<number>, hiddenStates?: number[], signal?: AbortSignal }} [options]  source: for a translation
   *   model, the sentence that the text translates; the end token counts, too, because the model predicts it. hiddenStates: indices of the
   *   layers whose hidden states are returned; 0 is the embedding, and the last index is the number of blocks. Scoring then takes longer
   * @returns {Promise<TextScore>}
   */
  async score(text, { source, hiddenStates, signal } = {}) {
    if (this.#translates) return this.#scoreTranslation(text, source, hiddenStates, signal);
    if (source !== undefined) throw argumentError('This model does not translate: score() takes no source');
    const ids = this.#read(
      typeof text === 'string' && text.length > AT_ONCE ? await this.tokenizer.encodeLong(text, { special: true, signal }) : text,
    );
    const context = this.#contextOf(ids);
    return scoreWindows(this.#engine, context, ids, { layers: hiddenStates, bytesOf: this.#bytesOf, signal });
  }

  /**
   * @param {string | ArrayLike<number>} text
   * @param {string | ArrayLike<number> | undefined} source
   * @param {number[] | undefined} hiddenStates
   * @param {AbortSignal | undefined} signal
   */
  async #scoreTranslation(text, source, hiddenStates, signal) {
    if (source === undefined) throw argumentError('score() of a translation needs its source sentence: score(text, { source })');
    const [tokens, from] = [this.#sentence(text), this.#source(source)];
    if (tokens.length === 0 || from.length === 0) throw argumentError('An empty sentence has no score');
    const layers = checkLayers(this.#engine.part, hiddenStates, tokens.length);
    /** @type {ScoredMessage} */
    const scored = await this.#engine.ask({ type: 'score', ids: tokens, inputs: { source: from }, hiddenStates: layers }, signal);
    return scoreOf(this.#engine.part, { tokens, perToken: scored.nats, layers, states: scored.hiddenStates }, this.#bytesOf);
  }

  /**
   * Returns the attention of every token of a text to the tokens before it, in each head of each layer; for a translation, also the
   * attention to its source sentence.
   *
   * @param {string | ArrayLike<number>} text  as in score(), but not longer than the context
   * @param {{ source?: string | ArrayLike<number>, signal?: AbortSignal }} [options]  source: as in score()
   * @returns {Promise<AttentionMap[]>}  one map for each head, starting with the first layer
   */
  async attention(text, { source, signal } = {}) {
    if (!this.#translates && source !== undefined) throw argumentError('This model does not translate: omit source');
    if (this.#translates && source === undefined)
      throw argumentError('attention() of a translation needs its source sentence: attention(text, { source })');
    const ids = this.#translates
      ? this.#sentence(text)
      : this.#read(
          typeof text === 'string' && text.length > AT_ONCE ? await this.tokenizer.encodeLong(text, { special: true, signal }) : text,
        );
    const { positions, heads } = this.#info;
    if (ids.length > positions)
      throw argumentError(`The text has ${ids.length} tokens, but this model sees ${positions}: give a shorter one`);
    /** @type {Inputs} */
    const inputs = source === undefined ? {} : { source: this.#source(source) };
    const { part } = this.#engine;
    const rows = part.maps.reduce((sum, map) => sum + map.rows, 0);
    if (rows * ids.length ** 2 > MOST_WEIGHTS) {
      throw new NextPixelError(
        'limit',
        `The attention of ${ids.length} tokens in ${rows} heads has over ${MOST_WEIGHTS} weights: pass at most ${Math.floor(Math.sqrt(MOST_WEIGHTS / rows))} tokens`,
      );
    }
    /** @type {LookedMessage} */
    const { positions: looked } = await this.#engine.ask({ type: 'look', ids, inputs }, signal);
    return mapsOf(looked, heads, inputs.source?.length ?? 0);
  }

  /** Returns a function that computes the number of bytes of a token. Returns undefined if the file has no vocabulary. */
  get #bytesOf() {
    const tokenizer = this.#tokenizer;
    return tokenizer && ((/** @type {number} */ id) => tokenizer.bytes(id).length);
  }

  /** Starts a run that begins with given tokens. @param {Given} given @param {TextOptions} options */
  #given(given, options) {
    return this.#run(() => given, options);
  }

  /**
   * @param {(stop: Stop) => Given | Promise<Given>} given  computes the tokens before the first drawn token; its argument `stop` throws if
   *   the run must end
   * @param {TextOptions} options
   */
  #run(given, options) {
    const { seed, maxTokens, signal, logitBias, constraint, state, ...kept } = options;
    const checked = checkTokens(options, this.#tokenizer, this.#info.vocabulary);
    // The biases are saved as an object that maps token ids to finite numbers, because JSON preserves neither a Map nor infinities.
    const biases = logitBias && { logitBias: Object.fromEntries(checked.settings.logitBias ?? []) };
    const planOf = (/** @type {Given} */ { ids, prompt, dropped = [] }) => {
      const context = this.#contextOf(ids);
      const most = maxTokens ?? Math.max(0, context.positions - ids.length);
      if (most > 0) context.start(ids.length + most - 1); // throws if a run of this length is impossible
      return {
        ids: Array.from(ids),
        prompt,
        context,
        most,
        vocabulary: this.#info.vocabulary,
        heads: this.#info.heads,
        state: state?.hash,
        dropped,
      };
    };
    const ready = state && restored(this.#link, state, signal);
    const run = new TextRun(
      this.#link,
      this.#tokenizer,
      (stop) => withValue(given(stop), planOf),
      checked,
      { model: modelName(this.#info), options: { ...kept, ...biases } },
      signal,
    );
    return Object.assign(run, { ready });
  }

  /** @param {Uint32Array} ids */
  #contextOf(ids) {
    return new Context(this.#info.positions, ids[0] === this.#begin() ? 1 : 0);
  }

  /**
   * @param {string | ArrayLike<number>} prompt
   * @returns {Uint32Array}
   */
  #read(prompt) {
    const ids = typeof prompt === 'string' ? this.tokenizer.encode(prompt, { special: true }) : this.#listed('A prompt', prompt);
    if (ids.length > 0) return ids;
    const begin = this.#begin();
    if (begin === undefined) throw argumentError('This model has no begin token: give a prompt of at least one token');
    return Uint32Array.of(begin);
  }

  /**
   * Checks token ids and returns a copy.
   *
   * @param {string} what
   * @param {ArrayLike<number>} ids
   * @returns {Uint32Array<ArrayBuffer>}
   */
  #listed(what, ids) {
    const isIds = Array.isArray(ids) || /^(Uint32|Int32|Uint16)Array$/.test(classOf(ids));
    if (!isIds) throw argumentError(`${what} must be a string or a list of token ids`);
    this.#checkIds(ids);
    return Uint32Array.from(ids);
  }

  /** @param {ArrayLike<unknown>} ids */
  #checkIds(ids) {
    const { vocabulary } = this.#info;
    const all = Array.from(ids); // Array.from() turns holes of a list into undefined
    const wrong = all.findIndex((id) => !(Number.isInteger(id) && Number(id) >= 0 && Number(id) < vocabulary));
    if (wrong >= 0) throw argumentError(`${show(all[wrong])} is not a token: ids are 0 to ${vocabulary - 1}`);
  }

  #begin() {
    return this.#tokenizer?.begin;
  }
}
