// SPDX-License-Identifier: MIT
// Builds a grid with a group of pictures for each class, and runs the model to draw the groups one by one.
// @ts-check
import { Codec, blank } from '../library.js';
import { make, reducedMotion } from '../page/dom.js';
import { phrase } from '../page/phrase.js';
import { Playback } from '../run/playback.js';
import { onTheme, palette } from './palette.js';
/** @import { Model, PictureStep } from '../library.js' */
/** @import { Shot } from './take.js' */
/** @import { Phase } from '../run/transport.js' */

export const SAMPLES = 6;
/** Maximum speed of each picture, in pixels per second. At this speed a group takes about a second, which is slow enough to watch. */
const SPEED = 900;
/** Pixels per request. A request draws one row of a digit, so that a group grows steadily. */
const CHUNK = 28;

/** A picture and the number of its pixels drawn so far. */
class Tile {
  #codec;
  #elements;
  #filled = 0;
  canvas;

  /** @param {Codec} codec */
  constructor(codec) {
    const { width, height } = codec.info;
    this.#codec = codec;
    this.#elements = new Uint8Array(codec.elements);
    this.canvas = make('canvas', { role: 'img', width: String(width), height: String(height) });
  }

  clear() {
    this.#filled = 0;
    this.paint(false);
  }

  /** @param {PictureStep} step */
  take({ from, to, values }) {
    this.#elements.set(values, from);
    this.#filled = to;
  }

  /** @param {string} name @param {string} file @returns {Shot[]} empty if nothing is drawn yet */
  shots(name, file) {
    if (this.#filled === 0) return [];
    this.paint(false);
    const { width, height, channels } = this.#codec.info;
    const picture = this.canvas.getContext('2d')?.getImageData(0, 0, width, height) ?? blank(width, height);
    const order = Array.from({ length: this.#filled / channels }, (_, i) => Math.floor(this.#codec.place(i * channels) / channels));
    return [{ name, file, picture, order }];
  }

  /** @param {boolean} pen whether to mark the pixel that is drawn next */
  paint(pen) {
    const { width, height, channels } = this.#codec.info;
    const context = this.canvas.getContext('2d');
    if (!context) return;
    const { predicted, accent } = palette();
    const elements = this.#elements;
    context.clearRect(0, 0, width, height);
    /** @param {number} at element @param {string} colour */
    const dot = (at, colour) => {
      const pixel = Math.floor(this.#codec.place(at) / channels);
      context.fillStyle = colour;
      context.fillRect(pixel % width, Math.floor(pixel / width), 1, 1);
    };
    for (let at = 0; at < this.#filled; at += channels) {
      dot(at, channels === 1 ? predicted[elements[at]] : `rgb(${elements[at]} ${elements[at + 1]} ${elements[at + 2]})`);
    }
    if (pen && this.#filled < elements.length) dot(this.#filled, accent);
  }
}

/** The pictures of one class. */
class Group {
  /** Whether all pictures of the class are complete. */
  done = false;
  #drawing = false;
  #tiles;
  root;

  /** @param {string} name @param {Codec} codec */
  constructor(name, codec) {
    this.name = name;
    this.#tiles = Array.from({ length: SAMPLES }, () => new Tile(codec));
    this.root = make(
      'div',
      { class: 'class-group', role: 'listitem' },
      make('p', { class: 'class-name' }, phrase(name)),
      make('div', { class: 'class-tiles' }, ...this.#tiles.map(({ canvas }) => make('div', { class: 'class-tile' }, canvas))),
    );
    this.clear();
  }

  clear() {
    this.done = this.#drawing = false;
    for (const tile of this.#tiles) tile.clear();
    this.#label(phrase`not drawn yet`);
  }

  begin() {
    this.clear();
    this.#drawing = true;
    this.#label(phrase`being drawn`);
  }

  /** @param {PictureStep} step */
  take(step) {
    const tile = this.#tiles[step.sample];
    tile.take(step);
    // With reduced motion, the pictures of a class appear only when they are finished.
    if (!reducedMotion()) tile.paint(true);
  }

  end() {
    this.done = true;
    this.#leave(phrase`drawn`);
  }

  /** @param {string} file */
  shots(file) {
    return this.#tiles.flatMap((tile, i) =>
      tile.shots(phrase`${phrase(this.name)}, picture ${i + 1}`, `${file}-${this.name.toLowerCase().replaceAll(' ', '-')}-${i + 1}`),
    );
  }

  /** Stops the run. Unfinished pictures stay visible. */
  stop() {
    if (this.#drawing) this.#leave(phrase`not finished`);
  }

  /** Removes the mark on the pixel that would be drawn next. @param {string} how */
  #leave(how) {
    this.#drawing = false;
    this.#label(how);
    this.paint();
  }

  paint() {
    for (const tile of this.#tiles) tile.paint(this.#drawing && !reducedMotion());
  }

  /** @param {string} how */
  #label(how) {
    this.#tiles.forEach(({ canvas }, i) => canvas.setAttribute('aria-label', phrase`${phrase(this.name)}, picture ${i + 1}: ${how}`));
  }
}

/**
 * @param {HTMLElement} root
 * @param {Object} hooks
 * @param {(phase: Phase) => void} hooks.onPhase
 * @param {(done: number, of: number) => void} hooks.onProgress receives the number of finished groups and the number of all groups
 * @param {(ms: number, pixels: number) => void} hooks.onPull receives the time that the model took, and the number of pixels that it drew
 * @param {(error: unknown) => void} hooks.onError
 */
export function createClassGrid(root, { onPhase, onProgress, onPull, onError }) {
  /** @type {Model | null} */
  let model = null;
  /** @type {Group[]} */
  let groups = [];
  let temperature = 1;
  const playback = new Playback({
    speed: SPEED,
    onPhase,
    onError(error) {
      for (const group of groups) if (!group.done) group.clear();
      onError(error);
    },
  });

  /** @param {Group} group @param {Model} artist @param {number} seed @param {AbortSignal} signal */
  async function draw(group, artist, seed, signal) {
    const { channels } = artist.info;
    const run = artist.generate({ label: group.name, samples: SAMPLES, seed, temperature, signal, chunkSize: CHUNK * channels });
    group.begin();
    let asked = performance.now();
    for await (const step of run) {
      group.take(step);
      if (step.sample < SAMPLES - 1) continue;
      const pixels = (step.to - step.from) / channels;
      onPull(performance.now() - asked, SAMPLES * pixels);
      await playback.pass(pixels, signal);
      asked = performance.now();
    }
    group.end();
  }

  /** @param {Group[]} queue groups, in the order of drawing @param {number} seed */
  async function run(queue, seed) {
    const artist = model;
    if (!artist) return;
    for (const group of groups) group.stop();
    for (const group of queue) group.clear();
    const report = () => onProgress(groups.filter(({ done }) => done).length, groups.length);
    await playback.run(async (signal) => {
      report();
      for (const group of queue) {
        await draw(group, artist, seed, signal);
        report();
      }
    });
  }

  function stop() {
    for (const group of groups) group.stop();
    playback.stop();
  }

  onTheme(() => {
    for (const group of groups) group.paint();
  });

  return {
    get phase() {
      return playback.phase;
    },
    /** Shows the classes of a model, or an empty grid without a model. @param {Model | null} loaded @param {number} [heat] temperature */
    use(loaded, heat = 1) {
      stop();
      model = loaded;
      temperature = heat;
      if (loaded) {
        const codec = new Codec(loaded.info, loaded.order);
        groups = loaded.info.classes.map((name) => new Group(name, codec));
        root.replaceChildren(...groups.map((group) => group.root));
      }
      playback.enter(loaded ? 'ready' : 'empty');
    },
    /** @param {number} seed */
    start: (seed) => run(groups, seed),
    /** Draws the pictures that are missing. @param {number} seed */
    resume: (seed) =>
      run(
        groups.filter(({ done }) => !done),
        seed,
      ),
    stop,
    /** @param {string} file prefix of the file names */
    shots: (file) => groups.flatMap((group) => group.shots(file)),
  };
}
