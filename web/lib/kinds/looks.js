// SPDX-License-Identifier: MIT
// @ts-check

/** The looks of kinds: what the element says and shows of their models. */

import { look as captions } from './captions/look.js';
import { look as codes } from './codes/look.js';
import { look as heads } from './heads/look.js';
import { look as notes } from './notes/look.js';
import { look as picture } from './picture/look.js';
import { look as signs } from './signs/look.js';
import { look as sound } from './sound/look.js';
import { look as tags } from './tags/look.js';
import { look as text } from './text/look.js';

/** @import { Saying } from '../element/say.js' */
/** @import { ModelInfo } from '../engine/protocol.js' */
/** @import { NumberOf } from './index.js' */

/**
 * @typedef {object} Look
 * @property {(number: NumberOf) => { width: number, height: number } | undefined} [room]  the size of a picture, by the first bytes of its
 *   weight file; 0 where a sheet is written on
 * @property {boolean} sheet       a run is written on a sheet, with the size of the page's letters; else it is a picture
 * @property {string} doing        what the element says while it runs
 * @property {(run: Told) => string | Saying} done  what it says then
 * @property {(samples: number) => string | Saying} what  the name of the result
 * @property {(verb: string, options: Record<string, any>, info: ModelInfo) => Record<string, any>} [chosen]  the options of the element, completed where it has to choose
 * @property {(address: string, signal: AbortSignal, element: Element) => Promise<any>} [fetch]  gets the file of the attribute `src`
 */

/** The element's tally of a run. @typedef {{ nats: number[], steps: number, to: number, rate: number }} Told */

/** By what `info.codec` says. @type {Record<string, Look>} */
export const LOOKS = { captions, codes, heads, notes, picture, signs, sound, tags, text };

/** @param {{ codec: string } | undefined} info */
export const lookOf = (info) => LOOKS[info?.codec ?? ''] ?? picture;
