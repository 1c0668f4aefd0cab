// SPDX-License-Identifier: MIT
// @ts-check

/** The looks of kinds: texts and figures of the element for their models. */

import { LOOKS } from './look-list.js';

/** @import { Saying } from '../element/say.js' */
/** @import { AnyInfo } from '../engine/protocol.js' */
/** @import { NumberOf } from './index.js' */
/** @import { EndOfKinds } from './types.js' */

/**
 * @typedef {object} Look
 * @property {(number: NumberOf) => { width: number, height: number } | undefined} [room]  the size of a picture, from the first bytes of
 *   its weight file; 0 if the output is a text sheet
 * @property {string} noun        the noun, in an error, for a result that cannot be drawn
 * @property {boolean} sheet       a run is drawn on a sheet, in the page's letter size; otherwise it is a picture
 * @property {string} doing        the element's status while it runs
 * @property {(run: Told) => string | Saying} done  its status at the end
 * @property {(samples: number) => string | Saying} what  the name of the result
 * @property {(ended: Ended) => EndOfKinds | Promise<EndOfKinds>} [end]  the result of a run that ended or was stopped, for nx-end: the
 *   properties listed in `TYPES.ends` of kind.js
 * @property {Record<string, string>} [made]  the phrase for the result of a verb, if it differs from that in the verb's file
 * @property {(verb: string, options: Record<string, any>, info: AnyInfo) => Record<string, any>} [chosen]  adds to the element's options
 * those that the kind chooses
 * @property {(address: string, signal: AbortSignal, element: Element) => Promise<any>} [fetch]  fetches the file of the attribute `src`
 */

/** The element's tally of a run. @typedef {{ nats: number[], steps: number, to: number, sampleRate: number }} Told */

/** A finished run: the run, its last step if there was one, and the text on its sheet.
 * @typedef {{ run: any, step: any, text: string }} Ended */

export { LOOKS };

/** @param {{ kind: string } | undefined} info */
export const lookOf = (info) => LOOKS[info?.kind ?? ''] ?? LOOKS.picture;
