// SPDX-License-Identifier: MIT
// Trains a generative adversarial network on points in the plane. The networks are so small that visitors can watch the training. This file
// does not use the DOM.
//
//   Hinge losses, as in SAGAN: D minimises mean max(0, 1 - D(real)) + mean max(0, 1 + D(G(z))), and G minimises -mean D(G(z)).
//
// Both D and G have three linear layers with leaky ReLUs, and are trained by Adam with betas 0 and 0.9, as in SAGAN. In a network with
// `normalise`, every matrix W is divided by its largest singular value. One power iteration per training step keeps the estimate of this
// value up to date.
// @ts-check
import { randomFrom } from '../../shell/run/random.js';

/** Width of a hidden layer, width of the latent vector, width of a point, and number of points per batch. */
export const HIDDEN = 32,
  LATENT = 2,
  POINT = 2,
  BATCH = 32;
/** Slope of a leaky ReLU for negative numbers. */
const LEAK = 0.2;
const BETA = 0.9;
const EPSILON = 1e-8;
/** MODES: number of modes on the ring. RADIUS: radius of the ring. SPREAD: standard deviation of the points of a mode along each axis. */
export const MODES = 8;
export const RADIUS = 2;
const SPREAD = 0.04 * RADIUS;

/** @typedef {() => number} Random returns numbers that are uniform in [0, 1) */

/** Returns a random number from the normal distribution. @param {Random} random */
const normal = (random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/**
 * Returns random points of the data, as an array of shape (count, 2). Each point is close to a random mode on the ring.
 *
 * @param {number} count
 * @param {Random} random
 */
export function ring(count, random) {
  const points = new Float32Array(count * POINT);
  for (let i = 0; i < count; i++) {
    const angle = (2 * Math.PI * Math.floor(MODES * random())) / MODES;
    points[2 * i] = RADIUS * Math.cos(angle) + SPREAD * normal(random);
    points[2 * i + 1] = RADIUS * Math.sin(angle) + SPREAD * normal(random);
  }
  return points;
}

/**
 * Returns the number of covered modes. A point is near a mode if its distance from the mode is less than 0.2 RADIUS. A mode is covered if
 * at least 1 / (4 MODES) of all points are near it.
 * @param {Float32Array} points
 */
export function covered(points) {
  const hits = new Uint32Array(MODES);
  const count = points.length / POINT;
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < MODES; k++) {
      const angle = (2 * Math.PI * k) / MODES;
      if (Math.hypot(points[2 * i] - RADIUS * Math.cos(angle), points[2 * i + 1] - RADIUS * Math.sin(angle)) < 0.2 * RADIUS) hits[k]++;
    }
  }
  return hits.filter((hit) => hit >= count / MODES / 4).length;
}

/** A linear layer y = W x + b with W of shape (out, in). The layer also stores the second moments for Adam. */
class Layer {
  /** @param {number} inputs @param {number} outputs @param {Random} random @param {boolean} normalise */
  constructor(inputs, outputs, random, normalise) {
    this.inputs = inputs;
    this.outputs = outputs;
    this.normalise = normalise;
    const scale = Math.sqrt(2 / inputs);
    this.weight = Float32Array.from({ length: inputs * outputs }, () => scale * normal(random));
    this.bias = new Float32Array(outputs);
    this.moment = new Float32Array(inputs * outputs + outputs);
    this.gradient = new Float32Array(inputs * outputs + outputs);
    this.u = Float32Array.from({ length: outputs }, () => normal(random));
    this.v = new Float32Array(inputs);
    this.steps = 0;
    this.sigma = 1;
    /** The weights that run() uses: W, or W divided by sigma. */
    this.used = this.weight;
    this.iterate();
  }

  /** Performs one power iteration: v = W' u, u = W v, both scaled to length 1; sigma = u' W v. */
  iterate() {
    if (!this.normalise) return;
    const { inputs, outputs, weight, u, v } = this;
    v.fill(0);
    for (let o = 0; o < outputs; o++) for (let i = 0; i < inputs; i++) v[i] += weight[o * inputs + i] * u[o];
    const long = Math.hypot(...v) || 1;
    for (let i = 0; i < inputs; i++) v[i] /= long;
    for (let o = 0; o < outputs; o++) {
      let sum = 0;
      for (let i = 0; i < inputs; i++) sum += weight[o * inputs + i] * v[i];
      u[o] = sum;
    }
    this.sigma = Math.hypot(...u) || 1;
    for (let o = 0; o < outputs; o++) u[o] /= this.sigma;
    this.used = weight.map((w) => w / this.sigma);
  }

  /** @param {Float32Array} x shape (n, in) @returns {Float32Array} shape (n, out) */
  forward(x) {
    const { inputs, outputs, used, bias } = this;
    const n = x.length / inputs;
    const y = new Float32Array(n * outputs);
    for (let k = 0; k < n; k++) {
      for (let o = 0; o < outputs; o++) {
        let sum = bias[o];
        for (let i = 0; i < inputs; i++) sum += used[o * inputs + i] * x[k * inputs + i];
        y[k * outputs + o] = sum;
      }
    }
    return y;
  }

  /**
   * Adds this batch's gradients of the weights and biases to `gradient`.
   *
   * @param {Float32Array} x (n, in)
   * @param {Float32Array} dy (n, out)
   * @returns {Float32Array} gradient of x, (n, in)
   */
  backward(x, dy) {
    const { inputs, outputs, used, gradient } = this;
    const n = x.length / inputs;
    const dx = new Float32Array(x.length);
    for (let k = 0; k < n; k++) {
      for (let o = 0; o < outputs; o++) {
        const d = dy[k * outputs + o];
        if (d === 0) continue;
        gradient[inputs * outputs + o] += d;
        for (let i = 0; i < inputs; i++) {
          gradient[o * inputs + i] += d * x[k * inputs + i];
          dx[k * inputs + i] += d * used[o * inputs + i];
        }
      }
    }
    return dx;
  }

  /** Takes one step of Adam down the gradient, and then resets the gradient. @param {number} rate */
  step(rate) {
    const { inputs, outputs, weight, bias, gradient, moment, used, u, v, sigma } = this;
    const size = inputs * outputs;
    if (this.normalise) {
      // Converts the gradient of W / sigma(W) to the gradient of W. The term that contains u v' comes from the derivative of sigma.
      let along = 0;
      for (let i = 0; i < size; i++) along += gradient[i] * used[i];
      for (let o = 0; o < outputs; o++)
        for (let i = 0; i < inputs; i++) gradient[o * inputs + i] = (gradient[o * inputs + i] - along * u[o] * v[i]) / sigma;
    }
    const unbiased = 1 - BETA ** ++this.steps;
    for (let i = 0; i < gradient.length; i++) {
      moment[i] = BETA * moment[i] + (1 - BETA) * gradient[i] ** 2;
      const change = (rate * gradient[i]) / (Math.sqrt(moment[i] / unbiased) + EPSILON);
      if (i < size) weight[i] -= change;
      else bias[i - size] -= change;
    }
    gradient.fill(0);
    this.iterate();
  }
}

/** A network of three linear layers with leaky ReLUs between them. */
export class Network {
  /** @param {number} inputs @param {number} outputs @param {Random} random @param {boolean} normalise */
  constructor(inputs, outputs, random, normalise) {
    this.layers = [
      new Layer(inputs, HIDDEN, random, normalise),
      new Layer(HIDDEN, HIDDEN, random, normalise),
      new Layer(HIDDEN, outputs, random, normalise),
    ];
  }

  /** @param {Float32Array} x @returns {Float32Array[]} the input of each layer, and the output of the network */
  run(x) {
    return this.layers.reduce(
      (all, layer, k) => {
        const y = layer.forward(all[k]);
        if (k < this.layers.length - 1) for (let i = 0; i < y.length; i++) if (y[i] < 0) y[i] *= LEAK;
        all.push(y);
        return all;
      },
      [x],
    );
  }

  /**
   * @param {Float32Array[]} all result of run()
   * @param {Float32Array} dy gradient of the output
   * @returns {Float32Array} gradient of the input
   */
  back(all, dy) {
    let d = dy;
    for (let k = this.layers.length - 1; k >= 0; k--) {
      if (k < this.layers.length - 1) {
        const y = all[k + 1];
        for (let i = 0; i < d.length; i++) if (y[i] < 0) d[i] *= LEAK;
      }
      d = this.layers[k].backward(all[k], d);
    }
    return d;
  }

  /** @param {number} rate */
  step(rate) {
    for (const layer of this.layers) layer.step(rate);
  }

  /** Discards the gradients of this network's weights. Used when a gradient passes through this network only to reach the other network. */
  forget() {
    for (const layer of this.layers) layer.gradient.fill(0);
  }
}

/**
 * Settings for training a GAN. The learning rates are positive.
 * @typedef {{ normaliseD: boolean, normaliseG: boolean, rateD: number, rateG: number }} Training
 */

export class Gan {
  /**
   * @param {Training} training
   * @param {number} seed seed for the weights, data and latent vectors; variants with the same seed start from the same weights
   */
  constructor({ normaliseD, normaliseG, rateD, rateG }, seed) {
    this.random = randomFrom(seed);
    this.generator = new Network(LATENT, POINT, this.random, normaliseG);
    this.discriminator = new Network(POINT, 1, this.random, normaliseD);
    this.rates = { D: rateD, G: rateG };
    this.steps = 0;
  }

  /** Returns random latent vectors. @param {number} count @param {Random} [random] */
  latents(count, random = this.random) {
    return Float32Array.from({ length: count * LATENT }, () => normal(random));
  }

  /** Generates the points for latent vectors. @param {Float32Array} latents */
  points(latents) {
    return /** @type {Float32Array} */ (this.generator.run(latents).at(-1));
  }

  /** Takes one training step of D, and then one training step of G. */
  step() {
    const { generator, discriminator, rates, random } = this;
    for (const [points, sign] of /** @type {[Float32Array, number][]} */ ([
      [ring(BATCH, random), 1],
      [this.points(this.latents(BATCH)), -1],
    ])) {
      const all = discriminator.run(points);
      const scores = all[all.length - 1];
      discriminator.back(
        all,
        scores.map((score) => (sign * score < 1 ? -sign / BATCH : 0)),
      );
    }
    discriminator.step(rates.D);

    const made = generator.run(this.latents(BATCH));
    const all = discriminator.run(made[made.length - 1]);
    const toPoints = discriminator.back(all, new Float32Array(BATCH).fill(-1 / BATCH));
    discriminator.forget();
    generator.back(made, toPoints);
    generator.step(rates.G);
    this.steps++;
  }
}
