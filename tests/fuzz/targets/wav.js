// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Fuzzes WAV files. A file must either be rejected with a message or be read. Reading the whole file in memory and reading ranges of it, as
 * from a disk, must give the same result. A file that the library writes must be readable again.
 */

import assert from 'node:assert/strict';

import { isWav, locateWav, openWav, writeWav } from '../../../web/lib/media/wav.js';
import { Input, refusedOr } from '../input.js';

/**
 * @param {number} encoding
 * @param {number} bits
 * @param {number} channels
 * @param {Record<string, Uint8Array>} [more]  chunks that come before the data
 */
function wav(encoding, bits, channels, more = {}) {
  const frame = (channels * bits) / 8;
  const data = Uint8Array.from({ length: 12 * frame }, (_, i) => 37 * i);
  const u32 = (/** @type {number} */ n) => [n & 255, (n >> 8) & 255, (n >> 16) & 255, n >>> 24];
  const chunk = (/** @type {string} */ name, /** @type {ArrayLike<number>} */ bytes) => [
    ...new TextEncoder().encode(name),
    ...u32(bytes.length),
    ...Array.from(bytes),
    ...(bytes.length % 2 ? [0] : []),
  ];
  const format = [encoding, 0, channels, 0, ...u32(8000), ...u32(8000 * frame), frame, 0, bits, 0];
  if (encoding === 0xfe) format[1] = 0xff; // WAVE_FORMAT_EXTENSIBLE
  const body = [
    ...chunk('fmt ', encoding === 0xfe ? [...format, 22, 0, bits, 0, 0, 0, 0, 0, 1, 0, ...new Array(14).fill(0)] : format),
    ...Object.entries(more).flatMap(([name, bytes]) => chunk(name, bytes)),
    ...chunk('data', data),
  ];
  return Uint8Array.from([...chunk('RIFF', []).slice(0, 4), ...u32(4 + body.length), ...new TextEncoder().encode('WAVE'), ...body]);
}

/** @returns {import('../fuzz.js').Target} */
export function open() {
  return {
    seeds: [
      wav(1, 8, 1),
      wav(1, 16, 1),
      wav(1, 16, 2),
      wav(1, 24, 1),
      wav(1, 32, 3),
      wav(3, 32, 1),
      wav(3, 64, 1),
      wav(6, 8, 1),
      wav(7, 8, 1),
      wav(0xfe, 16, 2),
      wav(1, 16, 1, { LIST: new Uint8Array(7), ds64: new Uint8Array(28) }),
    ],
    words: ['RIFF', 'RF64', 'WAVE', 'fmt ', 'data', 'ds64', 'LIST'],
    async run(bytes) {
      assert.equal(typeof isWav(bytes), 'boolean');
      const part = 65 + new Input(bytes).below(40); // at least the smallest size that can be read
      /** @type {any} */
      let refused;
      const found = await locateWav(bytes.length, async (from, to) => bytes.slice(from, Math.min(to, from + part))).catch((error) => {
        refused = error;
      });
      const reading = refusedOr(() => openWav(bytes), ['format', 'unsupported']);
      if (!reading || !found) return assert.deepEqual([reading, found], [undefined, undefined], `${refused}`);
      const { count, rate, channels, read } = reading;
      assert.deepEqual([found.count, found.rate, found.channels], [count, rate, channels]);
      assert.ok(Number.isInteger(count) && count >= 0 && count <= bytes.length && rate >= 1000 && channels >= 1, `${count} samples`);
      const whole = read(0, count);
      assert.equal(whole.length, count);
      const cut = new Input(bytes).below(count + 1);
      assert.deepEqual(Buffer.from(read(0, cut).buffer), Buffer.from(whole.buffer, 0, 4 * cut));
      assert.deepEqual(found.of(bytes.slice(found.begin, found.end)).read(cut, count), whole.slice(cut));
      const again = openWav(writeWav(whole, rate));
      assert.deepEqual([again.count, again.rate, again.channels], [count, rate, 1]);
    },
  };
}
