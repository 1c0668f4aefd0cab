// SPDX-License-Identifier: MIT
// @ts-check

/** The shadow root of <next-pixel>: a canvas for pictures, a box for text, buttons, and a line of status text. */

import { NextPixelError } from '../base/error.js';
import { lookOf } from '../kinds/looks.js';
import { widthOf } from '../sinks/picture.js';
import { coloured, colourOf } from './colours.js';
import { make } from './make.js';
import { say, spoken } from './say.js';
import { dress } from './style.js';

/** @import { Picture } from '../sinks/pixels.js' */
/** @import { Sink } from '../sinks/canvas.js' */

/** Width of the gap between two pictures, in columns of pixels. */
const GAP = 2;

export class View {
  #canvas = make('canvas', { part: 'picture', role: 'img', hidden: '' });
  /** Slot for the content that the author has put inside the element. */
  #inside = make('slot', {});
  #poster = make('img', { part: 'poster', class: 'poster', alt: '', hidden: '' });
  #error = make('p', { part: 'error', class: 'error', hidden: '' });
  /** The output text or, if the output is on the canvas, a description of the canvas for screen readers. */
  #told = make('p', { part: 'text', class: 'told', dir: 'auto' });
  #frame = make('div', { class: 'frame' }, this.#canvas, this.#told, this.#inside, this.#poster, this.#error);
  #controls = make('div', { part: 'controls', class: 'controls', role: 'group', hidden: '' });
  #play = make('button', { part: 'button play', type: 'button' }, 'Play');
  #stop = make('button', { part: 'button stop', type: 'button', disabled: '' }, 'Stop');
  #anew = make('button', { part: 'button anew', type: 'button', hidden: '' });
  #status = make('span', { part: 'status', class: 'status' });
  #paper = make('span', { class: 'paper', hidden: '' });
  #ink = make('span', { class: 'ink', hidden: '' });
  #drawn = make('span', { class: 'drawn', hidden: '' });
  /** @type {Sink<any, any> | undefined} */
  #sink;
  /** The run whose steps are shown. @type {any} */
  #run;
  /** Whether the sink has painted. */
  #painted = false;
  /** Whether a run is shown. */
  #shown = false;

  /**
   * @param {ShadowRoot} root
   * @param {{ play: () => void, stop: () => void, anew: () => void }} actions
   */
  constructor(root, { play, stop, anew }) {
    dress(root);
    this.#play.addEventListener('click', play);
    this.#stop.addEventListener('click', stop);
    this.#anew.addEventListener('click', anew);
    this.#inside.addEventListener('slotchange', () => this.#cover());
    this.#controls.append(this.#play, this.#stop, this.#anew, this.#status);
    root.append(this.#frame, this.#controls, this.#paper, this.#ink, this.#drawn);
  }

  /** Returns whether a result is shown. */
  get shown() {
    return this.#shown;
  }

  /** Returns whether the author has provided content, such as a poster, to show until the picture is drawn. */
  get covered() {
    return this.#poster.hasAttribute('src') || this.#inside.assignedElements().length > 0;
  }

  /** Returns the pictures as drawn so far; empty if the output is text. */
  get pictures() {
    const result = this.#shown ? this.#sink?.result : [];
    return Array.isArray(result) ? result.map(({ data, width, height }) => new ImageData(data.slice(), width, height)) : [];
  }

  /**
   * Shows the input of a run, and returns a sink for its steps.
   *
   * @param {any} run
   * @param {{ kind: string, samples: number, calm: boolean }} how  calm: whether pictures appear only when they are complete
   * @returns {Sink<any, any>} the sink to which the steps are added
   */
  begin(run, { kind, samples, calm }) {
    this.#close();
    const written = this.#setKind(kind);
    if (written) this.#room();
    this.#run = run;
    this.#sink = this.#open(run, { samples, calm, later: true, onPaint: () => this.#uncover() });
    if (written) this.#uncover();
    return /** @type {Sink<any, any>} */ (this.#sink);
  }

  /**
   * Shows the input before there is a run.
   *
   * @param {any} run
   * @param {{ kind: string, samples: number, values?: Uint8Array }} how  values: the elements to show where nothing is drawn yet
   */
  preview(run, { kind, samples, values }) {
    if (this.#shown || this.covered) return;
    this.#close();
    this.#setKind(kind);
    const sink = (this.#sink = this.#open(run, { samples, later: true }));
    if (values) for (let sample = 0; sample < samples; sample++) sink.add({ sample, from: 0, values });
    sink.end();
    this.#painted = true;
  }

  /** Shows an empty canvas if the run has no input. */
  showNothing() {
    if (!this.#shown) this.clear();
  }

  /** Called when a run ends early; the drawn part stays visible. @param {Sink<any, any>} sink */
  end(sink) {
    if (sink === this.#sink && this.#painted) sink.end();
  }

  /** @param {any} run @param {object} options @returns {Sink<any, any>} */
  #open(run, options) {
    const colours = () => {
      const now = { paper: colourOf(this.#paper), ink: colourOf(this.#ink), drawn: colourOf(this.#drawn) };
      return (/** @type {Picture} */ shown, /** @type {Picture} */ given) => coloured(shown, given, now);
    };
    this.#write(run.page !== undefined);
    return run.page?.(this.#told, options) ?? run.sink(this.#canvas, { mirror: this.#told, gap: GAP, colours, ...options });
  }

  /** Shows a box with its own controls instead of the canvas.
   * @param {string} part  name of the box for style sheets @returns {HTMLElement} */
  box(part) {
    this.#close();
    const box = make('div', { part });
    this.#frame.append(box);
    this.#canvas.hidden = true;
    this.#shown = true;
    this.#cover();
    return box;
  }

  /**
   * Sets the kind of output. Text takes its size from the style sheet.
   * @param {string} kind
   * @returns {boolean} whether the output is text
   */
  #setKind(kind) {
    return this.#canvas.classList.toggle('text', lookOf({ kind }).sheet);
  }

  /** Switches between text and a canvas, which have the same place and size. @param {boolean} written */
  #write(written) {
    this.#told.classList.toggle('page', written);
    this.#canvas.classList.toggle('written', written);
    if (written) this.#told.tabIndex = 0;
    else this.#told.removeAttribute('tabindex');
  }

  #close() {
    this.#write(false);
    this.#sink?.close();
    this.#sink = undefined;
    this.#painted = false;
    this.#told.textContent = this.#canvas.textContent = '';
  }

  /** Paints now, in the current colours. */
  repaint() {
    if (this.#painted) this.#sink?.paint();
  }

  /** Removes the picture and shows the author's content again. */
  clear() {
    this.#close();
    this.#canvas.classList.remove('text');
    this.#canvas.getContext('2d')?.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    this.#shown = false;
    this.#cover();
  }

  #uncover() {
    this.#painted = true;
    this.#canvas.style.setProperty('--columns', String(this.#canvas.width));
    if (this.#shown) return;
    this.#shown = true;
    this.#cover();
  }

  /** Shows either the canvas or the content that replaces it. */
  #cover() {
    const { covered } = this;
    const within = this.#inside.assignedElements().length > 0;
    this.#inside.hidden = this.#shown;
    this.#poster.hidden = this.#shown || within || !this.#poster.hasAttribute('src');
    this.#canvas.classList.toggle('blank', !this.#shown);
    this.#canvas.classList.toggle('outlined', !this.#shown && !covered);
  }

  /** @param {string} address  empty: none */
  setPoster(address) {
    if ((this.#poster.getAttribute('src') ?? '') === address) return;
    if (address) this.#poster.setAttribute('src', address);
    else this.#poster.removeAttribute('src');
    this.#cover();
  }

  #room() {
    this.#canvas.hidden = false;
    this.#cover();
  }

  /**
   * Sets the size of the canvas and reserves its space on the page.
   *
   * @param {{ kind: string, width?: number, height?: number }} what  kind and size of one picture
   * @param {number} samples
   */
  size({ kind, width = 0, height = 0 }, samples) {
    if (!this.#setKind(kind)) {
      const columns = widthOf(width, samples, GAP);
      if (this.#canvas.width !== columns) this.#canvas.width = columns;
      if (this.#canvas.height !== height) this.#canvas.height = height;
      this.#canvas.style.setProperty('--columns', String(columns));
    }
    this.#room();
  }

  /**
   * Reserves space for the pictures before their size is known.
   *
   * @param {number} [width]   in CSS pixels
   * @param {number} [height]
   */
  reserve(width, height) {
    const { style } = this.#canvas;
    style.width = width === undefined ? '' : `${width}px`;
    style.aspectRatio = width === undefined || height === undefined ? '' : `${width} / ${height}`;
    this.#frame.classList.toggle('kept', width !== undefined && height !== undefined);
    style.height = width === undefined && height !== undefined ? `${height}px` : '';
    for (const [name, side] of /** @type {const} */ ([
      ['--nx-text-width', width],
      ['--nx-text-height', height],
    ])) {
      if (side === undefined) this.#told.style.removeProperty(name);
      else this.#told.style.setProperty(name, `${side}px`);
    }
    if (width !== undefined || height !== undefined) this.#room();
  }

  /**
   * @param {string} [type]
   * @param {number} [quality]
   * @returns {Promise<Blob>}
   */
  toBlob(type, quality) {
    if (!this.#sink) return Promise.reject(new NextPixelError('argument', 'There is no drawing: call play(), and wait for nx-end'));
    if (this.#told.classList.contains('page')) this.#asPicture();
    return new Promise((resolve, reject) => {
      this.#canvas.toBlob(
        (blob) => (blob ? resolve(blob) : reject(new NextPixelError('limit', 'The browser cannot encode this canvas'))),
        type,
        quality,
      );
    });
  }

  /** Draws the text on the hidden canvas. */
  #asPicture() {
    if (!this.#run) return;
    const sheet = this.#run.sink(this.#canvas, { caret: false });
    for (const step of this.#run.steps) sheet.add(step);
    sheet.end();
    sheet.close();
  }

  /** @param {string} text  empty: none */
  showError(text) {
    this.#error.textContent = text;
    this.#error.hidden = text === '';
  }

  /**
   * @param {object} what
   * @param {boolean} what.controls
   * @param {string} what.play    label of the play button
   * @param {boolean} what.stop   whether a run can be stopped
   * @param {boolean} what.anew   whether to offer a button that draws again with a new seed
   * @param {string} what.status  text of the status line
   * @param {string} what.error   the text of an error, which is shown even without controls
   * @param {string} what.label   label of the canvas
   * @param {string} what.group   label of the group of buttons
   */
  show({ controls, play, stop, anew, status, error, label, group }) {
    this.showError(controls ? '' : error);
    this.#controls.hidden = !controls;
    this.#controls.setAttribute('aria-label', group);
    this.#controls.lang = spoken().lang;
    this.#play.textContent = play;
    this.#stop.textContent = say('Stop');
    this.#anew.textContent = say('New seed');
    if (!anew && this.#anew.matches(':focus')) this.#play.focus();
    this.#anew.hidden = !anew;
    if (!stop && this.#stop.matches(':focus')) this.#play.focus(); // a disabled button would lose the focus
    this.#stop.disabled = !stop;
    this.#status.textContent = status;
    this.#canvas.setAttribute('aria-label', label);
  }
}
