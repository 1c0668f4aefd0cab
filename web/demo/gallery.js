// SPDX-License-Identifier: MIT
// The rows of Figure 3: what is given, three endings, the original; and the run that draws one row after the other.
// @ts-check
import { Codec } from '../lib/codec.js';
import { blank, paint } from '../lib/draw.js';
import { make, perFrame, reducedMotion } from './dom.js';
import { Pace } from './pace.js';
import { palette } from './palette.js';
/** @import { Picture } from '../lib/draw.js' */
/** @import { Model } from '../lib/model.js' */
/** @import { Emoji } from './emoji.js' */

export const SIDE = 32;
export const SAMPLES = 3;
export const TEMPERATURE = 0.9;
/** Pixels per second of each ending, at most: fast enough for six rows, slow enough to be watched. */
const SPEED = 400;
/** Pixels to ask for at once. */
const CHUNK = 16;

/** @typedef {'empty' | 'ready' | 'running' | 'done'} Phase empty: no model yet */

/** @param {string} extra class */
function tile(extra) {
  const canvas = make('canvas', { role: 'img', width: String(SIDE), height: String(SIDE) });
  return { canvas, root: make('div', { class: `tile ${extra}` }, canvas) };
}

/** @param {HTMLCanvasElement} canvas @param {Picture} picture */
const put = (canvas, picture) => canvas.getContext('2d')?.putImageData(/** @type {ImageData} */ (picture), 0, 0);

/** One emoji and its endings. */
class Row {
  /** All endings are there. */
  done = false;
  /** Number of the next element, while a run is drawing. */
  #at = -1;
  #given = tile('given');
  #endings = Array.from({ length: SAMPLES }, () => tile('ending-tile'));
  #original = tile('original');
  #name = make('p', { class: 'row-name' });
  #half = blank(SIDE, SIDE);
  #pictures = this.#endings.map(() => blank(SIDE, SIDE));
  #paintSoon = perFrame(() => this.#paint());
  root = make('div', { class: 'gallery-row', role: 'listitem' },
    make('div', { class: 'tiles' }, this.#given.root, ...this.#endings.map(({ root }) => root), this.#original.root), this.#name);

  /** @param {Emoji} emoji */
  constructor(emoji) {
    this.emoji = emoji;
    this.show(emoji);
  }

  /** A phone shows fewer rows than there are. */
  get shown() { return this.root.offsetParent !== null; }

  /** @param {Emoji} emoji */
  show(emoji) {
    this.emoji = emoji;
    const { name, style, image } = emoji;
    this.#name.replaceChildren(make('b', {}, name), ` ${style}`);
    put(this.#original.canvas, image);
    this.#original.canvas.setAttribute('aria-label', `${name}, the original`);
    this.#given.canvas.setAttribute('aria-label', `${name}, the upper half`);
    // Until the model says how it sees the half, as it is.
    this.#half = blank(image.width, image.height);
    this.#half.data.set(image.data.subarray(0, image.data.length / 2));
    this.clear();
  }

  /** The half as the model sees it. @param {Codec} codec @param {Uint8Array} known elements */
  give(codec, known) {
    this.#half = blank(codec.info.width, codec.info.height);
    paint(this.#half.data, codec, 0, known);
    this.clear();
  }

  /** Back to the half. */
  clear() {
    this.done = false;
    this.#at = -1;
    put(this.#given.canvas, this.#half);
    for (const picture of this.#pictures) picture.data.set(this.#half.data);
    this.#label('not drawn yet');
    this.#paint();
  }

  begin() {
    this.clear();
    this.#label('being drawn');
  }

  /** @param {Codec} codec @param {{ sample: number, from: number, to: number, values: Uint8Array }} step */
  take(codec, { sample, from, to, values }) {
    paint(this.#pictures[sample].data, codec, from, values);
    this.#at = to < codec.elements ? Math.floor(codec.place(to) / codec.info.channels) : -1;
    // With less motion a row appears when it is finished.
    if (!reducedMotion()) this.#paintSoon();
  }

  end() {
    this.done = true;
    this.#leave('drawn');
  }

  /** As far as it came. */
  stop() {
    if (this.#at >= 0) this.#leave('not finished');
  }

  /** The pen is lifted. @param {string} how */
  #leave(how) {
    this.#at = -1;
    this.#label(how);
    this.#paint();
  }

  /** @param {string} how */
  #label(how) {
    this.#endings.forEach(({ canvas }, i) => canvas.setAttribute('aria-label', `${this.emoji.name}, ending ${i + 1}: ${how}`));
  }

  #paint() {
    this.#endings.forEach(({ canvas }, sample) => {
      const picture = this.#pictures[sample];
      put(canvas, picture);
      const context = canvas.getContext('2d');
      if (!context || this.#at < 0) return;
      context.fillStyle = palette().accent; // the pen
      context.fillRect(this.#at % SIDE, Math.floor(this.#at / SIDE), 1, 1);
    });
  }
}

/**
 * @param {HTMLElement} root
 * @param {Emoji[]} first one for each row
 * @param {Object} hooks
 * @param {(phase: Phase) => void} hooks.onPhase
 * @param {(ms: number, pixels: number) => void} hooks.onPull how long the model took for so many pixels
 * @param {(emoji: Emoji[]) => void} hooks.onEnd a run has come to its end, and drew these
 * @param {(error: unknown) => void} hooks.onError
 */
export function createGallery(root, first, { onPhase, onPull, onEnd, onError }) {
  const rows = first.map((emoji) => new Row(emoji));
  root.append(...rows.map((row) => row.root));
  /** @type {Model | undefined} */
  let model;
  /** @type {Codec | undefined} */
  let codec;
  let seed = 0;
  let stopper = new AbortController();
  /** @type {Phase} */
  let phase = 'empty';

  /** @param {Phase} next */
  function enter(next) {
    if (phase === next) return;
    phase = next;
    onPhase(phase);
  }

  /** Shows a half as the model sees it. @param {Row} row */
  function see(row) {
    if (model && codec) row.give(codec, model.complete(row.emoji.image).known);
  }

  /** @param {Row} row @param {Model} artist @param {Codec} knows @param {AbortSignal} signal */
  async function draw(row, artist, knows, signal) {
    const { image, style } = row.emoji;
    const { channels, classes } = artist.info;
    const run = artist.complete(image, {
      samples: SAMPLES, seed, temperature: TEMPERATURE, signal, chunk: CHUNK * channels, label: classes.includes(style) ? style : null,
    });
    row.begin();
    const pace = new Pace(reducedMotion() ? Infinity : SPEED);
    let asked = performance.now();
    let whole = true;
    for await (const step of run) {
      row.take(knows, step);
      if (step.sample < SAMPLES - 1) continue;
      const pixels = (step.to - step.from) / channels;
      // The first pull reads the given half as well.
      if (!whole) onPull(performance.now() - asked, SAMPLES * pixels);
      whole = false;
      for (let left = pixels; left > 0;) left -= await pace.take(left, signal);
      asked = performance.now();
    }
    row.end();
  }

  /** Draws these rows in turn. @param {Row[]} queue */
  async function run(queue) {
    stopper.abort();
    const [artist, knows] = [model, codec];
    if (!artist || !knows) return;
    stopper = new AbortController();
    const { signal } = stopper;
    for (const row of queue) row.clear();
    enter('running');
    try {
      const shown = queue.filter((row) => row.shown);
      for (const row of shown) await draw(row, artist, knows, signal);
      enter(rows.every((row) => row.done || !row.shown) ? 'done' : 'ready');
      onEnd(shown.map(({ emoji }) => emoji));
    } catch (error) {
      if (signal.aborted) return;
      for (const row of rows) if (!row.done) row.clear();
      enter('ready');
      onError(error);
    }
  }

  function stop() {
    stopper.abort();
    for (const row of rows) row.stop();
    if (phase === 'running') enter('ready');
  }

  return {
    get phase() { return phase; },
    /** @param {Model | null} loaded */
    use(loaded) {
      stop();
      model = loaded ?? undefined;
      codec = loaded ? new Codec(loaded.info, loaded.order) : undefined;
      rows.forEach(see);
      enter(loaded ? 'ready' : 'empty');
    },
    /** @param {number} n */
    set seed(n) { seed = n; },
    start: () => run(rows),
    /** Draws what is missing. */
    resume: () => run(rows.filter((row) => !row.done)),
    stop,
    /** Puts an emoji in the first row; if another row has it, they change places. @param {Emoji} emoji */
    choose(emoji) {
      const other = rows.find((row) => row.emoji === emoji && row !== rows[0]);
      const running = phase === 'running';
      stopper.abort();
      other?.show(rows[0].emoji);
      rows[0].show(emoji);
      const changed = rows.filter((row) => row === rows[0] || row === other);
      changed.forEach(see);
      run(running ? rows.filter((row) => !row.done) : changed);
    },
  };
}
