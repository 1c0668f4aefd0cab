// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The SAGAN page itself computes f, g and h, the projections of its attention. Except for rounding to 8 bits, these projections must equal
 * those that the engine computes, so the page and the engine must have the same attention weights.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { load } from '../../web/lib/index.js';
import { createInside } from '../../web/pages/sagan/inside.js';
import { ROOT } from './helpers.js';

/** @import { LatentOptions } from '../../web/lib/index.js' */
/** @import { AnyModel as Model } from '../../web/lib/model/of-kind.js' */

/**
 * Starts a run from latents. The type of the general options does not include latents. @param {Model} model @param {LatentOptions} options
 */
const made = (model, options) => model.generate(options);

for (const [file, most] of /** @type {[string, number][]} */ ([
  ['tests/golden/sagan-tiny.gguf', 1e-4],
  ['tests/golden/sagan-whole-tiny.gguf', 1e-4],
  ['weights/sagan-emoji.gguf', 0.06],
])) {
  test(`f, g and h of ${file} give the same weights as the engine`, async () => {
    const bytes = readFileSync(`${ROOT}${file}`);
    const inside = createInside(new Uint8Array(bytes).buffer);
    assert.ok(inside);
    const model = /** @type {Model} */ (await load(`${ROOT}${file}`));
    for await (const { latent, maps } of made(model, { seed: 1, samples: 2, label: 1, maps: true })) {
      const { beta, f, g, h, o, x } = inside.of(latent, 1);
      const [{ weights, queries, keys }] = maps ?? [];
      const [rows, keyRows] = [queries, keys].map(({ length }) => Math.sqrt(length));
      const off = weights.reduce((worst, w, i) => Math.max(worst, Math.abs(w - beta[i])), 0);
      assert.ok(off < most, `${off}`);
      assert.deepEqual([f.side, g.side, h.side, o.side], [keyRows, rows, keyRows, rows]);
      assert.equal(o.channels, x.channels);
    }
    model.close();
  });
}
