// SPDX-License-Identifier: MIT

/** Checks the types for models of the `head` kind. package.test.js compiles this file, but never runs it. */

import { load } from 'nextpixel';
import type { HeadInfo, HeadModel, ModelOf, Parse, ParseOptions } from 'nextpixel';
import type { NextPixelEndEvent, NextPixelStepEvent } from 'nextpixel/element';
import { type Same, holds } from './same.js';

export async function verbs(): Promise<void> {
  const heads = await load<'head'>('a.gguf');
  const parse = await heads.parse('a', {} as ParseOptions);
  holds<[Same<typeof parse, Parse>]>();
  const model: ModelOf<'head'> = heads;
  model.close();
}

/** Compiles only if the event nx-step can carry a step of this kind. */
export const steps = (step: Parse): NextPixelStepEvent['step'] => step;

/** Compiles only if the event nx-end has these fields. */
export const ends = ({ parse }: NextPixelEndEvent): [Parse?] => [parse];
