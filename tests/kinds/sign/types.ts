// SPDX-License-Identifier: MIT

/** Checks the types for models of the `sign` kind. package.test.js compiles this file, but never runs it. */

import { acquire, load } from 'nextpixel';
import type { AttentionMap, Classification, ClassifyOptions, ModelOf, SignInfo, SignModel } from 'nextpixel';
import type { NextPixelEndEvent, NextPixelStepEvent } from 'nextpixel/element';
import { type Same, holds } from './same.js';

export async function verbs(image: ImageData): Promise<void> {
  const signs = await load<'sign'>('a.gguf');
  const [named, many] = [await signs.classify(image, {} as ClassifyOptions), await signs.classify([image], {} as ClassifyOptions)];
  holds<[Same<typeof named, Classification>, Same<typeof many, Classification[]>]>();
  const model: ModelOf<'sign'> = signs;
  model.close();
}

/** Compiles only if the type of `model.info` has the fields of this kind. */
export async function description(): Promise<unknown> {
  const own: SignInfo | undefined = undefined;
  return own;
}

export const maps = (step: Classification): AttentionMap[] | undefined => step.maps;

/** Compiles only if the event nx-step can carry a step of this kind. */
export const steps = (step: Classification): NextPixelStepEvent['step'] => step;

/** Compiles only if the event nx-end has these fields. */
export const ends = ({ classification }: NextPixelEndEvent): [Classification?] => [classification];

/** Compiles only if the library's types allow these calls. */
export async function uses(canvas: HTMLCanvasElement): Promise<void> {
  const { model: signs, release } = await acquire<'sign'>('weights/snail-omniglot.gguf');
  const named: Classification = await signs.classify(canvas, { support: [{ image: canvas, label: 'a' }] });
  const many: Classification[] = await signs.classify([canvas, canvas], { support: [{ image: canvas, label: 'a' }] });
  void [named.probabilities, many.length];
  release();
}
