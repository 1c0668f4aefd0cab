// SPDX-License-Identifier: MIT
// @ts-check

/** Checks that `./build.sh test-changed` selects the right tests. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { planOf } from '../changed.js';

test('a change in a model selects the tests of its equations, the tests of every model, and the comparison with PyTorch', () => {
  const plan = planOf(['src/models/gpt2.c']);
  assert.ok(plan.includes('c gpt2: runs: searches: branches: golden: session:'));
  for (const line of ['format', 'wasm', 'test tests/js/golden.test.js']) assert.ok(plan.includes(line), line);
  assert.ok(!plan.includes('train'));
  assert.ok(planOf(['src/models/gpt2.c', 'src/kernels/matmul.c']).includes('c'), 'code that all models use is tested by all tests');
});

test('a change in a page selects the tests that open it', () => {
  const plan = planOf(['web/pages/fvsbn/main.js']);
  assert.ok(plan.includes('test tests/browser/fvsbn.test.js'));
  assert.ok(!plan.includes('test tests/browser/translate.test.js'));
  assert.ok(!plan.some((line) => line.startsWith('c ') || line === 'wasm'));
  assert.ok(planOf(['web/shell/controls.css']).includes('test tests/browser/fvsbn.test.js'), 'styles that pages share');
});

test('a change in a module of the library selects all tests that import it; a change in a document selects the tests that read it', () => {
  assert.ok(planOf(['web/lib/kinds/text/vocabulary-file.js']).includes('test tests/js/tokenizer.test.js'));
  assert.ok(planOf(['tests/kinds/tag/js.js']).includes('test tests/js/verbs.test.js'), 'imported by the name of its folder');
  assert.ok(planOf(['weights/eval/kinds/tag/evaluation.js']).includes('test tests/js/eval.test.js'));
  assert.ok(planOf(['tests/pages/fvsbn/browser.js']).includes('test tests/browser/given-files.test.js'));
  assert.deepEqual(
    planOf(['README.md']).filter((line) => !line.startsWith('test ')),
    [],
  );
  assert.ok(planOf(['README.md']).includes('test tests/js/documents.test.js'));
  assert.ok(planOf(['weights/train/train.py']).includes('train'));
  assert.deepEqual(planOf([]), []);
});
