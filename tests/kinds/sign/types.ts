// SPDX-License-Identifier: MIT

/** The types of the kind sign. package.test.js compiles this file; it never runs. */

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

/** The description of a model has the fields of its kind. */
export async function description(): Promise<unknown> {
  const own: SignInfo | undefined = undefined;
  return own;
}

export const maps = (step: Classification): AttentionMap[] | undefined => step.maps;

/** The element's event has the step type of the kind. */
export const steps = (step: Classification): NextPixelStepEvent['step'] => step;

/** The end of a run has the result type of its kind. */
export const ends = ({ classification }: NextPixelEndEvent): [Classification?] => [classification];

/** Calls as users of the package may write them. */
export async function uses(canvas: HTMLCanvasElement): Promise<void> {
  const { model: signs, release } = await acquire<'sign'>('weights/snail-omniglot.gguf');
  const named: Classification = await signs.classify(canvas, { support: [{ image: canvas, label: 'a' }] });
  const many: Classification[] = await signs.classify([canvas, canvas], { support: [{ image: canvas, label: 'a' }] });
  void [named.probabilities, many.length];
  release();
}
