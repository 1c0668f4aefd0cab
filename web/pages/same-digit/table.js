// SPDX-License-Identifier: MIT
// The table below the pictures: what each system's ending cost, what the true digit would have cost, how long a pixel took, what one saw.
// @ts-check
import { bytes, integer, make, time } from '../../shell/index.js';
/** @import { ModelInfo } from '../../shell/library.js' */
/** @import { System } from './systems.js' */

const HEADS = ['System', 'Its ending', 'The true one', 'A pixel takes', 'A pixel sees', 'Parameters', 'File'];

/** @param {HTMLElement} root @param {System[]} systems */
export function createTable(root, systems) {
  const rows = systems.map(({ name, year, page, how }) => {
    const cells = HEADS.slice(1).map((head) => make('td', { 'data-head': head }, '·'));
    const row = make('tr', {}, make('th', { scope: 'row' }, make('a', { href: `../${page}/` }, name), make('span', {}, ` ${year}, ${how}`)), ...cells);
    return { row, cells };
  });
  root.append(make('table', { class: 'systems' },
    make('thead', {}, make('tr', {}, ...HEADS.map((head) => make('th', { scope: 'col' }, head)))),
    make('tbody', {}, ...rows.map(({ row }) => row))));
  return {
    /** @param {number} k @param {ModelInfo} info */
    describe(k, info) {
      const { cells } = rows[k];
      cells[4].textContent = integer(info.parameters);
      cells[5].textContent = bytes(info.bytes);
    },
    clear() { for (const { cells } of rows) for (const cell of cells.slice(0, 3)) cell.textContent = '·'; },
    /** @param {number} k @param {{ nats: number, truth: number, each: number }} found */
    say(k, { nats, truth, each }) {
      const { cells } = rows[k];
      cells[0].textContent = `${nats.toFixed(1)} nats`;
      cells[1].textContent = `${truth.toFixed(1)} nats`;
      cells[2].textContent = `${(1000 * each).toFixed(0)} µs`;
      cells[2].title = time(each);
    },
    /** @param {number} k @param {number} count @param {number} of */
    saw(k, count, of) { rows[k].cells[3].textContent = `${integer(count)} of ${integer(of)} before it`; },
  };
}
