// SPDX-License-Identifier: MIT

/** Checks the types for models of the `tag` kind. package.test.js compiles this file, but never runs it. */

import { load } from 'nextpixel';
import type { ModelOf, TagInfo, TagModel, TagOptions, Tagging } from 'nextpixel';
import type { NextPixelEndEvent, NextPixelStepEvent } from 'nextpixel/element';
import { type Same, holds } from './same.js';

export async function verbs(): Promise<void> {
  const tags = await load<'tag'>('a.gguf');
  const tagging = await tags.tag('a', {} as TagOptions);
  holds<[Same<typeof tagging, Tagging>]>();
  // @ts-expect-error: a tagging model has no runs to resume
  tags.resume({});
  const model: ModelOf<'tag'> = tags;
  model.close();
}

/** Compiles only if the event nx-step can carry a step of this kind. */
export const steps = (step: Tagging): NextPixelStepEvent['step'] => step;

/** Compiles only if the event nx-end has these fields. */
export const ends = ({ tagging }: NextPixelEndEvent): [Tagging?] => [tagging];

/** Compiles only if the library's types allow these calls. */
export async function uses(): Promise<void> {
  const tags = await load<'tag'>('weights/crf-en.gguf');
  const tagging: Tagging = await tags.tag('Time flies.', { marginals: true });
  void tagging.words;
}
