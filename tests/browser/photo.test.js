// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests the ways in which a visitor's own picture reaches a figure: as a file, by drag and drop, from the clipboard, and from the camera.
 * Also tests how pictures are scaled down, and the error messages.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { reduce } from '../../web/lib/media/image.js';
import { more } from '../more.js';
import { OUT, SHELL, openEmpty, session } from './browser.js';
import { SIDE, WAIT, galleryOf } from './gallery.js';
import { blackPng, png } from './png.js';

/** @import { Page } from 'playwright-core' */

const { withPage } = session(['--use-fake-device-for-media-stream']);
const colour = galleryOf('colour', 'in-colour');
const superres = galleryOf('superres', 'enlarged');
/** With reduced motion, nothing runs unless a test starts it. */
const CALM = /** @type {const} */ ({ reducedMotion: 'reduce' });

/** Returns a picture with a red upper half and a blue lower half. @param {number} width @param {number} height */
const flag = (width, height) => png(width, height, (_, y) => (2 * y < height ? [255, 0, 0, 255] : [0, 0, 255, 255]));
const RED = [255, 0, 0];

/** @param {Page} page @param {string} id */
const ready = (page, id) => page.locator(`#${id}-run:enabled`).waitFor(WAIT);

/** Returns the original picture in the first row. @param {Page} page @param {typeof colour} gallery */
const original = async (page, gallery) => (await gallery.pixels(page, 0)).at(-1) ?? [];

/** @param {Page} page @param {typeof colour} gallery @param {string} [name] */
const firstRowIs = (page, gallery, name = 'your picture') =>
  page.locator(`${gallery.rows}:first-child .row-name b`, { hasText: new RegExp(`^${name}$`) }).waitFor();

/** @param {Page} page @param {string} id @param {string} name @param {Buffer} buffer */
const give = (page, id, name, buffer) =>
  page.locator(`#${id}-photo input`).setInputFiles({ name, mimeType: name.endsWith('.txt') ? 'text/plain' : 'image/png', buffer });

/**
 * Drops or pastes a file in the page; returns whether the page prevented the browser's default action.
 *
 * @param {Page} page
 * @param {'dragover' | 'drop' | 'paste'} type
 * @param {string} selector
 * @param {Buffer | null} buffer  null: no file
 */
const hand = (page, type, selector, buffer) =>
  page.locator(selector).evaluate(
    (element, [kind, base64]) => {
      const transfer = new DataTransfer();
      if (base64) transfer.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], 'flag.png', { type: 'image/png' }));
      else transfer.items.add('https://example.org/flag.png', 'text/uri-list');
      const options = { bubbles: true, cancelable: true };
      const event =
        kind === 'paste'
          ? new ClipboardEvent('paste', { ...options, clipboardData: transfer })
          : new DragEvent(String(kind), { ...options, dataTransfer: transfer });
      return !element.dispatchEvent(event);
    },
    [type, buffer?.toString('base64') ?? ''],
  );

/** Returns the error message of the control for choosing a picture. @param {Page} page @param {string} id */
const wrong = (page, id) => page.locator(`#${id}-photo .photo-said.wrong`);

test('a picture is scaled down by averaging each area, as in the library, and turned upright', () =>
  withPage(async (page) => {
    await openEmpty(page);
    /**
     * Scales a picture down on the page and with the library. `far` is the largest difference between corresponding colour values of the
     * two results.
     *
     * @param {Buffer} file
     * @returns {Promise<{ width: number, height: number, far: number, square: number[] }>}
     */
    const both = (file) =>
      page.evaluate(async (base64) => {
        const [{ centralSquare }, { openPicture }, { scaling }, { fromRGBA }] = await Promise.all(
          ['/web/pages/colour/square.js', '/web/shell/picture/open-picture.js', '/web/lib/media/scale.js', '/web/lib/media/ground.js'].map(
            (name) => import(name),
          ),
        );
        const bitmap = await openPicture(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], 'picture.png'));
        const { width, height } = bitmap;
        const context = /** @type {CanvasRenderingContext2D} */ (
          Object.assign(document.createElement('canvas'), { width, height }).getContext('2d')
        );
        context.drawImage(bitmap, 0, 0);
        const side = Math.min(width, height);
        const { data } = context.getImageData(Math.floor((width - side) / 2), Math.floor((height - side) / 2), side, side);
        const means = scaling({ width: side, height: side }, { width: 32, height: 32 });
        means.add(data, 0);
        const expected = fromRGBA(means.end(), 3);
        const square = (await centralSquare(bitmap, 32)).data;
        const actual = fromRGBA(square, 3);
        return {
          width,
          height,
          far: Math.max(...actual.map((/** @type {number} */ value, /** @type {number} */ i) => Math.abs(value - expected[i]))),
          square: [...square],
        };
      }, file.toString('base64'));
    let state = 1;
    const noise = () => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) >>> 24;
    // Some sizes are smaller than the result, some are multiples of it, and some are neither. Some pictures are portrait, and some are
    // landscape. One picture is so large that it is processed in several bands of rows.
    for (const [width, height, alpha] of [
      [7, 5, 255],
      [32, 32, 255],
      [64, 70, 255],
      [100, 33, 0],
      [61, 200, 0],
      [1100, 1057, 0],
    ]) {
      const picture = await both(png(width, height, () => [noise(), noise(), noise(), alpha || noise()]));
      assert.deepEqual([picture.width, picture.height], [width, height]);
      assert.ok(
        picture.square.every((value, i) => i % 4 < 3 || value === 255),
        'opaque',
      );
      // The library rounds colour and opacity before it lays them over white, so two errors of up to half a level are added to the last
      // rounding.
      assert.ok(picture.far <= (alpha ? 1 : 2), `${width} x ${height}: ${picture.far}`);
    }
    // A photograph is turned upright if its metadata say that it is rotated. Here, the left side becomes the top.
    const jpeg = Buffer.from(
      await page.evaluate(async () => {
        const canvas = Object.assign(document.createElement('canvas'), { width: 64, height: 64 });
        const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
        for (const [colour, x] of /** @type {const} */ ([
          ['#f00', 0],
          ['#00f', 32],
        ])) {
          context.fillStyle = colour;
          context.fillRect(x, 0, 32, 64);
        }
        return canvas.toDataURL('image/jpeg', 1).split(',')[1];
      }),
      'base64',
    );
    const exif = Buffer.from('ffe1002245786966000049492a00080000000100120103000100000006000000000000000000', 'hex').subarray(0, 36);
    const turned = await both(Buffer.concat([jpeg.subarray(0, 2), exif, jpeg.subarray(2)]));
    const at = (/** @type {number} */ x, /** @type {number} */ y) => turned.square.slice(4 * (y * SIDE + x), 4 * (y * SIDE + x) + 3);
    for (const x of [3, 28]) {
      assert.ok(at(x, 3)[0] > 240 && at(x, 3)[2] < 15, `${at(x, 3)}`);
      assert.ok(at(x, 28)[2] > 240 && at(x, 28)[0] < 15, `${at(x, 28)}`);
    }
  }));

test('a file becomes the first row and is completed; nothing is sent anywhere', () =>
  withPage(async (page) => {
    await colour.open(page);
    await ready(page, 'colour');
    const names = await page.locator(`${colour.rows} .row-name b`).allTextContents();
    const first = await page
      .locator('#colour-strip input')
      .evaluateAll((inputs) => inputs.findIndex((input) => /** @type {HTMLInputElement} */ (input).checked));
    assert.ok(first >= 0);
    /** @type {string[]} */
    const asked = [];
    page.on('request', (request) => {
      if (!request.url().startsWith('blob:')) asked.push(request.url());
    });
    // The sides of a landscape picture are cut off.
    await give(
      page,
      'colour',
      'wide.png',
      png(300, 100, (x, y) => (x < 100 || x >= 200 ? [0, 255, 0, 255] : y < 50 ? [255, 0, 0, 255] : [0, 0, 255, 0])),
    );
    await firstRowIs(page, colour);
    // transparent pixels become white
    const expected = Array.from({ length: SIDE * SIDE }, (_, i) => (i < (SIDE * SIDE) / 2 ? RED : [255, 255, 255]));
    assert.deepEqual(await original(page, colour), expected);
    assert.deepEqual(await page.locator(`${colour.rows} .row-name b`).allTextContents(), ['your picture', ...names.slice(1)]);
    assert.equal(await page.locator('#colour-strip input:checked').count(), 0);
    await colour.rowIs(page, 0);
    const [given, ending] = await colour.pixels(page, 0);
    assert.deepEqual(ending.slice(0, (SIDE * SIDE) / 2), given.slice(0, (SIDE * SIDE) / 2));
    assert.ok(ending.every(Boolean));
    await page.locator('[role=status]', { hasText: 'your picture: three endings are drawn.' }).waitFor({ state: 'attached' });
    assert.deepEqual(asked, []);
    // Choosing an emoji replaces the visitor's picture, even if the row showed the same emoji before.
    await page.locator('#colour-strip input').nth(first).check();
    await firstRowIs(page, colour, names[0]);
  }, CALM));

more('a picture dropped on the figure is reduced to 8 by 8 and enlarged; a picture dropped next to the figure is ignored', () =>
  withPage(async (page) => {
    await superres.open(page);
    await ready(page, 'superres');
    await page.locator('#superres-tries').selectOption('3'); // chooses three samples that do not compete: an eighth of the usual work
    await page.click('#superres-stop'); // stops the run, because this test does not need the rows with shipped pictures
    const file = png(64, 64, (x, y) => [4 * x, 4 * y, 128, 255]);
    assert.ok(await hand(page, 'dragover', '#superres-gallery', file));
    assert.match((await page.locator('#figure-superres').getAttribute('class')) ?? '', /\bdropping\b/);
    assert.ok(await hand(page, 'drop', '#superres-gallery', file));
    assert.doesNotMatch((await page.locator('#figure-superres').getAttribute('class')) ?? '', /\bdropping\b/);
    await firstRowIs(page, superres);
    const whole = await original(page, superres);
    assert.deepEqual(whole[0], [2, 2, 128]);
    const [small] = await superres.pixels(page, 0);
    assert.deepEqual(small.flat(), [
      ...reduce(Uint8Array.from(/** @type {number[][]} */ (whole).flat()), { width: SIDE, height: SIDE, channels: 3 }, 8, 8),
    ]);
    await superres.rowIs(page, 0);

    assert.ok((await hand(page, 'dragover', 'h1', file)) && (await hand(page, 'drop', 'h1', file)), 'the browser does not open it');
    assert.ok(!(await hand(page, 'drop', 'h1', null)), 'the page ignores drops that are not files');
    assert.deepEqual(await original(page, superres), whole);
  }, CALM),
);

more('a pasted picture goes to the figure with the focus, or to the figure on the screen', () =>
  withPage(async (page) => {
    await colour.open(page);
    await ready(page, 'colour');
    await page.locator('#superres-gallery').evaluate((gallery) => gallery.scrollIntoView({ behavior: 'instant' }));
    await ready(page, 'superres');
    const before = await original(page, colour);
    assert.ok(await hand(page, 'paste', 'body', flag(40, 40)));
    await firstRowIs(page, superres);
    assert.deepEqual(await original(page, colour), before);
    assert.ok(await hand(page, 'paste', '#colour-seed', flag(40, 40)));
    await firstRowIs(page, colour);
    assert.ok(!(await hand(page, 'paste', '#colour-seed', null)), 'text is pasted as usual');
    await page.evaluate(() => scrollTo({ top: 1e6, behavior: 'instant' })); // scrolls to the sources and credits at the end
    assert.ok(!(await hand(page, 'paste', 'body', flag(40, 40))), 'no figure is on the screen');
  }, CALM),
);

more('unusable files give a message, and nothing is lost', () =>
  withPage(async (page) => {
    await colour.open(page);
    await ready(page, 'colour');
    const before = await original(page, colour);
    const good = flag(200, 200);
    for (const [name, buffer, message] of /** @type {[string, Buffer, RegExp][]} */ ([
      ['notes.txt', Buffer.from('not a picture'), /^notes\.txt is not a picture that this browser can read/],
      ['empty.png', Buffer.alloc(0), /^empty\.png is empty/],
      ['torn.png', good.subarray(0, 40), /^torn\.png is not a picture|^torn\.png begins like a picture/],
      ['huge.png', blackPng(12000, 12000), /^huge\.png is too large: 12000 x 12000 are 144 million pixels\. The maximum is 120 million/],
      ['heavy.png', Buffer.alloc(100e6 + 1), /^heavy\.png is too large: 100\.00 MB\. The maximum is 100\.00 MB/],
    ])) {
      if (buffer.length > 50e6) {
        // sets the file in the page, because Playwright cannot transfer such a large file
        await page.locator('#colour-photo input').evaluate(
          (input, [called, size]) => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([new Uint8Array(Number(size))], String(called)));
            /** @type {HTMLInputElement} */ (input).files = transfer.files;
            input.dispatchEvent(new Event('change'));
          },
          [name, buffer.length],
        );
      } else {
        await give(page, 'colour', name, buffer);
      }
      await wrong(page, 'colour').getByText(message).waitFor();
      assert.deepEqual(await original(page, colour), before, name);
      assert.equal(await page.locator('#colour-strip input:checked').count(), 1, name);
    }
    assert.ok(await hand(page, 'dragover', '#colour-gallery', good));
    await page.locator('#figure-colour').screenshot({ path: `${OUT}photo-wrong.png` });
    // After a valid file, the message disappears.
    await give(page, 'colour', 'flag.png', good);
    await firstRowIs(page, colour);
    assert.ok(await page.locator('#colour-photo .photo-said').isHidden());
  }, CALM),
);

more('a large photograph is also scaled down', () =>
  withPage(async (page) => {
    await colour.open(page);
    await ready(page, 'colour');
    await give(page, 'colour', 'large.png', blackPng(8192, 6144));
    await firstRowIs(page, colour);
    assert.ok((await original(page, colour)).every((pixel) => pixel?.join() === '0,0,0'));
  }, CALM),
);

/**
 * Records the streams that getUserMedia returned. In the headless shell, which has no camera, the test provides a green picture.
 *
 * @param {Page} page
 */
const watchCamera = (page) =>
  page.addInitScript((shell) => {
    const streams = /** @type {MediaStream[]} */ ([]);
    Object.assign(globalThis, { streams });
    const green = async () => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 640, height: 480 });
      const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
      setInterval(() => {
        context.fillStyle = '#0a0';
        context.fillRect(0, 0, 640, 480);
      }, 30);
      return canvas.captureStream(30);
    };
    const ask = shell ? green : navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
    navigator.mediaDevices.getUserMedia = async (wanted) => {
      const stream = await ask(wanted);
      streams.push(stream);
      return stream;
    };
  }, SHELL);
/** Waits until no track is live; returns the number of streams. @param {Page} page */
const streamsOff = async (page) => {
  await page.waitForFunction(() =>
    /** @type {any} */ (globalThis).streams.every((/** @type {MediaStream} */ stream) =>
      stream.getTracks().every((track) => track.readyState === 'ended'),
    ),
  );
  return page.evaluate(() => /** @type {any} */ (globalThis).streams.length);
};

test('the camera takes a picture, can be cancelled, and is always switched off', () =>
  withPage(
    async (page) => {
      await watchCamera(page);
      await colour.open(page);
      await ready(page, 'colour');
      const before = await original(page, colour);
      const button = page.locator('#colour-photo button', { hasText: 'Use the camera' });
      const dialog = page.locator('dialog.camera');
      const shutter = dialog.locator('button', { hasText: 'Take the picture' });

      for (const leave of [() => dialog.locator('button', { hasText: 'Cancel' }).click(), () => page.keyboard.press('Escape')]) {
        await button.focus();
        await page.keyboard.press('Enter');
        await shutter.and(page.locator(':enabled')).waitFor();
        assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Take the picture');
        await leave();
        await dialog.waitFor({ state: 'detached' });
        await streamsOff(page);
        assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Use the camera', 'the focus returns');
        assert.deepEqual(await original(page, colour), before);
      }
      await button.click();
      await shutter.and(page.locator(':enabled')).waitFor();
      await page.screenshot({ path: `${OUT}camera.png` });
      await page.keyboard.press('Enter');
      await dialog.waitFor({ state: 'detached' });
      await firstRowIs(page, colour);
      // Chromium's fake camera shows a green picture with a moving disc and a clock.
      const taken = await original(page, colour);
      assert.ok(taken.filter((pixel) => pixel && pixel[1] > pixel[0] + 40 && pixel[1] > pixel[2] + 40).length > (SIDE * SIDE) / 3);
      assert.equal(await streamsOff(page), 3);
    },
    { ...CALM, permissions: ['camera'] },
  ));

more('a camera that starts too late is switched off, too; a camera that stops is reported', () =>
  withPage(
    async (page) => {
      await watchCamera(page);
      await page.addInitScript(() => {
        const ask = navigator.mediaDevices.getUserMedia;
        navigator.mediaDevices.getUserMedia = async (wanted) => {
          await new Promise((resolve) => {
            /** @type {any} */ (globalThis).allow = resolve;
          });
          return ask(wanted);
        };
      });
      await colour.open(page);
      await ready(page, 'colour');
      const button = page.locator('#colour-photo button', { hasText: 'Use the camera' });
      await button.click();
      await page.keyboard.press('Escape');
      await page.locator('dialog.camera').waitFor({ state: 'detached' });
      await page.evaluate(() => /** @type {any} */ (globalThis).allow());
      await page.waitForFunction(() => /** @type {any} */ (globalThis).streams.length === 1);
      await streamsOff(page);
      assert.ok(await page.locator('#colour-photo .photo-said').isHidden());

      await button.click();
      await page.evaluate(() => /** @type {any} */ (globalThis).allow());
      await page.locator('dialog.camera button:enabled', { hasText: 'Take the picture' }).waitFor();
      await page.evaluate(() => /** @type {any} */ (globalThis).streams[1].getTracks()[0].dispatchEvent(new Event('ended')));
      await wrong(page, 'colour').getByText('The camera was switched off.').waitFor();
      await streamsOff(page);
    },
    { ...CALM, permissions: ['camera'] },
  ),
);

more('a camera that is refused or does not exist is reported', () =>
  withPage(async (page) => {
    if (SHELL)
      await page.addInitScript(() => {
        navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('Permission denied', 'NotAllowedError'));
      });
    await superres.open(page);
    await ready(page, 'superres');
    const button = page.locator('#superres-photo button', { hasText: 'Use the camera' });
    await button.click();
    await wrong(page, 'superres')
      .getByText("This page may not use the camera. Allow it in the browser's address bar, or choose a file.")
      .waitFor();
    await page.locator('dialog.camera').waitFor({ state: 'detached' });
    await page.evaluate(() => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('Requested device not found', 'NotFoundError'));
    });
    await button.click();
    await wrong(page, 'superres').getByText('There is no camera: choose a file.').waitFor();
    await page.evaluate(() => Object.defineProperty(navigator, 'mediaDevices', { value: undefined }));
    await button.click();
    await wrong(page, 'superres').getByText('This browser gives pages no access to a camera: choose a file.').waitFor();
  }, CALM),
);
