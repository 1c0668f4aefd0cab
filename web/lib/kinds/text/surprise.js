// SPDX-License-Identifier: MIT
// @ts-check

/** The surprisal from which a token has the full shade. */
const FULL_NATS = 8;

/** The depth of a token's shade by its surprisal, 0 to 1. @param {number} nats */
export const shadeOf = (nats) => Math.min(nats, FULL_NATS) / FULL_NATS;
