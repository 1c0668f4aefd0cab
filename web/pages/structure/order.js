// SPDX-License-Identifier: MIT
// Models the batting order as a chain. The player at a position depends on the players at the neighbouring positions, because left- and
// right-handed hitters should alternate. This file does not use the DOM.
// @ts-check
import { marginals, viterbi } from '../chains/chain.js';
import { PLACES, PLAYERS, cosine } from '../alignment/fit.js';

/** The side from which each player bats, in the order of PLAYERS. */
export const HANDS = ['L', 'L', 'R', 'R', 'R', 'L', 'R', 'L', 'R'];
/** The fit between a position and a player is multiplied by this factor to get a score. */
const SHARPNESS = 14;

/**
 * Returns the transition scores from player to player: `pull` if the two bat from different sides, 0 if they bat from the same side,
 * -Infinity from a player to himself.
 *
 * @param {number} pull
 */
const steps = (pull) => PLAYERS.map((_, i) => PLAYERS.map((__, j) => (i === j ? -Infinity : HANDS[i] === HANDS[j] ? 0 : pull)));

/**
 * Returns the probability with which each player takes each position, and the most probable batting order.
 * @param {number} pull score for neighbours who bat from different sides
 */
export function chainOf(pull) {
  const chain = {
    start: PLAYERS.map(() => 0),
    A: steps(pull),
    U: PLACES.map(({ query }) => PLAYERS.map(({ at }) => SHARPNESS * cosine(query, at))),
  };
  return { p: marginals(chain).p, best: viterbi(chain).z };
}

/** Returns the number of pairs of neighbours who bat from the same side. @param {number[]} players */
export const alike = (players) => players.filter((player, place) => place > 0 && HANDS[player] === HANDS[players[place - 1]]).length;
