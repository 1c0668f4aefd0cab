// SPDX-License-Identifier: MIT
// Draws the figure that trains three variants of a small GAN side by side. The data are points on a ring.
// @ts-check
import { announce, byId, onTheme, palette, phrase, reducedMotion, whileSeen } from '../../shell/index.js';
import { randomFrom } from '../../shell/run/random.js';
import { Gan, MODES, RADIUS, covered, ring } from './gan.js';

/**
 * STEPS: number of training steps. SLICE: milliseconds of training per frame. EACH: number of steps between two points of the curves.
 */
const STEPS = 1500,
  SLICE = 12,
  EACH = 25;
/** Number of generated points that are plotted per variant. */
const POINTS = 256;
/** With two time scales, the learning rate of G is smaller by this factor. */
const SLOWER = 4;
/** The variants, in the order of their canvases, with the CSS class of each curve. */
const WAYS = /** @type {const} */ ([
  { name: 'plain', normaliseD: false, slower: 1 },
  { name: 'both', normaliseD: true, slower: 1 },
  { name: 'scales', normaliseD: true, slower: SLOWER },
]);

export function createGan() {
  const [start, again] = /** @type {HTMLButtonElement[]} */ ([byId('gan-start'), byId('gan-again')]);
  const [rate, said] = [/** @type {HTMLInputElement} */ (byId('gan-rate')), byId('gan-said')];
  const canvases = /** @type {HTMLCanvasElement[]} */ ([...document.querySelectorAll('#gan-panels canvas')]);
  const notes = [...document.querySelectorAll('#gan-panels .panel-note')];
  /** @type {SVGPathElement[]} */
  const paths = [...document.querySelectorAll('#gan-chart .run')].map((path) => /** @type {SVGPathElement} */ (path));
  const data = ring(POINTS, randomFrom(7));
  let seed = 1;
  let running = false;
  /** @type {Gan[]} */
  let gans = [];
  /** For each variant, the number of covered modes at each point of its curve. @type {number[][]} */
  let curves = [];
  /** The plotted points of all networks and steps are generated from these latent vectors. */
  let latents = new Float32Array(0);

  function begin() {
    const base = 10 ** Number(rate.value);
    gans = WAYS.map(({ normaliseD, slower }) => new Gan({ normaliseD, normaliseG: false, rateD: base, rateG: base / slower }, seed));
    latents = gans[0].latents(POINTS, randomFrom(99));
    curves = WAYS.map(() => []);
    byId('gan-rate-said').textContent = base.toPrecision(2);
    mark();
    show();
  }

  /** Counts the modes that each variant currently covers. */
  function mark() {
    gans.forEach((gan, k) => curves[k].push(covered(gan.points(latents))));
  }

  function show() {
    const { accent, edge } = palette();
    gans.forEach((gan, k) => {
      const canvas = canvases[k];
      const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
      const { width } = canvas;
      context.clearRect(0, 0, width, width);
      for (const [points, colour, size] of /** @type {[Float32Array, string, number][]} */ ([
        [data, edge, 5],
        [gan.points(latents), accent, 4],
      ])) {
        context.fillStyle = colour;
        for (let i = 0; i < points.length; i += 2) {
          const [x, y] = [points[i], points[i + 1]].map((at) => width * (0.5 + at / (RADIUS * 3)));
          context.fillRect(x - size / 2, y - size / 2, size, size);
        }
      }
      notes[k].textContent = phrase`${curves[k].at(-1) ?? 0} of ${MODES} groups covered`;
      paths[k].setAttribute(
        'd',
        curves[k].map((count, i) => `${i ? 'L' : 'M'}${40 + (580 * i * EACH) / STEPS} ${140 - (120 * count) / MODES + 2 * k}`).join(''),
      );
    });
    said.textContent = phrase`Step ${gans[0].steps} of ${STEPS}, seed ${seed}`;
    start.textContent = running ? phrase`Pause` : gans[0].steps >= STEPS ? phrase`Train again` : phrase`Train`;
  }

  function frame() {
    if (!running) return;
    const by = performance.now() + SLICE;
    do {
      for (const gan of gans) gan.step();
      if (gans[0].steps % EACH === 0) mark();
    } while (performance.now() < by && gans[0].steps < STEPS);
    if (gans[0].steps >= STEPS) {
      running = false;
      announce(curves.map((curve) => phrase`${curve.at(-1) ?? 0} of ${MODES} groups covered`).join('; '));
    }
    show();
    requestAnimationFrame(frame);
  }
  function run() {
    if (running) return;
    if (gans[0].steps >= STEPS) begin();
    running = true;
    requestAnimationFrame(frame);
    show();
  }
  function pause() {
    running = false;
    show();
  }

  const sight = whileSeen(byId('figure-gan'), {
    start() {
      if (gans[0].steps < STEPS) run();
      return true;
    },
    stop() {
      const was = running;
      if (was) pause();
      return was;
    },
  });
  start.addEventListener('click', () => {
    sight.decide();
    if (running) pause();
    else run();
  });
  again.addEventListener('click', () => {
    sight.decide();
    seed++;
    begin();
    run();
  });
  rate.addEventListener('input', () => {
    begin();
    if (!reducedMotion()) run();
  });
  onTheme(show);
  begin();
  sight.proceed();
}
