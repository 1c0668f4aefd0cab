// SPDX-License-Identifier: MIT
// The batting order as a chain: a position's player depends on its neighbours, because hitters of both hands should alternate. Independent
// of the page.
// @ts-check
import { marginals, viterbi } from '../chains/chain.js';
import { PLACES, PLAYERS, cosine } from '../alignment/fit.js';

/** The side from which each player bats, in the order of PLAYERS. */
export const HANDS = ['L', 'L', 'R', 'R', 'R', 'L', 'R', 'L', 'R'];
/** The factor of the fit of a position and a player. */
const SHARPNESS = 14;

/** The transition scores of a chain of nine positions from player to player: `pull` if the side changes; no player follows himself.
 * @param {number} pull */
const steps = (pull) => PLAYERS.map((_, i) => PLAYERS.map((__, j) => (i === j ? -Infinity : HANDS[i] === HANDS[j] ? 0 : pull)));

/**
 * The probability of each player at each position, and the most probable order as a whole.
 * @param {number} pull a bonus for neighbours who bat from different sides
 */
export function chainOf(pull) {
  const chain = {
    start: PLAYERS.map(() => 0),
    A: steps(pull),
    U: PLACES.map(({ query }) => PLAYERS.map(({ at }) => SHARPNESS * cosine(query, at))),
  };
  return { p: marginals(chain).p, best: viterbi(chain).z };
}

/** Number of neighbours who bat from the same side. @param {number[]} players */
export const alike = (players) => players.filter((player, place) => place > 0 && HANDS[player] === HANDS[players[place - 1]]).length;
