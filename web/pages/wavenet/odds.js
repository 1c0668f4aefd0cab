// SPDX-License-Identifier: MIT
// Draws the probabilities of a range of samples as a picture with one column per sample and one row per level.
// @ts-check
import { byId, fault, perFrame, percent, phrase } from '../../shell/index.js';
/** @typedef {ReturnType<typeof import('./play.js').createPlayer>} Player */
/** @typedef {import('../../lib/kinds/sound/sound-run.js').SoundRun} SoundRun */

const SHOWN = 120;
const LEVELS = 256;
const VALUES = 257;
/** The probability that gets the darkest colour. */
const SURE = 0.12;

/** @param {Player} player */
export function createOdds(player) {
  /** @type {HTMLCanvasElement} */
  const canvas = byId('odds');
  /** @type {HTMLInputElement} */
  const from = byId('odds-from');
  const [said, fromSaid] = [byId('odds-said'), byId('odds-from-said')];
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  /** @type {AbortController | undefined} */
  let stopper;
  /** @type {Float32Array} */
  let odds = new Float32Array(0);
  /** @type {number[]} */
  let levels = [];
  let begin = 0;
  let rate = 8000;
  let column = -1;

  async function draw() {
    stopper?.abort();
    const { model, run } = player;
    if (!model || !run?.finish || run.finish === 'abort') return;
    const { signal } = (stopper = new AbortController());
    try {
      const samples = await run.samples({ signal });
      ({ sampleRate: rate } = run);
      begin = Math.round((Number(from.value) / 100) * Math.max(0, samples.length - SHOWN));
      fromSaid.textContent = `${(begin / rate).toFixed(3)} s`;
      const options = {
        label: player.label,
        speaker: player.speaker,
        seed: player.seed,
        seconds: SHOWN / rate,
        probabilities: true,
        signal,
      };
      // The noise depends only on the seed and the position, so this run generates the same samples as the sound above.
      const stretch = /** @type {SoundRun} */ (
        begin > 0 ? model.complete({ samples: samples.subarray(0, begin), sampleRate: rate }, options) : model.generate({ ...options })
      );
      /** @type {Float32Array[]} */
      const parts = [];
      const drawn = [];
      for await (const step of stretch) {
        if (step.probabilities) parts.push(step.probabilities);
        drawn.push(...step.levels);
      }
      odds = new Float32Array(drawn.length * VALUES);
      let at = 0;
      for (const part of parts) {
        odds.set(part, at);
        at += part.length;
      }
      levels = drawn;
      column = -1;
      paint();
    } catch (error) {
      if (!signal.aborted) said.textContent = fault(error);
    }
  }

  const paint = perFrame(() => {
    const style = getComputedStyle(canvas);
    const [ink, predicted] = [style.getPropertyValue('--ink'), style.getPropertyValue('--predicted')];
    const ratio = Math.min(2, devicePixelRatio);
    const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    context.clearRect(0, 0, width, height);
    const [w, h] = [width / Math.max(1, levels.length), height / LEVELS];
    context.fillStyle = ink;
    levels.forEach((_, i) => {
      for (let level = 0; level < LEVELS; level++) {
        const p = odds[i * VALUES + level];
        if (p < 0.0005) continue;
        context.globalAlpha = Math.min(1, (p / SURE) ** 0.6);
        context.fillRect(i * w, (LEVELS - 1 - level) * h, Math.ceil(w), Math.ceil(h));
      }
    });
    context.globalAlpha = 1;
    context.strokeStyle = predicted;
    context.lineWidth = 1.5 * ratio;
    context.beginPath();
    levels.forEach((level, i) => context.lineTo((i + 0.5) * w, (LEVELS - 0.5 - level) * h));
    context.stroke();
    if (column >= 0) {
      context.fillStyle = predicted;
      context.globalAlpha = 0.25;
      context.fillRect(column * w, 0, Math.max(2, w), height);
      context.globalAlpha = 1;
    }
    tell();
  });

  function tell() {
    if (levels.length === 0) return void (said.textContent = '');
    const bits = (/** @type {number} */ i) => -Math.log2(odds[i * VALUES + levels[i]]);
    const mean = levels.reduce((sum, _, i) => sum + bits(i), 0) / levels.length;
    canvas.setAttribute(
      'aria-label',
      phrase`Probabilities of ${levels.length} samples from ${(begin / rate).toFixed(3)} s; ${mean.toFixed(1)} bits each`,
    );
    if (column < 0)
      return void (said.textContent = phrase`${levels.length} samples, ${mean.toFixed(1)} bits each; a uniform guess would need eight.`);
    const own = odds.subarray(column * VALUES, (column + 1) * VALUES);
    const best = own.indexOf(Math.max(...own));
    said.textContent = phrase`Sample ${begin + column}: level ${levels[column]} was drawn, with probability ${percent(own[levels[column]])}; the most probable level was ${best === LEVELS ? phrase`the end` : phrase`level ${best}`}, with ${percent(own[best])}.`;
  }

  canvas.addEventListener('pointermove', ({ offsetX }) => {
    column = Math.min(levels.length - 1, Math.max(0, Math.floor((offsetX / canvas.clientWidth) * levels.length)));
    paint();
  });
  canvas.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined || levels.length === 0) return;
    event.preventDefault();
    column = Math.min(levels.length - 1, Math.max(0, column + step));
    paint();
  });
  from.addEventListener('change', draw);
  from.addEventListener('input', () => {
    fromSaid.textContent = '';
  });
  new ResizeObserver(paint).observe(canvas);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', paint);
  player.on(draw);
  draw();
}
