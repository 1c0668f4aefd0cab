// SPDX-License-Identifier: MIT
// @ts-check

/** The looks of kinds: what the element says and shows of their models. */

import { look as caption } from './caption/look.js';
import { look as code } from './code/look.js';
import { look as head } from './head/look.js';
import { look as latent } from './latent/look.js';
import { look as note } from './note/look.js';
import { look as picture } from './picture/look.js';
import { look as sign } from './sign/look.js';
import { look as sound } from './sound/look.js';
import { look as tag } from './tag/look.js';
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
 * @property {Record<string, string>} [made]  the phrase for the result of a verb, where it is not that of the verb's file
 * @property {(verb: string, options: Record<string, any>, info: ModelInfo) => Record<string, any>} [chosen]  the options of the element, completed where it has to choose
 * @property {(address: string, signal: AbortSignal, element: Element) => Promise<any>} [fetch]  gets the file of the attribute `src`
 */

/** The element's tally of a run. @typedef {{ nats: number[], steps: number, to: number, sampleRate: number }} Told */

/** By `info.kind`. @type {Record<string, Look>} */
export const LOOKS = { caption, code, head, latent, note, picture, sign, sound, tag, text };

/** @param {{ kind: string } | undefined} info */
export const lookOf = (info) => LOOKS[info?.kind ?? ''] ?? picture;
