// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests sound in a browser: an AudioContext must play exactly the samples that Node computes. Also tests the WaveNet page, and an element
 * that plays sound.
 */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { load } from '../../web/lib/index.js';
import { writeWav } from '../../web/lib/media/wav.js';
import { lit } from '../../web/pages/wavenet/reach.js';
import { more } from '../more.js';
import { LIBRARY, openEmpty, provide, session } from './browser.js';
import { inRepository } from './gallery.js';

/** @import { Page } from 'playwright-core' */
/** @import { SoundRun } from '../../web/lib/index.js' */
/** @import { AnyModel } from '../../web/lib/model/of-kind.js' */

const { withPage } = session(['--autoplay-policy=no-user-gesture-required']);
const TINY = '/tests/golden/wavenet-tiny.gguf';
const PAGE = '/web/pages/wavenet/';
const file = inRepository('weights/wavenet.gguf');
const options = { skip: existsSync(file) ? false : 'weights/wavenet.gguf is missing' };

/** @param {string} path @param {object} settings @returns {Promise<Float32Array>} */
async function inNode(path, settings) {
  const model = /** @type {AnyModel} */ (await load(new Uint8Array(await readFile(path))));
  const samples = await /** @type {SoundRun} */ (/** @type {any} */ (model.generate(settings))).samples();
  model.close();
  return samples;
}

/**
 * Plays a run to an AudioContext and records the sound.
 *
 * @param {Page} page
 * @param {string} model
 * @param {object} settings
 * @param {number} rate  sample rate of the context
 * @param {{ barred?: boolean, first?: boolean, stalls?: number }} [circumstances]  barred: whether loading further modules fails; first:
 *   whether all samples are drawn before playback; stalls: for how many milliseconds the page blocks during playback
 */
async function recorded(page, model, settings, rate, { barred = false, first = false, stalls = 0 } = {}) {
  await provide(page, '/model.gguf', await readFile(model));
  const { heard, told, drawing } = await page.evaluate(
    async ([library, how, sampleRate, alone, before, away]) => {
      const { load: open } = await import(library);
      const context = new AudioContext({ sampleRate });
      if (alone) context.audioWorklet.addModule = () => Promise.reject(new Error('forbidden'));
      // Records the sound with a ScriptProcessorNode, because the page's policy would not let the test load an AudioWorklet.
      const recorder = context.createScriptProcessor(4096, 1, 1);
      /** @type {number[]} */
      const all = [];
      recorder.onaudioprocess = ({ inputBuffer }) => {
        all.push(...inputBuffer.getChannelData(0));
      };
      recorder.connect(context.destination);
      const opened = await open('/model.gguf');
      const run = opened.generate(how);
      if (before) await run.samples();
      /** Whether samples were still being drawn when the first one played. @type {boolean | undefined} */
      let draws;
      const onPlay = (/** @type {{ seconds: number }} */ { seconds }) => {
        if (seconds === 0 || draws !== undefined) return;
        draws = run.finish === undefined;
        for (const until = performance.now() + away; performance.now() < until; );
      };
      const said = await run.playTo(context, { destination: recorder, onPlay });
      await new Promise((resolve) => {
        setTimeout(resolve, ((2 * 4096) / sampleRate) * 1000 + 200);
      });
      opened.close();
      await context.close();
      return { heard: all, told: said, drawing: draws };
    },
    /** @type {const} */ ([LIBRARY, settings, rate, barred, first, stalls]),
  );
  return { heard: Float32Array.from(heard), told, drawing };
}

/** Returns the index in the recording at which the sound begins; -1 if anything but silence precedes it.
 * @param {Float32Array} heard @param {Float32Array} sound */
function placeOf(heard, sound) {
  for (let at = 0; at + sound.length <= heard.length; at++) {
    if (sound.every((sample, i) => heard[at + i] === sample)) return at;
    if (heard[at] !== 0) return -1;
  }
  return -1;
}

/**
 * Returns the number of silent gaps within a sound that itself has no zero samples.
 *
 * @param {Float32Array} heard
 * @param {Float32Array} sound
 */
function gapsIn(heard, sound) {
  let [at, gaps] = [0, 0];
  heard.forEach((sample, i) => {
    if (sample === sound[at]) at++;
    else if (sample === 0 && at > 0 && at < sound.length && heard[i - 1] !== 0) gaps++;
  });
  return gaps;
}

/**
 * Checks the recording of a sound that plays while it is drawn. If the machine keeps up, the recording is exact; otherwise, every gap must
 * be reported.
 * @param {{ heard: Float32Array, told: { gaps: number } }} recording @param {Float32Array} sound
 */
function assertPlayed({ heard, told }, sound) {
  if (told.gaps === 0) assert.ok(placeOf(heard, sound) >= 0, 'without a gap');
  else assert.ok(gapsIn(heard, sound) <= told.gaps, 'every gap is reported');
}

test('one second recorded from the AudioContext equals the samples that Node computes, without a gap', () =>
  withPage(
    async (page, complaints) => {
      const [tiny, settings] = [inRepository(TINY.slice(1)), { label: 1, speaker: 0, seed: 4, seconds: 1 }];
      await openEmpty(page);
      const sound = await inNode(tiny, settings);
      // All samples are drawn before playback, because a busy machine might not keep up.
      const { heard, told } = await recorded(page, tiny, settings, 8000, { first: true });
      assert.equal(told.gaps, 0);
      assert.equal(Math.round(told.seconds * 8000), sound.length);
      const at = placeOf(heard, sound);
      assert.ok(at >= 0, 'the recording contains the sound unchanged');
      assert.ok(
        heard.subarray(at + sound.length).every((sample) => sample === 0),
        'and nothing follows',
      );
      const meanwhile = await recorded(page, tiny, settings, 8000);
      assert.equal(meanwhile.drawing, true);
      assertPlayed(meanwhile, sound);
      assert.equal(Math.round(meanwhile.told.seconds * 8000), sound.length);
      // The page blocks for longer than the playback buffer lasts. The recorder runs on the same thread, so it records nothing
      // meanwhile.
      const late = await recorded(page, tiny, settings, 8000, { stalls: 1200 });
      assert.ok(late.told.gaps > 0, 'it says so');
      assert.equal(Math.round(late.told.seconds * 8000), sound.length, 'it plays all samples');
      assert.ok(
        complaints.every((text) => /ScriptProcessor/.test(text)),
        complaints.join(),
      );
    },
    { complains: true },
  ));

more('the shipped file draws a spoken digit, also at the rate of the context', options, () =>
  withPage(
    async (page) => {
      const settings = { label: '7', speaker: 'jackson', seed: 2, seconds: 1 };
      await openEmpty(page);
      const sound = await inNode(file, settings);
      assertPlayed(await recorded(page, file, settings, 8000), sound);
      const { told: high } = await recorded(page, file, settings, 48000);
      assert.ok(Math.abs(high.seconds - sound.length / 8000) < 1e-3);
    },
    { complains: true },
  ),
);

more('without worklets, a sound plays through buffers, with the same samples', () =>
  withPage(
    async (page) => {
      const settings = { label: 0, speaker: 1, seed: 5, seconds: 0.5 };
      await openEmpty(page);
      const sound = await inNode(inRepository(TINY.slice(1)), settings);
      assertPlayed(await recorded(page, inRepository(TINY.slice(1)), settings, 8000, { barred: true }), sound);
    },
    { complains: true },
  ),
);

test('a signal stops playback, and a closed context gives an error', () =>
  withPage(async (page) => {
    await openEmpty(page);
    await provide(page, '/model.gguf', await readFile(inRepository(TINY.slice(1))));
    const said = await page.evaluate(async (library) => {
      const { load: open } = await import(library);
      const model = await open('/model.gguf');
      const stop = new AbortController();
      const context = new AudioContext();
      const long = { samples: new Float32Array(160000), sampleRate: 8000 };
      const playing = model.complete(long, { seconds: 1 }).playTo(context, {
        signal: stop.signal,
        onPlay: (/** @type {{ seconds: number }} */ { seconds }) => {
          if (seconds > 0.02) stop.abort();
        },
      });
      const stopped = await playing.then(
        () => 'played',
        (/** @type {Error} */ error) => error.name,
      );
      const closing = model.complete(long, { seconds: 1 }).playTo(context);
      setTimeout(() => context.close(), 300);
      const closed = await closing.then(
        () => 'played',
        (/** @type {any} */ error) => error.code,
      );
      model.close();
      return { stopped, closed };
    }, LIBRARY);
    assert.deepEqual(said, { stopped: 'AbortError', closed: 'closed' });
  }));

test('trees: each plain layer adds one visible sample, and each dilated layer doubles the visible samples', () => {
  for (let layers = 1; layers <= 5; layers++) {
    assert.equal(lit(31, Array(layers).fill(1))[0].size, layers + 1);
    assert.equal(
      lit(
        31,
        Array.from({ length: layers }, (_, l) => 2 ** l),
      )[0].size,
      2 ** layers,
    );
  }
  assert.deepEqual([...lit(2, [1, 2, 4])[0]].sort(), [0, 1, 2], 'nothing precedes the beginning');
});

test('the page draws a digit without a click, with the samples that Node computes, and plays it; the other figures work', options, () =>
  withPage(async (page) => {
    await page.goto(PAGE);
    await page.locator('#transport[data-phase=done]').waitFor({ timeout: 40000 });
    const levels = ((await page.locator('#result').textContent()) ?? '').split(' ').map(Number);
    const model = /** @type {AnyModel} */ (await load(file));
    const { classes, speakers = [] } = model.info;
    const own = [];
    for await (const step of /** @type {SoundRun} */ (
      model.generate({ label: '7', speaker: speakers[0], seconds: 1.2, silence: 0.25, seed: 10 })
    ))
      own.push(...step.levels);
    model.close();
    assert.deepEqual(levels, own);
    assert.equal(classes.length, 10);
    await page.locator('#run').click();
    await page.locator('#transport[data-phase=running]').waitFor();
    await page.locator('#transport[data-phase=done]').waitFor({ timeout: 40000 });
    assert.match((await page.locator('#said').textContent()) ?? '', /^A sound of \d\.\d\d s, \d\.\d bits a sample\./);
    assert.match((await page.locator('#file').getAttribute('href')) ?? '', /^blob:/);
    await page.locator('#zoom').fill('100');
    await page.locator('#wave').focus();
    await page.keyboard.press('ArrowRight');
    assert.match((await page.locator('#zoom-said').textContent()) ?? '', /6 ms from .*, 48 samples/);

    await page.locator('#figure-trees').scrollIntoViewIfNeeded();
    await page.getByText('4 layers: it depends on 16 samples.').waitFor();
    await page.locator('#tree-layers').fill('5');
    await page.getByText('5 layers: it depends on 32 samples.').waitFor();
    await page.getByText('5 layers: it depends on 6 samples.').waitFor();
    await page.locator('#figure-queues').scrollIntoViewIfNeeded();
    await page.locator('#queue-step').click();
    await page.getByText('Sample 21: the layers read the values that they stored at 20, 19, 17, 13, 5.').waitFor();
    await page.locator('#figure-odds').scrollIntoViewIfNeeded();
    await page.getByText(/120 samples, \d\.\d bits each/).waitFor({ timeout: 40000 });
    await page.locator('#odds').focus();
    await page.keyboard.press('ArrowRight');
    await page.getByText(/Sample \d+: level \d+ was drawn, with probability /).waitFor();
  }),
);

more('a file is continued; an invalid file and a blocked microphone give messages', options, () =>
  withPage(async (page) => {
    await page.goto(PAGE);
    await page.locator('#transport[data-phase=done]').waitFor({ timeout: 40000 });
    await page.locator('#figure-voice').scrollIntoViewIfNeeded();
    const said = page.locator('#voice-said');
    // waits until the field is enabled, because only then does it have its listener
    await page.locator('#sound-file:enabled').waitFor({ state: 'attached' });
    await page.locator('#sound-file').setInputFiles({ name: 'no.wav', mimeType: 'audio/wav', buffer: Buffer.from('RIFF0000WAVEnothing') });
    await said.getByText(/cannot be read/).waitFor();
    const tone = Float32Array.from({ length: 4410 }, (_, i) => 0.3 * Math.sin(i / 20));
    await page
      .locator('#sound-file')
      .setInputFiles({ name: 'tone.wav', mimeType: 'audio/wav', buffer: Buffer.from(writeWav(tone, 44100)) });
    await said
      .getByText(/of which 0\.10 s are the recording.*was resampled from 44100 to 8000 samples a second/)
      .waitFor({ timeout: 40000 });
    await page.locator('#record').click();
    await said.getByText(/microphone/i).waitFor();
  }),
);

more('the element shows a waveform, describes itself, and accepts other attributes', options, () =>
  withPage(async (page) => {
    await openEmpty(page);
    await page.evaluate(async (define) => {
      await import(define);
      document.body.innerHTML =
        '<next-pixel model="/weights/wavenet.gguf" task="generate" label="3" speaker="theo" seed="5" seconds="0.4" controls></next-pixel>';
    }, '/web/dist/define.js');
    const element = page.locator('next-pixel');
    await element.locator('button', { hasText: 'Play' }).click();
    await element.locator('[part=status]', { hasText: /^Drawn: 0\.\d\d s, \d\.\d bits a sample/ }).waitFor({ timeout: 40000 });
    assert.match((await element.locator('canvas').getAttribute('aria-label')) ?? '', /^A sound drawn from nothing by wavenet, 100 % done/);
    assert.match((await element.locator('[part=text]').textContent()) ?? '', /^A sound of 0\.\d\d s/);
    const inked = await element.locator('canvas').evaluate((/** @type {HTMLCanvasElement} */ canvas) => {
      const { data } = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d')).getImageData(0, 0, canvas.width, canvas.height);
      return data.filter((value, i) => i % 4 === 3 && value > 60).length;
    });
    assert.ok(inked > 100);
  }),
);
