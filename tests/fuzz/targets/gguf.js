// SPDX-License-Identifier: MIT
// @ts-check

/** Fuzzes the header of a GGUF file. The header must either be rejected with a message or be read. Reading it in parts must give the same
 * result as reading it whole. Also fuzzes roomIn(), which returns the declared size of a picture to the HTML element, and readParts(),
 * which joins the parts of a split model. */

import assert from 'node:assert/strict';

import { atOnce } from '../../../web/lib/base/turns.js';
import { roomIn } from '../../../web/lib/element/head.js';
import { readEntries, readingEntries, readingHead } from '../../../web/lib/gguf/header.js';
import { lookupOf, metadataOf } from '../../../web/lib/gguf/metadata.js';
import { readParts } from '../../../web/lib/load/split-files.js';
import { writeGGUF } from '../../js/gguf.js';
import { Input, refusedOr } from '../input.js';

const CODES = ['format', 'unsupported', 'limit'];

/** @param {Record<string, any[]>} metadata @param {number[]} types  types of the tensors */
const file = (metadata, types) =>
  writeGGUF({
    metadata,
    tensors: Object.fromEntries(types.map((type, i) => [`t${i}`, { shape: [2, 32], type, data: new Uint8Array(256) }])),
  });

/** @returns {import('../fuzz.js').Target} */
export function open() {
  return {
    seeds: [
      file(
        { 'general.architecture': ['string', 'llama'], 'general.alignment': ['u32', 32], 'llama.context_length': ['u32', 64] },
        [0, 8, 39],
      ),
      file(
        {
          'image-transformer.image.width': ['u32', 8],
          'image-transformer.image.height': ['u32', 8],
          list: ['array', 'string', ['a', '\u00e9']],
        },
        [0],
      ),
      file(
        {
          'split.no': ['u32', 0],
          'split.count': ['u32', 1],
          'split.tensors.count': ['u32', 2],
          numbers: ['array', 'f32', [1, 2]],
          yes: ['bool', true],
        },
        [2, 23],
      ),
      file({}, []),
    ],
    words: ['GGUF', 'general.alignment', 'split.count', 'image.width', '\0\0\0\0\0\0\0\0', '\x01\0\0\0\0\0\0\0', '\t\0\0\0\b\0\0\0'],
    async run(bytes) {
      const head = refusedOr(() => atOnce(readingHead(bytes, true)), CODES);
      const entries = refusedOr(() => atOnce(readingEntries(bytes, true)), CODES);
      const part = 1 + new Input(bytes).below(64);
      /** @returns {AsyncGenerator<Uint8Array>} */
      async function* parts() {
        for (let at = 0; at < bytes.length; at += part) yield bytes.subarray(at, at + part);
      }
      /** @type {any} */
      let refused;
      const arrived = await readEntries(parts()).catch((error) => {
        refused = error;
      });
      if (!entries || !arrived) {
        assert.deepEqual([entries, arrived, CODES.includes(refused?.code)], [undefined, undefined, true], `${refused?.stack}`);
        return;
      }
      assert.deepEqual(
        arrived.map(({ key, type, count }) => [key, type, count]),
        entries.map(({ key, type, count }) => [key, type, count]),
      );
      const metadata = metadataOf(entries);
      for (const [key, value] of metadata) assert.deepEqual(lookupOf(entries).get(key), value);
      const room = roomIn(bytes);
      assert.ok(room === undefined || (room.width >= 0 && room.height >= 0));
      if (!head) return;
      assert.deepEqual(head.entries, entries);
      assert.ok(
        head.tensors.every(({ from, to, bytes: own }) => from >= head.end && to <= bytes.length && own >= 0) && head.data >= head.end,
      );
      const joined = await readParts([bytes], {}).catch((error) => assert.ok(CODES.includes(error.code), error.stack));
      if (joined) assert.ok(joined.bytes.length <= 2 * bytes.length + 64, `${joined.bytes.length} of ${bytes.length}`);
    },
  };
}
