// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests playback, and audio input in every form that the library accepts, such as lists of samples and WAV files. Invalid audio must be
 * refused with a clear message, without any other error.
 */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { load } from '../../web/lib/index.js';
import { heardOf } from '../../web/lib/media/heard.js';
import { play } from '../../web/lib/media/play.js';
import { openWav, writeWav } from '../../web/lib/media/wav.js';
import { GOLDEN, isError } from './helpers.js';

const model = await load(`${GOLDEN}wavenet-tiny.gguf`);
after(() => model.close());

const wave = Float32Array.from({ length: 400 }, (_, i) => 0.5 * Math.sin(i / 3));
/** @param {any} sound */
const heard = async (sound) => [...(await heardOf(sound, 8000)).samples];
/** @param {number} scale @param {number} [middle] */
const whole = (scale, middle = 0) => Array.from(wave, (x) => Math.round(scale * x) + middle);

test('integers from files and decoders are scaled to -1 to 1; integers of an unknown scale are refused', async () => {
  for (const [data, error] of /** @type {[any, number][]} */ ([
    [Int16Array.from(whole(32768)), 1e-4],
    [Int8Array.from(whole(128)), 0.01],
    [Uint8Array.from(whole(128, 128)), 0.01],
    [Uint8ClampedArray.from(whole(128, 128)), 0.01],
    [Int32Array.from(whole(2147483648)), 1e-6],
    [Float64Array.from(wave), 1e-6],
    [Array.from(wave), 1e-6],
    [[wave, Array.from(wave)], 1e-6],
    [[Int16Array.from(whole(32768)), wave], 1e-4],
  ]))
    (await heard({ samples: data, sampleRate: 8000 })).forEach((sample, i) =>
      assert.ok(Math.abs(sample - wave[i]) <= error, `${Object.prototype.toString.call(data)} ${i}: ${sample}`),
    );
  for (const data of [
    whole(32768),
    Float32Array.from(whole(32768)),
    Float32Array.from(wave, (x) => 1000 * x),
    Uint16Array.from(whole(100, 128)),
    Uint32Array.of(1, 2),
    BigInt64Array.of(1n),
    [whole(128)],
  ]) {
    await assert.rejects(heard({ samples: data, sampleRate: 8000 }), isError('argument', /between -1 and 1/));
  }
  // loud audio is not scaled down
  assert.equal((await heard({ samples: Float32Array.from(wave, (x) => 3 * x), sampleRate: 8000 })).length, 400);
  assert.deepEqual(await heard({ samples: [1, 0, -1], sampleRate: 8000 }), [1, 0, -1]);
});

test('lists with holes or wrong items, and values that are not lists, are refused', async () => {
  const gone = new Uint8Array(64);
  structuredClone(gone.buffer, { transfer: [gone.buffer] });
  const lost = Float32Array.from(wave);
  structuredClone(lost.buffer, { transfer: [lost.buffer] });
  const strange = {
    get samples() {
      throw new Error('mine');
    },
    sampleRate: 8000,
  };
  for (const sound of /** @type {any[]} */ ([
    // eslint-disable-next-line no-sparse-arrays
    { samples: [0, , 0], sampleRate: 8000 },
    { samples: [null], sampleRate: 8000 },
    { samples: [[0, 0], null], sampleRate: 8000 },
    { samples: [[0], 5], sampleRate: 8000 },
    { samples: [Symbol('a')], sampleRate: 8000 },
    { samples: ['0.5'], sampleRate: 8000 },
    { samples: [[Object.create(null)]], sampleRate: 8000 },
    { samples: [true], sampleRate: 8000 },
    { samples: [1n], sampleRate: 8000 },
    { samples: [0, Infinity], sampleRate: 8000 },
    { samples: { length: 3 }, sampleRate: 8000 },
    { samples: { length: -1 }, sampleRate: 8000 },
    { samples: { length: NaN }, sampleRate: 8000 },
    { samples: new Map(), sampleRate: 8000 },
    { samples: [0], sampleRate: '8000' },
    { samples: [[]], sampleRate: 8000 },
    { samples: Array.from({ length: 300 }, () => [0]), sampleRate: 8000 },
    { samples: lost, sampleRate: 8000 },
    gone,
    gone.buffer,
    strange,
    new Proxy(new Int16Array(4), {}),
    new DataView(new ArrayBuffer(8)),
    new Date(),
    5,
    'none.wav',
    null,
    [],
    [[0]],
  ])) {
    for (const ask of [() => model.score(sound), () => /** @type {any} */ (model.complete(sound, { seconds: 0.01 })).samples()]) {
      await assert.rejects(
        ask,
        (/** @type {any} */ error) => error.name === 'NextPixelError' && /argument|limit|unsupported|network/.test(error.code),
      );
    }
  }
});

/** Returns a WAV file with the given sizes in its header.
 * @param {number} said @param {{ long?: bigint, behind?: number[], bits?: number, frame?: number }} [more] */
function wav(said, { long, behind = [], bits = 16, frame = 2 } = {}) {
  const bytes = writeWav(wave, 8000);
  const view = new DataView(bytes.buffer);
  view.setUint16(32, frame, true);
  view.setUint16(34, bits, true);
  view.setUint32(40, said, true);
  view.setUint32(4, said === 800 ? 836 : said, true);
  if (long === undefined) return Uint8Array.from([...bytes, ...behind]);
  const ds64 = new DataView(new ArrayBuffer(36));
  [...'ds64'].forEach((c, i) => ds64.setUint8(i, c.charCodeAt(0)));
  ds64.setUint32(4, 28, true);
  ds64.setBigUint64(16, long, true);
  return Uint8Array.from([
    ...new TextEncoder().encode('RF64'),
    255,
    255,
    255,
    255,
    ...bytes.subarray(8, 12),
    ...new Uint8Array(ds64.buffer),
    ...bytes.subarray(12),
    ...behind,
  ]);
}

test('a WAV file of unknown length is read to its end', async () => {
  for (const bytes of [
    wav(800),
    wav(0),
    wav(0xffffffff),
    wav(0x7fffffff),
    wav(2000),
    wav(0xffffffff, { long: 800n, behind: [1, 2, 3, 4, 5, 6] }),
  ]) {
    assert.equal(openWav(bytes).count, 400);
    assert.equal((await heard(new Blob([bytes]))).length, 400);
  }
  const empty = Uint8Array.from([...wav(0).subarray(0, 44), ...new TextEncoder().encode('LIST'), 4, 0, 0, 0, 1, 2, 3, 4]);
  assert.equal(openWav(empty).count, 0);
  await assert.rejects(heardOf(empty, 8000), isError('argument', /empty/));
  assert.equal(openWav(wav(800, { bits: 12 })).count, 400); // 12-bit samples are stored in two bytes
  assert.throws(() => openWav(wav(800, { bits: 12, frame: 3 })), { name: 'NextPixelError' });
});

test('a WAV file is read even if other chunks, also chunks of odd length with or without padding, precede its samples', async () => {
  const plain = wav(800);
  const chunk = (/** @type {string} */ name, /** @type {number} */ size, /** @type {number[]} */ pad) => [
    ...new TextEncoder().encode(name),
    size,
    0,
    0,
    0,
    ...Array(size).fill(0x41),
    ...pad,
  ];
  for (const pad of [[], [0], [0x20], [0x7f]]) {
    for (const size of [1, 3, 7, 27]) {
      for (const at of [12, 36]) {
        const bytes = Uint8Array.from([...plain.subarray(0, at), ...chunk('LIST', size, pad), ...plain.subarray(at)]);
        assert.equal(openWav(bytes).count, 400, `${pad} ${size} ${at}`);
        assert.deepEqual(await heard(bytes), await heard(plain));
      }
    }
  }
  for (const name of ['RF64', 'BW64'])
    assert.equal(openWav(Uint8Array.from([...new TextEncoder().encode(name), ...plain.subarray(4)])).count, 400);
});

test('sounds that are too long are refused before they are read', async () => {
  const long = new Uint8Array(44 + 60 * 8000 * 2 + 2);
  long.set(wav(0xffffffff).subarray(0, 44));
  let read = 0;
  const blob = /** @type {any} */ ({
    size: 1e12,
    slice: () => (read++, new Blob([long.subarray(0, 1 << 16)])),
    arrayBuffer: () => assert.fail('the whole file must not be read'),
  });
  for (const [sound, message] of /** @type {[any, RegExp][]} */ ([
    [long, /more than 60 seconds/],
    [blob, /at most 60/],
    [{ samples: { length: 480001 }, sampleRate: 8000 }, /more than 60/],
    [{ samples: new Float32Array(60 * 1000 + 1000), sampleRate: 1000 }, /61 seconds/],
    [{ sampleRate: 8000, numberOfChannels: 2, length: 1e9, getChannelData: () => assert.fail('a channel is read') }, /125000 seconds/],
    [/** @type {any} */ ({ size: 1e9, slice: () => new Blob(['ID3']), arrayBuffer: () => assert.fail('read whole') }), /1000 MB/],
  ]))
    await assert.rejects(heardOf(sound, 8000), isError('limit', message));
  assert.equal(read, 1);
});

test('only the samples of a WAV file are read from disk, wherever the file has them; a file with very many chunks is refused', async () => {
  const plain = wav(800);
  const cover = new Uint8Array(8 + 300000);
  cover.set([...new TextEncoder().encode('id3 '), ...new Uint8Array(Uint32Array.of(300000).buffer)]);
  const behind = new Uint8Array(200000);
  const whole = Uint8Array.from([...plain.subarray(0, 36), ...cover, ...plain.subarray(36), ...behind]);
  /** @param {Uint8Array<ArrayBuffer>} bytes @param {[number, number][]} asked */
  const file = (bytes, asked) =>
    /** @type {any} */ ({
      size: bytes.length,
      slice: (/** @type {number} */ from, /** @type {number} */ to) => {
        asked.push([from, to]);
        return new Blob([bytes.slice(from, to)]);
      },
      arrayBuffer: () => assert.fail('the whole file must not be read'),
    });
  /** @type {[number, number][]} */
  const asked = [];
  assert.deepEqual(await heard(file(whole, asked)), await heard(plain));
  assert.deepEqual(
    asked.map(([from, to]) => to - from),
    [65536, 65536, 800],
    `${asked}`,
  );
  const long = Uint8Array.from(whole);
  new DataView(long.buffer).setUint32(24, 1000, true); // sample rate in the header
  long.set(new Uint8Array(Uint32Array.of(0xffffffff).buffer), 36 + cover.length + 4);
  asked.length = 0;
  await assert.rejects(heardOf(file(long, asked), 8000), isError('limit', /100 seconds/));
  assert.equal(asked.length, 2);
  const chunks = Uint8Array.from([
    ...plain.subarray(0, 36),
    ...Array.from({ length: 5000 }, () => [...new TextEncoder().encode('LIST'), 0, 0, 0, 0]).flat(),
    ...plain.subarray(36),
  ]);
  for (const sound of [chunks, new Blob([chunks, new Uint8Array(1 << 17)])])
    await assert.rejects(heardOf(sound, 8000), isError('format', /more than 1000 chunks/));
});

test('a long sound is read in chunks, and the signal is checked between two chunks', async () => {
  const sound = { samples: new Float32Array(60 * 192000).fill(0.25), sampleRate: 192000 };
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const began = performance.now();
  const { samples } = await heardOf(sound, 8000);
  clearInterval(timer);
  assert.equal(samples.length, 480000);
  const each = (performance.now() - began) / turns; // the average, because the machine may be busy
  assert.ok(each < 100, `the page was blocked for ${each} ms at a time`);
  const stopper = new AbortController();
  let stopped = NaN;
  setTimeout(() => {
    stopped = performance.now();
    stopper.abort(new Error('enough'));
  }, 40);
  await assert.rejects(heardOf(sound, 8000, stopper.signal), /enough/);
  assert.ok(performance.now() - stopped < 1000);
});

/**
 * A fake audio context with its own clock and without worklets. The clock runs ten times as fast as real time and pauses while the machine
 * is busy.
 */
class Context extends EventTarget {
  state = 'running';
  sampleRate = 8000;
  currentTime = 0;
  destination = { context: this, numberOfInputs: 1 };
  constructor() {
    super();
    setInterval(() => {
      this.currentTime += 0.05;
    }, 5).unref();
  }
  createGain() {}
  createBuffer() {
    return { copyToChannel() {} };
  }
  createBufferSource() {
    return { connect() {}, disconnect() {}, start() {}, stop() {} };
  }
}
/** @param {number} [count] */
async function* steps(count = 50) {
  for (let i = 0; i < count; i++) yield { samples: new Float32Array(80) };
}

test('an error in onPlay reaches the caller of playTo() once, and onPlay is not called again', async () => {
  let calls = 0;
  const mine = new Error('mine');
  await assert.rejects(
    play(steps(), 8000, new Context(), {
      onPlay() {
        calls++;
        throw mine;
      },
    }),
    mine,
  );
  await new Promise((resolve) => {
    setTimeout(resolve, 100);
  });
  assert.equal(calls, 1);
  const stopper = new AbortController();
  let after = 0;
  await assert.rejects(
    play(steps(5000), 8000, new Context(), {
      signal: stopper.signal,
      onPlay() {
        if (stopper.signal.aborted) after++;
        else setTimeout(() => stopper.abort(mine));
      },
    }),
    mine,
  );
  await new Promise((resolve) => {
    setTimeout(resolve, 100);
  });
  assert.equal(after, 0);
  assert.equal((await play(steps(), 8000, new Context(), {})).over, true);
});

test('playTo() refuses invalid targets', async () => {
  const context = new Context();
  for (const [to, options, code, message] of /** @type {[any, any, string, RegExp][]} */ ([
    [undefined, {}, 'argument', /AudioContext/],
    [{}, {}, 'argument', /AudioContext/],
    [Object.assign(new Context(), { startRendering() {} }), {}, 'argument', /OfflineAudioContext.*samples\(\)/],
    [Object.assign(new Context(), { state: 'closed' }), {}, 'closed', /closed/],
    [Object.assign(new Context(), { state: 'suspended', resume: async () => {} }), {}, 'argument', /click/],
    [context, { onPlay: 5 }, 'argument', /onPlay must be a function/],
    [context, { onPlay: null }, 'argument', /onPlay/],
    [context, { destination: 5 }, 'argument', /destination/],
    [context, { destination: null }, 'argument', /destination/],
    [context, { destination: {} }, 'argument', /destination/],
    [context, { destination: new Context().destination }, 'argument', /same AudioContext/],
    [context, { destination: { context, numberOfInputs: 0 } }, 'argument', /with an input/],
    [context, { signal: {} }, 'argument', /AbortSignal/],
  ]))
    await assert.rejects(
      /** @type {any} */ (model.generate(/** @type {any} */ ({ seconds: 0.01, seed: 1 }))).playTo(to, options),
      isError(/** @type {any} */ (code), message),
    );
});

test('a sound pauses without a gap and resumes where it was', async () => {
  const context = new Context();
  /** @type {(resting: boolean) => void} */
  let rest = () => {};
  /** @type {number[]} */
  const told = [];
  const playing = play(
    steps(200),
    8000,
    context,
    { onPlay: ({ seconds }) => void told.push(seconds) },
    () => false,
    (how) => {
      rest = how;
    },
  );
  await new Promise((resolve) => {
    setTimeout(resolve, 40);
  });
  rest(true);
  await new Promise((resolve) => {
    setTimeout(resolve, 30);
  });
  const before = told.length;
  await new Promise((resolve) => {
    setTimeout(resolve, 100);
  });
  assert.equal(told.length, before);
  rest(false);
  const { gaps, seconds } = await playing;
  assert.ok(Math.abs(seconds - 2) < 0.01 && gaps <= 1, `${gaps} gaps, ${seconds} s`);
  told.slice(1).forEach((now, i) => assert.ok(now >= told[i] - 0.05, `the position went back from ${told[i]} to ${now}`));
});
