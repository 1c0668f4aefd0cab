// SPDX-License-Identifier: MIT
// Adapts a canvas's resolution to its size on the page, and repaints the canvas when the size or the page's colours change.
// @ts-check

/**
 * @typedef {Object} Surface
 * @property {CanvasRenderingContext2D} context scaled so that its units are CSS pixels
 * @property {number} width
 * @property {number} height
 * @property {(name: string) => string} colour returns the colour in a CSS custom property of the page, given the property's name
 * @property {boolean} dark
 */

/**
 * @param {HTMLCanvasElement} canvas
 * @param {(surface: Surface) => void} paint
 * @returns {() => void} function that paints at the next frame
 */
export function createSurface(canvas, paint) {
  let due = 0;
  const now = () => {
    due = 0;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    const context = canvas.getContext('2d');
    if (width === 0 || !context) return;
    const ratio = devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const style = getComputedStyle(canvas);
    paint({
      context,
      width,
      height,
      colour: (name) => style.getPropertyValue(name).trim() || style.color,
      dark: matchMedia('(prefers-color-scheme: dark)').matches,
    });
  };
  const soon = () => {
    due ||= requestAnimationFrame(now);
  };
  new ResizeObserver(soon).observe(canvas);
  for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)']) matchMedia(query).addEventListener('change', soon);
  soon();
  return soon;
}

/**
 * Draws a waveform.
 *
 * @param {Surface} surface
 * @param {ArrayLike<number>} samples
 * @param {{ most?: number, cursor?: number, ink?: string }} [how] most: number of samples that fill the whole width; cursor: index of a
 *   sample to mark
 */
export function paintWave({ context, width, height, colour }, samples, { most = samples.length, cursor = -1, ink = '--predicted' } = {}) {
  const [middle, each] = [height / 2, Math.max(1, most) / width];
  context.fillStyle = colour('--rule');
  context.fillRect(0, middle - 0.5, width, 1);
  context.fillStyle = colour(ink);
  for (let x = 0; x < width; x++) {
    const [from, to] = [Math.floor(x * each), Math.min(samples.length, Math.max(Math.floor(x * each) + 1, Math.floor((x + 1) * each)))];
    if (from >= to) break;
    let [low, high] = [1, -1];
    for (let i = Math.max(0, from - 1); i < to; i++) {
      low = Math.min(low, samples[i]);
      high = Math.max(high, samples[i]);
    }
    context.fillRect(x, middle - high * (middle - 2), 1, Math.max(1, (high - low) * (middle - 2)));
  }
  if (cursor >= 0) {
    context.fillStyle = colour('--heat-text');
    context.fillRect(cursor / each - 1, 0, 2, height);
  }
}
