// SPDX-License-Identifier: MIT
// @ts-check

/** Tests the VQ-VAE page: playing the sound of each stage, generating a spoken digit as codes, the codebook, and error messages. */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';

import { load } from '../../web/lib/index.js';
import { writeWav } from '../../web/lib/media/wav.js';
import { samplesOf } from '../../web/pages/jukebox/levels.js';
import { RECORDINGS } from '../../web/pages/jukebox/recordings.js';
import { more } from '../more.js';
import { openEmpty, session } from './browser.js';
import { inRepository } from './gallery.js';

/** @import { CodeRun } from '../../web/lib/index.js' */

const { withPage } = session(['--autoplay-policy=no-user-gesture-required']);
const PAGE = '/web/pages/jukebox/';
const file = inRepository('weights/jukebox-small.gguf');
const options = { skip: existsSync(file) ? false : 'weights/jukebox-small.gguf is missing' };

test(
  'a recording is encoded as codes and decoded to a sound, with the same bits as in Node; each stage is audible; the codebook can be played and used as a palette',
  options,
  () =>
    withPage(async (page) => {
      await page.goto(PAGE);
      await page.locator('#stages-transport[data-phase=done]').waitFor({ timeout: 60000 });
      assert.match(
        (await page.locator('#stages-note').textContent()) ?? '',
        /^“7” as jackson said it.*: 3377 samples became 53 codes of the top level and 212 of the bottom level in \d+ ms/,
      );
      const [top, bottom] = ((await page.locator('#stages-result').textContent()) ?? '')
        .split(' | ')
        .map((codes) => codes.split(' ').map(Number));
      const model = await load(file);
      const own = await model.encode({ samples: samplesOf(RECORDINGS[0].levels), sampleRate: 8000 });
      model.close();
      assert.deepEqual([top, bottom], [[...own.top], [...own.bottom]]);

      const said = page.locator('#stages-said');
      for (const [button, sentence] of [
        ['given', /^The given sound: 0\.42 s/],
        ['top', /^From the top level alone: 0\.42 s/],
        ['bottom', /^From the bottom level: 0\.42 s/],
      ]) {
        await page.locator(`#hear-${button}`).click();
        await said.getByText(sentence).waitFor();
      }
      await page.locator('#stages-run').click();
      await page.locator('#stages-transport[data-phase=running]').waitFor();
      await page.locator('#stages-transport[data-phase=done]').waitFor();
      await page.locator('#bars-top').focus();
      await page.keyboard.press('End');
      await said.getByText(/^Code 53 of 53 of the top level is number \d+ of 256\./).waitFor();
      await page.locator('#figure-book').scrollIntoViewIfNeeded();
      const told = page.locator('#book-said');
      await told.getByText(/^Code \d+ of the top level/).waitFor();
      await page.locator('#book').focus();
      await page.keyboard.press('ArrowDown');
      const code = /^Code (\d+)/.exec((await told.textContent()) ?? '')?.[1];
      await page.locator('#painted').focus();
      await page.keyboard.press('Home');
      await told.getByText(`Position 1 of 53 is now code ${code}.`).waitFor();
      await page.waitForFunction((first) => document.getElementById('painted-result')?.textContent?.startsWith(`${first} `), code);
      await page.locator('#painted-hear').click();
      await page.locator('#book-level input[value=bottom]').check();
      await told.getByText(/^Code \d+ of the bottom level/).waitFor();
    }),
);

test('a spoken digit is generated as in Node, can be saved, and continues the sound above', options, () =>
  withPage(async (page) => {
    await page.goto(PAGE);
    await page.locator('#transport[data-phase=done]').waitFor({ timeout: 60000 });
    const [top, bottom] = ((await page.locator('#result').textContent()) ?? '').split(' | ').map((codes) => codes.split(' ').map(Number));
    const model = await load(file);
    /** @type {Record<string, number[]>} */
    const own = { top: [], bottom: [] };
    for await (const { level, codes } of /** @type {CodeRun} */ (
      /** @type {unknown} */ (model.generate({ label: '7', speaker: 'jackson', seconds: 1, seed: 4 }))
    ))
      own[level]?.push(...codes);
    const { top: given } = await model.encode({ samples: samplesOf(RECORDINGS[0].levels).subarray(0, 1688), sampleRate: 8000 });
    model.close();
    assert.deepEqual({ top, bottom }, own);

    await page.locator('#run').click();
    await page.locator('#transport[data-phase=done]').waitFor({ timeout: 60000 });
    assert.match(
      (await page.locator('#draw-said').textContent()) ?? '',
      /^\d+ codes of the top level, \d+ of the bottom level, \d\.\d\d s of sound\./,
    );
    assert.match((await page.locator('#file').getAttribute('href')) ?? '', /^blob:/);
    await page.locator('#goes-on').check();
    await page.locator('#transport[data-phase=running]').waitFor();
    await page.locator('#transport[data-phase=done]').waitFor({ timeout: 60000 });
    const gone = ((await page.locator('#result').textContent()) ?? '').split(' | ')[0].split(' ').map(Number);
    assert.deepEqual(gone.slice(0, 20), [...given].slice(0, 20));
  }),
);

more('a visitor’s file is read; an invalid file and a blocked microphone give messages, and nothing is lost', options, () =>
  withPage(async (page) => {
    await page.goto(PAGE);
    await page.locator('#stages-transport[data-phase=done]').waitFor({ timeout: 60000 });
    const before = await page.locator('#stages-result').textContent();
    const said = page.locator('#stages-said');
    await page.locator('#sound-file').setInputFiles({ name: 'no.wav', mimeType: 'audio/wav', buffer: Buffer.from('RIFF0000WAVEnothing') });
    await said.getByText(/cannot be read/).waitFor();
    await page.locator('#record').click();
    await said.getByText(/microphone/i).waitFor();
    assert.equal(await page.locator('#stages-result').textContent(), before);
    const tone = Float32Array.from({ length: 4410 }, (_, i) => 0.3 * Math.sin(i / 20));
    await page
      .locator('#sound-file')
      .setInputFiles({ name: 'tone.wav', mimeType: 'audio/wav', buffer: Buffer.from(writeWav(tone, 44100)) });
    await page
      .locator('#stages-note')
      .getByText(
        /^tone\.wav, 0\.10 s: 800 samples became 13 codes of the top level and 52 of the bottom level.*was resampled from 44100 to 8000/,
      )
      .waitFor();
  }),
);

more('the element draws and shows a spoken digit', options, () =>
  withPage(async (page) => {
    await openEmpty(page);
    await page.evaluate(async (define) => {
      await import(define);
      document.body.innerHTML =
        '<next-pixel model="/weights/jukebox-small.gguf" task="generate" label="3" speaker="theo" seed="5" seconds="0.4" controls></next-pixel>';
    }, '/web/dist/define.js');
    const element = page.locator('next-pixel');
    await element.locator('button', { hasText: 'Play' }).click();
    await element.locator('[part=status]', { hasText: /^Drawn: 0\.\d\d s/ }).waitFor({ timeout: 40000 });
  }),
);
