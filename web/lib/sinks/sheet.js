// SPDX-License-Identifier: MIT
// @ts-check

/**
 * A canvas that keeps its size on the page and uses the device's full resolution. Its style sets the font and the colours. The content is
 * painted again when the size, the resolution, the font or a colour changes. For screen readers, the text content of the canvas element is
 * set to a description of the content.
 */

import { media } from '../base/media.js';
import { classOf } from '../base/realm.js';
import { atNextFrame, contextOf, watchColours } from './canvas.js';

/** @import { Dom } from '../base/dom.js' */
/** @import { Canvas } from './canvas.js' */

/**
 * Maps each canvas to the sheet that paints it. If several sheets use a canvas, only the last one repaints it when the window changes.
 * @type {WeakMap<object, Sheet>}
 */
const painters = new WeakMap();

/** Colours and font size for a canvas that is not on a page, for example in a worker. */
const INK = '#222';
const SURPRISE = '#e07b00';
const SIZE = 16;
/** The minimum font size. */
const SMALLEST = 9;

// The next two functions are outside the class, so that the listeners on the canvas and the window do not keep a sheet in memory. The
// listeners can live as long as the page.

const changed = (/** @type {Sheet} */ sheet) => sheet.changed();

/** @param {WeakRef<Sheet>} sheet @param {HTMLCanvasElement} element @returns {() => void} stops watching */
function watchSize(sheet, element) {
  const sizes = typeof ResizeObserver === 'function' ? new ResizeObserver(() => sheet.deref()?.changed()) : undefined;
  sizes?.observe(element);
  return () => sizes?.disconnect();
}

export class Sheet {
  /** @type {Canvas} */
  #canvas;
  /** The canvas, if it belongs to a document. @type {HTMLCanvasElement | undefined} */
  #element;
  #mirror;
  #told = '';
  /** @type {(() => void) | undefined} */
  #cancel;
  /** The functions that remove the sheet's listeners. @type {(() => void)[]} */
  #leave = [];

  /** @type {Dom<'CanvasRenderingContext2D'>} */
  context;
  /** The size of the sheet in CSS pixels. Everything is drawn in this unit. */
  width = 0;
  height = 0;
  /** Canvas pixels per CSS pixel. */
  #ratio = 1;
  /** The size of the letters, in CSS pixels. */
  size = SIZE;
  /** The page's font at a given size. @type {(size: number) => string} */
  font = (size) => `${size}px serif`;

  /**
   * @param {Canvas} canvas
   * @param {Dom<'Element'>} [mirror]  another element whose text content is set to the description of the content
   */
  constructor(canvas, mirror) {
    this.context = contextOf(canvas);
    this.#canvas = canvas;
    this.#element = classOf(canvas) === 'HTMLCanvasElement' ? /** @type {HTMLCanvasElement} */ (canvas) : undefined;
    this.#mirror = mirror;
    painters.get(canvas)?.close();
    painters.set(canvas, this);
    if (this.#element) this.#watch(this.#element);
  }

  /** Paints now, in the current colours. */
  paint() {
    this.#cancel?.();
    this.#cancel = undefined;
    const { context } = this;
    context.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
  }

  /** Paints at the next animation frame. */
  paintSoon() {
    this.#cancel ??= atNextFrame(() => this.paint(), this.#canvas);
  }

  /** Removes the sheet's listeners. The canvas keeps its contents. */
  close() {
    this.#cancel?.();
    this.#cancel = undefined;
    for (const leave of this.#leave) leave();
    this.#leave = [];
  }

  /**
   * Returns the current colours. In forced-colors mode, everything is drawn in one colour.
   *
   * @returns {{ ink: string, accent: string, surprise: string, forced: boolean }}
   */
  colours() {
    const style = this.#element?.isConnected ? getComputedStyle(this.#element) : undefined;
    const ink = style?.color ?? INK;
    const forced = style !== undefined && media('(forced-colors: active)').matches;
    const surprise = forced ? ink : style?.getPropertyValue('--nx-surprise').trim() || SURPRISE;
    return { ink, surprise, accent: forced ? ink : style?.getPropertyValue('--nx-accent').trim() || surprise, forced };
  }

  /** Updates the size, the resolution and the font of the sheet. Returns whether any of them has changed. @returns {boolean} */
  fit() {
    const canvas = this.#canvas;
    const element = this.#element;
    const shown = element?.isConnected && element.clientWidth > 0;
    const ratio = shown ? (element.ownerDocument.defaultView?.devicePixelRatio ?? 1) : 1;
    const width = shown ? element.clientWidth : canvas.width / (element ? 1 : this.#ratio);
    const height = shown ? element.clientHeight : canvas.height / (element ? 1 : this.#ratio);
    const style = shown ? getComputedStyle(element) : undefined;
    const size = style ? parseFloat(style.fontSize) : SIZE;
    const before = this.font(this.size);
    this.font = style
      ? (pixels) => `${style.fontStyle} ${style.fontWeight} ${pixels}px ${style.fontFamily}`
      : (pixels) => `${pixels}px serif`;
    this.size = size;
    const sized = width !== this.width || height !== this.height || ratio !== this.#ratio;
    if (sized) {
      this.width = width;
      this.height = height;
      this.#ratio = ratio;
      canvas.width = Math.max(1, Math.round(width * ratio));
      canvas.height = Math.max(1, Math.round(height * ratio));
      // If a canvas has no CSS size, its size on the page grows with its number of pixels.
      if (shown && (element.clientWidth !== width || element.clientHeight !== height)) {
        element.style.width = `${width}px`;
        element.style.height = `${height}px`;
      }
    }
    return sized || this.font(size) !== before;
  }

  /**
   * Returns the page's font size if the whole content fits at this size. Otherwise returns a smaller size at which the content fits, or the
   * smallest legible size.
   *
   * @param {(size: number) => boolean} fits  lays out the whole content at a size; the last call is for the chosen size
   */
  fitting(fits) {
    let { size } = this;
    while (!fits(size) && size > SMALLEST) size = Math.max(SMALLEST, 0.9 * size);
    return size;
  }

  /** Called when all content has arrived, or when no more will arrive. */
  end() {
    this.paint();
    const { result } = /** @type {{ result: string }} */ (/** @type {unknown} */ (this));
    this.tell(result);
  }

  /** Provides the text for screen readers. @param {string} text */
  tell(text) {
    if (text === this.#told) return;
    this.#told = text;
    for (const element of [this.#element, this.#mirror]) if (element) element.textContent = text;
  }

  /** Called when the size or the colours of the canvas may have changed. */
  changed() {
    this.paintSoon();
  }

  /** Called when the font has loaded. */
  fontLoaded() {
    this.paintSoon();
  }

  /** @param {HTMLCanvasElement} element */
  #watch(element) {
    this.#leave.push(watchSize(new WeakRef(this), element), watchColours(this, changed));
    void document.fonts?.ready.then(() => {
      if (this.#leave.length > 0) this.fontLoaded();
    });
  }
}
