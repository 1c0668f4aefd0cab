// SPDX-License-Identifier: MIT
// Draws two pictures at the same speed, position by position, and remembers everything drawn.
// @ts-check
import { Codec, Playback, palette, pictureOf, reducedMotion } from '../../shell/index.js';
import { Geometry } from './geometry-pattern.js';
/** @import { PictureOptions, Model, Phase, PictureRun, PictureStep } from '../../shell/index.js' */

/** Number of pixels requested together: the model is a few pixels ahead of the display. */
const CHUNK = 8;

/** A picture whose positions are pixels, and the run that draws it. */
export class Track {
  /** Pixels drawn so far; fewer may be shown. */
  #pulled = 0;
  /** @type {AsyncIterator<PictureStep, void, void> | null} */
  #steps = null;
  #ask;

  /**
   * @param {Model} model
   * @param {(options: PictureOptions) => PictureRun} ask starts a run
   */
  constructor(model, ask) {
    const { info, order } = model;
    this.info = info;
    this.codec = new Codec(info, order);
    this.geometry = new Geometry(info, order);
    this.elements = new Uint8Array(this.codec.elements);
    this.#ask = ask;
  }

  /** Starts a run from the first pixel. @param {number} seed @param {AbortSignal} signal */
  begin(seed, signal) {
    this.#pulled = 0;
    this.#steps = this.#ask({ seed, signal, chunkSize: CHUNK * this.info.channels })[Symbol.asyncIterator]();
  }

  /** Draws until this many pixels are drawn. @param {number} count */
  async reach(count) {
    while (this.#steps && this.#pulled < count) {
      const { done, value: step } = await this.#steps.next();
      if (done) return;
      this.elements.set(step.values, step.from);
      this.#pulled = step.to / this.info.channels;
    }
  }

  /** Returns the picture so far; transparent where nothing is drawn. */
  picture() {
    return pictureOf(this.codec, this.elements.subarray(0, this.#pulled * this.info.channels));
  }

  /** Returns the number of pixels drawn. */
  get pulled() {
    return this.#pulled;
  }

  /** Returns the colour of a drawn position. @param {number} step */
  colour(step) {
    const { channels } = this.info;
    const at = step * channels;
    return channels === 1
      ? palette().predicted[this.elements[at]]
      : `rgb(${this.elements[at]} ${this.elements[at + 1]} ${this.elements[at + 2]})`;
  }
}

/**
 * @param {Object} hooks
 * @param {(phase: Phase) => void} hooks.onPhase
 * @param {() => void} hooks.onChange more is drawn
 * @param {(error: unknown) => void} hooks.onError
 */
export function createPlayer({ onPhase, onChange, onError }) {
  /** @type {Track[]} */
  let tracks = [];
  let head = 0;
  let total = 0;
  let seed = 0;
  const playback = new Playback({ onPhase, onError });

  /** @param {boolean} paused wait for step() */
  const run = (paused) =>
    playback.run(
      async (signal) => {
        head = 0;
        for (const track of tracks) track.begin(seed, signal);
        onChange();
        while (head < total) {
          const more = await playback.take(Math.min(CHUNK, total - head), signal);
          await Promise.all(tracks.map((track) => track.reach(Math.min(head + more, track.geometry.positions))));
          signal.throwIfAborted();
          head += more;
          // With reduced motion the pictures appear when they are finished, unless the visitor steps through them.
          if (!reducedMotion() || playback.paused) onChange();
        }
        playback.enter('done');
        onChange();
      },
      { paused },
    );

  return {
    get phase() {
      return playback.phase;
    },
    /** Returns the number of drawn positions of each picture. */
    get head() {
      return head;
    },
    get tracks() {
      return tracks;
    },
    get total() {
      return total;
    },
    /** @param {Track[]} loaded null: the models are closed */
    use(loaded) {
      playback.abort();
      tracks = loaded;
      head = 0;
      total = Math.max(0, ...tracks.map(({ geometry }) => geometry.positions));
      playback.enter(tracks.length ? 'ready' : 'empty');
      onChange();
    },
    /** @param {number} n seed of the next run */
    set seed(n) {
      seed = n;
    },
    /** @param {number} n pixels per second of each picture */
    set speed(n) {
      playback.speed = n;
    },
    start() {
      if (tracks.length > 0) run(false);
    },
    pause() {
      if (playback.phase !== 'running') return;
      playback.pause();
      onChange();
    },
    resume: () => playback.resume(),
    /** Draws one position of every picture; pauses a running drawing. */
    step() {
      if (playback.phase === 'running') this.pause();
      else if (playback.phase !== 'paused') run(true);
      playback.step();
    },
  };
}
