// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Fuzzes metadata keys of `chain` files. Only JavaScript reads these keys. An invalid file must be rejected with a message. For a valid
 * file, every text must have features, and these features must be the same each time.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

import { Features } from '../../../web/lib/media/features.js';
import { cut } from '../../../web/lib/media/words.js';
import { GOLDEN } from '../../js/helpers.js';
import { readGGUF } from '../../js/gguf.js';
import { Input, damaged, refusedOr } from '../input.js';

const ATOMS = ['form', 'word', 'shape', 'cluster', 'any', 'prefix3', 'suffix1', 'suffix0', 'zzz'];

/** @returns {import('../fuzz.js').Target} */
export function open() {
  const files = ['crf', 'hmm', 'memm'].map((name) =>
    Object.fromEntries(
      Object.entries(readGGUF(new Uint8Array(readFileSync(`${GOLDEN}chain-${name}-tiny.gguf`))).metadata).filter(([key]) =>
        key.startsWith('chain.'),
      ),
    ),
  );
  return {
    seeds: [
      '\0\0A dog barks.',
      "\u0001\u0004\u0002\u0001\u0003\u0002It's 3:30 p.m., isn't it?",
      "\u0002\u0005\u0001\u0001\u0002Mr. O'Neil\u2019s C++ :-)",
    ].map((text) => new TextEncoder().encode(text)),
    words: ["'s", "n't", '...', ':-)', 'www.', '.com', '@', '\ud83d\udc4d\ud83c\udffd', '\u200d', '9/11', ...ATOMS],
    run(bytes) {
      const input = new Input(bytes);
      const own = input.pick(files);
      const keys = input.below(2) ? own : damaged(own, input);
      if (input.below(4) === 3 && keys && typeof keys === 'object') {
        keys['chain.templates'] = Array.from({ length: input.below(5) }, () =>
          Array.from({ length: 1 + input.below(3) }, () => `${input.pick(ATOMS)}@${input.pick([-1, 0, 1, 'x'])}`).join('|'),
        );
      }
      if (!keys || typeof keys !== 'object') return;
      const features = refusedOr(() => new Features(new Map(Object.entries(keys))), ['format', 'unsupported', 'limit']);
      if (!features) return;
      const text = input.text();
      const words = cut(text, (form) => features.knows(form));
      assert.ok(words.every((word) => typeof word === 'string' && word !== ''));
      const ids = features.ids(words);
      assert.equal(ids.length, words.length * features.width);
      assert.deepEqual(features.ids(words), ids);
    },
  };
}
