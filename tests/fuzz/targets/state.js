// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Fuzzes the engine's state in a run saved with save({ state: true }). The state is damaged, but its hash is correct. Either the state is
 * rejected with a message, or the run continues with arbitrary tokens. In both cases, the engine must access only its own memory.
 */

import assert from 'node:assert/strict';

import { atOnce } from '../../../web/lib/base/turns.js';
import { hashing } from '../../../web/lib/kinds/text/saved-state.js';
import { load } from '../../js/helpers.js';
import { toyText } from '../../js/toy-text.js';
import { Input, anything, refusedBy, refusedOr } from '../input.js';

const WORDS = 60;
const VALUES = [0, 1, 2, 16, 64, 255, 256, 0x7fffffff, 0x80000000, 0x7fc00000, 0xffffffff];

/** @returns {Promise<import('../fuzz.js').Target>} */
export async function open() {
  const model = await load(toyText({ context: 40 }));
  /** @type {any[]} */
  const all = [];
  for (const options of [{}, { maps: true }, { keyBits: 16, logitBias: { 65: 2 } }]) {
    const run = model.generate('ab abc ab', { seed: 1, maxTokens: 20, .../** @type {any} */ (options) });
    await run.text();
    all.push(await run.save({ state: true }));
  }
  const first = model.generate('ab abc ab', { seed: 1, maxTokens: 5 });
  const expected = await first.text();
  return {
    seeds: all.flatMap((_, i) => [Uint8Array.of(i, 0, 0, 0), Uint8Array.of(i, 1, 5, 0, 3, 2), Uint8Array.of(i, 2, 9, 9, 1, 1, 1)]),
    async run(bytes) {
      const input = new Input(bytes);
      const saved = input.pick(all);
      const state = { ...saved.state, bytes: saved.state.bytes.slice() };
      const words = new Uint32Array(state.bytes.buffer);
      for (let i = input.below(4); i > 0; i--) {
        const at = input.below(2) ? input.below(WORDS) : Math.floor((input.below(65536) / 65536) * words.length);
        words[at] = input.below(2) ? input.pick(VALUES) : words[at] + input.byte() - 128;
      }
      const odd = input.below(12);
      if (odd === 1) state.bytes = state.bytes.slice(0, input.below(65536));
      if (odd === 2) state[input.pick(['ids', 'length', 'shape', 'layout', 'bytes', 'hash'])] = anything(input);
      if (odd === 3) state.length = input.pick([0, 1, 41, 2 ** 31, state.length + 1]);
      if (odd === 4) state.ids = state.ids.concat(state.ids).slice(0, input.below(80));
      if (odd === 5) state.layout = input.pick(all).state.layout;
      try {
        state.hash = atOnce(hashing(state));
      } catch {} // keeps the old state if the new bytes are not a state
      const run = refusedOr(
        () => model.resume({ ...saved, state }, { maxTokens: 1 + input.below(12), ...input.pick([{}, { at: 3 }, { maps: true }]) }),
        ['state'],
      );
      try {
        await run?.text();
      } catch (error) {
        refusedBy(error, ['state', 'argument', 'numeric']);
      }
      const after = model.generate('ab abc ab', { seed: 1, maxTokens: 5 });
      assert.equal(await after.text(), expected, 'a run that does not name the state is unaffected');
    },
    close: () => model.close(),
  };
}
