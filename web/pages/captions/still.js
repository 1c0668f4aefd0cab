// SPDX-License-Identifier: MIT
// Draws the picture for this page's card on the front page. The picture shows the page's first scene twice, each time with light on the
// locations to which the network attended for one word of the caption.
// @ts-check
import { HEIGHT, WIDTH, withPage } from '../../front/stills.js';
import { encodePng } from '../../shell/picture/png.js';

const WORDS = ['cat', 'bicycle'];

export const still = () =>
  withPage({ width: 1200, height: 900, reducedMotion: 'reduce' }, async (page) => {
    await page.goto('/web/pages/captions/');
    await page.locator('#transport[data-phase="done"]').waitFor();
    await page.evaluate(() => {
      const canvas = Object.assign(document.body.appendChild(document.createElement('canvas')), { id: 'still', width: 300, height: 200 });
      const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
      context.fillStyle = '#fff';
      context.fillRect(0, 0, 300, 200);
      context.imageSmoothingEnabled = false;
    });
    for (const [i, word] of WORDS.entries()) {
      await page.locator('#caption .word', { hasText: word }).hover();
      await page.locator('#caption .word.lit', { hasText: word }).waitFor();
      await page.evaluate(
        (left) => {
          const [scene, still] = /** @type {HTMLCanvasElement[]} */ (['scene-canvas', 'still'].map((id) => document.getElementById(id)));
          still.getContext('2d')?.drawImage(scene, left, 36, 128, 128);
        },
        12 + 148 * i,
      );
    }
    const rgba = await page.evaluate(() => {
      const context = /** @type {CanvasRenderingContext2D} */ (
        /** @type {HTMLCanvasElement} */ (document.getElementById('still')).getContext('2d')
      );
      return [...context.getImageData(0, 0, 300, 200).data];
    });
    return encodePng({ data: Uint8ClampedArray.from(rgba), width: WIDTH, height: HEIGHT });
  });
