// SPDX-License-Identifier: MIT
// Illustrates the spectral norm of a 2 x 2 matrix with an ellipse, power iteration, and a chain of layers.
// @ts-check
import { byId, phrase } from '../../shell/index.js';
import { largest, round } from './singular.js';
/** @import { Matrix, Vector } from './singular.js' */

const SVG = 'http://www.w3.org/2000/svg';
const POINTS = 90;
const MOST = 2;

export function createNorm() {
  const sliders = [0, 1, 2, 3].map((i) => /** @type {HTMLInputElement} */ (byId(`w-${i}`)));
  /** @type {HTMLInputElement} */
  const divide = byId('norm-divide');
  /** @type {HTMLInputElement} */
  const chain = byId('chain');
  const part = (/** @type {string} */ id) => /** @type {SVGElement} */ (/** @type {unknown} */ (document.getElementById(id)));
  const chart = /** @type {SVGSVGElement} */ (part('norm-chart'));
  /** @type {Vector} */
  let v = [1, 0.2];
  let rounds = 0;
  let angle = 0.2;

  function paint() {
    const W = /** @type {Matrix} */ (sliders.map(({ value }) => Number(value)));
    const sigma = largest(W);
    const used = /** @type {Matrix} */ (divide.checked && sigma > 0 ? W.map((w) => w / sigma) : W);
    const apply = ([x, y] = v) => [used[0] * x + used[1] * y, used[2] * x + used[3] * y];
    const points = Array.from({ length: POINTS }, (_, i) =>
      apply([Math.cos((2 * Math.PI * i) / POINTS), Math.sin((2 * Math.PI * i) / POINTS)]),
    );
    part('ellipse').setAttribute('d', `M${points.map(([x, y]) => `${x.toFixed(3)} ${(-y).toFixed(3)}`).join('L')}Z`);
    const size = Math.hypot(...v);
    const unit = /** @type {Vector} */ (v.map((x) => x / size));
    for (const [id, [x, y]] of /** @type {[string, number[]][]} */ ([
      ['vector', unit],
      ['image', apply(unit)],
    ])) {
      part(id).setAttribute('x2', String(x));
      part(id).setAttribute('y2', String(-y));
    }
    [0, 1].forEach((k) => {
      part(`tip-${k}`).setAttribute('cx', String(used[k]));
      part(`tip-${k}`).setAttribute('cy', String(-used[2 + k]));
    });
    const found = Math.hypot(...apply(unit));
    const norm = divide.checked && sigma > 0 ? 1 : sigma;
    byId('norm-said').textContent =
      rounds === 1
        ? phrase`σ is ${norm.toFixed(4)}; after 1 iteration, power iteration gives ${found.toFixed(4)}.`
        : phrase`σ is ${norm.toFixed(4)}; after ${rounds} iterations, power iteration gives ${found.toFixed(4)}.`;
    const n = Number(chain.value);
    const most = (norm ** n).toPrecision(3);
    byId('chain-said').textContent =
      n === 1
        ? phrase`1 layer like this stretches a vector at most ${most} times.`
        : phrase`${n} layers like this stretch a vector at most ${norm.toFixed(2)} to the power of ${n}: ${most} times.`;
  }

  const changed = () => {
    rounds = 0;
    paint();
  };
  for (const slider of sliders) slider.addEventListener('input', changed);
  divide.addEventListener('change', paint);
  chain.addEventListener('input', paint);
  byId('norm-step').addEventListener('click', () => {
    v = round(/** @type {Matrix} */ (sliders.map(({ value }) => Number(value))), v);
    rounds++;
    paint();
  });
  byId('norm-again').addEventListener('click', () => {
    angle += 2.4; // rotates by about the golden angle, so that no direction repeats
    v = [Math.cos(angle), Math.sin(angle)];
    changed();
  });
  for (const k of [0, 1]) {
    const tip = part(`tip-${k}`);
    tip.addEventListener('pointerdown', (event) => tip.setPointerCapture(event.pointerId));
    tip.addEventListener('pointermove', (event) => {
      if (!tip.hasPointerCapture(event.pointerId) || divide.checked) return;
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(chart.getScreenCTM()?.inverse());
      const held = (/** @type {number} */ x) => String(Math.min(MOST, Math.max(-MOST, x)));
      sliders[k].value = held(point.x);
      sliders[2 + k].value = held(-point.y);
      changed();
    });
  }
  if (chart.namespaceURI === SVG) paint();
}
