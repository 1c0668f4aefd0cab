// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests audio models, their runs, their scores and their errors, as well as mu-law encoding, WAV files and the conversion of sample rates.
 */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';

import { load } from '../../web/lib/index.js';
import { heardOf } from '../../web/lib/media/heard.js';
import { compress, expand } from '../../web/lib/media/mu-law.js';
import { Silence } from '../../web/lib/kinds/sound/silence.js';
import { Resampler } from '../../web/lib/media/resample.js';
import { writeWav } from '../../web/lib/media/wav.js';
import { GOLDEN, ROOT, isError } from './helpers.js';
import { readWav, resample } from './sounds.js';

/** @import { AnyModel } from '../../web/lib/model/of-kind.js' */

/** @typedef {import('../../web/lib/kinds/sound/sound-run.js').SoundRun} SoundRun */
/** @typedef {import('../../web/lib/options.js').SoundOptions} SoundOptions */

const model = /** @type {AnyModel} */ (await load(`${GOLDEN}wavenet-tiny.gguf`));
after(() => model.close());

/** @param {SoundOptions} options @returns {SoundRun} */
const generate = (options) => /** @type {any} */ (model.generate(/** @type {any} */ (options)));

/** Returns a generator of pseudorandom numbers from 0 to 1. @param {number} seed */
const random = (seed) => () => (seed = (seed * 48271) % 2147483647) / 2147483647;

/** @param {number} length @param {number} [hertz] @param {number} [rate] */
const tone = (length, hertz = 440, rate = 8000) =>
  Float32Array.from({ length }, (_, i) => 0.5 * Math.sin((2 * Math.PI * hertz * i) / rate));

/**
 * Returns a WAV file with the given values in its header.
 * @param {{ encoding?: number, channels?: number, rate?: number, bits?: number, size?: number, data: number[] }} fields
 */
function wavOf({ encoding = 1, channels = 1, rate = 8000, bits = 16, data, size = data.length }) {
  const bytes = new Uint8Array(44 + data.length);
  const view = new DataView(bytes.buffer);
  const text = (/** @type {number} */ at, /** @type {string} */ name) =>
    [...name].forEach((letter, i) => view.setUint8(at + i, letter.charCodeAt(0)));
  text(0, 'RIFF');
  text(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, encoding, true);
  view.setUint16(22, channels, true);
  view.setUint32(24, rate, true);
  view.setUint16(32, (channels * bits) / 8, true);
  view.setUint16(34, bits, true);
  text(36, 'data');
  view.setUint32(40, size, true);
  bytes.set(data, 44);
  return bytes;
}

test('mu-law: every level survives decoding and encoding, 0 is level 128, and values follow the formula', () => {
  const levels = Uint32Array.from({ length: 256 }, (_, i) => i);
  const samples = expand(levels);
  assert.deepEqual(compress(samples), levels);
  assert.deepEqual([...compress([0, 1, -1, 5, -5])], [128, 255, 0, 255, 0]);
  for (let l = 0; l < 256; l++) {
    const f = (2 * l) / 255 - 1;
    assert.ok(Math.abs(samples[l] - (Math.sign(f) * (256 ** Math.abs(f) - 1)) / 255) < 1e-7);
    if (l > 0) assert.ok(samples[l] > samples[l - 1]);
  }
  const next = random(5);
  for (let i = 0; i < 2000; i++) {
    const x = 2 * next() - 1;
    const f = (Math.sign(x) * Math.log1p(255 * Math.abs(x))) / Math.log(256);
    const exact = ((f + 1) / 2) * 255 + 0.5;
    if (Math.abs(exact - Math.round(exact)) > 1e-9) assert.equal(compress([x])[0], Math.floor(exact));
  }
});

test('WAV files are written and read in all encodings, and channels are averaged', () => {
  const samples = tone(500);
  const back = readWav(writeWav(samples, 8000));
  assert.equal(back.rate, 8000);
  assert.equal(back.data.length, 500);
  back.data.forEach((sample, i) => assert.ok(Math.abs(sample - samples[i]) < 1 / 16384));
  const read = (/** @type {Parameters<typeof wavOf>[0]} */ fields) => [...readWav(wavOf(fields)).data];
  assert.deepEqual(read({ bits: 8, data: [128, 0, 192] }), [0, -1, 0.5]);
  assert.deepEqual(read({ data: [0, 64, 0, 192] }), [0.5, -0.5]);
  assert.deepEqual(read({ bits: 24, data: [0, 0, 64, 0, 0, 192] }), [0.5, -0.5]);
  assert.deepEqual(read({ bits: 32, data: [0, 0, 0, 64] }), [0.5]);
  assert.deepEqual(read({ encoding: 3, bits: 32, data: [...new Uint8Array(Float32Array.of(0.25, -2).buffer)] }), [0.25, -2]);
  assert.deepEqual(read({ encoding: 3, bits: 64, data: [...new Uint8Array(Float64Array.of(0.125).buffer)] }), [0.125]);
  assert.deepEqual(read({ channels: 2, data: [0, 64, 0, 0] }), [0.25]);
  assert.deepEqual(
    read({ encoding: 7, bits: 8, data: [255, 127, 128, 0] }).map((x) => Math.round(32768 * x)),
    [0, 0, 32124, -32124],
  );
  assert.deepEqual(
    read({ encoding: 6, bits: 8, data: [0xd5, 0x55, 0xaa] }).map((x) => Math.round(32768 * x)),
    [8, -8, 32256],
  );
  assert.equal(
    readWav(wavOf({ data: [0, 64, 0, 64], size: 0xffffffff })).data.length,
    2,
    'a file without a stated end, as a stream writes it',
  );
});

test('invalid WAV files are refused, whatever their bytes', () => {
  const code = (/** @type {Uint8Array} */ bytes) => {
    try {
      const { data, rate, channels } = readWav(bytes);
      const bits = new DataView(bytes.buffer, bytes.byteOffset).getUint16(34, true);
      assert.ok(rate >= 1000 && rate <= 768000 && channels >= 1 && data.length * channels * (bits / 8) <= bytes.length - 44);
      // float samples may be NaN, which heardOf() refuses
      if (bytes[20] !== 3) assert.ok(data.every((sample) => sample >= -1 && sample <= 1));
    } catch (error) {
      return /** @type {any} */ (error).code;
    }
    return 'read';
  };
  assert.equal(code(new Uint8Array(0)), 'format');
  assert.equal(code(wavOf({ encoding: 85, data: [0, 0] })), 'unsupported');
  assert.equal(code(wavOf({ channels: 0, data: [0, 0] })), 'format');
  assert.equal(code(wavOf({ rate: 0, data: [0, 0] })), 'format');
  assert.equal(code(wavOf({ data: [] }).subarray(0, 40)), 'format');
  // A file with changed bytes, or with another length, is either decoded to samples or refused with a documented error.
  const next = random(7);
  const forms = [
    [1, 8],
    [1, 16],
    [1, 24],
    [1, 32],
    [3, 32],
    [3, 64],
    [6, 8],
    [7, 8],
  ].map(([encoding, bits]) => wavOf({ encoding, bits, channels: 2, data: Array.from({ length: 64 }, (_, i) => (37 * i) % 256) }));
  const seen = new Set();
  for (let i = 0; i < 20000; i++) {
    const whole = forms[i % forms.length];
    const bytes = whole.slice(0, Math.floor(next() * (whole.length + 1)) || whole.length);
    for (let k = 0; k < 3; k++) bytes[Math.floor(next() * Math.min(bytes.length, 48))] = next() < 0.3 ? 255 : Math.floor(next() * 256);
    seen.add(code(bytes));
  }
  assert.deepEqual([...seen].sort(), ['format', 'read', 'unsupported']);
});

test('other chunks in a WAV file, and the offset of its bytes, make no difference', () => {
  const next = random(9);
  const plain = wavOf({ channels: 2, data: Array.from({ length: 60 }, (_, i) => (91 * i) % 256) });
  const wanted = readWav(plain);
  for (let i = 0; i < 300; i++) {
    const other = () =>
      Array.from({ length: Math.floor(3 * next()) }, () => {
        const size = Math.floor(9 * next());
        return [
          ...new TextEncoder().encode(next() < 0.5 ? 'LIST' : 'fact'),
          size,
          0,
          0,
          0,
          ...Array.from({ length: size + (size % 2) }, () => Math.floor(256 * next())),
        ];
      }).flat();
    const all = [...plain.subarray(0, 12), ...other(), ...plain.subarray(12, 36), ...other(), ...plain.subarray(36), ...other()];
    const within = new Uint8Array(all.length + 7).fill(255);
    within.set(all, i % 7);
    assert.deepEqual(readWav(within.subarray(i % 7, (i % 7) + all.length)), wanted);
  }
});

test('resampling keeps the pitch of a tone, removes frequencies above the limit, and does not depend on the chunks', () => {
  const high = tone(44100, 500, 44100);
  const low = resample(high, 44100, 8000);
  assert.equal(low.length, 8000);
  const same = tone(8000, 500);
  for (let i = 100; i < 7900; i++) assert.ok(Math.abs(low[i] - same[i]) < 2e-3, `${i}: ${low[i]}, not ${same[i]}`);
  const gone = resample(tone(44100, 6000, 44100), 44100, 8000);
  assert.ok(gone.slice(100, 7900).every((x) => Math.abs(x) < 5e-3));
  const up = resample(same, 8000, 48000);
  assert.equal(up.length, 48000);
  const wanted = tone(48000, 500, 48000);
  for (let i = 600; i < 47400; i++) assert.ok(Math.abs(up[i] - wanted[i]) < 2e-3);
  const resampler = new Resampler(8000, 48000);
  const parts = [];
  for (let at = 0; at < same.length; ) {
    const size = 1 + ((at * 7) % 300);
    parts.push(...resampler.push(same.subarray(at, at + size)));
    at += size;
  }
  parts.push(...resampler.end());
  assert.deepEqual(Float32Array.from(parts), up);
  assert.deepEqual(resample(same, 8000, 8000), same);
});

test('resampling gives the same bits in every JavaScript engine, although the results of Math.sin may differ', async () => {
  const given = random(5);
  const noise = Float32Array.from({ length: 2000 }, () => Math.fround(2 * given() - 1));
  const trigonometry = ['sin', 'cos', 'tan', 'exp', 'pow'].map((name) => /** @type {any} */ ([name, /** @type {any} */ (Math)[name]]));
  const digests = [];
  try {
    for (const [name] of trigonometry) {
      /** @type {any} */ (Math)[name] = () => assert.fail(`Math.${name} gives other bits in other engines`);
    }
    for (const [from, to] of [
      [44100, 8000],
      [8000, 48000],
      [11025, 16000],
      [8000, 8001],
    ]) {
      digests.push(
        createHash('sha256')
          .update(new Uint8Array(resample(noise, from, to).buffer))
          .digest('hex')
          .slice(0, 16),
      );
    }
  } finally {
    for (const [name, own] of trigonometry) /** @type {any} */ (Math)[name] = own;
  }
  assert.deepEqual(digests, ['be6aa8fa8c99ba2f', 'b1dc9a7f32f478eb', '8fe8b8adaf0bb348', '875fc8d346516059']);
});

test('info describes the model', () => {
  const { kind, sampleRate, classes, speakers, verbs, positions } = model.info;
  assert.deepEqual(
    { kind, sampleRate, classes, speakers, verbs, positions },
    {
      kind: 'sound',
      sampleRate: 8000,
      classes: ['0', '1', '2'],
      speakers: ['0', '1'],
      verbs: ['complete', 'generate', 'score'],
      positions: 0,
    },
  );
});

test('the sound of a seed is the same however it is read', async () => {
  const options = { label: 1, speaker: '0', seconds: 0.05, seed: 3 };
  const run = generate(options);
  const all = await run.samples();
  assert.equal(all.length, 400);
  assert.equal(run.finish, 'length');
  const chunks = [];
  let at = 0;
  for await (const { from, to, samples, levels, nats } of generate({ ...options, chunkSize: 7 })) {
    assert.equal(from, at);
    at = to;
    assert.ok(to - from <= 7 && samples.length === to - from && nats.length === to - from);
    assert.deepEqual(expand(levels), samples);
    chunks.push(...samples);
  }
  assert.deepEqual(Float32Array.from(chunks), all);
  // Two readers read one run at the same time, and a third reads it afterwards.
  const shared = generate(options);
  const [one, wav] = await Promise.all([shared.samples(), shared.wav()]);
  assert.deepEqual(one, all);
  assert.deepEqual(await shared.samples(), all);
  assert.equal(wav.type, 'audio/wav');
  assert.deepEqual(new Uint8Array(await wav.arrayBuffer()), writeWav(all, 8000));
  assert.notDeepEqual(await generate({ ...options, speaker: 1 }).samples(), all);
  assert.notDeepEqual(await generate({ ...options, label: undefined }).samples(), all);
});

test('probabilities of each sample add up to one and agree with the nats', async () => {
  for await (const { from, to, levels, nats, probabilities = new Float32Array(0) } of generate({
    seconds: 0.005,
    seed: 1,
    probabilities: true,
  })) {
    assert.equal(probabilities.length, (to - from) * 257);
    levels.forEach((level, i) => {
      const own = probabilities.subarray(i * 257, (i + 1) * 257);
      assert.ok(Math.abs(own.reduce((sum, p) => sum + p, 0) - 1) < 1e-5);
      assert.ok(Math.abs(-Math.log(own[level]) - nats[i]) < 1e-4);
    });
  }
});

test('a sound is continued, and score() returns the costs with which it was drawn', async () => {
  const nats = [];
  const run = generate({ seconds: 0.04, seed: 9, label: 2 });
  for await (const step of run) nats.push(...step.nats);
  const sound = { samples: await run.samples(), sampleRate: 8000 };
  const { perElement, bitsPerDim, heard } = await model.score(sound, { label: 2 });
  assert.equal(heard.said, '');
  assert.deepEqual([...perElement], nats);
  assert.ok(Math.abs(bitsPerDim - nats.reduce((sum, cost) => sum + cost, 0) / nats.length / Math.LN2) < 1e-6);
  const longer = model.complete({ samples: sound.samples.subarray(0, 200), sampleRate: 8000 }, { seconds: 0.015, seed: 9, label: 2 });
  assert.deepEqual(await longer.samples(), sound.samples, 'the noise depends on the position');
  assert.equal((await longer.input)?.samples.length, 200);
});

test('if the model draws the end, the sound is shorter', async () => {
  let ended = 0;
  for (let seed = 0; seed < 12 && ended === 0; seed++) {
    const run = generate({ seconds: 0.5, seed });
    const { length } = await run.samples();
    if (run.finish === 'end') ended = length;
  }
  assert.ok(ended > 0 && ended < 4000);
});

test('conversion from another sample rate and number of channels is reported', async () => {
  const { samples, said, sampleRate, channels } = await heardOf(
    { samples: [tone(4410, 440, 44100), new Float32Array(4410)], sampleRate: 44100 },
    8000,
  );
  assert.equal(said, 'The sound was resampled from 44100 to 8000 samples a second and was mixed down to one channel of 2.');
  assert.deepEqual([samples.length, sampleRate, channels], [800, 44100, 2]);
  const buffer = { sampleRate: 16000, numberOfChannels: 1, length: 160, getChannelData: () => tone(160, 440, 16000) };
  assert.equal((await heardOf(/** @type {any} */ (buffer), 8000)).samples.length, 80);
  assert.equal((await heardOf(writeWav(tone(80), 8000), 8000)).said, '');
  assert.equal((await heardOf(new Blob([writeWav(tone(80), 8000)]), 8000)).samples.length, 80);
});

test('invalid sounds are refused with a reason', async () => {
  /** @type {[any, string, RegExp][]} */
  const rows = [
    [{ samples: [], sampleRate: 8000 }, 'argument', /empty/],
    [new Uint8Array(0), 'argument', /empty/],
    [{ samples: [0, NaN], sampleRate: 8000 }, 'argument', /sample 1/],
    [{ samples: { length: Infinity }, sampleRate: 8000 }, 'limit', /no end/],
    [{ samples: { length: 1e9 }, sampleRate: 8000 }, 'limit', /at most 60/],
    [{ samples: [0], sampleRate: 1 }, 'argument', /sampleRate/],
    [{ samples: [[0, 1], [0]], sampleRate: 8000 }, 'argument', /same length/],
    [new TextEncoder().encode('no sound at all'), 'unsupported', /WAV/],
    [undefined, 'argument', /AudioBuffer/],
    ['a.wav', 'network', /Cannot read the file a.wav/],
    [{ sampleRate: 8000, numberOfChannels: 1, length: 1e9, getChannelData: () => [] }, 'limit', /at most 60/],
  ];
  for (const [sound, code, message] of rows) {
    await assert.rejects(model.score(sound), { code, message });
    await assert.rejects(/** @type {SoundRun} */ (/** @type {any} */ (model.complete(sound))).samples(), { code, message });
  }
  assert.throws(() => generate({ seconds: 0 }), { code: 'argument', message: /seconds/ });
  assert.throws(() => generate({ seconds: 1, label: '9' }), { code: 'argument', message: /label must be one of 0, 1, 2/ });
  assert.throws(() => generate({ speaker: 'nobody' }), { code: 'argument', message: /speaker must be one of 0, 1/ });
  await assert.rejects(generate({ seconds: 0.01, seed: 1 }).playTo(/** @type {any} */ ({})), { code: 'argument', message: /AudioContext/ });
});

test('a signal, a break and close() stop a run and keep the drawn part', async () => {
  const stop = new AbortController();
  const run = generate({ seconds: 60, seed: 1, chunkSize: 50, signal: stop.signal });
  let steps = 0;
  await assert.rejects(
    async () => {
      for await (const _ of run) if (++steps === 2) stop.abort();
    },
    { name: 'AbortError' },
  );
  const left = generate({ seconds: 60, seed: 1, chunkSize: 50 });
  for await (const _ of left) break;
  assert.equal(left.finish, 'abort');
  assert.equal((await left.samples()).length, 50);
  const own = /** @type {AnyModel} */ (await load(await readFile(`${GOLDEN}wavenet-tiny.gguf`)));
  const closed = own.generate({ seconds: 60, seed: 1, chunkSize: 50 });
  await assert.rejects(
    async () => {
      for await (const _ of closed) own.close();
    },
    { code: 'closed' },
  );
});

test('a WaveNet that draws pictures has the kind picture', async () => {
  const pictures = /** @type {AnyModel} */ (await load(`${GOLDEN}wavenet-picture.gguf`));
  assert.deepEqual([pictures.info.kind, pictures.info.width, pictures.info.sampleRate], ['picture', 7, undefined]);
  const [picture] = await pictures.generate({ seed: 1 }).pictures();
  assert.equal(picture.width, 7);
  pictures.close();
});

test('an invalid sound together with an invalid option gives one error and no unhandled rejection', async () => {
  /** @type {unknown[]} */
  const unhandled = [];
  const hears = (/** @type {unknown} */ reason) => void unhandled.push(reason);
  process.on('unhandledRejection', hears);
  try {
    const any = /** @type {any} */ (model);
    for (const sound of ['ein Hund', null, { samples: [NaN], sampleRate: 8000 }, new Uint8Array(3), [[1, 2]]]) {
      for (const options of [{ seconds: 'x' }, { label: [1] }, { speaker: 9 }])
        assert.throws(() => any.complete(sound, options), isError('argument', /./));
      any.complete(sound); // this run is not read, and must not cause an unhandled rejection
      await assert.rejects(any.complete(sound).samples(), { name: 'NextPixelError' });
    }
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  } finally {
    process.off('unhandledRejection', hears);
  }
  assert.deepEqual(unhandled, []);
});

test('silence: a sound ends after the given duration of silence, however its samples are divided into chunks', async () => {
  const rate = 8000;
  const sound = [...tone(4000), ...tone(1600).map((x) => 0.3 * x), ...tone(8000).map((x) => 0.1 * x)];
  for (const [seconds, end] of [
    [0.25, 5600 + 2000],
    [0.05, 5600 + 400],
    [1, 5600 + 8000],
    [1.05, -1],
    [0, -1],
  ]) {
    for (const step of [1, 7, 400, 4096, sound.length]) {
      const quiet = new Silence(rate, seconds);
      let found = -1;
      for (let at = 0; at < sound.length && found < 0; at += step) {
        const here = quiet.until(sound.slice(at, at + step));
        if (here >= 0) found = at + here;
      }
      assert.equal(found, end, `${seconds} s of silence, chunks of ${step}`);
    }
  }
  assert.equal(new Silence(rate, 0.25).until(new Float32Array(20000)), -1, 'before any loud sample there is no silence');
  assert.throws(() => generate({ silence: -1 }), isError('argument', /silence/));
});

test('silence: a run ends after the silence with chunks of any size, even if it is saved and resumed', async () => {
  const speaking = /** @type {AnyModel} */ (await load(`${ROOT}weights/wavenet.gguf`));
  /** @param {SoundOptions} [more] @returns {SoundRun} */
  const say = (more) => /** @type {any} */ (speaking.generate({ label: '8', speaker: 'theo', seed: 8, seconds: 0.6, ...more }));
  const whole = say();
  const all = await whole.samples();
  const end = new Silence(whole.sampleRate, 0.25).until(all);
  assert.ok(whole.finish === 'length' && end > 0 && end < all.length, `it runs to its length, and is silent after ${end} samples`);
  for (const chunkSize of [333, 8000]) {
    const run = say({ silence: 0.25, chunkSize });
    assert.deepEqual(await run.samples(), all.slice(0, end));
    assert.equal(run.finish, 'end');
    const again = /** @type {SoundRun} */ (speaking.resume(run.save()));
    assert.deepEqual(await again.samples(), all.slice(0, end));
    assert.equal(again.finish, 'end');
  }
  speaking.close();
});
