// SPDX-License-Identifier: MIT
// @ts-check

/** Tests the figure on the FVSBN page that shows four distributions of one grey level. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { SHADES, bernoulli, categorical, gaussian, logistic } from '../../web/pages/fvsbn/densities.js';

const every = Array.from({ length: SHADES }, (_, x) => x);
const sum = (/** @type {(x: number) => number} */ nats, shades = every) => shades.reduce((total, x) => total + Math.exp(-nats(x)), 0);
/** @param {number} actual @param {number} expected */
const near = (actual, expected, by = 1e-9) => assert.ok(Math.abs(actual - expected) < by, `${actual}, not ${expected}`);

test('each distribution adds up to 1 over its values, which are two, sixteen, or all shades', () => {
  for (const mean of [0, 3, 90, 200, 255]) {
    for (const width of [2, 20, 80]) {
      near(sum(bernoulli({ mean, width }), [0, 255]), 1);
      near(
        sum(
          categorical({ mean, width }),
          every.filter((x) => x % 16 === 0),
        ),
        1,
      );
      near(sum(logistic({ mean, width })), 1, 1e-6);
    }
  }
  near(sum(gaussian({ mean: 128, width: 10 })), 1, 1e-9);
});

test('far from the mean, the loss of a Gaussian grows quadratically, that of a logistic grows linearly, and no loss is infinite', () => {
  const [round, straight] = [gaussian({ mean: 20, width: 2 }), logistic({ mean: 20, width: 2 })];
  near(round(220) - round(120), 0.5 * (100 ** 2 - 50 ** 2));
  const slope = Math.PI / (2 * Math.sqrt(3));
  for (const x of [60, 120, 200, 253]) near(straight(x + 1) - straight(x), slope, 1e-3);
  near(bernoulli({ mean: 255, width: 2 })(0), -Math.log(0.001));
});
