// SPDX-License-Identifier: MIT
// Shows the pictures of latent vectors that lie between four given vectors, or on a circle.
// @ts-check
import { byId, phrase, reducedMotion } from '../../shell/index.js';
import { one, show } from './draw.js';
/** @import { Chosen, createSheet } from './sheet.js' */

/** STEPS: number of pictures around the circle. MOMENT_MS: delay between two pictures, in milliseconds. */
const STEPS = 60;
const MOMENT_MS = 40;
const STRIDE = 0.05;

/** @param {Float32Array} z */
const length = (z) => Math.hypot(...z) || 1;

/** Returns the weighted mean of latent vectors, scaled to their mean length. @param {Float32Array[]} all @param {number[]} weights */
function blend(all, weights) {
  const sum = all[0].map((_, i) => all.reduce((total, z, k) => total + weights[k] * z[i], 0));
  const far = all.reduce((total, z, k) => total + weights[k] * length(z), 0) / length(sum);
  return sum.map((x) => x * far);
}

/** @param {ReturnType<typeof createSheet>} sheet */
export function createWalk(sheet) {
  const pad = byId('pad');
  const thumb = byId('pad-thumb');
  /** @type {HTMLCanvasElement} */
  const between = byId('between');
  /** @type {HTMLInputElement} */
  const round = byId('round');
  const play = byId('round-play');
  /** @type {Chosen | undefined} */
  let news;
  let place = { x: 0.5, y: 0.5 };
  /**
   * Function that returns the latent vector of the picture to draw next. The variable is undefined if no picture is waiting.
   * @type {(() => Float32Array) | undefined}
   */
  let wanted;
  let busy = false;
  let walking = false;

  async function next() {
    if (busy) return;
    busy = true;
    while (wanted && news) {
      const latent = wanted();
      wanted = undefined;
      try {
        show(between, (await one(news.model, { latent, label: news.chosen.label })).values);
      } catch (error) {
        sheet.failed(error);
      }
    }
    busy = false;
  }

  function atPlace() {
    const { x, y } = place;
    thumb.style.setProperty('--x', `${100 * x}%`);
    thumb.style.setProperty('--y', `${100 * y}%`);
    const weights = [(1 - x) * (1 - y), x * (1 - y), (1 - x) * y, x * y];
    const said = weights.map((w) => `${Math.round(100 * w)} %`).join(', ');
    pad.setAttribute('aria-valuetext', phrase`upper left, upper right, lower left, lower right: ${said}`);
    pad.setAttribute('aria-valuenow', String(Math.round(100 * x)));
    byId('walk-said').textContent = phrase`${said} of the four`;
    wanted = () =>
      blend(
        /** @type {Chosen} */ (news).corners.map(({ latent }) => latent),
        weights,
      );
    next();
  }

  function onCircle() {
    const t = 2 * Math.PI * Number(round.value);
    byId('walk-said').textContent = phrase`${Math.round(360 * Number(round.value))}° round the circle`;
    wanted = () => {
      const [a, b] = /** @type {Chosen} */ (news).corners.map(({ latent }) => latent);
      return a.map((z, i) => Math.cos(t) * z + Math.sin(t) * b[i]);
    };
    next();
  }

  /** @param {PointerEvent} event */
  const drag = (event) => {
    const box = pad.getBoundingClientRect();
    place = {
      x: Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)),
      y: Math.min(1, Math.max(0, (event.clientY - box.top) / box.height)),
    };
    halt();
    atPlace();
  };
  pad.addEventListener('pointerdown', (event) => {
    pad.setPointerCapture(event.pointerId);
    drag(event);
  });
  pad.addEventListener('pointermove', (event) => {
    if (pad.hasPointerCapture(event.pointerId)) drag(event);
  });
  pad.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: [-STRIDE, 0], ArrowRight: [STRIDE, 0], ArrowUp: [0, -STRIDE], ArrowDown: [0, STRIDE] }[event.key];
    if (!step) return;
    event.preventDefault();
    halt();
    place = { x: Math.min(1, Math.max(0, place.x + step[0])), y: Math.min(1, Math.max(0, place.y + step[1])) };
    atPlace();
  });
  round.addEventListener('input', () => {
    halt();
    onCircle();
  });

  function halt() {
    walking = false;
    play.textContent = phrase`Walk`;
  }
  play.addEventListener('click', async () => {
    if (walking || !news) return halt();
    walking = true;
    play.textContent = phrase`Stop`;
    for (let i = Math.round(Number(round.value) * STEPS) % STEPS; walking && i < STEPS; i++) {
      round.value = String((i + 1) / STEPS);
      onCircle();
      await new Promise((resolve) => {
        setTimeout(resolve, reducedMotion() ? 10 * MOMENT_MS : MOMENT_MS);
      });
    }
    halt();
  });

  sheet.onChosen((chosen) => {
    news = chosen;
    chosen.corners.forEach(({ values }, i) => show(byId(`corner-${i}`), values));
    if (!walking) atPlace();
  });
}
