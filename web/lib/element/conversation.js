// SPDX-License-Identifier: MIT
// @ts-check

/** The chat of `<next-pixel task="chat">`. The chat's field and buttons (element/talk.js) are loaded once the model is available. */

import { optionsOf } from './ask.js';
import { taskOf } from './attributes.js';
import { NextPixelEndEvent, NextPixelErrorEvent, NextPixelStepEvent } from './events.js';
import { part } from '../base/part.js';

/** @import { NextPixelError } from '../base/error.js' */
/** @import { NextPixelElement } from '../element.js' */
/** @import { ModelInfo } from '../engine/protocol.js' */
/** @import { Message } from '../kinds/text/chat.js' */
/** @import { Hold } from '../load/holders.js' */
/** @import { Talk } from './talk.js' */

/**
 * The functions that the element provides to its chat.
 *
 * @typedef {object} Stage
 * @property {() => HTMLElement} box  creates the box in which the element shows the chat
 * @property {(signal: AbortSignal) => Promise<void>} patience  waits while the element is paused
 * @property {() => void} onBegin  called when an answer begins
 * @property {() => void} onIdle   called when an answer is over
 */

/** Returns whether an element shows a chat with its model. @param {NextPixelElement} element @param {ModelInfo} info */
export function isChat(element, info) {
  const { kind, verbs } = info;
  // Without a template the model has no chat(). The conversation then reports the missing template and offers alternatives.
  return taskOf(element, info).task === 'chat' && (verbs.includes('chat') || (kind === 'text' && verbs.includes('generate')));
}

export class Conversation {
  #element;
  #stage;
  /** @type {Talk | undefined} */
  #talk;
  /** Messages that were set before the chat was open, or that an earlier chat had. @type {Message[] | undefined} */
  #messages;
  /** The prompt that the field was filled with. */
  #prompt = '';
  /** The text that the visitor had written into the field of an earlier chat. */
  #draft = '';
  /** A message to send when the chat is open. @type {string | undefined} */
  #unsent;

  /** @param {NextPixelElement} element @param {Stage} stage */
  constructor(element, stage) {
    this.#element = element;
    this.#stage = stage;
  }

  /** Returns whether the chat can be used. */
  get isOpen() {
    return this.#talk !== undefined;
  }

  /** Returns whether an answer is being written. */
  get running() {
    return this.#talk?.running === true;
  }

  get messages() {
    return this.#talk?.messages ?? this.#messages ?? [];
  }

  set messages(messages) {
    if (this.#talk) this.#talk.messages = messages;
    else this.#messages = messages.map((one) => ({ ...one }));
  }

  /** Sets the system message. @param {string} text */
  set system(text) {
    if (this.#talk) this.#talk.system = text;
    else this.#messages = this.#messages?.filter(({ role }) => role !== 'system');
  }

  /** Sets the text of the field, if the visitor has not written into it. @param {string} text */
  set prompt(text) {
    if (this.#talk?.isNew(this.#prompt)) this.#talk.field.value = this.#prompt = text;
  }

  /** Sets whether the chat shows more controls than its field. @param {boolean} shown */
  set controls(shown) {
    if (this.#talk) this.#talk.controls = shown;
  }

  /**
   * Starts a chat with the model. If play() was called before the chat was open, the prompt is sent as the first message.
   *
   * @param {Hold} hold
   * @param {() => boolean | undefined} claim  called when the code of the chat is loaded; returns whether play() has been called, or
   *   undefined if the chat is no longer wanted
   * @returns {Promise<boolean>} whether the chat was opened
   */
  async open({ model }, claim) {
    const { Talk } = await part(() => import('./talk.js'));
    const wanted = this.#talk ? undefined : claim();
    if (wanted === undefined) return false;
    const element = this.#element;
    const { box, patience, onBegin, onIdle } = this.#stage;
    const talk = (this.#talk = new Talk(box(), {
      controls: element.controls,
      system: element.system,
      options: () => ({ ...optionsOf(element, model.info), seed: undefined }),
      seed: () => element.seed,
      patience: (signal) => patience(signal).catch(() => {}),
      onBegin,
      onStep: (step) => element.dispatchEvent(new NextPixelStepEvent(step)),
      onEnd: ({ seed, nats, text, finish }) => {
        onIdle();
        element.dispatchEvent(new NextPixelEndEvent({ seed, nats: [nats], text, finish, toBlob: element.toBlob }));
      },
      onError: (error) => {
        onIdle();
        element.dispatchEvent(new NextPixelErrorEvent(/** @type {NextPixelError} */ (error)));
      },
    }));
    if (this.#messages) talk.messages = this.#messages;
    this.#messages = undefined;
    talk.use(model);
    const unsent = this.#unsent;
    this.#unsent = undefined;
    if (unsent !== undefined) talk.send(unsent);
    else if (wanted) talk.begin(element.prompt);
    else talk.field.value = this.#draft || (this.#prompt = element.prompt);
    this.#draft = '';
    return true;
  }

  /** Requests an answer to the last message, or sends the prompt as the first message. @param {string} prompt */
  begin(prompt) {
    this.#talk?.begin(prompt);
  }

  /** Sends a message, and requests the answer, once the chat is open. @param {string} text */
  send(text) {
    if (this.#talk) this.#talk.send(text);
    else this.#unsent = text;
  }

  /** Stops the answer. */
  stop() {
    this.#talk?.stop();
  }

  /** @param {boolean} [isKept]  whether the messages stay for the next chat */
  close(isKept) {
    const talk = this.#talk;
    if (isKept && talk && !talk.isNew(this.#prompt)) [this.#messages, this.#draft] = [talk.messages, talk.field.value];
    talk?.close();
    this.#talk = undefined;
  }

  /** Sets the labels in the current language. */
  label() {
    this.#talk?.label();
  }

  /** Called when the element has moved to another document. */
  moved() {
    this.#talk?.moved();
  }
}
