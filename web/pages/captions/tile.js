// SPDX-License-Identifier: MIT
// Defines this page's tile on the front page.
// @ts-check
import { litPixels } from '../../lib/kinds/caption/light.js';
import { addressOf, bytesOf, canvasOf, lineOf } from '../../front/tiles/stage.js';
import { palette } from '../../shell/picture/palette.js';
/** @import { Painter, Tile } from '../../front/tiles/stage.js' */

/**
 * Draws a scene, and lights up the locations to which the model attended for each word.
 *
 * @param {{ scene: string, grid: { rows: number, columns: number }, words: [text: string, light: number[]][] }} record
 * @returns {Painter}
 */
function paint({ scene, grid, words }) {
  const picture = bytesOf(scene);
  const canvas = canvasOf(picture, 64);
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  return (stage, share) => {
    const at = Math.min(words.length - 1, Math.floor(words.length * share));
    const weights = words[at][1];
    context.putImageData(new ImageData(litPixels({ picture, width: 64, height: 64, grid, weights }), 64), 0, 0);
    const text = 32;
    const side = stage.height - text;
    const left = Math.round((stage.width - side) / 2);
    stage.context.imageSmoothingEnabled = false;
    stage.context.drawImage(canvas, left, 0, side, side);
    const { font, places } = lineOf(
      stage,
      words.map(([word]) => [word.trim(), 0]),
      14,
    );
    stage.context.font = font;
    const { ink, accent } = palette();
    places.forEach((place, i) => {
      if (i > at) return;
      stage.context.fillStyle = i === at ? accent : ink;
      stage.context.fillText(place.text, place.x, stage.height - 10);
    });
  };
}

/** @type {Tile} */
export const tile = {
  file: 'captions.gguf',
  ms: 4600,
  paint,
  element: ({ scene }) => ({ task: 'caption', src: addressOf(scene, 64) }),
};
