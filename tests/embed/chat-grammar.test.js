// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests text generation under a JSON schema, which XGrammar turns into a constraint. ./build.sh test-embed installs XGrammar from the npm
 * registry, and runs this file.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { test } from 'node:test';

import { load } from '../../web/lib/index.js';
import { GOLDEN } from '../js/helpers.js';
import { jsonSchema } from '../../web/examples/chat/grammar.js';
import { TOOLS } from './project.js';

/** Loads XGrammar, which is a script although its package declares it as an ES module. */
async function xgrammar() {
  const path = `${TOOLS}node_modules/@mlc-ai/web-xgrammar/lib/index.js`;
  const module = { exports: {} };
  new Function('module', 'exports', 'require', '__filename', await readFile(path, 'utf8'))(
    module,
    module.exports,
    createRequire(path),
    path,
  );
  return module.exports;
}

test('the output under a schema is valid for every seed, and the run ends when the output is complete', async () => {
  const schema = {
    type: 'object',
    additionalProperties: false,
    required: ['name', 'age', 'kind'],
    properties: {
      name: { type: 'string', maxLength: 12 },
      age: { type: 'integer', minimum: 0, maximum: 99 },
      kind: { enum: ['cat', 'dog'] },
    },
  };
  const model = await load(`${GOLDEN}stories260K.gguf`);
  const constraint = jsonSchema(await xgrammar(), schema);
  const seen = new Set();
  for (let seed = 0; seed < 8; seed++) {
    const run = model.generate('Once upon a time', { constraint, seed, temperature: 1.5, maxTokens: 200 });
    const { name, age, kind, ...others } = JSON.parse(await run.text());
    assert.equal(run.finish, 'end');
    assert.ok(
      typeof name === 'string' && [...name].length <= 12 && Number.isInteger(age) && age >= 0 && age < 100 && /^(cat|dog)$/.test(kind),
    );
    assert.deepEqual(others, {});
    seen.add(name + age + kind);
  }
  assert.ok(seen.size > 4);
  model.close();
});
