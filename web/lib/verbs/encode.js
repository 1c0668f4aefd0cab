// SPDX-License-Identifier: MIT
// @ts-check

export const draws = false;
