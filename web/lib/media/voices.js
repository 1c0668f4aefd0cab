// SPDX-License-Identifier: MIT
// @ts-check

/** Reads the names of an audio model's speakers, and converts a chosen label and speaker to inputs of the engine. */

import { checkLabel, show } from '../base/checks.js';
import { argumentError } from '../base/error.js';
import { listOf } from '../engine/keys.js';

/** @import { Label } from '../base/checks.js' */
/** @import { Lookup } from '../gguf/metadata.js' */
/** @import { Inputs } from '../engine/protocol.js' */
/** @import { Engine } from '../model/engine.js' */

/**
 * Returns the names of the speakers. A speaker without a name is represented by its index.
 * @param {Engine} engine
 * @param {Lookup} metadata
 * @returns {string[]}
 */
export function speakersOf({ info, part }, metadata) {
  const names = listOf(metadata, `${info.architecture}.speakers`, 'strings');
  const count = part.inputs.find(({ name }) => name === 'speaker')?.values ?? 0;
  return Array.from({ length: count }, (_, i) => names[i] || String(i));
}

/** @param {Engine} engine @param {string[]} speakers @param {{ label?: Label, speaker?: Label }} options @returns {Inputs} */
export function spokenInputs({ info }, speakers, { label, speaker }) {
  const [given, voice] = [checkLabel(label, info), voiceOf(speaker, speakers)];
  return { ...(given >= 0 && { class: Uint32Array.of(given) }), ...(voice >= 0 && { speaker: Uint32Array.of(voice) }) };
}

/**
 * @param {Label} speaker
 * @param {string[]} speakers
 * @returns {number} index of the speaker, or -1 for none
 */
function voiceOf(speaker, speakers) {
  if (speaker === undefined || speaker === null) return -1;
  if (speakers.length === 0) throw argumentError('This model has no speakers: leave speaker out');
  const index = typeof speaker === 'string' ? speakers.indexOf(speaker) : speaker;
  if (Number.isInteger(index) && index >= 0 && index < speakers.length) return index;
  throw argumentError(`speaker must be one of ${speakers.join(', ')}, or an index from 0 to ${speakers.length - 1}, not ${show(speaker)}`);
}
