// SPDX-License-Identifier: MIT
// @ts-check

/** The page on alignment computes its networks in JavaScript, in order to show all internal values. Checks that the words and attention
 * weights of these networks equal those that the engine computes. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { load } from '../../web/lib/index.js';
import { networkOf } from '../../web/pages/alignment/network.js';
import { EXAMPLES } from '../../web/pages/alignment/examples.js';
import { FUNCTIONS, scored } from '../../web/pages/alignment/score-functions.js';
import { oneOf } from '../more.js';

/**
 * Upper bounds for the largest and the mean difference between an attention weight of the page and the same weight in the engine. The
 * engine rounds its products to eight bits.
 */
const [MOST, MEAN] = [0.03, 0.001];

for (const [i, name] of ['general', 'additive', 'local-p', 'location', 'none'].entries()) {
  oneOf(i, 3)(`${name}: the words and the weights equal those that the engine computes`, async () => {
    const bytes = readFileSync(new URL(`../../weights/seq2seq-${name}.gguf`, import.meta.url));
    const network = networkOf(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
    const model = await load(new Uint8Array(bytes));
    let [most, sum, count, other, words] = [0, 0, 0, 0, 0];
    for (const sentence of EXAMPLES) {
      const run = model.translate(sentence, { maps: true });
      /** @type {import('../../web/lib/index.js').TranslationStep[]} */
      const steps = [];
      for await (const step of run) steps.push(step);
      const ids = steps.map(({ token }) => token);
      const written = network.write(network.read(run.source), ids);
      written.forEach(({ weights, joined }, t) => {
        const theirs = steps[t].maps?.find((map) => map.name === 'source')?.weights ?? [];
        weights.forEach((w, i) => {
          most = Math.max(most, Math.abs(w - theirs[i]));
          sum += Math.abs(w - theirs[i]);
          count++;
        });
        const odds = network.odds(network.output(joined));
        words++;
        if (odds.indexOf(Math.max(...odds)) !== ids[t]) other++;
      });
    }
    await model.close();
    assert.ok(most < MOST, `a weight differs by ${most}`);
    if (name === 'none') assert.equal(count, 0, 'without attention there are no weights');
    else assert.ok(sum / count < MEAN, `weights differ by ${sum / count} on average`);
    assert.equal(other, 0, `${other} of ${words} words differ`);
  });
}

test('without attention, removing a word from the start state gives the same state as reading only the other words', () => {
  const bytes = readFileSync(new URL('../../weights/seq2seq-none.gguf', import.meta.url));
  const network = networkOf(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  const ids = [5, 9, 33, 12, 60, 2];
  const source = network.read(ids);
  for (const left of [0, 2, 5])
    assert.deepEqual(network.startWithout(source, ids, left), network.read(ids.filter((_, i) => i !== left)).start, `without ${left}`);
});

test("the page's statements about the scores in the `general` network are true", async () => {
  const bytes = readFileSync(new URL('../../weights/seq2seq-general.gguf', import.meta.url));
  const network = networkOf(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  const model = await load(new Uint8Array(bytes));
  const [dot, scaled, cosine] = ['dot', 'scaled-dot', 'cosine'].map(
    (id) => /** @type {NonNullable<(typeof FUNCTIONS)[0]['score']>} */ (FUNCTIONS.find((one) => one.id === id)?.score),
  );
  const best = (/** @type {Float32Array} */ row) => row.indexOf(Math.max(...row));
  let [words, found] = [0, 0];
  for (const sentence of EXAMPLES) {
    const run = model.translate(sentence);
    await run.text();
    const source = network.read(run.source);
    for (const { state, scores, weights } of network.write(source, run.ids)) {
      assert.deepEqual(scored(dot, state, source.keys, 1).scores, scores, 'the dot product with the keys W h is the general score');
      const softer = scored(scaled, state, source.keys, 1).weights;
      assert.equal(best(softer), best(weights));
      assert.ok(Math.max(...softer) <= Math.max(...weights) + 1e-6);
      const byAngle = scored(cosine, state, source.keys, 10).scores;
      assert.ok(byAngle.every((x) => Math.abs(x) <= 10.001));
      words++;
      if (best(scored(dot, state, source.h, 1).weights) === best(weights)) found++;
    }
  }
  await model.close();
  assert.ok(found < words / 2, `with the keys h it finds ${found} of ${words}`);
});
