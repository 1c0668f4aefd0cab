// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Defines the custom element:
 *
 *     <next-pixel model="digits.gguf" task="complete" src="seven.png" rows="14" samples="3" seed="7" controls>
 *       <img src="poster.png" alt="...">      shown until the first pixel
 *     </next-pixel>
 *
 * The attributes determine what the element does, and the properties reflect them. An attribute with an invalid number is treated as
 * absent. If the model does not support the task or the label, the error message lists the valid tasks or labels.
 *
 * The tables of verbs (verbs.js) and of settings (settings.js) define the attributes for the tasks; element/attributes.js defines the
 * element's own attributes. The generated file element/properties.js lists all attributes. Before play(), the element shows its content,
 * its poster, or the input for the model: rows of a picture, a small picture, or a prompt.
 *
 * The default task is the first of `info.verbs`, such as complete or super-resolve for pictures, and generate or translate for text. A
 * translation takes the most probable token at every step unless the temperature is set.
 *
 * Life cycle (the value of `state`). Moving the element does not close it; removing it from the document closes it in every state.
 *
 *     idle --(1)--> near --(2)--> running <--(3)--> paused
 *      ^             ^               |                 |        (1) within 200 pixels of the screen: the model is loaded
 *      |             +------(4)------+-----------------+        (2) play(), or autoplay once the model is loaded
 *      |                                                        (3) pause() or out of view; play() or back in view
 *      +--- put back into the document --- closed               (4) finished, stop(), failed, model changed
 *
 * The `chat` task, for a text model whose file has a template, is a conversation with its own field and buttons (element/talk.js). The
 * `prompt` attribute is the first message, and the `system` attribute is the system message; the `messages` property holds the messages and
 * can be set; send(text) sends a message. Each answer ends with an nx-end event.
 *
 * The properties `state`, `info` and `pictures` are read-only. Assigning one of them changes nothing and warns on the console; it does not
 * throw, because frameworks such as React assign every property that an element has.
 *
 * Events, which bubble and cross shadow roots: nx-progress, nx-ready, nx-step, nx-end, nx-error. nx-end is sent after the last paint of a
 * run that ended or was stopped by stop(); it carries the run's pictures, text or samples. An error is shown in the element and on the
 * console, unless a listener of nx-error calls preventDefault(). Methods: play(), pause(), stop(), toBlob().
 *
 * Style: --nx-pixel is the size of a pixel, and --nx-accent is the colour of the buttons. For grey models, --nx-paper and --nx-ink are the
 * colours of the lowest and the highest level; in the drawn part, --nx-drawn replaces --nx-ink. --nx-text-width and --nx-text-height are
 * the size of the box in which text scrolls. Parts: ::part(picture), ::part(text), ::part(controls), ::part(button), ::part(status),
 * ::part(error).
 *
 * Under prefers-reduced-motion, nothing starts automatically (buttons appear instead), and a picture appears only when it is finished.
 */

import { media } from './base/media.js';
import { ATTRIBUTES, taskOf, upgrade, withProperties } from './element/attributes.js';
import { addressIn, ask, givesSomething } from './element/ask.js';
import { Conversation, isChat } from './element/conversation.js';
import { ElementRun } from './element/element-run.js';
import {
  NextPixelEndEvent,
  NextPixelErrorEvent,
  NextPixelProgressEvent,
  NextPixelReadyEvent,
  NextPixelStepEvent,
} from './element/events.js';
import { enlarged } from './element/given.js';
import { roomIn } from './element/head.js';
import { forgetNear, watchNear } from './element/near.js';
import { Rest } from './element/rest.js';
import { dress } from './element/style.js';
import { View } from './element/view.js';
import { make } from './element/make.js';
import { say, speak, spoken } from './element/say.js';
import { NO_MODEL, groupLabel, pictureLabel } from './element/words.js';
import { NextPixelError } from './base/error.js';
import { lookOf } from './kinds/looks.js';
import { acquire } from './index.js';
import { watchColours } from './sinks/canvas.js';
import { announce } from './element/announce.js';

/** @import { Saying, Words } from './element/say.js' */
/** @import { Message } from './kinds/text/chat.js' */
/** @import { ModelInfo } from './engine/protocol.js' */
/** @import { AnyModel } from './model/of-kind.js' */
/** @import { Picture } from './sinks/pixels.js' */
/** @import { Hold } from './load/holders.js' */

/** @typedef {import('./element/properties.js').ElementProperties['task']} Task */
/** @typedef {'idle' | 'near' | 'running' | 'paused' | 'closed'} ElementState */

export { NextPixelEndEvent, NextPixelErrorEvent, NextPixelProgressEvent, NextPixelReadyEvent, NextPixelStepEvent };

// Exported for the parts of the element that are loaded later, in separate files.
export { announce, make, say };

import('./load/holders.js').catch(() => {}); // acquire() needs this module, and reports an error if it is missing

/** Without a document, as in Node, the base class is an empty class, so that this file can be imported. */
const Base = withProperties(globalThis.HTMLElement ?? /** @type {typeof HTMLElement} */ (/** @type {unknown} */ (class {})));

/** Read-only properties that were assigned; the element warns about each property once. @type {Set<string>} */
const assigned = new Set();

/** @param {string} name  the property */
function readOnly(name) {
  if (assigned.has(name)) return;
  assigned.add(name);
  console.warn(`<next-pixel>: the property ${name} is read-only, so assigning it changes nothing`);
}

/**
 * Returns whether one of these attributes, when changed, requires another model to be loaded (if `what` is 'model') or the result to be
 * drawn again (if `what` is 'drawing').
 * @param {Iterable<string>} names
 * @param {string} what
 */
const change = (names, what) => [...names].some((name) => ATTRIBUTES[name]?.changes === what);

export class NextPixelElement extends Base {
  static observedAttributes = [...Object.keys(ATTRIBUTES), 'aria-label'];

  /**
   * Registers the element.
   *
   * @param {string} [tag]
   * @param {CustomElementRegistry} [registry]
   */
  static define(tag = 'next-pixel', registry = customElements) {
    registry.define(tag, this);
    return this;
  }

  /** Elements in the document. @type {Set<NextPixelElement>} */
  static #all = new Set();

  /**
   * Repaints an element. The method is static, so that watchColours() gets a function that has no reference to an element.
   * @param {NextPixelElement} element
   */
  static #repaint(element) {
    element.#view.repaint();
  }

  /**
   * The table with which all elements on the page translate their English texts. nextpixel/words/de and nextpixel/words/ko are such tables.
   * @type {Words}
   */
  static get words() {
    return spoken();
  }

  static set words(table) {
    speak(table);
    for (const element of NextPixelElement.#all) {
      element.#chat.label();
      element.#show();
    }
  }

  #view = new View(this.attachShadow({ mode: 'open' }), {
    play: () => (this.#state === 'running' ? this.pause() : this.play()),
    stop: () => this.stop(),
    anew: () => this.#hold && this.#start(this.#hold, { seed: Math.floor(Math.random() * 2 ** 32) }),
  });
  #motion = media('(prefers-reduced-motion: reduce)');
  /** The document whose visibilitychange event the element listens to. This document can differ from ownerDocument while the element moves
   * to another document.
   * @type {Document | undefined} */
  #document;
  /** Stops watching the colours. */
  #forgetColours = () => {};
  /** @type {ElementState} */
  #state = 'idle';
  #near = false;
  /** Whether to start once the model is loaded, because play() was called or autoplay is set. */
  #wanted = false;
  /** Whether stop() was called. Autoplay then starts no run until the model or the `autoplay` attribute changes. */
  #halted = false;
  /** Whether pause() was called. The run then stays paused when the element comes back into view. */
  #held = false;
  /** @type {string | Saying} */
  #message = '';
  #failed = false;
  /** The model, once it is loaded. @type {Hold | undefined} */
  #hold;
  /** @type {AbortController | undefined} */
  #loading;
  /** The current run. @type {ElementRun | undefined} */
  #run;
  /** Aborts the preview of the input. @type {AbortController | undefined} */
  #preparing;
  /** A drawn sound, which can be played again. @type {any} */
  #kept;
  #chat = new Conversation(this, {
    box: () => this.#view.box('chat'),
    patience: (signal) => this.#rest.patience(signal),
    onBegin: () => {
      this.#held = false;
      this.#enter('running', '');
      this.#restOrGoOn();
    },
    onIdle: () => this.#idle(),
  });
  /** The drawn fraction of the result, 0 to 1. */
  #progress = 0;
  #rest = new Rest(() => this.#state === 'paused');
  /** Attributes that changed since they were last handled. @type {Set<string>} */
  #changed = new Set();

  constructor() {
    super();
    upgrade(this);
  }

  get state() {
    return this.#state;
  }

  set state(_) {
    readOnly('state');
  }

  /** Returns the model's kind, verbs, sizes and card, once the model is loaded. @type {ModelInfo | undefined} */
  get info() {
    return this.#hold?.model.info;
  }

  set info(_) {
    readOnly('info');
  }

  connectedCallback() {
    if (this.#state === 'closed') this.#state = 'idle';
    if (!this.#hold && !this.#loading) this.removeAttribute('progress'); // in a cloned element, this attribute was copied from the original
    NextPixelElement.#all.add(this);
    watchNear(this, (near) => this.#seen(near));
    this.#document = this.ownerDocument;
    this.#document.addEventListener('visibilitychange', this.#restOrGoOn);
    this.#motion.addEventListener('change', this.#restOrGoOn);
    this.#forgetColours();
    this.#forgetColours = watchColours(this, NextPixelElement.#repaint);
    if (this.#wanted) this.#load();
    this.#show();
  }

  disconnectedCallback() {
    NextPixelElement.#all.delete(this);
    forgetNear(this);
    this.#document?.removeEventListener('visibilitychange', this.#restOrGoOn);
    this.#motion.removeEventListener('change', this.#restOrGoOn);
    this.#forgetColours();
    // By the time the microtask runs, a node that was only moved is connected again.
    queueMicrotask(() => {
      if (!this.isConnected) this.#close();
    });
  }

  /** Called when the element was moved to a frame or to another window. */
  adoptedCallback() {
    if (this.shadowRoot) dress(this.shadowRoot);
    this.#chat.moved();
  }

  /** Called when moveBefore() has moved the element without removing it; nothing has to be done. */
  connectedMoveCallback() {}

  /**
   * @param {string} name
   * @param {string | null} before
   * @param {string | null} now
   */
  attributeChangedCallback(name, before, now) {
    if (before === now) return;
    if (name === 'autoplay' || change([name], 'model')) this.#halted = false;
    if (this.#changed.size === 0) queueMicrotask(() => this.#apply());
    this.#changed.add(name);
  }

  /** Starts the run, restarts it when finished, or resumes it when paused. Loads the model first if necessary. */
  play() {
    this.#held = this.#halted = false;
    if (this.#chat.isOpen) {
      if (this.#chat.running) this.#restOrGoOn();
      else this.#chat.begin(this.prompt);
    } else if (this.#run) {
      this.#restOrGoOn();
    } else if (this.#hold && isChat(this, this.#hold.model.info)) {
      this.#wanted = true; // begins the chat when the model has loaded
      this.#converse(this.#hold).catch((error) => this.#fail(error));
    } else if (this.#hold) {
      this.#start(this.#hold, { kept: this.#kept });
    } else {
      this.#wanted = true;
      if (this.isConnected) this.#load();
    }
  }

  /** Pauses until play(). While paused, the element requests no steps, so nothing is computed. */
  pause() {
    this.#held = true;
    this.#restOrGoOn();
  }

  /** Ends the run, or stops loading the model. The drawn part stays visible and is passed to nx-end; autoplay starts no new run. */
  stop() {
    this.#wanted = false;
    this.#halted = true;
    this.#chat.stop();
    if (!this.#run && !this.#loading) return;
    const run = this.#run;
    this.#run = undefined;
    this.#preparing?.abort();
    this.#loading?.abort();
    this.#loading = undefined;
    this.#enter(this.#near ? 'near' : 'idle', 'Stopped');
    run?.halt();
  }

  /** Returns the pictures of the last run, as drawn so far, in the colours of the model; empty before the first run. @type {Picture[]} */
  get pictures() {
    return this.#view.pictures;
  }

  set pictures(_) {
    readOnly('pictures');
  }

  /**
   * Returns the drawn result as a file: a WAV file for audio, otherwise an image of the canvas, which has the colours of the page and shows
   * all pictures side by side.
   *
   * @param {string} [type]     MIME type, such as 'image/png' (default); if the result is audio, an image type returns a picture of the
   *   waveform
   * @param {number} [quality]  for lossy types such as 'image/jpeg', from 0 to 1
   * @returns {Promise<Blob>}
   */
  toBlob = async (type, quality) => (this.#kept && !type?.startsWith('image/') ? this.#kept.wav() : this.#view.toBlob(type, quality));

  /**
   * Returns the messages of a chat, in the form that model.chat() takes. Setting other messages replaces the chat and stops an answer that
   * is being written; play() then answers the last message if the user sent it. Setting the current messages changes nothing.
   *
   * @type {Message[]}
   */
  get messages() {
    return this.#chat.messages;
  }

  set messages(list) {
    const messages = list ?? [];
    if (!Array.isArray(messages) || !messages.every((one) => typeof one?.role === 'string')) {
      this.#fail(new NextPixelError('argument', "messages must be a list such as [{ role: 'user', content: 'Hello' }]"));
    } else this.#chat.messages = messages;
  }

  /** Sends a message and requests the answer as soon as the chat is open. @param {string} text */
  send(text) {
    const { task } = taskOf(this, this.info);
    if (task !== 'chat') return this.#fail(new NextPixelError('argument', `send() needs task="chat", not "${task}"`));
    this.#chat.send(text);
    if (this.#chat.isOpen) return;
    this.#wanted = true;
    this.play();
  }

  /** @param {boolean} near */
  #seen(near) {
    this.#near = near;
    if (near && this.#state === 'idle') {
      this.#state = 'near';
      if (this.#mayLoad()) this.#load();
    }
    this.#restOrGoOn();
  }

  /** Pauses the run if pause() was called, the element is outside the viewport, or the tab is hidden. Otherwise, resumes the run. */
  #restOrGoOn = () => {
    if (this.#run || this.#chat.running) {
      const rest = this.#held || !this.#near || this.ownerDocument.hidden;
      if (rest !== (this.#state === 'paused')) this.#enter(rest ? 'paused' : 'running', this.#message);
      this.#rest.hush(rest);
      if (!rest) this.#rest.goOn();
    }
    this.#show();
  };

  /** Handles, in one pass, all attributes that changed in the same task of the event loop. */
  #apply() {
    const changed = this.#changed;
    this.#changed = new Set();
    this.#view.reserve(this.width, this.height);
    this.#view.setPoster(this.poster);
    this.#chat.controls = this.controls;
    if (change(changed, 'model')) {
      const again = this.#again;
      this.#letGo();
      this.#view.clear();
      if (this.isConnected) this.#state = this.#near ? 'near' : 'idle';
      this.#wanted ||= again;
      if (this.isConnected && this.#mayLoad()) this.#load();
    } else if (change(changed, 'drawing')) {
      this.#redraw(changed);
    } else if (this.#hold && !this.#run && !this.#chat.running) {
      if (changed.has('autoplay') && this.#begins) this.play();
      else if (changed.has('poster') && !isChat(this, this.#hold.model.info)) this.#prepare(this.#hold);
    }
    if ((changed.has('loading') || changed.has('autoplay')) && this.isConnected && this.#mayLoad()) this.#load();
    this.#show();
  }

  /** Returns whether a result is shown or being drawn. */
  get #again() {
    return this.#run !== undefined || (this.#view.shown && !this.#chat.isOpen);
  }

  /** Draws again, or shows the input again, after a change of options. @param {Set<string>} changed */
  #redraw(changed) {
    const hold = this.#hold;
    const again = this.#again;
    this.#kept = undefined;
    if (changed.has('system')) this.#chat.system = this.system;
    if (changed.has('prompt')) this.#chat.prompt = this.prompt;
    if (changed.has('template')) this.#chat.label();
    if (changed.has('task')) this.#endChat();
    if (this.#chat.isOpen) return; // the next answer will use the new options
    if (hold && isChat(this, hold.model.info)) {
      this.#abort();
      this.#converse(hold).catch((error) => this.#fail(error));
    } else if (hold && again) {
      this.#start(hold);
    } else if (hold) {
      this.#prepare(hold);
    } else if (again && taskOf(this).task !== 'chat') {
      this.#wanted = true;
      if (this.isConnected) this.#load();
    }
  }

  /** Returns whether the element starts without play(). */
  get #begins() {
    return this.autoplay && !this.#halted && !this.#motion.matches;
  }

  /** Returns whether the model may be fetched now: after play(), and by default when the element is near the screen. */
  #mayLoad() {
    return this.#wanted || (this.#near && (this.loading !== 'play' || this.#begins));
  }

  async #load() {
    if (this.#hold || this.#loading || !this.model) return;
    const stopper = new AbortController();
    this.#loading = stopper;
    this.#failed = false;
    this.#show();
    try {
      const hold = await acquire(addressIn(this, this.model), {
        signal: stopper.signal,
        cache: this.cache !== 'no-store',
        integrity: this.integrity || undefined,
        onProgress: ({ loaded, total, head }) => {
          if (head && this.#loading === stopper) this.#reserve(roomIn(head));
          this.#say(total ? ['Loading {share} %', { share: [(100 * loaded) / total, 0] }] : 'Loading');
          if (this.#loading === stopper) this.#tell('load', total ? loaded / total : undefined, loaded, total);
        },
      });
      this.#hold = hold;
      this.#loading = undefined;
      this.#say('');
      this.#reserve(hold.model.info);
      this.dispatchEvent(new NextPixelReadyEvent(hold.model.info));
      if (this.#hold !== hold || this.#run) return; // a listener of nx-ready has replaced the model or started a run
      this.#wanted ||= this.#begins; // stays false if a listener has called stop()
      if (isChat(this, hold.model.info)) await this.#converse(hold);
      else if (this.#wanted) this.#start(hold);
      else this.#prepare(hold);
    } catch (error) {
      if (stopper.signal.aborted) return;
      this.#loading = undefined;
      this.#fail(error);
    }
  }

  /** Opens the chat with the model. @param {Hold} hold */
  async #converse(hold) {
    const isOpen = await this.#chat.open(hold, () => {
      if (this.#hold !== hold) return undefined;
      const wanted = this.#wanted;
      this.#wanted = false;
      return wanted;
    });
    if (isOpen) this.#show();
  }

  /** Reports that the answer is over, unless the next one has begun. */
  #idle() {
    if (!this.#chat.running && this.#state !== 'closed') this.#enter(this.#near ? 'near' : 'idle', '');
  }

  /** Ends the chat. @param {boolean} [isKept]  whether the messages are kept, in case the element is put back into the document */
  #endChat(isKept) {
    if (!this.#chat.isOpen) return;
    if (this.#chat.running) this.#state = this.#near ? 'near' : 'idle';
    this.#chat.close(isKept);
    this.#view.clear();
  }

  /**
   * Reserves space for the output as soon as its size is known.
   *
   * @param {{ kind: string, width?: number, height?: number } | undefined} what
   */
  #reserve(what) {
    if (what && !this.#view.shown) this.#view.size(what, this.samples);
  }

  /**
   * Shows the input until the run starts. An input that cannot be read is not shown; play() reports the error.
   *
   * @param {Hold} hold
   */
  async #prepare({ model }) {
    this.#preparing?.abort();
    const stopper = (this.#preparing = new AbortController());
    const { samples } = this;
    const { kind } = model.info;
    this.#reserve(model.info);
    const showNothing = () => {
      this.#view.showNothing();
      this.#reserve(model.info);
    };
    if (this.#view.covered || !givesSomething(this, model.info)) return showNothing();
    try {
      const run = await ask(this, model, stopper.signal);
      if (!stopper.signal.aborted && !this.#run)
        this.#view.preview(run, { kind, samples, values: run.small && enlarged(/** @type {AnyModel} */ (model), run.small) });
    } catch {
      if (!stopper.signal.aborted && !this.#run) showNothing();
    }
  }

  /**
   * @param {Hold} hold
   * @param {{ kept?: any, seed?: number, again?: boolean }} [how]  kept: a run to play again; seed: replaces the `seed` attribute; again:
   *   true for a second try after the worker has ended
   */
  async #start(hold, { kept, seed, again = false } = {}) {
    this.#abort();
    const { doing } = lookOf(hold.model.info);
    const run = (this.#run = new ElementRun(hold, {
      element: this,
      view: this.#view,
      isCalm: () => this.#motion.matches,
      say: (now) => this.#say(now),
      onProgress: (share) => {
        this.#progress = share;
        this.#say(['{doing} {share} %', { doing: say(doing), share: [100 * share, 0] }]);
        this.#tell('draw', share);
      },
      rest: this.#rest,
      fail: (error) => this.#fail(error),
    }));
    this.#wanted = false;
    this.#failed = false;
    this.#progress = 0;
    this.#enter('running', doing);
    this.#restOrGoOn();
    try {
      const isWhole = await run.read(kept, seed);
      if (!isWhole || run.halted || run !== this.#run) return;
      this.#run = undefined;
      this.#progress = 1;
      if (run.run.wav) this.#kept = run.run;
      await run.end((sentence) => {
        this.#enter('near', sentence);
        announce(pictureLabel(this, this.info, 1), undefined, this.ownerDocument);
        this.#tell('draw', 1);
      });
    } catch (error) {
      if (run.halted) return;
      run.leave();
      if (run.aborted) return;
      run.abort(); // also ends the other readers of the run, such as the audio player
      this.#run = undefined;
      if (!again && error instanceof NextPixelError && error.code === 'trap') return void this.#start(hold, { seed, again: true });
      this.#state = 'near';
      this.#fail(error);
    }
  }

  /** @param {unknown} error */
  #fail(error) {
    const known =
      error instanceof NextPixelError
        ? error
        : new NextPixelError('trap', `${lookOf(this.info).noun} cannot be drawn (${error})`, { cause: error });
    // A model whose worker has ended cannot be used again.
    if (known.code === 'trap' || known.code === 'closed') {
      this.#hold?.discard();
      this.#hold = undefined;
    }
    this.#failed = true;
    this.#wanted = false;
    this.#say(known.message);
    if (!this.dispatchEvent(new NextPixelErrorEvent(known))) return this.#view.showError('');
    announce(known.message, undefined, this.ownerDocument);
    console.error('<next-pixel>', known.message, this);
  }

  /** Ends the run, if there is one, without sending an event. */
  #abort() {
    this.#preparing?.abort();
    this.#run?.abort();
    this.#run = undefined;
    this.#rest.forget();
  }

  /** Releases the run and the model. @param {boolean} [isKept]  see #endChat() */
  #letGo(isKept = false) {
    this.#abort();
    this.#endChat(isKept);
    this.#loading?.abort();
    this.#loading = undefined;
    this.#hold?.release();
    this.#hold = this.#kept = undefined;
    this.removeAttribute('progress');
  }

  #close() {
    this.#letGo(true);
    this.#near = this.#halted = false;
    this.#state = 'closed';
  }

  /**
   * Reports the progress by an event and by the attribute `progress`, which style sheets can use.
   *
   * @param {'load' | 'draw'} phase
   * @param {number | undefined} share
   * @param {number} [loaded]
   * @param {number} [total]
   */
  #tell(phase, share, loaded, total) {
    const percent = share === undefined ? '' : String(Math.round(100 * share));
    if (this.getAttribute('progress') !== percent) this.setAttribute('progress', percent);
    this.dispatchEvent(new NextPixelProgressEvent(phase, share, loaded, total));
  }

  /**
   * @param {ElementState} state
   * @param {string | Saying} message
   */
  #enter(state, message) {
    this.#state = state;
    this.#say(message);
  }

  /** @param {string | Saying} message */
  #say(message) {
    this.#message = message;
    this.#show();
  }

  #show() {
    const running = this.#state === 'running';
    const paused = this.#state === 'paused';
    const lacking = this.#near && !this.model ? say(NO_MODEL) : '';
    const message = say(this.#message);
    this.#view.show({
      // If autoplay was refused because of reduced motion, the visitor needs another way to start.
      controls: !this.#chat.isOpen && (this.controls || (this.autoplay && this.#motion.matches)),
      play: say(running ? 'Pause' : paused ? 'Continue' : this.#failed ? 'Try again' : this.#view.shown ? 'Play again' : 'Play'),
      anew: this.#kept && !running && !paused && !this.#failed,
      stop: running || paused || this.#loading !== undefined,
      error: this.#failed ? message : lacking,
      status: paused ? say(['Paused at {share} %', { share: [100 * this.#progress, 0] }]) : message || lacking,
      label: pictureLabel(this, this.info, this.#progress),
      group: groupLabel(this, this.info),
    });
  }
}
