// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The look of each kind: how the element presents models of this kind. A look defines the size of the canvas, the status texts and the
 * results.
 */

import { LOOKS } from './look-list.js';

/** @import { Saying } from '../element/say.js' */
/** @import { AnyInfo } from '../engine/protocol.js' */
/** @import { NumberOf } from './index.js' */
/** @import { EndOfKinds } from './types.js' */

/**
 * @typedef {object} Look
 * @property {(number: NumberOf) => { width: number, height: number } | undefined} [room]  returns the size of the model's pictures, read
 *   from the first bytes of the model's file; width and height are 0 if the output is a sheet of text
 * @property {string} noun        the name of the result in error messages, such as 'The picture'
 * @property {boolean} sheet       true: a run is drawn on a sheet, in the page's font size; false: the run is a picture
 * @property {string} doing        the element's status while the run is in progress
 * @property {(run: Told) => string | Saying} done  returns the element's status at the end of the run
 * @property {(samples: number) => string | Saying} what  returns the name of the result in the description of the canvas, such as 'A
 *   picture'
 * @property {(ended: Ended) => EndOfKinds | Promise<EndOfKinds>} [end]  returns the result for the nx-end event, when a run has ended or
 *   was stopped. The result has the properties listed in `TYPES.ends` of kind.js
 * @property {Record<string, string>} [made]  phrases for the results of verbs, if they differ from the phrases in the verbs' files
 * @property {(verb: string, options: Record<string, any>, info: AnyInfo) => Record<string, any>} [chosen]  adds the kind's own choices to
 * the options of the element
 * @property {(address: string, signal: AbortSignal, element: Element) => Promise<any>} [fetch]  fetches the file that the attribute `src`
 *   names
 */

/**
 * The totals that the element has accumulated during a run.
 * @typedef {{ nats: number[], steps: number, to: number, sampleRate: number }} Told
 */

/** A finished run, its last step (if any), and the text on its sheet.
 * @typedef {{ run: any, step: any, text: string }} Ended */

export { LOOKS };

/** @param {{ kind: string } | undefined} info */
export const lookOf = (info) => LOOKS[info?.kind ?? ''] ?? LOOKS.picture;
