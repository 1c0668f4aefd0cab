// SPDX-License-Identifier: MIT
// Runs two models. The pictures of both models grow pixel by pixel at the same speed, and all drawn pixels are stored.
// @ts-check
import { Codec, Playback, palette, pictureOf, reducedMotion } from '../../shell/index.js';
import { Geometry } from './geometry-pattern.js';
/** @import { PictureOptions, Model, Phase, PictureRun, PictureStep } from '../../shell/index.js' */

/** Number of pixels per request. The model is a few pixels ahead of the display. */
const CHUNK = 8;

/** One of the two pictures, and the run that draws it. In this figure, every position is a pixel. */
export class Track {
  /** Number of pixels that the model has drawn. The figure may show fewer. */
  #pulled = 0;
  /** @type {AsyncIterator<PictureStep, void, void> | null} */
  #steps = null;
  #ask;

  /**
   * @param {Model} model
   * @param {(options: PictureOptions) => PictureRun} ask function that starts a run
   */
  constructor(model, ask) {
    const { info, order } = model;
    this.info = info;
    this.codec = new Codec(info, order);
    this.geometry = new Geometry(info, order);
    this.elements = new Uint8Array(this.codec.elements);
    this.#ask = ask;
  }

  /** Starts a run at the first pixel. @param {number} seed @param {AbortSignal} signal */
  begin(seed, signal) {
    this.#pulled = 0;
    this.#steps = this.#ask({ seed, signal, chunkSize: CHUNK * this.info.channels })[Symbol.asyncIterator]();
  }

  /** Continues until `count` pixels are drawn. @param {number} count */
  async reach(count) {
    while (this.#steps && this.#pulled < count) {
      const { done, value: step } = await this.#steps.next();
      if (done) return;
      this.elements.set(step.values, step.from);
      this.#pulled = step.to / this.info.channels;
    }
  }

  /** Returns the picture drawn so far; the pixels that are not drawn yet are transparent. */
  picture() {
    return pictureOf(this.codec, this.elements.subarray(0, this.#pulled * this.info.channels));
  }

  /** Returns the number of drawn pixels. */
  get pulled() {
    return this.#pulled;
  }

  /** Returns the colour at a drawn position. @param {number} step */
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
 * @param {() => void} hooks.onChange called after more pixels were drawn
 * @param {(error: unknown) => void} hooks.onError
 */
export function createPlayer({ onPhase, onChange, onError }) {
  /** @type {Track[]} */
  let tracks = [];
  let head = 0;
  let total = 0;
  let seed = 0;
  const playback = new Playback({ onPhase, onError });

  /** @param {boolean} paused whether the run starts paused, so that each call of step() draws one position */
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
          // With reduced motion, the pictures appear only when they are finished, unless the visitor draws them step by step.
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
    /** Returns the number of positions drawn in each picture. */
    get head() {
      return head;
    },
    get tracks() {
      return tracks;
    },
    get total() {
      return total;
    },
    /** @param {Track[]} loaded the pictures of the two models; empty after the models were closed */
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
    /** @param {number} n pixels drawn per second in each picture */
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
    /** Draws one position of every picture, and pauses the run if it is active. */
    step() {
      if (playback.phase === 'running') this.pause();
      else if (playback.phase !== 'paused') run(true);
      playback.step();
    },
  };
}
