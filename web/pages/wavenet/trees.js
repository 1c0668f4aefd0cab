// SPDX-License-Identifier: MIT
// Draws causal convolutions as two trees. In the first tree, each layer looks back one step. In the second tree, each layer looks back
// twice as far as the layer below. The samples on which the selected sample depends are highlighted.
// @ts-check
import { byId, makeSvg, phrase } from '../../shell/index.js';
import { lit } from './reach.js';

const SAMPLES = 32;
const [STEP, RISE, EDGE] = [10, 22, 8];

export function createTrees() {
  const [layers, at] = [/** @type {HTMLInputElement} */ (byId('tree-layers')), /** @type {HTMLInputElement} */ (byId('tree-at'))];
  const trees = [
    { root: byId('tree-plain'), said: byId('tree-plain-said'), dilation: () => 1 },
    { root: byId('tree-dilated'), said: byId('tree-dilated-said'), dilation: (/** @type {number} */ l) => 2 ** l },
  ];

  function draw() {
    const count = Number(layers.value);
    const top = Number(at.value);
    const x = (/** @type {number} */ t) => EDGE + t * STEP;
    const y = (/** @type {number} */ l) => EDGE + (count - l) * RISE;
    byId('tree-layers-said').textContent = String(count);
    byId('tree-at-said').textContent = phrase`${top + 1} of ${SAMPLES}`;
    for (const { root, said, dilation } of trees) {
      const dilations = Array.from({ length: count }, (_, l) => dilation(l));
      const rows = lit(top, dilations);
      const lines = [];
      const nodes = [];
      for (let l = count; l > 0; l--) {
        for (let t = 0; t < SAMPLES; t++) {
          const on = rows[l].has(t);
          for (const back of [0, dilations[l - 1]]) {
            if (t < back) continue;
            const line = makeSvg('line', { x1: x(t), y1: y(l), x2: x(t - back), y2: y(l - 1), class: on ? 'on' : 'off' });
            if (on) lines.push(line);
            else lines.unshift(line);
          }
        }
      }
      for (let l = 0; l <= count; l++) {
        for (let t = 0; t < SAMPLES; t++)
          nodes.push(
            makeSvg('circle', { cx: x(t), cy: y(l), r: l === count && t === top ? 4.5 : 3, class: rows[l].has(t) ? 'on' : 'off' }),
          );
      }
      root.setAttribute('viewBox', `0 0 ${2 * EDGE + (SAMPLES - 1) * STEP} ${2 * EDGE + count * RISE}`);
      root.replaceChildren(...lines, ...nodes);
      const reach = rows[0].size;
      const [stack, heard] = [
        count === 1 ? phrase`1 layer` : phrase`${count} layers`,
        reach === 1 ? phrase`1 sample` : phrase`${reach} samples`,
      ];
      said.textContent =
        top + 1 < 1 + dilations.reduce((sum, d) => sum + d, 0)
          ? phrase`${stack}: it depends on ${heard}; there are no earlier samples.`
          : phrase`${stack}: it depends on ${heard}.`;
    }
  }
  layers.addEventListener('input', draw);
  at.addEventListener('input', draw);
  for (const { root } of trees) {
    root.addEventListener('pointermove', (event) => {
      const { left, width } = root.getBoundingClientRect();
      const place = ((event.clientX - left) / width) * (2 * EDGE + (SAMPLES - 1) * STEP);
      at.value = String(Math.round(Math.min(SAMPLES - 1, Math.max(0, (place - EDGE) / STEP))));
      draw();
    });
  }
  draw();
}
