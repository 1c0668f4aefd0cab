// SPDX-License-Identifier: MIT
// @ts-check

/** What <next-pixel> shows: a canvas with the pictures side by side or with a text, buttons, and a line of text, in a shadow root. */

/** @import { Sheet } from './element-text.js' */

/** @import { Codec } from './codecs/picture.js' */

/** @typedef {[number, number, number]} RGB  0 to 255 */

/** Blank columns between two pictures. */
const GAP = 2;

const STYLE = `
  :host { display: inline-block; max-width: 100%; font: 0.875rem/1.4 system-ui, sans-serif; }
  :host([hidden]) { display: none; }
  .frame { display: grid; grid-template-columns: minmax(0, 1fr); justify-items: start; }
  .frame > * { grid-area: 1 / 1; }
  .kept { position: relative; }
  .kept > slot { display: block; position: absolute; inset: 0; overflow: hidden; }
  .kept > slot::slotted(*) { max-width: 100%; max-height: 100%; }
  canvas { display: block; width: calc(var(--columns) * var(--nx-pixel, 5px)); max-width: 100%; image-rendering: pixelated; object-fit: contain; }
  .blank { visibility: hidden; }
  .error { max-width: 30em; margin: 0; padding: 0.5em; border: 1px solid currentcolor; align-self: center; overflow-wrap: anywhere; }
  canvas.text { width: var(--nx-text-width, 36em); height: var(--nx-text-height, 12em); image-rendering: auto; --nx-surprise: var(--nx-accent, #e07b00); }
  .told { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
  .controls { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5em; margin-top: 0.6em; }
  button {
    min-height: 2.5em; padding: 0.3em 1em; border: 1px solid currentcolor; border-radius: 3px; background: transparent;
    color: inherit; font: inherit; cursor: pointer;
  }
  button:hover:not(:disabled) { color: var(--nx-accent, currentcolor); }
  button:focus-visible { outline: 2px solid var(--nx-accent, currentcolor); outline-offset: 2px; }
  button:disabled { opacity: 0.5; cursor: default; }
  .status { font-variant-numeric: tabular-nums; }
  .paper { color: var(--nx-paper, #000); }
  .ink { color: var(--nx-ink, #fff); }
  .drawn { color: var(--nx-drawn, var(--nx-ink, #fff)); }
  [hidden] { display: none !important; }
`;

/** One sheet for all elements, made when the first needs it; a strict Content-Security-Policy allows it.
 * @type {CSSStyleSheet | undefined} */
let sheet;

function styles() {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
  }
  return sheet;
}

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string>} attributes
 * @param {...(Node | string)} children
 */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/**
 * A computed colour in numbers.
 *
 * @param {Element} probe
 * @returns {RGB}
 */
function colourOf(probe) {
  const text = getComputedStyle(probe).color;
  const [red = 0, green = 0, blue = 0] = (text.match(/[\d.]+/g) ?? []).map(Number);
  const scale = text.startsWith('rgb') ? 1 : 255; // else color(srgb 0..1 0..1 0..1)
  return [red * scale, green * scale, blue * scale];
}

export class View {
  #canvas = make('canvas', { part: 'picture', role: 'img', hidden: '' });
  #poster = make('slot', {});
  #error = make('p', { part: 'error', class: 'error', hidden: '' });
  #frame = make('div', { class: 'frame' }, this.#canvas, this.#poster, this.#error);
  #controls = make('div', { part: 'controls', class: 'controls', role: 'group', 'aria-label': 'Picture', hidden: '' });
  #play = make('button', { part: 'button play', type: 'button' }, 'Play');
  #stop = make('button', { part: 'button stop', type: 'button', disabled: '' }, 'Stop');
  #status = make('span', { part: 'status', class: 'status' });
  #paper = make('span', { class: 'paper', hidden: '' });
  #ink = make('span', { class: 'ink', hidden: '' });
  #drawn = make('span', { class: 'drawn', hidden: '' });
  /** @type {Codec | undefined} */
  #codec;
  /** Elements of each picture, in generation order. @type {Uint8Array[]} */
  #pictures = [];
  /** How many elements of each exist. @type {number[]} */
  #filled = [];
  #known = 0;
  #asked = 0;
  /** @type {Sheet | undefined} */
  #page;
  /** The text of the page, for those who do not see it. */
  #told = make('p', { part: 'text', class: 'told' });

  /**
   * @param {ShadowRoot} root
   * @param {{ play: () => void, stop: () => void }} actions
   */
  constructor(root, { play, stop }) {
    root.adoptedStyleSheets = [styles()];
    this.#play.addEventListener('click', play);
    this.#stop.addEventListener('click', stop);
    this.#controls.append(this.#play, this.#stop, this.#status);
    root.append(this.#frame, this.#told, this.#controls, this.#paper, this.#ink, this.#drawn);
  }

  /**
   * Takes the pictures of a new run. They are painted when paint() or paintSoon() is called.
   *
   * @param {Codec} codec
   * @param {Uint8Array[]} pictures  elements in generation order, written to by the run
   * @param {number} known           elements of each that were given
   */
  begin(codec, pictures, known) {
    this.#closePage();
    this.#codec = codec;
    this.#pictures = pictures;
    this.#filled = pictures.map(() => known);
    this.#known = known;
  }

  /**
   * Takes the text of a new run, on an empty page.
   *
   * @template {Sheet} S
   * @param {(canvas: HTMLCanvasElement, options: { mirror: HTMLElement }) => S} make  what sets it
   * @returns {S}
   */
  beginText(make) {
    this.#closePage();
    this.#codec = undefined;
    this.#poster.hidden = true;
    this.roomForText();
    this.#canvas.classList.remove('blank');
    const page = make(this.#canvas, { mirror: this.#told });
    this.#page = page;
    return page;
  }

  /** Keeps room for a text. */
  roomForText() {
    if (this.#canvas.hidden) this.#canvas.classList.add('blank');
    this.#canvas.hidden = false;
    this.#canvas.classList.add('text');
  }

  #closePage() {
    this.#page?.close();
    this.#page = undefined;
    this.#canvas.classList.remove('text');
    this.#told.textContent = '';
  }

  /**
   * @param {number} sample
   * @param {number} to  elements that exist now
   */
  fill(sample, to) {
    this.#filled[sample] = to;
  }

  /** Paints at the next animation frame. */
  paintSoon() {
    this.#asked ||= requestAnimationFrame(() => this.paint());
  }

  /** Paints now, in the colours of the moment. The poster goes with the first drawn pixel. */
  paint() {
    cancelAnimationFrame(this.#asked);
    this.#asked = 0;
    this.#page?.paint();
    const codec = this.#codec;
    const context = this.#canvas.getContext('2d');
    if (!codec || !context) return;
    const { width, height, channels } = codec.info;
    const columns = this.size(codec.info, this.#pictures.length);
    const image = context.createImageData(columns, height);
    const paper = colourOf(this.#paper);
    const inks = [colourOf(this.#ink), colourOf(this.#drawn)];
    this.#pictures.forEach((elements, sample) => {
      for (let i = 0; i < this.#filled[sample]; i++) {
        const place = codec.place(i);
        const channel = place % channels;
        const pixel = (place - channel) / channels;
        const at = 4 * (Math.floor(pixel / width) * columns + sample * (width + GAP) + (pixel % width));
        const ink = inks[i < this.#known ? 0 : 1];
        if (channels > 1) image.data[at + channel] = elements[i];
        else for (let c = 0; c < 3; c++) image.data[at + c] = paper[c] + ((ink[c] - paper[c]) * elements[i]) / 255;
        if (channel === channels - 1) image.data[at + 3] = 255;
      }
    });
    context.putImageData(image, 0, 0);
    this.#poster.hidden = true;
    this.#canvas.classList.remove('blank');
  }

  /** Back to the poster. */
  clear() {
    cancelAnimationFrame(this.#asked);
    this.#asked = 0;
    this.#codec = undefined;
    this.#closePage();
    this.#poster.hidden = false;
    this.#canvas.classList.add('blank');
  }

  /**
   * Gives the canvas its size, and its room on the page.
   *
   * @param {{ width: number, height: number }} picture
   * @param {number} samples
   * @returns {number} its columns
   */
  size({ width, height }, samples) {
    const columns = samples * (width + GAP) - GAP;
    if (this.#canvas.width !== columns || this.#canvas.height !== height) {
      this.#canvas.width = columns;
      this.#canvas.height = height;
      this.#canvas.style.setProperty('--columns', String(columns));
    }
    if (this.#canvas.hidden) this.#canvas.classList.add('blank');
    this.#canvas.hidden = false;
    return columns;
  }

  /**
   * Keeps room for the pictures before anything is known of them.
   *
   * @param {number} [width]   pixels of the page
   * @param {number} [height]
   */
  reserve(width, height) {
    const { style } = this.#canvas;
    style.width = width === undefined ? '' : `${width}px`;
    style.aspectRatio = width === undefined || height === undefined ? '' : `${width} / ${height}`;
    this.#frame.classList.toggle('kept', width !== undefined && height !== undefined);
    style.height = width === undefined && height !== undefined ? `${height}px` : '';
    if ((width === undefined && height === undefined) || !this.#canvas.hidden) return;
    this.#canvas.classList.add('blank');
    this.#canvas.hidden = false;
  }

  /** How many elements of a picture there are. @param {number} sample */
  filled(sample) {
    return this.#filled[sample];
  }

  /**
   * @param {string} [type]
   * @param {number} [quality]
   * @returns {Promise<Blob>}
   */
  toBlob(type, quality) {
    return new Promise((resolve, reject) => {
      this.#canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The browser makes no file of this canvas'))), type, quality);
    });
  }

  /** @param {string} text  empty: none */
  showError(text) {
    this.#error.textContent = text;
    this.#error.hidden = text === '';
  }

  /**
   * @param {object} what
   * @param {boolean} what.controls
   * @param {string} what.play    text of the play button
   * @param {boolean} what.stop   whether there is something to stop
   * @param {string} what.status  visible text
   * @param {string} what.error   the same if it is an error, for where there are no controls
   * @param {string} what.label   of the canvas
   */
  show({ controls, play, stop, status, error, label }) {
    this.showError(controls ? '' : error);
    this.#controls.hidden = !controls;
    this.#play.textContent = play;
    if (!stop && this.#stop.matches(':focus')) this.#play.focus(); // a disabled button would drop the focus
    this.#stop.disabled = !stop;
    this.#status.textContent = status;
    this.#canvas.setAttribute('aria-label', label);
  }
}
