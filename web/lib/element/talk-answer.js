// SPDX-License-Identifier: MIT
// @ts-check

/** Shows an answer in a chat: the text of its tokens, the model's thinking (folded at first), and the alternatives to a token. */

import { shadeOf } from '../kinds/text/surprise.js';
import { make } from './make.js';
import { say } from './say.js';

/** @import { Alternative, Message, Model, SavedText, TextOptions, TextRun, TextStep } from '../index.js' */
/** @import { ChatOptions, Dropped } from '../kinds/text/chat.js' */

/** Maximum number of alternatives shown. */
const SHOWN = 8;

/** The tags that models of different makers write around their thinking. */
const MARKS = [
  ['<think>', '</think>'],
  ['<thought>', '</thought>'],
  ['<thinking>', '</thinking>'],
  ['<reasoning>', '</reasoning>'],
  ['[THINK]', '[/THINK]'],
];

/** @typedef {{ patience: (signal: AbortSignal) => Promise<void> | undefined, onStep: (step: TextStep) => void, onChoose: (at: number, one: Alternative) => void, onError: (error: unknown) => void, model: () => Model | undefined }} Hooks
 * patience: waits while the answer is paused; model: returns a model that is ready */

export class Answer {
  #hooks;
  #body = make('div', { class: 'talk-body', tabindex: '0', role: 'group', dir: 'auto' });
  #thoughts = make('div', { class: 'talk-body talk-thought', dir: 'auto' });
  #summary = make('summary', {});
  #folded = make('details', { class: 'talk-thoughts', hidden: '' }, this.#summary, this.#thoughts);
  #others = make('ol', { class: 'talk-others', hidden: '' });
  root = make('div', { class: 'talk-answer', 'data-result': '' }, this.#folded, this.#body, this.#others);

  /** @type {{ text: string, nats: number, span: HTMLSpanElement }[]} */
  #tokens = [];
  /** The tags around the thinking, as found at the end of the prompt or at the beginning of the answer. @type {string[] | undefined} */
  #marks;
  /** Whether the prompt ends with the opening tag. */
  #opened = false;
  /** Whether the next token belongs to the thinking. */
  #thinking = false;
  /** @type {TextRun | undefined} */
  #run;
  #marked = -1;
  #began = 0;
  #firstAt = 0;
  #counted = 0;

  /** The saved run from which the answer can be continued. @type {SavedText | undefined} */
  saved;
  /** @type {TextRun['finish']} */
  finish;
  /** @type {number | bigint} */
  seed = 0;
  /** Facts about the run: the number of prompt tokens, how many were reused, and the milliseconds until the first token. */
  prompt = 0;
  reused = 0;
  first = 0;

  /** @param {Hooks} hooks */
  constructor(hooks) {
    this.#hooks = hooks;
    this.#body.setAttribute('aria-label', say('Answer'));
    for (const box of [this.#body, this.#thoughts]) box.addEventListener('click', (event) => this.#clicked(event));
    this.#body.addEventListener('keydown', (event) => this.#key(event));
    this.#others.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return;
      this.#mark(-1);
      this.#body.focus();
    });
  }

  /** Returns the whole text, including the thinking. */
  get text() {
    return this.#tokens.map(({ text }) => text).join('');
  }

  /** Returns the text for the next prompt. The text includes the thinking; templates that support thinking remove it. */
  get content() {
    return this.#opened ? `${this.#marks?.[0]}\n${this.text}` : this.text;
  }

  /**
   * Returns the visible text. Thinking is included only if it is unfolded; if there is no other text, the length of the thinking is shown.
   */
  get shown() {
    return this.#folded.open ? this.text : this.#body.textContent || (this.#folded.hidden ? '' : this.#summary.textContent) || '';
  }

  /** Writes the labels in the current language. */
  label() {
    this.#body.setAttribute('aria-label', say('Answer'));
    this.#summary.textContent = say(['Thoughts: {count} tokens', { count: [this.#thoughts.childElementCount, 0] }]);
  }

  /** Returns the number of tokens. */
  get length() {
    return this.#tokens.length;
  }

  /** Returns the surprisal of the tokens, in nats. */
  get nats() {
    return this.#tokens.reduce((sum, { nats }) => sum + nats, 0);
  }

  /** Returns the tokens per second, not counting the first token. */
  get rate() {
    const ms = performance.now() - this.#firstAt;
    return this.#counted > 1 && this.#firstAt > 0 ? ((this.#counted - 1) * 1000) / (this.#lastAt - this.#firstAt || ms) : 0;
  }

  #lastAt = 0;

  /** Drops the saved run: the answer cannot be continued, because the model has changed. */
  letGo() {
    this.saved = undefined;
    this.#mark(-1);
  }

  /** The parts of the chat that did not reach the model. @type {Dropped[]} */
  dropped = [];

  /** Aborted by stop(). */
  #stopper = new AbortController();

  stop() {
    this.#stopper.abort();
    this.#run?.stop();
  }

  /**
   * @param {Model} model
   * @param {Message[]} messages
   * @param {TextOptions & ChatOptions} options
   */
  async begin(model, messages, options) {
    await this.#read(model.chat(messages, options), ({ ids, promptLength, dropped = [] }) => {
      this.dropped = dropped;
      const prompt = model.tokenizer.decode(ids.slice(0, promptLength).slice(-8), { special: true }).trimEnd();
      this.#marks = MARKS.find(([open]) => prompt.endsWith(open));
      this.#opened = this.#thinking = this.#marks !== undefined;
    });
  }

  /** @param {Model} model @param {TextOptions & ChatOptions} options */
  async goOn(model, { template, tools, variables, render, ...options }) {
    await this.#read(model.resume(/** @type {SavedText} */ (this.saved), options));
  }

  /** Replaces a token with an alternative, and continues the answer from there. @param {Model} model @param {number} at
   * @param {Alternative} one @param {any} options */
  async branch(model, at, one, { template, tools, variables, render, ...options }) {
    const saved = /** @type {SavedText} */ (this.saved);
    this.#mark(-1);
    for (const { span } of this.#tokens.splice(at)) span.remove();
    if (!this.#opened && this.#thoughts.childElementCount === 0) this.#marks = undefined;
    this.#thinking = this.#marks !== undefined && !this.text.includes(this.#marks[1]);
    this.#add({ text: one.text, token: one.token, nats: one.nats });
    await this.#read(model.resume({ ...saved, ids: [...saved.ids.slice(0, saved.prompt + at), one.token] }, options));
  }

  /** @param {TextRun} run @param {(run: TextRun) => void} [begun]  called when the first token arrives; the length of the prompt is then
   *   known */
  async #read(run, begun = () => {}) {
    this.#stopper = new AbortController();
    this.#run = run;
    this.#began = performance.now();
    this.#firstAt = this.#counted = 0;
    this.seed = run.seed;
    this.root.dataset.seed = String(run.seed);
    this.saved = this.finish = undefined;
    try {
      for await (const step of run) {
        this.#lastAt = performance.now();
        if (this.#counted++ === 0) {
          this.#firstAt = this.#lastAt;
          this.first = this.#firstAt - this.#began;
          this.#readFor(run);
          begun(run);
        }
        await this.#hooks.patience(this.#stopper.signal); // the run may have been paused while this step was computed
        this.#add(step);
        this.#hooks.onStep(step);
      }
    } finally {
      this.#run = undefined;
      this.finish = run.finish;
      this.#readFor(run); // necessary if the answer has no token
      if (run.ids.length > 0) this.saved = run.save();
    }
  }

  /** @param {TextRun} run */
  #readFor({ promptLength, reused }) {
    this.prompt = promptLength;
    this.reused = Math.min(reused, promptLength);
  }

  /** @param {TextStep} step */
  #add({ text, nats }) {
    const span = make('span', {}, text);
    span.style.setProperty('--shade', String(shadeOf(nats)));
    this.#tokens.push({ text, nats, span });
    const all = this.text;
    if (!this.#marks) {
      const begun = all.trimStart();
      this.#marks = MARKS.find(([open]) => begun.startsWith(open));
      this.#thinking = this.#marks !== undefined;
      if (this.#thinking) this.#thoughts.append(...this.#tokens.map((token) => token.span));
    }
    const inThoughts = this.#thinking;
    if (this.#marks && all.includes(this.#marks[1])) this.#thinking = false;
    (inThoughts ? this.#thoughts : this.#body).append(span);
    this.#folded.hidden = this.#thoughts.childElementCount === 0;
    this.label();
  }

  /** @param {MouseEvent} event */
  #clicked(event) {
    const at = this.#tokens.findIndex(({ span }) => span === event.target);
    const selected = /** @type {any} */ (globalThis.getSelection)?.()?.toString();
    if (at >= 0 && !selected) this.#explain(at, false);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) {
      event.preventDefault();
      this.#mark(Math.max(0, Math.min(this.#tokens.length - 1, this.#marked + step)));
    } else if (event.key === 'Enter' && this.#marked >= 0) {
      event.preventDefault();
      this.#explain(this.#marked, true);
    }
  }

  /** @param {number} at  -1: none */
  #mark(at) {
    this.#tokens[this.#marked]?.span.classList.remove('marked');
    this.#marked = at;
    this.#others.hidden = true;
    this.#tokens[at]?.span.classList.add('marked');
    this.#tokens[at]?.span.scrollIntoView?.({ block: 'nearest' });
  }

  /** Shows the alternatives at a token. @param {number} at @param {boolean} focus */
  #explain(at, focus) {
    this.#mark(at);
    const model = this.#hooks.model();
    const { saved } = this;
    if (model && saved)
      this.#ask(model, saved, at, focus).catch((error) => {
        if (this.saved === saved) this.#hooks.onError(error);
      });
  }

  /** @param {Model} model @param {SavedText} saved @param {number} at @param {boolean} focus */
  async #ask(model, saved, at, focus) {
    const { end } = model.tokenizer;
    // Draws one token at this position. Any token will do except the end of the answer, which has no text.
    const run = model.resume(
      { ...saved, ids: saved.ids.slice(0, saved.prompt + at) },
      { maxTokens: 1, seed: 0, alternatives: SHOWN, stop: [], ...(end !== undefined && { logitBias: { [end]: -Infinity } }) },
    );
    /** @type {Alternative[]} */
    let all = [];
    for await (const { alternatives = [] } of run) all = alternatives;
    if (this.#marked !== at) return;
    const { text } = this.#tokens[at];
    this.#others.setAttribute('aria-label', say('Alternatives to this token'));
    this.#others.replaceChildren(
      ...all.map((one) => {
        const name = one.text.replaceAll(' ', '␣').replaceAll('\n', '⏎') || '∅';
        const button = make(
          'button',
          { type: 'button', class: 'talk-small' },
          make('span', { class: 'talk-token' }, name),
          make('span', { class: 'talk-share' }, say(['{share} %', { share: [100 * Math.exp(-one.nats), 1] }])),
        );
        if (one.text === text) button.setAttribute('aria-current', 'true');
        button.addEventListener('click', () => this.#hooks.onChoose(at, one));
        return make('li', {}, button);
      }),
    );
    this.#others.hidden = false;
    if (focus) this.#others.querySelector('button')?.focus();
  }
}
