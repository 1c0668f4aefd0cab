// SPDX-License-Identifier: MIT
// Charts how many positions each query sees, in the order of drawing: full attention climbs, local attention does not.
// @ts-check
import { integer, make } from '../../shell/index.js';
/** @import { Geometry } from './geometry-pattern.js' */

const SVG = 'http://www.w3.org/2000/svg';

/** @param {string} tag @param {Record<string, string>} attributes @param {...Node} children */
function shape(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/**
 * @param {HTMLElement} root
 * @param {{ name: string, kind: string, count: (step: number) => number, positions: number }[]} curves kind: of line, for the style sheet
 */
export function createChart(root, curves) {
  const most = Math.max(...curves.map(({ positions }) => positions));
  const paths = curves.map(({ kind, count, positions }) => {
    const points = Array.from({ length: positions }, (_, step) => `${step} ${most - count(step)}`);
    return shape('path', { class: `curve ${kind}`, d: `M${points.join('L')}`, 'vector-effect': 'non-scaling-stroke' });
  });
  const marker = shape('path', { class: 'chart-marker', 'vector-effect': 'non-scaling-stroke' });
  const words = curves.map(({ name, count, positions }) => `${name}: ${integer(count(positions - 1))} at the last`).join('; ');
  const svg = shape('svg', {
    class: 'chart', viewBox: `0 0 ${most} ${most}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': `Positions seen by each pixel. ${words}.`,
  }, ...paths, marker);
  const legend = make('p', { class: 'chart-legend' });
  for (const { name, kind } of curves) {
    const sample = shape('svg', { class: 'chart-sample', viewBox: '0 0 24 8', 'aria-hidden': 'true' },
      shape('path', { class: `curve ${kind}`, d: 'M1 4H23' }));
    legend.append(make('span', {}, sample, name));
  }
  root.replaceChildren(make('p', { class: 'chart-top', 'aria-hidden': 'true' }, integer(most)), svg, legend);
  return {
    /** @param {number} step -1: none */
    mark(step) {
      marker.setAttribute('d', step < 0 ? '' : `M${step} 0V${most}`);
    },
  };
}
