// SPDX-License-Identifier: MIT
// Draws the network with positions from left to right and layers from bottom to top. Choosing a layer highlights the positions that the
// query reads in that layer.
// @ts-check
import { byId, make, makeSvg, percent, phrase } from '../../shell/index.js';

const EXAMPLES = ['A', 'B', 'C', 'D', 'E'];
/**
 * In the weight file, a dense block follows each attention layer except the last. DENSE: for each layer of a dense block, how many
 * positions back the layer looks.
 */
const DENSE = [2, 4, 8, 16, 32];
/** @typedef {{ name: string, attention?: number, reach?: number, says: string }} Layer */
/** The layers, from the bottom up. @type {Layer[]} */
const LAYERS = [
  {
    name: phrase`picture and label`,
    says: phrase`Four convolutions turn each picture into 64 numbers. An example also has a label; the query has zeros instead of a label.`,
  },
  ...[0, 1, 2].flatMap((attention) => [
    {
      name: phrase`attention ${attention + 1}`,
      attention,
      says: phrase`Attention: the query compares itself with every example before it, and with itself.`,
    },
    ...(attention === 2 ? [] : DENSE.map((reach) => ({ name: phrase`${reach} back`, reach, says: '' }))),
  ]),
  {
    name: phrase`probabilities`,
    says: phrase`A linear map of all channels of the query, and a softmax over the labels of the examples.`,
  },
];
const [LEFT, STEP, ROW, TOP] = [108, 62, 21, 14];
const HEIGHT = TOP * 2 + ROW * (LAYERS.length - 1);
const X = (/** @type {number} */ place) => LEFT + 20 + place * STEP;
const Y = (/** @type {number} */ layer) => HEIGHT - TOP - layer * ROW;

export function createLayers() {
  const last = EXAMPLES.length;
  const links = makeSvg('g', { class: 'layer-links' });
  const dots = LAYERS.map((_, layer) =>
    makeSvg(
      'g',
      { class: 'layer-dots' },
      ...[...EXAMPLES, '?'].map((_name, place) => makeSvg('circle', { cx: X(place), cy: Y(layer), r: 5 })),
    ),
  );
  const names = LAYERS.map(({ name }, layer) => makeSvg('text', { x: LEFT - 4, y: Y(layer) + 4, class: 'layer-name' }, name));
  byId('layers').append(
    makeSvg(
      'svg',
      {
        viewBox: `0 0 ${X(last) + 24} ${HEIGHT + 22}`,
        role: 'img',
        'aria-label': phrase`Layers of the network over five examples and the query`,
      },
      links,
      ...dots,
      ...names,
      ...[...EXAMPLES, '?'].map((name, place) => makeSvg('text', { x: X(place), y: HEIGHT + 16, class: 'layer-place' }, name)),
    ),
  );
  /** @type {Float32Array[]} */
  let maps = [];
  let chosen = 1;

  function show() {
    const { attention, reach, says } = LAYERS[chosen];
    names.forEach((name, i) => name.classList.toggle('lit', i === chosen));
    dots.forEach((row, layer) =>
      [...row.children].forEach((dot, place) => dot.classList.toggle('lit', layer === chosen && place === last)),
    );
    /** @type {[number, number][]} place, weight */
    let reads = [];
    let text = says;
    if (attention !== undefined) {
      const weights = maps[attention];
      reads = weights
        ? [
            ...Array.from(weights, (w, i) => /** @type {[number, number]} */ ([i, w])),
            [last, Math.max(0, 1 - weights.reduce((sum, w) => sum + w, 0))],
          ]
        : [];
      if (weights) text += phrase` Now: ${EXAMPLES.map((name, i) => `${name} ${percent(weights[i])}`).join(', ')}.`;
    } else if (reach !== undefined) {
      reads =
        last - reach >= 0
          ? [
              [last - reach, 0.5],
              [last, 0.5],
            ]
          : [[last, 0.5]];
      text =
        last - reach >= 0
          ? phrase`A dense block: tanh times sigma, computed from the query and the position ${reach} back, ${EXAMPLES[last - reach]}.`
          : phrase`A dense block that looks ${reach} positions back. With five examples, that position does not exist, so the block reads zeros. With twenty or more examples, it exists.`;
    }
    links.replaceChildren(
      ...reads.map(([place, weight]) =>
        makeSvg('path', { d: `M${X(place)} ${Y(chosen - 1)}L${X(last)} ${Y(chosen)}`, 'stroke-width': 0.6 + 7 * weight }),
      ),
    );
    for (const [place] of reads) dots[chosen - 1].children[place].classList.add('lit');
    byId('layer-said').textContent = text;
  }

  byId('layer-choices').append(
    ...LAYERS.flatMap(({ name }, i) =>
      (i === 0 || i === LAYERS.length - 1 || LAYERS[i].attention !== undefined || i < 7 ? [i] : []).map((layer) => {
        const radio = make('input', { type: 'radio', name: 'layer', value: String(layer), ...(layer === chosen && { checked: '' }) });
        radio.addEventListener('change', () => {
          chosen = layer;
          show();
        });
        return make('label', {}, radio, ` ${name}`);
      }),
    ),
  );
  show();
  return {
    /** Shows the attention weights of the last query. @param {Float32Array[]} now */
    set maps(now) {
      maps = now;
      show();
    },
  };
}
