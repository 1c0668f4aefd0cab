// SPDX-License-Identifier: MIT
// Draws nine players, each selected or not. Compares the probabilities of independent players with the probabilities of players in a chain,
// where neighbours influence each other.
// @ts-check
import { byId, make, percent, phrase } from '../../shell/index.js';
import { marginals } from './chain.js';

const SCORES = [1, -0.5, 2, -1.5, 0.5, -0.5, 1.5, -2, 0];

/**
 * Returns p(z_i = 1) in a chain of two states, with a bonus `tie` for each pair of equal neighbours.
 *
 * @param {number[]} scores
 * @param {number} tie
 */
const together = (scores, tie) =>
  marginals({
    start: [0, 0],
    A: [
      [tie, 0],
      [0, tie],
    ],
    U: scores.map((s) => [0, s]),
  }).p.map(([, one]) => one);
const alone = (/** @type {number} */ s) => 1 / (1 + Math.exp(-s));

export function createPlayers() {
  /** @type {HTMLInputElement} */
  const tie = byId('tie');
  /** @type {HTMLInputElement} */
  const linked = byId('linked');
  const columns = SCORES.map((score, i) => {
    const slider = make('input', {
      type: 'range',
      min: '-4',
      max: '4',
      step: '0.5',
      value: String(score),
      'aria-label': phrase`How well player ${i + 1} fits`,
    });
    const bar = make('div', { class: 'player-bar' }, make('span', { class: 'player-alone' }), make('span', { class: 'player-p' }));
    const note = make('output', {});
    slider.addEventListener('input', show);
    byId('players').append(make('div', { class: 'player' }, make('b', {}, String(i + 1)), bar, note, slider));
    return { slider, bar, note };
  });
  tie.addEventListener('input', show);
  linked.addEventListener('change', show);
  function show() {
    const scores = columns.map(({ slider }) => Number(slider.value));
    const strength = linked.checked ? Number(tie.value) : 0;
    const p = together(scores, strength);
    tie.disabled = !linked.checked;
    byId('tie-said').textContent = strength.toFixed(1);
    columns.forEach(({ bar, note }, i) => {
      bar.style.setProperty('--p', `${(100 * p[i]).toFixed(1)}%`);
      bar.style.setProperty('--alone', `${(100 * alone(scores[i])).toFixed(1)}%`);
      note.textContent = percent(p[i]);
    });
    const moved = p.map((one, i) => one - alone(scores[i]));
    const most = moved.reduce((at, one, i) => (Math.abs(one) > Math.abs(moved[at]) ? i : at), 0);
    byId('players-said').textContent =
      strength === 0
        ? phrase`Independent: p is σ of the player's own score and does not depend on the other players.`
        : phrase`With neighbours, player ${most + 1} changes from ${percent(alone(scores[most]))} to ${percent(p[most])}. The expected number of players is ${p.reduce((sum, one) => sum + one, 0).toFixed(2)}.`;
  }
  show();
}
