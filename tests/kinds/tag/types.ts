// SPDX-License-Identifier: MIT

/** The types of the kind tag. package.test.js compiles this file; it never runs. */

import { load } from 'nextpixel';
import type { ModelOf, TagInfo, TagModel, TagOptions, Tagging } from 'nextpixel';
import type { NextPixelEndEvent, NextPixelStepEvent } from 'nextpixel/element';
import { type Same, holds } from './same.js';

export async function verbs(): Promise<void> {
  const tags = await load<'tag'>('a.gguf');
  const tagging = await tags.tag('a', {} as TagOptions);
  holds<[Same<typeof tagging, Tagging>]>();
  // @ts-expect-error: what tags does not draw
  tags.resume({});
  const model: ModelOf<'tag'> = tags;
  model.close();
}

/** The element's event has the step type of the kind. */
export const steps = (step: Tagging): NextPixelStepEvent['step'] => step;

/** The end of a run has the result type of its kind. */
export const ends = ({ tagging }: NextPixelEndEvent): [Tagging?] => [tagging];

/** Calls as users of the package may write them. */
export async function uses(): Promise<void> {
  const tags = await load<'tag'>('weights/crf-en.gguf');
  const tagging: Tagging = await tags.tag('Time flies.', { marginals: true });
  void tagging.words;
}
