// SPDX-License-Identifier: MIT
// Fills the table below the pictures. For each system, the table lists the surprisal (in nats) of the completion, of the true digit and of
// test digits, the time per pixel, and the receptive field of one pixel.
// @ts-check
import { bytes, integer, make, phrase, time } from '../../shell/index.js';
/** @import { ModelInfo } from '../../shell/library.js' */
/** @import { System } from './systems.js' */

const HEADS = [
  phrase`System`,
  phrase`Its ending`,
  phrase`The true one`,
  phrase`A test digit`,
  phrase`A pixel takes`,
  phrase`A pixel sees`,
  phrase`Parameters`,
  phrase`File`,
];

/** Indices of the columns, counted from the second column. */
const [ENDING, TRUTH, TEST, TIME, SEES, PARAMETERS, FILE] = HEADS.slice(1).keys();

/** @param {HTMLElement} root @param {System[]} systems */
export function createTable(root, systems) {
  const best = Math.min(...systems.map(({ test }) => test));
  const rows = systems.map(({ name, year, page, how, test }) => {
    const cells = HEADS.slice(1).map((head) => make('td', { 'data-head': head }, '·'));
    const row = make(
      'tr',
      {},
      make('th', { scope: 'row' }, make('a', { href: `../${page}/` }, name), make('span', {}, ` ${year}, ${how}`)),
      ...cells,
    );
    cells[TEST].textContent = phrase`${test.toFixed(1)} nats`;
    if (test === best) cells[TEST].classList.add('best');
    return { row, cells };
  });
  root.append(
    make(
      'table',
      { class: 'systems' },
      make('thead', {}, make('tr', {}, ...HEADS.map((head) => make('th', { scope: 'col' }, head)))),
      make('tbody', {}, ...rows.map(({ row }) => row)),
    ),
  );
  return {
    /** @param {number} k @param {ModelInfo} info */
    describe(k, info) {
      const { cells } = rows[k];
      cells[PARAMETERS].textContent = integer(info.parameters);
      cells[FILE].textContent = bytes(info.bytes);
    },
    clear() {
      for (const { cells } of rows) for (const at of [ENDING, TRUTH]) cells[at].textContent = '·';
    },
    /** @param {number} k @param {{ nats: number, truth: number }} found */
    say(k, { nats, truth }) {
      const { cells } = rows[k];
      cells[ENDING].textContent = phrase`${nats.toFixed(1)} nats`;
      cells[TRUTH].textContent = phrase`${truth.toFixed(1)} nats`;
    },
    /** @param {number} k @param {number} each  milliseconds per pixel */
    took(k, each) {
      const cell = rows[k].cells[TIME];
      cell.textContent = phrase`${(1000 * each).toFixed(each < 0.01 ? 1 : 0)} µs`;
      cell.title = time(each);
    },
    /** @param {number} k @param {number} count @param {number} of */
    saw(k, count, of) {
      rows[k].cells[SEES].textContent = phrase`${integer(count)} of ${integer(of)} earlier pixels`;
    },
  };
}
