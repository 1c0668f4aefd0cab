// SPDX-License-Identifier: MIT
// Draws a chart that shows how many positions each query sees. The queries are in drawing order. With full attention the curve rises; with
// local attention the curve stays low.
// @ts-check
import { integer, make, makeSvg, phrase } from '../../shell/index.js';

/**
 * @param {HTMLElement} root
 * @param {{ name: string, kind: string, count: (step: number) => number, positions: number }[]} curves kind: CSS class of the line
 */
export function createChart(root, curves) {
  const most = Math.max(...curves.map(({ positions }) => positions));
  const paths = curves.map(({ kind, count, positions }) => {
    const points = Array.from({ length: positions }, (_, step) => `${step} ${most - count(step)}`);
    return makeSvg('path', { class: `curve ${kind}`, d: `M${points.join('L')}`, 'vector-effect': 'non-scaling-stroke' });
  });
  const marker = makeSvg('path', { class: 'chart-marker', 'vector-effect': 'non-scaling-stroke' });
  const words = curves.map(({ name, count, positions }) => phrase`${name}: ${integer(count(positions - 1))} at the last`).join('; ');
  const svg = makeSvg(
    'svg',
    {
      class: 'chart',
      viewBox: `0 0 ${most} ${most}`,
      preserveAspectRatio: 'none',
      role: 'img',
      'aria-label': phrase`Positions visible to each pixel. ${words}.`,
    },
    ...paths,
    marker,
  );
  const legend = make('p', { class: 'chart-legend' });
  for (const { name, kind } of curves) {
    const sample = makeSvg(
      'svg',
      { class: 'chart-sample', viewBox: '0 0 24 8', 'aria-hidden': 'true' },
      makeSvg('path', { class: `curve ${kind}`, d: 'M1 4H23' }),
    );
    legend.append(make('span', {}, sample, name));
  }
  root.replaceChildren(make('p', { class: 'chart-top', 'aria-hidden': 'true' }, integer(most)), svg, legend);
  return {
    /** @param {number} step -1 for none */
    mark(step) {
      marker.setAttribute('d', step < 0 ? '' : `M${step} 0V${most}`);
    },
  };
}
