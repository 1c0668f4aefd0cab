// SPDX-License-Identifier: MIT
// @ts-check

/** The surprisal, in nats, at which a token's shade is darkest. */
const FULL_NATS = 8;

/** Returns the darkness of a token's shade, 0 to 1, given the token's surprisal. @param {number} nats */
export const shadeOf = (nats) => Math.min(nats, FULL_NATS) / FULL_NATS;
