// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Draws a sound as a waveform over time. Each column of pixels has a line from its lowest to its highest sample; the higher the surprisal
 * of its samples, the more opaque the line.
 */

import { Timeline } from '../sinks/timeline.js';

/** @import { Dom } from '../base/dom.js' */
/** @import { SoundStep } from '../kinds/sound/sound-run.js' */
/** @import { Canvas } from '../sinks/canvas.js' */

/**
 * @typedef {object} WaveformOptions
 * @property {Dom<'Element'>} [mirror]  an element whose text is set to a sentence about the sound
 * @property {number} [from]            start of the part to show, in seconds. By default, the whole sound is shown. While a sound is being
 *   drawn, the time axis extends to its maximum length
 * @property {number} [to]
 */

/** A sample with this many nats or more is fully opaque. If all levels are equally probable, a sample costs this many nats. */
const MOST_NATS = Math.log(256);
/** `FAINT`: opacity of samples without surprisal. `GIVEN`: opacity of the given part. */
const FAINT = 0.25;
const GIVEN = 0.6;

export class Waveform extends Timeline {
  #rate;
  #most;
  /** @type {number[]} */
  #samples = [];
  /** @type {number[]} */
  #nats = [];
  #known = 0;

  /**
   * @param {Canvas} canvas
   * @param {WaveformOptions & { sampleRate: number, most: number }} options  most: the maximum length in samples
   */
  constructor(canvas, { sampleRate, most, mirror, from, to }) {
    super(canvas, { from, to, mirror });
    this.#rate = sampleRate;
    this.#most = most;
    this.paint();
  }

  /** Returns the length of the sound and of its given part, in seconds, and the mean bits per drawn sample (NaN if none was drawn). */
  get facts() {
    const drawn = this.#nats.length;
    return {
      seconds: this.#samples.length / this.#rate,
      given: this.#known / this.#rate,
      bits: drawn > 0 ? this.#nats.reduce((sum, cost) => sum + cost, 0) / drawn / Math.LN2 : NaN,
    };
  }

  /** Returns a sentence that describes the sound. */
  get result() {
    const { seconds, given, bits } = this.facts;
    return `A sound of ${seconds.toFixed(2)} s${given > 0 ? `, of which ${given.toFixed(2)} s were given` : ''}${bits >= 0 ? `, ${bits.toFixed(1)} bits a sample` : ''}.`;
  }

  /** Sets the given sound, which the run continues. @param {Float32Array} samples @param {number} most */
  given(samples, most) {
    this.#samples = [...samples, ...this.#samples];
    this.#known = samples.length;
    this.#most = Math.max(most, samples.length);
    this.paintSoon();
  }

  /** @param {Pick<SoundStep, 'samples' | 'nats'>} step */
  add({ samples, nats }) {
    for (const sample of samples) this.#samples.push(sample);
    for (const cost of nats) this.#nats.push(cost);
    this.paintSoon();
  }

  /** Paints now, in the current colours. @override */
  paint() {
    this.fit();
    super.paint();
    const { context, width, height } = this;
    const { ink, accent, surprise, forced } = this.colours();
    const all = (this.ended ? this.#samples.length : Math.max(this.#most, this.#samples.length)) || 1;
    const { from = 0, to = all / this.#rate } = this.stretch;
    const perPixel = (Math.max(to - from, 1e-6) * this.#rate) / Math.max(width, 1);
    const middle = height / 2;
    const y = (/** @type {number} */ sample) => middle - sample * (middle - 2);
    context.globalAlpha = FAINT;
    context.fillStyle = ink;
    context.fillRect(0, middle - 0.5, width, 1);
    if (perPixel < 0.25) this.#paintDots(from * this.#rate, 1 / perPixel, y, forced ? ink : accent);
    else {
      let last = -1;
      for (let x = 0; x < width; x++) {
        const begin = Math.max(0, Math.floor(from * this.#rate + x * perPixel));
        const end = Math.min(this.#samples.length, Math.max(begin + 1, Math.floor(from * this.#rate + (x + 1) * perPixel)));
        if (begin >= end) continue;
        // The range includes the last sample of the previous column, so that columns meet.
        let [low, high, cost] = [this.#samples[Math.max(0, begin - 1)], this.#samples[Math.max(0, begin - 1)], 0];
        for (let i = begin; i < end; i++) {
          low = Math.min(low, this.#samples[i]);
          high = Math.max(high, this.#samples[i]);
          cost += this.#nats[i - this.#known] ?? 0;
        }
        const given = begin < this.#known;
        context.fillStyle = given ? ink : forced ? ink : surprise;
        context.globalAlpha = given ? GIVEN : FAINT + (1 - FAINT) * Math.min(1, cost / (end - begin) / MOST_NATS);
        context.fillRect(x, y(high), 1, Math.max(1, y(low) - y(high)));
        last = x;
      }
      if (!this.ended && last >= 0) {
        context.globalAlpha = 1;
        context.fillStyle = accent;
        context.fillRect(last, 0, 1, height);
      }
    }
    context.globalAlpha = 1;
    this.paintCursor((seconds) => ((seconds - from) * this.#rate) / perPixel, 1);
  }

  /**
   * Draws single samples as dots on stems.
   *
   * @param {number} first  index of the sample at the left edge
   * @param {number} step   distance between two samples, in pixels
   * @param {(sample: number) => number} y
   * @param {string} colour
   */
  #paintDots(first, step, y, colour) {
    const { context, width } = this;
    const size = Math.min(6, Math.max(2, step / 3));
    for (let i = Math.max(0, Math.ceil(first)); i < this.#samples.length && (i - first) * step < width; i++) {
      const x = (i - first + 0.5) * step;
      const top = y(this.#samples[i]);
      context.fillStyle = colour;
      context.globalAlpha = FAINT;
      context.fillRect(x - 0.5, Math.min(top, y(0)), 1, Math.abs(top - y(0)));
      context.globalAlpha = i < this.#known ? GIVEN : 1;
      context.beginPath();
      context.arc(x, top, size / 2, 0, 2 * Math.PI);
      context.fill();
    }
  }
}
