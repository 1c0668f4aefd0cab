// SPDX-License-Identifier: MIT
// @ts-check

/**
 * A chat with a model, shown in a box on a page or in the element. The chat consists of the messages (as selectable text), a text field and
 * controls. The visitor can stop, continue or repeat an answer, edit an earlier message, inspect the tokens of an answer and replace one of
 * them. This code is in a separate file, which is fetched with the first chat.
 */

import { announce } from './announce.js';
import { composing } from './composing.js';
import { make } from './make.js';
import { NextPixelError } from '../base/error.js';
import { say } from './say.js';
import { Answer } from './talk-answer.js';
import { fit } from './talk-style.js';

/** @import { Message, Model, TextOptions, TextStep } from '../index.js' */
/** @import { ChatOptions } from '../kinds/text/chat.js' */
/** @import { Saying } from './say.js' */

/** empty: there is no model; ready: there is no answer yet @typedef {'empty' | 'ready' | 'running' | 'done'} Phase */

/**
 * @typedef {object} TalkOptions
 * @property {() => TextOptions & ChatOptions} [options]  options of the next answer, without the seed
 * @property {() => number | bigint | undefined} [seed]    seed of the first answer; undefined: a random seed
 * @property {string} [system]    the initial system message
 * @property {boolean} [controls] whether to show more than the messages and the field
 * @property {(signal: AbortSignal) => Promise<void>} [patience]  waits while the answer is paused; rejects when the answer is stopped
 * @property {() => void} [onBegin]  called when an answer begins
 * @property {(step: TextStep) => void} [onStep]
 * @property {(answer: Answer) => void} [onEnd]  called when an answer is complete or was stopped
 * @property {(error: unknown) => void} [onError]  called after an error, which the box also shows
 */

/** A turn of the chat. message: the original message with all its properties, if the page provided it.
 * @typedef {{ role: string, content: string, item: HTMLLIElement, edit?: HTMLButtonElement, answer?: Answer, message?: Message }} Turn */

let ids = 0;

/** The chat template for a model without a template. This template joins the messages of the user and of the model into one text. */
export const CONTINUING =
  "{% for message in messages %}{{ message.content if loop.first or message.role != 'user' else ' ' + message.content }}{% endfor %}";

const NO_TEMPLATE = 'This model has no chat template, so it cannot tell who is speaking. It can continue your text.';

/** @param {string} role */
const whoIs = (role) => (role === 'user' ? say('You') : role === 'assistant' ? say('The model') : role);

/** Separates the system message of a chat, if it has one, from the other messages. @param {Message[]} messages */
function apart(messages) {
  const [first, ...rest] = messages;
  return first?.role === 'system' ? { system: first.content ?? '', said: rest } : { system: undefined, said: messages };
}

export class Talk {
  #hooks;
  /** @type {Model | undefined} */
  #model;
  /** @type {Turn[]} */
  #turns = [];
  /** @type {Answer | undefined} */
  #running;
  #id = `talk-${++ids}`;
  #system = make('textarea', { id: `${this.#id}-system`, rows: '2', dir: 'auto' });
  #summary = make('summary', {});
  #systemBox = make('details', { class: 'talk-system', part: 'system' });
  #list = make('ol', { class: 'talk-list', part: 'messages', tabindex: '0' });
  #field = make('textarea', { id: `${this.#id}-field`, class: 'talk-field', part: 'field', rows: '2', dir: 'auto', enterkeyhint: 'send' });
  #send = make('button', { type: 'button', class: 'talk-send primary', part: 'button send' });
  #again = make('button', { type: 'button', part: 'button again' });
  #goOn = make('button', { type: 'button', part: 'button go-on' });
  #shade = make('button', { type: 'button', part: 'button shade', 'aria-pressed': 'true' });
  #anew = make('button', { type: 'button', part: 'button anew' });
  #bar = make('div', { class: 'talk-bar', part: 'controls', role: 'group', 'data-phase': 'empty' }, this.#send);
  #figures = make('p', { class: 'talk-figures', part: 'status' });
  #lack = make('p', {});
  #continue = make('button', { type: 'button', class: 'talk-small' });
  #hint = make('div', { class: 'talk-hint', part: 'hint', hidden: '' }, this.#lack, this.#continue);
  /** Whether the chat uses the template CONTINUING. The visitor can choose this if the model has no template. */
  #continuing = false;

  /**
   * @param {HTMLElement} root
   * @param {TalkOptions} [hooks]
   */
  constructor(root, hooks = {}) {
    this.#hooks = hooks;
    fit(root);
    root.classList.add('talk', 'shaded');
    this.root = root;
    const { system = '', controls = true } = hooks;
    this.#system.value = system;
    this.#systemBox.open = false;
    this.#systemBox.append(this.#summary, this.#system);
    root.append(this.#list, this.#hint, this.#field, this.#bar, this.#figures);
    this.controls = controls;
    this.#send.addEventListener('click', () => (this.#running ? this.stop() : this.send()));
    this.#again.addEventListener('click', () => this.again());
    this.#goOn.addEventListener('click', () => this.goOn());
    this.#anew.addEventListener('click', () => {
      this.clear();
      this.#field.focus();
    });
    this.#shade.addEventListener('click', () => this.#shade.setAttribute('aria-pressed', String(root.classList.toggle('shaded'))));
    this.#continue.addEventListener('click', () => {
      this.#continuing = true;
      this.#show();
      this.#field.focus();
    });
    this.#field.addEventListener('input', () => this.#show());
    root.addEventListener('keydown', (event) => this.#key(event));
    this.label();
  }

  /** Writes all labels in the current language. */
  label() {
    const texts = /** @type {[HTMLElement, string][]} */ ([
      [this.#summary, 'System message'],
      [this.#again, 'Answer again'],
      [this.#goOn, 'Go on'],
      [this.#shade, 'Surprise'],
      [this.#anew, 'New chat'],
      [this.#lack, NO_TEMPLATE],
      [this.#continue, 'Continue the text'],
    ]);
    for (const [box, text] of texts) box.textContent = say(text);
    const labels = /** @type {[HTMLElement, string][]} */ ([
      [this.#system, 'System message'],
      [this.#list, 'Messages'],
      [this.#field, 'Your message'],
      [this.#bar, 'The chat'],
    ]);
    for (const [box, text] of labels) box.setAttribute('aria-label', say(text));
    this.#field.placeholder = say('Your message');
    for (const { role, item, answer } of this.#turns) {
      const [who, edit] = item.querySelectorAll(':scope > .talk-who, :scope > .talk-small');
      who.textContent = whoIs(role);
      if (edit) edit.textContent = say('Edit');
      answer?.label();
    }
    this.#show();
  }

  /** Returns the messages of the chat so far, in the form that model.chat() takes. @returns {Message[]} */
  get messages() {
    const system = this.#system.value.trim();
    return [
      ...(system ? [{ role: 'system', content: system }] : []),
      ...this.#turns.map(({ role, content, answer, message }) => message ?? { role, content: answer?.content ?? content }),
    ];
  }

  /** Replaces the messages of the chat. If the new messages have no system message, the chat uses the system message that was set last. */
  set messages(list) {
    if (this.#has(list)) return;
    this.clear();
    const { system = this.#hooks.system ?? '', said } = apart(list);
    this.#system.value = system;
    for (const message of said) {
      const content = message.content ?? '';
      if (message.role === 'user') this.#say(content, message);
      else
        this.#turns.push({
          role: message.role,
          content,
          message,
          item: this.#turn(message.role, make('div', { class: 'talk-body', dir: 'auto' }, content)),
        });
    }
    this.#show();
  }

  /** Returns whether the chat consists of these messages. While the model writes an answer, the last message of `list` may contain only the
   * beginning of the answer.
   * @param {Message[]} list */
  #has(list) {
    const [own, other] = [apart(this.messages), apart(list)];
    return (
      other.said.length === own.said.length &&
      (other.system ?? own.system) === own.system &&
      own.said.every(({ role, content }, i) => {
        const [now, then] = [content ?? '', other.said[i].content ?? ''];
        return (
          role === other.said[i].role &&
          (now === then || (this.#running !== undefined && i === own.said.length - 1 && now.startsWith(then)))
        );
      })
    );
  }

  /** Sets another system message, which is used from the next answer on. @param {string} text */
  set system(text) {
    this.#hooks.system = text;
    this.#system.value = text;
  }

  /** Sets whether the chat shows more than its messages and its field. @param {boolean} shown */
  set controls(shown) {
    this.#hooks.controls = shown;
    if (shown === this.#bar.contains(this.#again)) return;
    const buttons = [this.#again, this.#goOn, this.#shade, this.#anew];
    if (shown) this.root.prepend(this.#systemBox);
    else this.#systemBox.remove();
    if (shown) this.#bar.append(...buttons);
    else for (const button of buttons) button.remove();
    for (const { edit } of this.#turns) if (edit) edit.hidden = !shown;
  }

  /** Returns whether the chat has no messages yet and its field contains only this prompt. @param {string} prompt */
  isNew(prompt) {
    return this.#turns.length === 0 && this.#field.value === prompt;
  }

  /** Returns whether an answer is being written. */
  get running() {
    return this.#running !== undefined;
  }

  get field() {
    return this.#field;
  }

  /** Called after the box was moved to another document, which lacks its style sheet. */
  moved() {
    fit(this.root);
  }

  /** Uses another model from now on and keeps the messages. @param {Model | undefined} model */
  use(model) {
    this.stop();
    this.#model = model;
    this.#continuing = false;
    for (const { answer } of this.#turns) answer?.letGo();
    this.#show();
  }

  /** Ends the chat. After this, no listener is called. */
  close() {
    this.#hooks = {};
    this.use(undefined);
    this.root.remove();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (composing(event)) return;
    if (event.key === 'Escape' && this.#running) this.stop();
    if (event.key === 'Enter' && !event.shiftKey && event.composedPath()[0] === this.#field) {
      event.preventDefault();
      this.send();
    }
  }

  /** Sends a message, by default the text of the field, and requests an answer. @param {string} [text] */
  send(text = this.#field.value) {
    if (!this.#model || this.#running || !text.trim()) return;
    if (this.#lacks) return this.#hooks.onError?.(new NextPixelError('unsupported', NO_TEMPLATE)); // a hint in the box explains the error
    if (text === this.#field.value) this.#field.value = '';
    const before = [...this.#turns];
    this.#say(text);
    void this.#answer(before, this.#turns.length > 1 ? undefined : this.#hooks.seed?.());
  }

  /**
   * Requests an answer to the last message if the user wrote this message. Starts the chat with a prompt if there is no message yet.
   * @param {string} prompt
   */
  begin(prompt) {
    if (this.#turns.length === 0) this.send(prompt);
    else if (this.#turns.at(-1)?.role === 'user') this.again();
  }

  /** Stops the answer immediately, in any phase. The answer can be continued later. */
  stop() {
    const answer = this.#running;
    this.#running = undefined;
    answer?.stop();
    if (answer) this.#show();
  }

  /** Draws the last answer again, with another seed. */
  again() {
    if (!this.#model || this.#running) return;
    const before = [...this.#turns];
    if (this.#turns.at(-1)?.role === 'assistant') this.#cut(this.#turns.length - 1);
    if (this.#turns.length > 0) void this.#answer(before);
  }

  /** Continues the last answer. */
  goOn() {
    const answer = this.#turns.at(-1)?.answer;
    if (!this.#model || this.#running || !answer?.saved) return;
    void this.#run(answer, () => answer.goOn(/** @type {Model} */ (this.#model), this.#options()));
  }

  /** Clears the chat. */
  clear() {
    this.stop();
    this.#cut(0);
    this.#figures.textContent = '';
    this.#show();
  }

  #options() {
    return { ...(this.#continuing && { template: CONTINUING }), ...this.#hooks.options?.() };
  }

  /** Returns whether both the model and the options lack a chat template. */
  get #lacks() {
    const info = this.#model?.info;
    return info?.kind === 'text' && info.chatTemplate === '' && this.#options().template === undefined;
  }

  /** Removes all turns from an index on. @param {number} from */
  #cut(from) {
    for (const { item } of this.#turns.splice(from)) item.remove();
  }

  /**
   * Restores earlier messages. A message without an answer goes back to the field, in front of any text that was typed there since.
   *
   * @param {Turn[]} before
   */
  #return(before) {
    const unanswered = [...this.#turns].reverse().find(({ role }) => role === 'user');
    this.#cut(0);
    this.#turns = before;
    const last = before.at(-1);
    if (last?.role === 'user') before.pop(); // this message goes back to the field
    this.#list.append(...before.map(({ item }) => item));
    if (unanswered && !before.includes(unanswered))
      this.#field.value = [unanswered.content, this.#field.value].filter((text) => text.trim()).join('\n');
    this.#toEnd(true);
  }

  /** @param {string} role @param {HTMLElement[]} parts */
  #turn(role, ...parts) {
    const item = make(
      'li',
      { class: `talk-turn ${role}`, part: `message ${role}` },
      make('span', { class: 'talk-who' }, whoIs(role)),
      ...parts,
    );
    this.#list.append(item);
    return item;
  }

  /** Adds a message of the visitor. @param {string} content @param {Message} [message]  the message as the page set it */
  #say(content, message) {
    const body = make('div', { class: 'talk-body', dir: 'auto' }, content);
    const edit = make('button', { type: 'button', class: 'talk-small' }, say('Edit'));
    edit.hidden = this.#hooks.controls === false;
    /** @type {Turn} */
    const turn = { role: 'user', content, message, edit, item: this.#turn('user', body, edit) };
    edit.addEventListener('click', () => this.#edit(turn, body, edit));
    this.#turns.push(turn);
    this.#toEnd(true);
  }

  /** Edits a message: drops all later messages, and requests a new answer. @param {Turn} turn @param {HTMLElement} body
   * @param {HTMLButtonElement} edit */
  #edit(turn, body, edit) {
    if (this.#running) return;
    const field = make('textarea', { rows: '3', dir: 'auto', 'aria-label': say('Your message') });
    field.value = turn.content;
    const done = make('button', { type: 'button', class: 'talk-small' }, say('Send again'));
    const back = make('button', { type: 'button', class: 'talk-small' }, say('Leave it'));
    const box = make('div', { class: 'talk-edit' }, field, done, back);
    body.replaceWith(box);
    edit.hidden = true;
    field.focus();
    const close = () => {
      box.replaceWith(body);
      edit.hidden = false;
      edit.focus();
    };
    const take = () => {
      const text = field.value;
      if (this.#running || !text.trim()) return;
      const before = [...this.#turns];
      close();
      this.#cut(this.#turns.indexOf(turn));
      this.#say(text);
      void this.#answer(before);
      this.#field.focus();
    };
    done.addEventListener('click', take);
    back.addEventListener('click', close);
    field.addEventListener('keydown', (event) => {
      if (composing(event)) return;
      if (event.key === 'Escape') close();
      if (event.key === 'Enter' && !event.shiftKey) {
        event.preventDefault();
        take();
      }
    });
  }

  /** @param {Turn[]} before  the messages to restore if no answer comes @param {number | bigint} [seed] */
  async #answer(before, seed) {
    const model = /** @type {Model} */ (this.#model);
    const { messages } = this;
    const answer = new Answer({
      patience: (signal) => this.#hooks.patience?.(signal),
      onStep: (step) => {
        this.#hooks.onStep?.(step);
        this.#toEnd();
        this.#tell(answer);
      },
      onChoose: (at, one) => {
        if (this.#running || !this.#model) return;
        const end = this.#turns.findIndex((turn) => turn.answer === answer);
        this.#cut(end + 1);
        void this.#run(answer, () => answer.branch(/** @type {Model} */ (this.#model), at, one, this.#options()));
      },
      onError: (error) => this.#fail(error),
      model: () => (this.#running ? undefined : this.#model),
    });
    this.#turns.push({ role: 'assistant', content: '', answer, item: this.#turn('assistant', answer.root) });
    await this.#run(answer, () => answer.begin(model, messages, { ...this.#options(), seed }), before);
  }

  /**
   * Requests an answer. An error is shown in the box, and the messages stay.
   *
   * @param {Answer} answer
   * @param {() => Promise<void>} work
   * @param {Turn[]} [before]  the messages before a new answer, which are restored if no answer comes
   */
  async #run(answer, work, before) {
    this.#running = answer;
    this.#forgetError();
    this.#show();
    this.#hooks.onBegin?.();
    try {
      await work();
      if (this.#running === answer) this.#running = undefined; // unless stop() was called, after which the next answer may have started
      announce(answer.shown, undefined, this.root.ownerDocument);
      this.#hooks.onEnd?.(answer);
    } catch (error) {
      if (this.#running === answer) this.#running = undefined;
      if (answer.text === '' && before && this.#turns.at(-1)?.answer === answer) this.#return(before);
      this.#fail(error);
    } finally {
      if (!this.#running && this.#turns.some((turn) => turn.answer === answer)) this.#tell(answer);
      this.#show();
    }
  }

  /** Shows an error below the messages. @param {unknown} error */
  #fail(error) {
    this.#hooks.onError?.(error);
    const { message } = /** @type {Error} */ (error);
    this.#forgetError();
    this.#list.after(make('p', { class: 'talk-error', part: 'error', role: 'alert' }, message));
  }

  #forgetError() {
    this.root.querySelector('.talk-error')?.remove();
  }

  /** Scrolls to the end of the chat if the reader is near the end. @param {boolean} [always] */
  #toEnd(always = false) {
    const { scrollHeight, scrollTop, clientHeight } = this.#list;
    if (always || scrollHeight - scrollTop - clientHeight < 80) this.#list.scrollTop = scrollHeight;
  }

  /** Shows the speed, the number of reused tokens and the remaining capacity. @param {Answer} answer */
  #tell(answer) {
    const positions = this.#model?.info.positions ?? 0;
    const { rate, first, reused, prompt, length } = answer;
    /** @type {Saying[]} */
    const all = [];
    const { dropped } = answer;
    if (dropped.some(({ role }) => role === 'system'))
      all.push(['the system message did not reach the model, because its template leaves it out', {}]);
    else if (dropped.length > 0)
      all.push(['{count} of the messages did not reach the model, because its template leaves them out', { count: [dropped.length, 0] }]);
    if (length === 0 && answer.finish === 'end') all.push(['it ended immediately', {}]);
    if (rate > 0) all.push(['{rate} tokens a second', { rate: [rate, rate < 10 ? 1 : 0] }]);
    if (first > 0) all.push(['the first after {time} s', { time: [first / 1000, 2] }]);
    if (prompt > 0) all.push(['{read} of {prompt} tokens were new', { read: [prompt - reused, 0], prompt: [prompt, 0] }]);
    if (positions > 0) all.push(['room for {left} more', { left: [Math.max(0, positions - prompt - length), 0] }]);
    this.#figures.textContent = all.map(say).join(' · ');
  }

  /** Updates which controls are enabled. */
  #show() {
    const last = this.#turns.at(-1);
    const running = this.#running !== undefined;
    /** @type {Phase} */
    const phase = !this.#model ? 'empty' : running ? 'running' : this.#turns.length > 0 ? 'done' : 'ready';
    this.#bar.dataset.phase = phase;
    this.#send.textContent = say(running ? 'Stop' : 'Send');
    this.#hint.hidden = !this.#lacks;
    this.#send.disabled = !this.#model || this.#lacks;
    this.#again.disabled = phase !== 'done' || this.#lacks;
    this.#goOn.disabled = phase !== 'done' || !last?.answer?.saved || last.answer.finish === 'end';
    this.#anew.disabled = this.#turns.length === 0;
    this.root.setAttribute('aria-busy', String(running));
  }
}
