// SPDX-License-Identifier: MIT
// Runs a variant of the alignment page's batting game in which a chain lets neighbours affect each other. The game has nine positions, nine
// players, and a bonus for neighbours who bat from different sides.
// @ts-check
import { byId, make, percent, phrase } from '../../shell/index.js';
import { PLACES, PLAYERS, order } from '../alignment/fit.js';
import { HANDS, alike, chainOf } from './order.js';

export function createBatting() {
  /** @type {HTMLInputElement} */
  const pull = byId('pull');
  const free = chainOf(0).p;
  byId('batting-names').append(
    ...PLAYERS.map(({ name }, i) => make('th', { scope: 'col' }, name, make('small', {}, HANDS[i]))),
    make('th', { scope: 'col' }, phrase`bats`),
  );
  const rows = PLACES.map(({ wants }, place) => {
    const cells = PLAYERS.map(() => make('td', {}));
    const who = make('td', { class: 'who' });
    byId('batting-rows').append(
      make('tr', {}, make('th', { scope: 'row' }, `${place + 1} `, make('small', {}, phrase(wants))), ...cells, who),
    );
    return { cells, who };
  });

  function show() {
    const { p } = chainOf(Number(pull.value));
    const [alone, taken] = [order(free), order(p)];
    byId('pull-said').textContent = Number(pull.value) === 0 ? phrase`none` : Number(pull.value).toFixed(1);
    rows.forEach(({ cells, who }, place) => {
      who.textContent = `${PLAYERS[taken[place]].name} ${HANDS[taken[place]]}`;
      who.classList.toggle('moved', taken[place] !== alone[place]);
      cells.forEach((cell, i) => {
        cell.textContent = p[place][i].toFixed(2).replace(/^0/, '');
        cell.style.setProperty('--p', `${Math.round(100 * p[place][i])}%`);
        cell.classList.toggle('best', taken[place] === i);
      });
    });
    const most = p
      .map((row, place) => ({ place, by: row.reduce((sum, one, i) => sum + Math.abs(one - free[place][i]), 0) / 2 }))
      .sort((a, b) => b.by - a.by)[0];
    byId('batting-said').textContent =
      Number(pull.value) === 0
        ? phrase`${alike(taken)} of 8 pairs of neighbours bat from the same side.`
        : phrase`${alike(taken)} of 8 pairs of neighbours bat from the same side; without the chain ${alike(alone)}. Position ${most.place + 1} changed most: ${percent(most.by)} of its weight moved to other players.`;
  }
  pull.addEventListener('input', show);
  show();
}
