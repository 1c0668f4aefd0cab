// SPDX-License-Identifier: MIT

/** Checks the types for models of the `caption` kind. package.test.js compiles this file, but never runs it. */

import { load } from 'nextpixel';
import type {
  AttentionMap,
  CaptionInfo,
  CaptionModel,
  CaptionOptions,
  CaptionRun,
  CaptionScore,
  CaptionSheetOptions,
  CaptionStep,
  ModelOf,
  SavedCaption,
} from 'nextpixel';
import type { NextPixelStepEvent } from 'nextpixel/element';
import { type Same, type StepsOf, holds } from './same.js';

export async function verbs(image: ImageData): Promise<void> {
  const captions = await load<'caption'>('a.gguf');
  const caption = captions.caption(image, {} as CaptionOptions);
  const [savedCaption, captionScore] = [caption.save(), await captions.score(image, { text: 'a dog' })];
  const resumedCaption = captions.resume(savedCaption);
  holds<
    [
      Same<typeof caption, CaptionRun>,
      Same<StepsOf<CaptionRun>, CaptionStep>,
      Same<typeof savedCaption, SavedCaption>,
      Same<typeof captionScore, CaptionScore>,
      Same<typeof resumedCaption, CaptionRun>,
    ]
  >();
  const model: ModelOf<'caption'> = captions;
  model.close();
}

/** Compiles only if the type of `model.info` has the fields of this kind. */
export async function description(): Promise<unknown> {
  const own: CaptionInfo | undefined = undefined;
  return own;
}

export const maps = (step: CaptionStep): AttentionMap[] | undefined => step.maps;

/** Compiles only if the event nx-step can carry a step of this kind. */
export const steps = (step: CaptionStep): NextPixelStepEvent['step'] => step;
