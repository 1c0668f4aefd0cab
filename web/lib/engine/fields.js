// SPDX-License-Identifier: MIT
// Generated from web/lib/settings.js by node web/tools/options.js: edit that file.
// @ts-check

/** The settings that are fields of nx_settings: name, field, default value, and the value that `true` stands for. */

/** @type {[name: string, field: string, off: number, on: number][]} */
export const FIELDS = [
  ['samples', 'samples', 1, 1],
  ['temperature', 'temperature', 1, 1],
  ['topK', 'top_k', 0, 1],
  ['typicalP', 'typical_p', 1, 1],
  ['topP', 'top_p', 1, 1],
  ['minP', 'min_p', 0, 1],
  ['repetitionPenalty', 'repetition', 1, 1],
  ['frequencyPenalty', 'frequency', 0, 1],
  ['presencePenalty', 'presence', 0, 1],
  ['penaltyLast', 'penalty_last', 0, 1],
  ['lookAhead', 'look_ahead', 0, 8],
  ['first', 'first_sample', 0, 1],
  ['origin', 'origin', 0, 1],
  ['temperatureLast', 'temperature_last', 0, 1],
  ['lookUp', 'look_up', 0, 1],
];
