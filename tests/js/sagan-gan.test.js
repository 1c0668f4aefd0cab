// SPDX-License-Identifier: MIT
// @ts-check

/** Tests the GAN that the SAGAN page trains on points: its gradients, its spectral norm, and whether it learns. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Gan, MODES, Network, POINT, RADIUS, covered, ring } from '../../web/pages/sagan/gan.js';
import { randomFrom } from '../../web/shell/run/random.js';
import { more } from '../more.js';

test('the data cover every group, and no point is in the middle', () => {
  const points = ring(512, randomFrom(1));
  assert.equal(covered(points), MODES);
  for (let i = 0; i < points.length; i += 2) assert.ok(Math.abs(Math.hypot(points[i], points[i + 1]) - RADIUS) < 0.5);
  assert.equal(covered(new Float32Array(512)), 0);
});

test('the computed gradient equals the quotients of finite differences', () => {
  const network = new Network(POINT, 1, randomFrom(2), false);
  const x = Float32Array.from([0.3, -0.7]);
  const all = network.run(x);
  const gradient = network.back(all, Float32Array.of(1));
  const by = 1e-2;
  for (let i = 0; i < POINT; i++) {
    const [up, down] = [1, -1].map((sign) => (network.run(x.map((value, k) => (k === i ? value + sign * by : value))).at(-1) ?? [NaN])[0]);
    assert.ok(Math.abs((up - down) / (2 * by) - gradient[i]) < 0.02 * Math.max(1, Math.abs(gradient[i])), `${gradient[i]}`);
  }
  const [layer] = network.layers;
  const own = layer.gradient[0];
  const [up, down] = [1, -1].map((sign) => {
    layer.weight[0] += sign * by;
    const [y] = network.run(x).at(-1) ?? [NaN];
    layer.weight[0] -= sign * by;
    return y;
  });
  assert.ok(Math.abs((up - down) / (2 * by) - own) < 0.02 * Math.max(1, Math.abs(own)), `${own}`);
});

test('with spectral normalisation, no layer makes a vector longer', () => {
  const { layers } = new Network(POINT, 1, randomFrom(3), true);
  const random = randomFrom(4);
  for (const layer of layers) {
    for (let k = 0; k < 50; k++) layer.iterate(); // as many power iterations as 50 training steps have
    const x = Float32Array.from({ length: layer.inputs }, () => random() - 0.5);
    const y = layer.forward(x); // the bias is zero
    assert.ok(Math.hypot(...y) <= 1.001 * Math.hypot(...x));
  }
});

/** Returns the number of groups of points that the GAN covers after 300 steps. @param {boolean} normaliseD @param {number} seed */
function after300(normaliseD, seed) {
  const gan = new Gan({ normaliseD, normaliseG: false, rateD: 0.005, rateG: 0.005 }, seed);
  const latents = gan.latents(256, randomFrom(99));
  for (let i = 0; i < 300; i++) gan.step();
  return covered(gan.points(latents));
}

more("the page's statements about 300 steps hold, and training is the same for the same seed", () => {
  const found = [false, true].map((normaliseD) => [1, 2].map((seed) => after300(normaliseD, seed)));
  assert.deepEqual(found, [
    [1, 0],
    [5, 6],
  ]);
  assert.equal(after300(true, 1), 5);
});
