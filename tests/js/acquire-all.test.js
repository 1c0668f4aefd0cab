// SPDX-License-Identifier: MIT
// @ts-check

/** Tests loading several models for one figure: either all of them are loaded or none. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { acquireAll, acquireWith } from '../../web/shell/model/acquire-all.js';

/** @import { Hold } from '../../web/shell/library.js' */

/** Returns two functions: `one` makes a fake model handle, and `released` returns how many of these handles have been released. */
function holds() {
  let released = 0;
  const one = () =>
    /** @type {Hold} */ (
      /** @type {unknown} */ ({
        model: {},
        release: () => {
          released++;
        },
        discard() {},
      })
    );
  return { one, released: () => released };
}

test('a model is loaded together with further models or with other values', async () => {
  const { one, released } = holds();
  const [first, second, third] = [one(), one(), one()];
  assert.deepEqual(await acquireWith(Promise.resolve(first), async () => [second, third]), [first, second, third]);
  assert.deepEqual(await acquireWith(Promise.resolve([first, second]), async () => {}), [first, second]);
  assert.deepEqual(await acquireWith(Promise.resolve(first), Promise.resolve('a strip')), [first]);
  assert.equal(released(), 0);
});

test('if one model is missing, none is kept', async () => {
  const { one, released } = holds();
  await assert.rejects(
    acquireWith(Promise.resolve(one()), async () => {
      throw new Error('no strip');
    }),
    /no strip/,
  );
  await assert.rejects(acquireWith(Promise.resolve(one()), Promise.reject(new Error('no scene'))), /no scene/);
  assert.equal(released(), 2);
  await assert.rejects(
    acquireWith(Promise.resolve([one(), one()]), () => {
      throw new Error('other tokens');
    }),
    /other tokens/,
  );
  assert.equal(released(), 4);
});

test('nothing is requested after the visitor has cancelled', async () => {
  await assert.rejects(
    acquireAll(['nowhere.gguf'], { signal: AbortSignal.abort(), onProgress: () => assert.fail('the model is requested') }),
    {
      name: 'AbortError',
    },
  );
});
