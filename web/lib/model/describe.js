// SPDX-License-Identifier: MIT
// @ts-check

/** Makes `model.info` from the engine's description of a model and the file's metadata. */

import { partOf } from '../engine/part-of.js';
import { KINDS } from '../kinds/index.js';
import { networkInfo } from '../media/codec.js';
import { NextPixelError } from '../base/error.js';
import { verbsOf } from '../verbs/table.js';

/** @import { Metadata } from '../gguf/metadata.js' */
/** @import { AnyInfo, Facts } from '../engine/protocol.js' */
/** @import { Fitting } from '../kinds/index.js' */

/** @param {Facts} facts */
const architectureOf = ({ metadata }) => String(metadata.get('general.architecture') ?? '');

/**
 * Returns the facts of a model together with its kind and its main part.
 *
 * @param {Facts} facts
 * @returns {Fitting}
 */
export function fittingOf(facts) {
  const { parts, metadata } = facts;
  const architecture = architectureOf(facts);
  const kind = KINDS.find(({ says }) => says(facts, (key) => Number(metadata.get(`${architecture}.${key}`) ?? 0)));
  if (!kind) {
    throw new NextPixelError(
      'unsupported',
      `This model (${architecture}) is of another kind than ${KINDS.map(({ name }) => name).join(' or ')}`,
      { status: -3 },
    );
  }
  return { ...facts, kind, part: partOf(parts) };
}

/**
 * @param {Fitting} fitting
 * @returns {AnyInfo}
 */
export function describe(fitting) {
  const {
    metadata,
    fileBytes,
    kind: { name, info },
    part,
  } = fitting;
  const architecture = architectureOf(fitting);
  return /** @type {any} */ ({
    architecture,
    name: String(metadata.get('general.name') ?? architecture),
    kind: name,
    verbs: verbsOf(fitting).flatMap(([verb]) => (fitting.kind.verbs[verb]?.later ? [] : verb)),
    positions: part.span > 0 ? part.length : part.inputs[0].dims[0],
    parameters: fitting.parts.reduce((sum, { parameters }) => sum + parameters, 0),
    bytes: fileBytes,
    warnings: [],
    card: cardOf(metadata),
    ...networkInfo(architecture, metadata, part),
    ...info?.(architecture, metadata, part),
  });
}

/**
 * Returns the model card: all strings whose keys start with `general.` or `nextpixel.card.`. The keys of the card lack these prefixes.
 *
 * @param {Metadata} metadata
 * @returns {Record<string, string>}
 */
function cardOf(metadata) {
  /** @type {[string, string][]} */
  const card = [];
  // The project's own keys come last and take precedence.
  for (const prefix of ['general.', 'nextpixel.card.']) {
    for (const [key, text] of metadata) {
      if (key.startsWith(prefix) && typeof text === 'string') card.push([key.slice(prefix.length), text]);
    }
  }
  return Object.fromEntries(card);
}
