// SPDX-License-Identifier: MIT
// @ts-check

import { checkOptions, flag } from '../../base/checks.js';
import { NextPixelError } from '../../base/error.js';
import { isPromise } from '../../base/promise.js';
import { BaseRun } from '../../runs/base-run.js';
import { probabilitiesAt } from '../../runs/probabilities.js';
import { TextPage } from './text-page.js';
import { TextSheet } from './text-sheet.js';
import { maskOf } from './constraint.js';
import { stateOf } from './saved-state.js';
import { Stops } from './stops.js';

/** @import { Dropped } from './chat.js' */
/** @import { Stop } from '../../base/turns.js' */
/** @import { Tokenizer } from './tokenizer.js' */
/** @import { Context } from './context.js' */
/** @import { Link } from '../../workers/link.js' */
/** @import { StepMessage } from '../../engine/protocol.js' */
/** @import { AttentionMap } from '../../runs/attention-map.js' */
/** @import { Canvas } from '../../sinks/canvas.js' */
/** @import { TextSheetOptions } from './text-sheet.js' */
/** @import { SavedState } from './saved-state.js' */
/** @import { TokenSettings } from './text-settings.js' */

/**
 * A token that was drawn.
 *
 * @typedef {object} TextStep
 * @property {string} text      the string that the token adds. It is empty while a character is incomplete; the token that completes the
 *   character has the whole character. The text of the run is the concatenation of these strings
 * @property {number} token     id of the token in the vocabulary
 * @property {number} nats      -log p of the token, given all tokens before it, under the model's own distribution (temperature 1, no
 *   filter)
 * @property {Alternative[]} [alternatives]  with the option `alternatives`: the most probable tokens at this position, in descending order
 *   of probability
 * @property {Float32Array} [probabilities]  with the option `probabilities`: the probability of each token of the vocabulary at this
 *   position, under the model's own distribution
 * @property {AttentionMap[]} [maps]         with the option `maps`: the token's attention, one map for each attention head; keys are
 *   indices in `run.ids`
 */

/**
 * @typedef {object} Alternative
 * @property {number} token
 * @property {string} text      the text of the token alone, or its bytes as <0x..> if they do not form a character
 * @property {number} nats      -log p of the token, under the model's own distribution
 */

/**
 * A saved run, from run.save(): a plain object, which can be stored as JSON and passed to model.resume().
 *
 * @typedef {object} SavedText
 * @property {1} version
 * @property {string} model      identifies the model that the run belongs to
 * @property {string} seed
 * @property {number} prompt     number of tokens of the prompt, which come first in `ids`
 * @property {number[]} ids      all tokens, in order
 * @property {object} options    the options of generate(), without seed, signal and maxTokens
 * @property {SavedState} [state]  the engine's state, if requested
 */

/** The tokens with which a run begins, and the length of the run. most: the number of tokens to draw; state: the hash of the state that was
 * passed.
 * @typedef {{ ids: number[], prompt: number, context: Context, most: number, vocabulary: number, heads: number, state?: string,
 * dropped: Dropped[] }} Plan */

/**
 * A run that writes a text. It can be read as an async iterable of tokens or as a string, and it can be drawn to a canvas. Reading and
 * drawing can happen in any order or at the same time. Tokens are computed only on demand: the computation runs at most about 10 ms
 * ahead of the reader.
 *
 * @extends {BaseRun<TextStep, string>}
 */
export class TextRun extends BaseRun {
  #link;
  #tokenizer;
  #checked;
  /** Undefined until the prompt or the chat has been converted to tokens. @type {Plan | undefined} */
  #plan;
  /** `#emitted`: number of tokens emitted so far, including the prompt. `#first`: number of tokens that existed before the run began. */
  #emitted = 0;
  #first = 0;
  /** The index of the first token that the model saw in its latest context. */
  #from = 0;

  /** Number of tokens at the beginning of this run that the engine had already processed in an earlier run; known after the first step. */
  reused = 0;

  /**
   * @param {Link} link
   * @param {Tokenizer | undefined} tokenizer
   * @param {(stop: Stop) => Plan | Promise<Plan>} planned  returns the plan; its argument `stop` throws if the run must end
   * @param {TokenSettings} checked
   * @param {{ model: string, options: object }} kept
   * @param {AbortSignal} [signal]
   * @internal
   */
  constructor(link, tokenizer, planned, checked, kept, signal) {
    super(checked.seed, kept, signal);
    this.#link = link;
    this.#tokenizer = tokenizer;
    this.#checked = checked;
    const plan = planned({
      throwIfAborted: () => {
        for (const one of this.signals) one?.throwIfAborted();
      },
    });
    if (isPromise(plan)) this.expect(plan.then((made) => this.#begin(made)));
    else this.#begin(plan);
  }

  /** @param {Plan} plan */
  #begin(plan) {
    this.#plan = plan;
    this.#first = this.#emitted = plan.ids.length;
  }

  /**
   * The tokens of the prompt or the chat, as the model receives them. They are available before the model processes the first of them.
   * The promise rejects if the tokens cannot be computed, or if the run is stopped before they are computed.
   *
   * @returns {Promise<Uint32Array<ArrayBuffer>>}
   */
  get input() {
    return this.once(() => this.ids.slice(0, this.promptLength));
  }

  /**
   * Returns all tokens so far, beginning with the prompt. For a chat or a very long prompt, the list is empty until `input` has resolved.
   */
  get ids() {
    return Uint32Array.from(this.#plan?.ids.slice(0, this.#emitted) ?? []);
  }

  /** Returns the number of tokens of the prompt. */
  get promptLength() {
    return this.#plan?.prompt ?? 0;
  }

  /**
   * The parts of a chat that did not reach the model, because the template leaves them out; known once `input` has resolved.
   * @type {Dropped[]}
   */
  get dropped() {
    return this.#plan?.dropped ?? [];
  }

  /** Returns the text before the first step: the prompt and, for a resumed run, the text that was drawn before the run was saved. */
  get before() {
    return this.#tokenizer?.decode(this.#plan?.ids.slice(0, this.#first) ?? []) ?? '';
  }

  /**
   * Reads the run to its end.
   *
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<string>} the drawn text, without the prompt; for a resumed run, including the text that was drawn before the run was
   *   saved
   */
  async text(options = {}) {
    checkOptions(options, 'text()', ['signal']);
    let text = '';
    for await (const step of this.read(options.signal)) text += step.text;
    return this.#earlier + text;
  }

  /** Returns the text that was drawn before the run was saved; empty if the run was not resumed. */
  get #earlier() {
    const { ids = [], prompt = 0 } = this.#plan ?? {};
    const writer = this.#tokenizer?.writer();
    return ids
      .slice(0, this.#first)
      .map((id) => writer?.write(id) ?? '')
      .slice(prompt)
      .join('');
  }

  /** The same as text(). @param {{ signal?: AbortSignal }} [options] @returns {Promise<string>} */
  async result(options = {}) {
    return this.text(options);
  }

  /**
   * Returns everything that is needed to resume the run: model.resume(saved) draws the same tokens as this run would have drawn. With
   * `state`, the result also contains the engine's state; this requires that the run has ended or was stopped. With this state, a resumed
   * run does not process any token again. The same is true of the next turn of a chat: model.chat(messages, { state: saved.state }).
   *
   * @overload
   * @returns {SavedText}
   */
  /**
   * @overload
   * @param {{ state?: false }} options
   * @returns {SavedText}
   */
  /**
   * @overload
   * @param {{ state: true }} options  adds megabytes of binary data, which can be stored in IndexedDB or a file, but not as JSON
   * @returns {Promise<SavedText & { state: SavedState }>}
   */
  /**
   * @param {{ state?: boolean }} [options]
   * @returns {any}
   */
  save(options = {}) {
    checkOptions(options, 'save()', ['state']);
    flag('state', options.state);
    if (!this.#plan)
      throw new NextPixelError('state', 'The prompt has not been converted to tokens yet: await run.input before run.save()');
    const { prompt, ids, context } = this.#plan;
    const saved = this.saved({ prompt, ids: ids.slice(0, this.#emitted) });
    if (!options.state) return saved;
    if (!this.finish)
      throw new NextPixelError(
        'state',
        'The run is not over: read it to its end, or stop() it and wait for that, before save({ state: true })',
      );
    const { keyBits } = this.#checked;
    return stateOf(this.#link, { known: context.window(saved.ids, this.#from), keyBits, of: this.#plan.state }).then((state) => ({
      ...saved,
      state,
    }));
  }

  /**
   * Draws the text on a canvas while it is computed. Words are wrapped, each token is shaded by its surprisal, a caret shows the end, and a
   * full canvas scrolls. The canvas keeps its size on the page and uses the device's full resolution. Its style sets the font and the
   * colours. For screen readers, the text content of the canvas element is set to the text. If an element `mirror` is
   * given, the text content of this element is set to the text, too.
   *
   * @param {Canvas} canvas
   * @param {TextSheetOptions & { signal?: AbortSignal }} [options]
   * @returns {Promise<string>} the drawn text, without the prompt
   */
  async drawTo(canvas, options = {}) {
    return this.show(canvas, options);
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

  /**
   * Shows the run, with the prompt, as text on the page.
   *
   * @param {HTMLElement} box
   * @param {{ calm?: boolean }} [options]
   * @internal
   */
  page(box, options) {
    const page = new TextPage(box, options);
    page.add({ text: this.before, given: true });
    return page;
  }

  /** Returns the drawn fraction of the text, 0 to 1, assuming that the text reaches its maximum length. @internal */
  doneWith() {
    const { most } = this.#plan ?? { most: 1 };
    return most > 0 ? Math.min(1, (this.#emitted - this.#first) / most) : 1;
  }

  /** Yields the tokens as steps with text, until a stop string is found. @returns {AsyncGenerator<TextStep, void, void>} @internal */
  async *stream() {
    const plan = /** @type {Plan} */ (this.#plan);
    const { ids } = plan;
    const writer = this.#tokenizer?.writer();
    for (const id of ids) writer?.write(id); // a character may begin in the earlier tokens and end in a new token
    const stops = new Stops(this.#checked.stop, writer?.waiting() ?? false);
    for await (const { token, ...rest } of this.#draw(plan)) {
      const text = writer?.write(token) ?? '';
      const { steps, stopped } = stops.add({ text, token, ...rest }, writer?.waiting() ?? false, this.#tokenizer?.mark(token));
      if (stopped) {
        this.finish = 'stop';
        ids.length -= stops.pending; // removes pending tokens, which are not part of the run
      }
      yield* this.#emit(steps);
      if (stopped) return;
    }
    const { steps, stopped } = stops.end(writer?.end() ?? '');
    if (stopped) this.finish = 'stop';
    ids.length -= stops.pending;
    yield* this.#emit(steps);
  }

  /** @param {TextStep[]} steps */
  *#emit(steps) {
    for (const step of steps) {
      this.#emitted++;
      yield step;
    }
  }

  /**
   * Yields the tokens as the worker draws them. When a context is full, the next context continues the text.
   *
   * @param {Plan} plan
   * @returns {AsyncGenerator<Omit<TextStep, 'text'>, void, void>}
   */
  async *#draw(plan) {
    const { ids, context, most } = plan;
    const { settings, alternatives: k, maps, keyBits, constraint, probabilities } = this.#checked;
    const { prompt, vocabulary, heads, state } = plan;
    await this.ready;
    if (constraint?.start && this.#tokenizer) await constraint.start(this.#tokenizer);
    const allow = constraint && (() => maskOf(constraint, Uint32Array.from(ids.slice(prompt)), vocabulary));
    for (let left = most; left > 0; ) {
      const from = (this.#from = context.start(ids.length));
      const known = context.window(ids, from);
      const length = Math.min(context.positions, known.length + left);
      const order = {
        known,
        inputs: {},
        settings: { ...settings, origin: context.origin(from) },
        maps,
        length,
        alternatives: k,
        keyBits,
        keep: !allow,
        state,
        probabilities,
        constrained: Boolean(allow),
      };
      let drawn = 0;
      for await (const { message, check } of this.messages([{ link: this.#link, order }], 0, allow)) {
        if (left === most) this.reused = message.reused;
        for (const [i, token] of message.ids.entries()) {
          check();
          if (this.#isEnd(token)) {
            this.finish = 'end';
            return;
          }
          ids.push(token);
          drawn++;
          left--;
          yield {
            token,
            nats: message.nats[i],
            ...probabilitiesAt(message.probabilities, i, vocabulary),
            ...(message.alternatives && { alternatives: this.#alternatives(message.alternatives, i, k) }),
            ...(message.maps && { maps: context.maps(message.maps[0], from, heads, ids.length - 1) }),
          };
        }
        check();
      }
      if (this.stopped) return;
      if (known.length + drawn < length) {
        // the model drew an end token that the vocabulary does not define
        this.finish = 'end';
        return;
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
    return Array.from(ids.subarray(step * k, step * k + k), (token, i) => ({
      token,
      text: this.#tokenizer?.name(token) ?? '',
      nats: nats[step * k + i],
    }));
  }
}
