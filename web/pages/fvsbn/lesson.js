// SPDX-License-Identifier: MIT
// Trains a network on the picked pictures, in random order, and records the mean cost of a picture, in nats, during the training. This file
// does not use the DOM.
// @ts-check
import { randomFrom } from '../../shell/run/random.js';
import { learn, natsOf, nothingLearnt } from './learn.js';
/** @import { Point } from './curve.js' */

/**
 * Learning rate. The values 0.005, 0.01, 0.02, 0.03 and 0.05 were tried. 0.02 is the largest of these rates at which the cost of forty
 * held-out digits still decreases in the tenth pass over the training digits.
 */
const RATE = 0.02;
/** Each point of the training curve is the mean cost of this many training digits. */
const EACH = 20;
/** Each point of the held-out curve is the mean cost of at most this many held-out digits. */
const UNSEEN = 40;

export class Lesson {
  /** @type {Uint8Array[]} the digits that the visitor can pick */
  #pictures;
  /** Indices of the digits that the network has learned from. @type {Set<number>} */
  #seen = new Set();
  /** The digits that the current pass has not visited yet. @type {number[]} */
  #queue = [];
  #random = randomFrom(1);
  #sum = 0;
  #summed = 0;

  /** Indices of the digits that the visitor has picked for training. @type {Set<number>} */
  picked = new Set();
  steps = 0;
  /** @type {Point[]} */
  points = [];
  weights;

  /** @param {Uint8Array[]} pictures the pictures; a pixel is 1 if it is ink. More pictures may be added later */
  constructor(pictures) {
    this.#pictures = pictures;
    this.weights = nothingLearnt(pictures[0].length);
  }

  /**
   * Learns from the next picked picture. Each pass visits the picked pictures in a new random order. Returns the index of the picture, or
   * -1 if none is picked.
   */
  step() {
    while (this.#queue.length && !this.picked.has(this.#queue[this.#queue.length - 1])) this.#queue.pop();
    if (!this.#queue.length) this.#queue = this.#shuffled();
    const k = this.#queue.pop() ?? -1;
    if (k < 0) return k;
    this.#seen.add(k);
    this.#sum += learn(this.weights, this.#pictures[k], RATE);
    this.#summed++;
    this.steps++;
    if (this.#summed === EACH || this.steps === 1) this.#mark();
    return k;
  }

  #mark() {
    const unseen = this.#pictures.flatMap((picture, k) => (this.#seen.has(k) ? [] : [picture])).slice(-UNSEEN);
    const sum = unseen.reduce((nats, picture) => nats + natsOf(this.weights, picture), 0);
    this.points.push({ at: this.steps, learning: this.#sum / this.#summed, unseen: unseen.length ? sum / unseen.length : NaN });
    this.#sum = this.#summed = 0;
  }

  /** Returns the picked digits in random order. */
  #shuffled() {
    const order = [...this.picked];
    for (let i = order.length - 1; i > 0; i--) {
      const j = Math.floor(this.#random() * (i + 1));
      [order[i], order[j]] = [order[j], order[i]];
    }
    return order;
  }
}
