// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The custom element:
 *
 *     <next-pixel model="digits.gguf" task="complete" src="seven.png" rows="14" samples="3" seed="7" controls>
 *       <img src="poster.png" alt="...">      shown until the first pixel
 *     </next-pixel>
 *
 * The attributes are the state, and the properties reflect them. A number that makes no sense counts as absent; a task or a label that the
 * model does not have is an error that names those it has.
 *
 *     model      address of the weights               seed         whole number; absent: other pictures each time
 *     task       complete, generate, super-resolve    temperature  0 to 100, default 1
 *                tokens or translate, of texts
 *     src        picture to complete or to enlarge    top-p        over 0 to 1, default 1
 *     rows       rows of it that are given, or half   label        a class by name
 *     samples    pictures side by side, 1 to 64       autoplay     begins by itself when it comes into sight
 *     tries      pictures drawn for each that is shown, its likeliest at the end; they compete on the way (see `resample`). Default 1
 *     prompt     of task="tokens", what the text begins  controls     shows buttons
 *                with, of task="translate", the sentence  max-tokens   how long it may become, default the context
 *     beams      of task="translate", translations that are followed, of which the best is shown; default 1
 *     width, height   pixels of the page that are kept free for the pictures from the beginning, so that nothing moves
 *     cache      no-store: the browser keeps no copy  integrity    'sha256-' and the digest of the weights in base64
 *
 * Where task is absent, it is super-resolve for a model that enlarges, tokens or translate for one of texts, and complete for the others.
 * A translation takes the most probable token at every step unless temperature says otherwise.
 *
 * Life cycle, the value of `state`. Removal from the document closes from every state; a mere move does not.
 *
 *     idle --(1)--> near --(2)--> running <--(3)--> paused
 *      ^             ^               |                 |        (1) within 200 pixels of the screen: the model is loaded
 *      |             +------(4)------+-----------------+        (2) play(), or autoplay once the model is there
 *      |                                                        (3) pause() and play(); out of sight or hidden, and back
 *      +--- put back into the document --- closed               (4) finished, stop(), failed, model changed
 *
 * Events, which bubble and cross shadow roots: nx-ready, nx-step, nx-end (after the last paint, with the pictures), nx-error. An error is
 * shown in the box and on the console, unless a listener prevents that by preventDefault(). Methods: play(), pause(), stop(), toBlob().
 *
 * Style: --nx-pixel (size of a pixel), --nx-accent (buttons); for grey models --nx-paper and --nx-ink, the colours of the lowest
 * and the highest level, and --nx-drawn, that of the highest in what the model drew; ::part(picture), ::part(controls),
 * ::part(button), ::part(status), ::part(error).
 *
 * Under prefers-reduced-motion nothing begins by itself (buttons appear instead), and a picture appears when it is finished.
 */

import { Codec } from './codecs/picture.js';
import { View } from './element-view.js';
import { picture } from './sinks/pixels.js';
import { NextPixelError } from './error.js';
import { MAX_SAMPLES } from './protocol.js';
import { canBeKnown } from './pictures.js';
import { acquire } from './shared.js';
import { announce } from './status.js';

/** @import { Picture } from './sinks/pixels.js' */
/** @import { DrawOptions } from './options.js' */
/** @import { Model } from './model.js' */
/** @import { ModelInfo } from './protocol.js' */
/** @import { Run, Step } from './run.js' */
/** @import { Hold } from './shared.js' */
/** @import { TokenStep } from './tokens.js' */
/** @import { TranslateStep } from './translate.js' */

/** @typedef {'idle' | 'near' | 'running' | 'paused' | 'closed'} ElementState */

export class NextPixelReadyEvent extends Event {
  /** @param {ModelInfo} info */
  constructor(info) {
    super('nx-ready', { bubbles: true, composed: true });
    /** What the model is. */
    this.info = info;
  }
}

export class NextPixelStepEvent extends Event {
  /** @param {Step | TokenStep | TranslateStep} step */
  constructor(step) {
    super('nx-step', { bubbles: true, composed: true });
    /** The pixels that came, or the token. */
    this.step = step;
  }
}

export class NextPixelEndEvent extends Event {
  /**
   * @param {number | bigint} seed
   * @param {number[]} nats
   * @param {Picture[]} pictures
   * @param {NextPixelElement['toBlob']} toBlob
   */
  constructor(seed, nats, pictures, toBlob) {
    super('nx-end', { bubbles: true, composed: true });
    /** The seed of these pictures, whether it was given or not. */
    this.seed = seed;
    /** What the drawn part of each picture cost. */
    this.nats = nats;
    /** The pictures, in the colours of the model; of a text none. */
    this.pictures = pictures;
    /** What the element shows, as a file. */
    this.toBlob = toBlob;
  }
}

export class NextPixelErrorEvent extends Event {
  /** @param {NextPixelError} error */
  constructor(error) {
    super('nx-error', { bubbles: true, composed: true, cancelable: true });
    this.error = error;
  }
}

/** What the attribute task may say. */
const TASKS = /** @type {const} */ (['complete', 'generate', 'super-resolve', 'tokens', 'translate']);

/** @typedef {typeof TASKS[number]} Task */

/** Attributes that say what is loaded. */
const LOADED_FROM = ['model', 'cache', 'integrity'];

/** Attributes that change what is drawn. */
const DRAWN_FROM = ['task', 'src', 'rows', 'samples', 'tries', 'seed', 'temperature', 'top-p', 'label', 'prompt', 'max-tokens', 'beams'];

/** Who wants to know that it came near the screen or left it. @type {WeakMap<Element, (near: boolean) => void>} */
const watchers = new WeakMap();
/** One observer for all elements. @type {IntersectionObserver | undefined} */
let observer;

function sharedObserver() {
  return (observer ??= new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) watchers.get(target)?.(isIntersecting);
  }, { rootMargin: '200px' }));
}

/** So that importing this file does no harm where there is no document, as in Node. */
const Base = globalThis.HTMLElement ?? /** @type {typeof HTMLElement} */ (/** @type {unknown} */ (class {}));

export class NextPixelElement extends Base {
  static observedAttributes = [...LOADED_FROM, 'autoplay', 'controls', 'aria-label', 'width', 'height', ...DRAWN_FROM];

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

  #view = new View(this.attachShadow({ mode: 'open' }), {
    play: () => (this.#state === 'running' ? this.pause() : this.play()),
    stop: () => this.stop(),
  });
  #motion = matchMedia('(prefers-reduced-motion: reduce)');
  #theme = matchMedia('(prefers-color-scheme: dark)');
  /** @type {ElementState} */
  #state = 'idle';
  #near = false;
  /** play() was called, or autoplay, before the model was there. */
  #wanted = false;
  /** pause() was called: being seen again does not go on. */
  #held = false;
  #message = '';
  #failed = false;
  /** The model, once it is loaded. @type {Hold | undefined} */
  #hold;
  /** @type {AbortController | undefined} */
  #loading;
  /** The run under way. @type {AbortController | undefined} */
  #run;
  /** Whether there are pictures of a run, finished or not. */
  #shown = false;
  /** Elements of each picture of the last run, in generation order. @type {{ codec: Codec, elements: Uint8Array[] } | undefined} */
  #last;
  /** Of the drawn part, 0 to 1. */
  #progress = 0;
  /** Lets a paused run go on. */
  #goOn = () => {};
  /** Attributes that changed since the last look. @type {Set<string>} */
  #changed = new Set();

  get state() {
    return this.#state;
  }

  /** What the model is, once it is loaded. @type {ModelInfo | undefined} */
  get info() {
    return this.#hold?.model.info;
  }

  connectedCallback() {
    for (const name of PROPERTIES) upgrade(this, name);
    if (this.#state === 'closed') this.#state = 'idle';
    watchers.set(this, (near) => this.#seen(near));
    sharedObserver().observe(this);
    document.addEventListener('visibilitychange', this.#look);
    this.#motion.addEventListener('change', this.#look);
    this.#theme.addEventListener('change', this.#repaint);
    this.#show();
  }

  disconnectedCallback() {
    sharedObserver().unobserve(this);
    document.removeEventListener('visibilitychange', this.#look);
    this.#motion.removeEventListener('change', this.#look);
    this.#theme.removeEventListener('change', this.#repaint);
    // A node that is moved is back by then.
    queueMicrotask(() => {
      if (!this.isConnected) this.#close();
    });
  }

  /** Where the browser can move nodes without taking them out, there is nothing to do. */
  connectedMoveCallback() {}

  /**
   * @param {string} name
   * @param {string | null} before
   * @param {string | null} now
   */
  attributeChangedCallback(name, before, now) {
    if (before === now) return;
    if (this.#changed.size === 0) queueMicrotask(() => this.#apply());
    this.#changed.add(name);
  }

  /** Begins, begins again when finished, or goes on when paused. Loads the model if that is still to be done. */
  play() {
    this.#held = false;
    if (this.#run) {
      this.#look();
    } else if (this.#hold) {
      this.#start(this.#hold);
    } else {
      this.#wanted = true;
      if (this.isConnected) this.#load();
    }
  }

  /** Stops until play(). What is not asked for is not computed. */
  pause() {
    this.#held = true;
    this.#look();
  }

  /** Ends the run; what was drawn stays. */
  stop() {
    this.#wanted = false;
    if (!this.#run && !this.#loading) return;
    this.#abort();
    this.#loading?.abort();
    this.#loading = undefined;
    this.#enter(this.#near ? 'near' : 'idle', 'Stopped');
  }

  /** The pictures of the last run as far as they are drawn, in the colours of the model; none before the first. @type {Picture[]} */
  get pictures() {
    const { codec, elements = [] } = this.#last ?? {};
    return codec ? elements.map((values, sample) => picture(codec, values.subarray(0, this.#view.filled(sample)))) : [];
  }

  /**
   * What is shown, as a file: pictures side by side, in the colours of the page.
   *
   * @param {string} [type]     such as 'image/png', which is the default
   * @param {number} [quality]  of other types
   * @returns {Promise<Blob>}
   */
  toBlob = async (type, quality) => this.#view.toBlob(type, quality);

  /** @param {boolean} near */
  #seen(near) {
    this.#near = near;
    if (near && this.#state === 'idle') {
      this.#state = 'near';
      this.#load();
    }
    this.#look();
  }

  /** Looks at everything that decides whether a run goes on. */
  #look = () => {
    if (this.#run) {
      const rest = this.#held || !this.#near || document.hidden;
      if (rest !== (this.#state === 'paused')) this.#enter(rest ? 'paused' : 'running', this.#message);
      if (!rest) this.#goOn();
    }
    this.#show();
  };

  #repaint = () => {
    if (this.#shown) this.#view.paint();
  };

  /** Takes changed attributes into account, all of a task at once. */
  #apply() {
    const changed = this.#changed;
    this.#changed = new Set();
    if (!this.isConnected) return;
    this.#view.reserve(this.width, this.height);
    if (LOADED_FROM.some((name) => changed.has(name))) {
      const again = this.#run !== undefined || this.#shown;
      this.#letGo();
      this.#view.clear();
      this.#last = undefined;
      this.#shown = false;
      this.#state = this.#near ? 'near' : 'idle';
      this.#wanted ||= again;
      if (this.#near || this.#wanted) this.#load();
    } else if (DRAWN_FROM.some((name) => changed.has(name)) && this.#hold && (this.#run || this.#shown)) {
      this.#start(this.#hold);
    } else if (changed.has('autoplay') && this.autoplay && this.#hold && !this.#run && !this.#motion.matches) {
      this.play();
    }
    this.#show();
  }

  async #load() {
    if (this.#hold || this.#loading || !this.model) return;
    const stopper = new AbortController();
    this.#loading = stopper;
    this.#failed = false;
    this.#show();
    try {
      const hold = await acquire(new URL(this.model, document.baseURI).href, {
        signal: stopper.signal,
        cache: this.cache !== 'no-store',
        integrity: this.integrity || undefined,
        onProgress: ({ loaded, total, head }) => {
          if (head && this.#loading === stopper && !this.#shown) this.#reserve(head);
          this.#say(total ? `Loading ${Math.round((100 * loaded) / total)} %` : 'Loading');
        },
      });
      this.#hold = hold;
      this.#loading = undefined;
      this.#say('');
      if (!this.#shown && hold.model.info.vocabulary > 0) this.#view.roomForText();
      else if (!this.#shown) this.#view.size(hold.model.info, this.samples);
      this.dispatchEvent(new NextPixelReadyEvent(hold.model.info));
      if (this.#hold !== hold || this.#run) return; // a listener did something about it
      if (this.#wanted || (this.autoplay && !this.#motion.matches)) this.#start(hold);
    } catch (error) {
      if (stopper.signal.aborted) return;
      this.#loading = undefined;
      this.#fail(error);
    }
  }

  /**
   * Keeps room for what a file will make, before the rest of it is here. What cannot be found at its beginning is found when it is open.
   *
   * @param {Uint8Array} head
   */
  #reserve(head) {
    const [height, width] = ['height', 'width'].map((side) => numberIn(head, `.image.${side}`));
    if (width && height && Math.max(width, height) <= MAX_SIDE) this.#view.size({ width, height }, this.samples);
    else if (!width && numberIn(head, '.context_length')) this.#view.roomForText();
  }

  /**
   * @param {Hold} hold
   * @param {boolean} [again]  after the worker has gone
   */
  async #start(hold, again = false) {
    this.#abort();
    const stopper = new AbortController();
    const { signal } = stopper;
    this.#run = stopper;
    this.#wanted = false;
    this.#failed = false;
    this.#progress = 0;
    this.#enter('running', hold.model.info.vocabulary > 0 ? 'Writing' : 'Drawing');
    this.#look();
    try {
      if (hold.model.info.vocabulary > 0) {
        this.#checkTask(hold.model);
        await this.#write(hold.model, signal);
        return;
      }
      const { info, order } = hold.model;
      const codec = new Codec(info, order);
      const options = { ...this.#options(info), signal };
      const { samples, tries } = this;
      const run = await this.#runOf(hold.model, options);
      const { known } = run;
      const total = codec.elements;
      const pictures = Array.from({ length: samples }, () => {
        const picture = new Uint8Array(total);
        picture.set(known);
        return picture;
      });
      const nats = new Array(samples).fill(0);
      this.#last = { codec, elements: pictures };
      this.#view.begin(codec, pictures, known.length);
      await this.#patience(signal);
      for await (const step of run) {
        signal.throwIfAborted();
        if (step.sample % tries > 0) continue; // a rival: of each group the first is shown
        const sample = step.sample / tries;
        const { from, to, values } = step;
        pictures[sample].set(values, from);
        if (step.anew) nats[sample] = 0;
        for (const cost of step.nats) nats[sample] += cost;
        this.#view.fill(sample, to);
        this.#progress = (to - known.length) / (total - known.length);
        if (!this.#motion.matches) this.#paint();
        this.dispatchEvent(new NextPixelStepEvent({ ...step, sample }));
        await this.#patience(signal);
      }
      signal.throwIfAborted();
      this.#run = undefined;
      this.#progress = 1;
      this.#paint();
      this.#view.paint(); // now: who hears of the end can read the canvas
      this.#enter('near', `Drawn: ${nats.map((cost) => cost.toFixed(1)).join(', ')} nats`);
      announce(this.#label());
      this.dispatchEvent(new NextPixelEndEvent(run.seed, nats, this.pictures, this.toBlob));
    } catch (error) {
      if (signal.aborted) return;
      this.#run = undefined;
      if (!again && error instanceof NextPixelError && error.code === 'trap') return void this.#start(hold, true);
      this.#state = 'near';
      this.#fail(error);
    }
  }

  /** @param {Model} model */
  #checkTask(model) {
    const wanted = this.getAttribute('task')?.trim().toLowerCase();
    const possible = TASKS.filter((task) => model.info.tasks.includes(task));
    if (wanted && !possible.some((task) => task === wanted)) {
      throw new NextPixelError('argument', `task must be ${possible.join(' or ')} with this model, not ${JSON.stringify(wanted)}`);
    }
  }

  /**
   * @param {Model} model
   * @param {AbortSignal} signal
   */
  async #write(model, signal) {
    const { prompt, maxTokens, seed, topP, beams } = this;
    const temperature = this.hasAttribute('temperature') ? this.temperature : undefined;
    const { write } = await import('./texts.js');
    const { seed: used, nats, count } = await write({
      model, prompt, options: { maxTokens, seed, temperature, topP, beams, signal },
      open: (make) => {
        this.#shown = true;
        return this.#view.beginText(make);
      },
      told: async (step, done) => {
        signal.throwIfAborted();
        this.#progress = done;
        this.#say(this.#state === 'running' ? `Writing ${Math.round(100 * done)} %` : this.#message);
        this.dispatchEvent(new NextPixelStepEvent(step));
        await this.#patience(signal);
      },
    });
    signal.throwIfAborted();
    this.#run = undefined;
    this.#progress = 1;
    this.#enter('near', `Written: ${count} tokens, ${nats.toFixed(1)} nats`);
    announce(this.#label());
    this.dispatchEvent(new NextPixelEndEvent(used, [nats], [], this.toBlob));
  }

  /**
   * @param {Model} model
   * @param {DrawOptions & { signal: AbortSignal }} options
   * @returns {Promise<Run>}
   */
  async #runOf(model, options) {
    this.#checkTask(model);
    if (this.task === 'generate') return model.generate(options);
    const image = await this.#source(options.signal);
    if (this.task === 'super-resolve') return model.superResolve(image, options);
    const { rows } = this;
    return model.complete(image, { ...options, rows: rows !== undefined && canBeKnown(rows, model.info) ? rows : undefined });
  }

  #paint() {
    this.#shown = true;
    this.#view.paintSoon();
    this.#say(this.#state === 'running' ? `Drawing ${Math.round(100 * this.#progress)} %` : this.#message);
  }

  /**
   * Waits while the run is paused.
   *
   * @param {AbortSignal} signal
   */
  async #patience(signal) {
    while (this.#state === 'paused' && !signal.aborted) {
      await /** @type {Promise<void>} */ (new Promise((resolve) => {
        this.#goOn = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      }));
    }
    signal.throwIfAborted();
  }

  /**
   * The picture to complete or to enlarge.
   *
   * @param {AbortSignal} signal
   */
  async #source(signal) {
    const image = new Image();
    image.crossOrigin = 'anonymous';
    image.src = this.src;
    try {
      await image.decode();
    } catch (cause) {
      throw new NextPixelError('network', this.src ? `The picture ${this.src} cannot be loaded: check the attribute src` :
        'There is no picture to start from: set the attribute src, or task="generate"', { cause });
    }
    signal.throwIfAborted();
    return image;
  }

  /**
   * @param {ModelInfo} info
   * @returns {DrawOptions}
   */
  #options({ classes }) {
    const { samples, tries, seed, temperature, topP, label } = this;
    if (samples * tries > MAX_SAMPLES) throw new NextPixelError('argument', `samples times tries must be at most ${MAX_SAMPLES}, not ${samples} times ${tries}`);
    // Where there are no classes at all, one element may serve several models.
    return { samples: samples * tries, resample: tries, seed, temperature, topP, label: classes.length > 0 && label !== '' ? label : undefined };
  }

  /** @param {unknown} error */
  #fail(error) {
    const known = error instanceof NextPixelError ? error :
      new NextPixelError('trap', `The picture cannot be drawn (${error})`, { cause: error });
    // A model whose worker has gone cannot be asked again.
    if (known.code === 'trap' || known.code === 'closed') {
      this.#hold?.discard();
      this.#hold = undefined;
    }
    this.#failed = true;
    this.#wanted = false;
    this.#say(known.message);
    if (!this.dispatchEvent(new NextPixelErrorEvent(known))) return this.#view.showError('');
    announce(known.message);
    console.error('<next-pixel>', known.message, this);
  }

  /** Ends the run, if there is one, without a word. */
  #abort() {
    this.#run?.abort();
    this.#run = undefined;
  }

  /** Gives up the run and the model. */
  #letGo() {
    this.#abort();
    this.#loading?.abort();
    this.#loading = undefined;
    this.#hold?.release();
    this.#hold = undefined;
  }

  #close() {
    this.#letGo();
    this.#near = false;
    this.#state = 'closed';
  }

  /**
   * @param {ElementState} state
   * @param {string} message
   */
  #enter(state, message) {
    this.#state = state;
    this.#say(message);
  }

  /** @param {string} message */
  #say(message) {
    this.#message = message;
    this.#show();
  }

  #show() {
    const running = this.#state === 'running';
    const paused = this.#state === 'paused';
    this.#view.show({
      // Where autoplay was refused for the sake of reduced motion, there must be another way to begin.
      controls: this.controls || (this.autoplay && this.#motion.matches),
      play: running ? 'Pause' : paused ? 'Continue' : this.#failed ? 'Try again' : this.#shown ? 'Play again' : 'Play',
      stop: running || paused || this.#loading !== undefined,
      error: this.#failed ? this.#message : '',
      status: paused ? `Paused at ${Math.round(100 * this.#progress)} %` : this.#message,
      label: this.#label(),
    });
  }

  #label() {
    const own = this.getAttribute('aria-label');
    if (own) return own;
    const { samples } = this;
    if (this.task === 'tokens' || this.task === 'translate') return `A ${this.task === 'tokens' ? 'text written' : 'translation'} by ${this.info?.name || 'a model'}, ${Math.round(100 * this.#progress)} % done`;
    const done = this.task === 'super-resolve' ? 'enlarged' : 'completed';
    const what = this.task === 'generate' ? 'drawn from nothing' : `${done} from ${this.src.split('/').pop() || 'a picture'}`;
    const many = samples === 1 ? 'A picture' : `${samples} pictures`;
    return `${many} ${what} by ${this.info?.name || 'a model'}, ${Math.round(100 * this.#progress)} % done`;
  }

  // The attributes as properties. Reading gives what is in effect; setting never throws.

  get model() {
    return this.getAttribute('model') ?? '';
  }

  set model(value) {
    reflect(this, 'model', value);
  }

  /** @type {Task} */
  get task() {
    const wanted = this.getAttribute('task')?.trim().toLowerCase();
    return TASKS.find((task) => task === wanted) ?? 
      (!this.info ? 'complete' : this.info.vocabulary > 0 ? /** @type {Task} */ (this.info.tasks[0]) : this.info.inputWidth > 0 ? 'super-resolve' : 'complete');
  }

  set task(value) {
    reflect(this, 'task', value);
  }

  get src() {
    return this.getAttribute('src') ?? '';
  }

  set src(value) {
    reflect(this, 'src', value);
  }

  /** Undefined: half of the picture. @type {number | undefined} */
  get rows() {
    return wholeNumber(this, 'rows', 0, 65536);
  }

  set rows(value) {
    reflect(this, 'rows', value);
  }

  get samples() {
    return wholeNumber(this, 'samples', 1, MAX_SAMPLES) ?? 1;
  }

  set samples(value) {
    reflect(this, 'samples', value);
  }

  get tries() {
    return wholeNumber(this, 'tries', 1, MAX_SAMPLES) ?? 1;
  }

  set tries(value) {
    reflect(this, 'tries', value);
  }

  /** Undefined: another one each time. @type {number | undefined} */
  get seed() {
    return wholeNumber(this, 'seed', 0, Number.MAX_SAFE_INTEGER);
  }

  set seed(value) {
    reflect(this, 'seed', value);
  }

  get temperature() {
    return number(this, 'temperature', (t) => t >= 0 && t <= 100) ?? 1;
  }

  set temperature(value) {
    reflect(this, 'temperature', value);
  }

  get topP() {
    return number(this, 'top-p', (p) => p > 0 && p <= 1) ?? 1;
  }

  set topP(value) {
    reflect(this, 'top-p', value);
  }

  get label() {
    return this.getAttribute('label') ?? '';
  }

  set label(value) {
    reflect(this, 'label', value);
  }

  get prompt() {
    return this.getAttribute('prompt') ?? '';
  }

  set prompt(value) {
    reflect(this, 'prompt', value);
  }

  /** Undefined: as many as the context has room for. @type {number | undefined} */
  get maxTokens() {
    return wholeNumber(this, 'max-tokens', 0, 2 ** 31 - 1);
  }

  set maxTokens(value) {
    reflect(this, 'max-tokens', value);
  }

  get beams() {
    return wholeNumber(this, 'beams', 1, 16) ?? 1;
  }

  set beams(value) {
    reflect(this, 'beams', value);
  }

  /** 'no-store': the browser keeps no copy of the weights. */
  get cache() {
    return this.getAttribute('cache') ?? '';
  }

  set cache(value) {
    reflect(this, 'cache', value);
  }

  get integrity() {
    return this.getAttribute('integrity') ?? '';
  }

  set integrity(value) {
    reflect(this, 'integrity', value);
  }

  /** Pixels of the page. Undefined: as many as the pictures have, times --nx-pixel. @type {number | undefined} */
  get width() {
    return wholeNumber(this, 'width', 1, 65536);
  }

  set width(value) {
    reflect(this, 'width', value);
  }

  /** @type {number | undefined} */
  get height() {
    return wholeNumber(this, 'height', 1, 65536);
  }

  set height(value) {
    reflect(this, 'height', value);
  }

  get autoplay() {
    return this.hasAttribute('autoplay');
  }

  set autoplay(value) {
    this.toggleAttribute('autoplay', Boolean(value));
  }

  get controls() {
    return this.hasAttribute('controls');
  }

  set controls(value) {
    this.toggleAttribute('controls', Boolean(value));
  }
}

const PROPERTIES = /** @type {const} */ ([
  'model', 'task', 'src', 'rows', 'samples', 'tries', 'seed', 'temperature', 'topP', 'label', 'prompt', 'maxTokens', 'beams', 'autoplay', 'controls',
  'cache', 'integrity', 'width', 'height',
]);

/** NX_MAX_SIDE of src/models/image.h. */
const MAX_SIDE = 256;

/**
 * A whole number of a weight file's metadata, by the end of its key: a 32-bit one stands behind its type. Undefined where it is not there yet.
 *
 * @param {Uint8Array} head  the first bytes of the file
 * @param {string} key
 */
function numberIn(head, key) {
  const at = String.fromCharCode(...head).indexOf(key) + key.length;
  return at < key.length || at + 8 > head.length ? undefined : new DataView(head.buffer, head.byteOffset).getUint32(at + 4, true);
}

/**
 * A property set before the element was defined hides its setter: set it again.
 *
 * @param {any} element
 * @param {string} name
 */
function upgrade(element, name) {
  if (!Object.hasOwn(element, name)) return;
  const value = element[name];
  delete element[name];
  element[name] = value;
}

/**
 * @param {Element} element
 * @param {string} name
 * @param {unknown} value  undefined and null remove the attribute
 */
function reflect(element, name, value) {
  if (value === undefined || value === null) element.removeAttribute(name);
  else element.setAttribute(name, String(value));
}

/**
 * @param {Element} element
 * @param {string} name
 * @param {(value: number) => boolean} valid
 */
function number(element, name, valid) {
  const text = element.getAttribute(name)?.trim();
  const value = text ? Number(text) : NaN;
  return valid(value) ? value : undefined;
}

/**
 * @param {Element} element
 * @param {string} name
 * @param {number} low
 * @param {number} high
 */
function wholeNumber(element, name, low, high) {
  return number(element, name, (value) => Number.isInteger(value) && value >= low && value <= high);
}
