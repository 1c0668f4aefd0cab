// SPDX-License-Identifier: MIT
// Draws one row of a gallery: the model's input, its output, and the original.
// @ts-check
import { make, paintElements, palette, perFrame, phrase, reducedMotion } from '../../shell/index.js';
/** @import { Codec, Picture, Shot, Subject } from '../../shell/index.js' */

/** Number of generated pictures that a row shows. */
export const SHOWN = 3;

/**
 * @typedef {{ words: string, share: number }} Note words: text under a picture; share: length of the bar next to it, 0 to 1
 *
 * @typedef {Object} Preview the contents of a row before anything is drawn
 * @property {{ picture: Picture, note?: Note }[]} given pictures for the tiles to the left of the generated pictures
 * @property {Picture} start initial content of each generated picture
 * @property {(picture: Picture) => Note} [judge] returns the text below a generated picture
 * @property {Picture} [smooth] picture with which the generated pictures can be blended
 */

/**
 * @typedef {Object} Plan the tiles and words of a row
 * @property {{ kind: string, name: string }[]} given the tiles to the left of the generated pictures; kind: a CSS class
 * @property {string} noun noun for a generated picture in file names, such as 'ending'
 * @property {string} called noun for a generated picture on the page
 * @property {string} many plural of this noun
 */

/** Creates a tile: a canvas with space for text below it. @param {string} kind */
function tile(kind) {
  const canvas = make('canvas', { role: 'img' });
  const note = make('p', { class: 'tile-note' });
  return { canvas, note, root: make('div', { class: `tile ${kind}` }, canvas, note) };
}

/** @param {HTMLElement} root @param {Note | undefined} note */
function say(root, note) {
  root.textContent = note?.words ?? '';
  root.style.setProperty('--share', String(note?.share ?? 0));
}

/**
 * Blends two pictures; `share` is the weight of the first picture.
 *
 * @param {Picture} picture
 * @param {Picture} other
 * @param {number} share
 */
function mixed(picture, other, share) {
  const mix = copy(other);
  for (let i = 0; i < mix.data.length; i += 4) {
    const own = picture.data[i + 3] === 0 ? 0 : share; // where `picture` is still transparent, the result is the pixel of `other`
    for (let c = 0; c < 3; c++) mix.data[i + c] = Math.round(other.data[i + c] + own * (picture.data[i + c] - other.data[i + c]));
    if (own === 0) mix.data[i + 3] = Math.round(255 * (1 - share));
  }
  return mix;
}

/** @param {HTMLCanvasElement} canvas @param {Picture} picture */
function put(canvas, picture) {
  const { width, height } = picture;
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  canvas.getContext('2d')?.putImageData(/** @type {ImageData} */ (picture), 0, 0);
}

/** @param {Picture} picture */
const copy = ({ data, width, height }) => new ImageData(data.slice(), width, height);

/** A row of the gallery: an original picture, the part that the model receives, and the pictures that the model generates. */
export class Row {
  /** Whether all pictures of the row have been drawn completely. */
  done = false;
  /** Index of the next pixel in raster order while a run is drawing, otherwise -1. */
  #at = -1;
  /** Whether a run is drawing this row or will draw it. */
  #drawing = false;
  /** Number of elements drawn so far; a pixel has one element per channel. */
  #to = 0;
  #plan;
  #given;
  #drawn = Array.from({ length: SHOWN }, (_, i) => tile(`drawn drawn-${i + 1}`));
  #original = tile('original');
  #name = make('p', { class: 'row-name' });
  /** @type {Preview | undefined} */
  #preview;
  /**
   * All generated pictures. The pictures are divided into SHOWN groups, and the row shows the first picture of each group.
   * @type {Picture[]}
   */
  #pictures = [];
  /** -log p of each generated picture. @type {number[]} */
  #nats = [];
  /** Weight of the model's picture in the blend. */
  #share = 1;
  #paintSoon = perFrame(() => this.#paint());

  /** @param {Subject} subject @param {Plan} plan */
  constructor(subject, plan) {
    this.#plan = plan;
    this.#given = plan.given.map(({ kind }) => tile(kind));
    this.root = make(
      'div',
      { class: 'gallery-row', role: 'listitem' },
      make('div', { class: 'tiles' }, ...[...this.#given, ...this.#drawn, this.#original].map(({ root }) => root)),
      this.#name,
    );
    this.subject = subject;
    this.show(subject);
  }

  /** Whether the row is visible. On a phone, some rows are hidden. */
  get shown() {
    return this.root.offsetParent !== null;
  }

  /** Shows the original; give() fills the rest of the row. @param {Subject} subject */
  show(subject) {
    this.subject = subject;
    const { note, image } = subject;
    const name = phrase(subject.name);
    this.#name.replaceChildren(make('b', {}, name), ` ${note}`);
    put(this.#original.canvas, image);
    this.#original.canvas.setAttribute('aria-label', phrase`${name}, the original`);
    this.#given.forEach(({ canvas }, i) => canvas.setAttribute('aria-label', `${name}, ${this.#plan.given[i].name}`));
  }

  /** Shows the model's input and clears the generated pictures. @param {Preview} preview */
  give(preview) {
    this.#preview = preview;
    preview.given.forEach(({ picture, note }, i) => {
      put(this.#given[i].canvas, picture);
      say(this.#given[i].note, note);
    });
    this.clear();
  }

  /** Clears the generated pictures. */
  clear() {
    this.done = this.#drawing = false;
    this.#at = -1;
    this.#to = 0;
    this.#blank(SHOWN);
    for (const { note } of this.#drawn) say(note, undefined);
    this.#label(phrase`not drawn yet`);
    this.#paint();
  }

  /** @param {number} samples */
  #blank(samples) {
    const { start } = this.#preview ?? {};
    if (start) this.#pictures = Array.from({ length: samples }, () => copy(start));
    this.#nats = new Array(samples).fill(0);
  }

  /** Returns the pictures that the row shows: the first of each group of competing candidates. */
  get #leading() {
    const group = this.#pictures.length / SHOWN;
    return this.#pictures.filter((_, i) => i % group === 0);
  }

  /**
   * Returns the generated pictures, for sharing.
   * @param {Codec} codec
   * @param {number} seed
   * @returns {Shot[]}
   */
  shots(codec, seed) {
    const start = this.#preview?.start;
    if (this.#to === 0 || !start) return [];
    const { channels } = codec.info;
    const drawn = Array.from({ length: Math.floor(this.#to / channels) }, (_, i) => Math.floor(codec.place(i * channels) / channels));
    const order = drawn.filter((pixel) => start.data[4 * pixel + 3] === 0); // excludes the given pixels
    return this.#leading.map((picture, i) => ({
      name: phrase`${phrase(this.subject.name)}, ${this.#plan.called} ${i + 1}`,
      file: `${this.subject.name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}-seed-${seed}-${this.#plan.noun}-${i + 1}`,
      picture,
      order,
    }));
  }

  /** @param {number} samples */
  begin(samples) {
    this.clear();
    this.#blank(samples);
    this.#drawing = true;
    this.#label(phrase`being drawn`);
  }

  /** @param {Codec} codec @param {{ sample: number, from: number, to: number, values: Uint8Array, nats: Float32Array, anew?: boolean }} step */
  take(codec, { sample, from, to, values, nats, anew }) {
    paintElements(this.#pictures[sample].data, codec, from, values);
    if (anew) this.#nats[sample] = 0;
    for (const cost of nats) this.#nats[sample] += cost;
    if (sample === this.#pictures.length - 1) this.#to = to;
    this.#at = to < codec.elements ? Math.floor(codec.place(to) / codec.info.channels) : -1;
    // With reduced motion, a row appears only when it is finished.
    if (!reducedMotion()) this.#paintSoon();
  }

  /** Ends the row. If the row has more pictures than it shows, only the most probable picture of each group is kept. */
  end() {
    this.done = true;
    const group = this.#pictures.length / SHOWN;
    if (group > 1) {
      const first = Array.from({ length: SHOWN }, (_, i) => i * group).sort((a, b) => this.#nats[a] - this.#nats[b]);
      this.#pictures = first.map((i) => this.#pictures[i]);
    }
    this.#leave(phrase`drawn`);
    this.#judge();
  }

  #judge() {
    const { judge } = this.#preview ?? {};
    if (judge && this.done) this.#drawn.forEach(({ note }, i) => say(note, judge(this.#seen(this.#pictures[i]))));
  }

  /** Blends each generated picture with the preview's smooth picture. @param {number} share weight of the model's picture, 0 to 1 */
  blend(share) {
    this.#share = share;
    this.#judge();
    this.#paintSoon();
  }

  /** @param {Picture} picture */
  #seen(picture) {
    const { smooth } = this.#preview ?? {};
    return smooth && this.#share < 1 ? mixed(picture, smooth, this.#share) : picture;
  }

  /** Stops the run. Unfinished pictures stay visible. */
  stop() {
    if (this.#drawing) this.#leave(phrase`not finished`);
  }

  /** Ends the drawing. `how` describes the result for screen readers. @param {string} how */
  #leave(how) {
    this.#drawing = false;
    this.#at = -1;
    this.#label(how);
    this.#paint();
  }

  /** @param {string} how */
  #label(how) {
    this.#drawn.forEach(({ canvas }, i) =>
      canvas.setAttribute('aria-label', phrase`${phrase(this.subject.name)}, ${this.#plan.called} ${i + 1}: ${how}`),
    );
  }

  #paint() {
    this.#leading.forEach((picture, i) => {
      const { canvas } = this.#drawn[i];
      put(canvas, this.#seen(picture));
      const context = canvas.getContext('2d');
      if (!context || this.#at < 0) return;
      context.fillStyle = palette().accent; // marks the next pixel
      context.fillRect(this.#at % picture.width, Math.floor(this.#at / picture.width), 1, 1);
    });
  }
}
