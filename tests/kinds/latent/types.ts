// SPDX-License-Identifier: MIT

/** Checks the types for models of the `latent` kind. package.test.js compiles this file, but never runs it. */

import { load } from 'nextpixel';
import type { AttentionMap, LatentInfo, LatentModel, LatentOptions, LatentRun, LatentStep, ModelOf, WalkOptions } from 'nextpixel';
import type { NextPixelStepEvent } from 'nextpixel/element';
import { type Same, type StepsOf, holds } from './same.js';

export async function verbs(image: ImageData): Promise<void> {
  const latent = await load<'latent'>('a.gguf');
  const [latents, walk] = [latent.generate({} as LatentOptions), latent.walk(1, 2, {} as WalkOptions)];
  holds<[Same<typeof latents, LatentRun>, Same<typeof walk, LatentRun>, Same<StepsOf<LatentRun>, LatentStep>]>();
  // @ts-expect-error: a walk has no samples
  latent.walk(1, 2, { samples: 64 });
  // @ts-expect-error: a latent model cannot complete a picture
  latent.complete(image);
  const model: ModelOf<'latent'> = latent;
  model.close();
}

/** Compiles only if the type of `model.info` has the fields of this kind. */
export async function description(): Promise<unknown> {
  const { info } = await load('a.gguf');
  if (info.kind === 'latent') return info.width * info.height * info.channels;
  const own: LatentInfo | undefined = undefined;
  return own;
}

export const maps = (step: LatentStep): AttentionMap[] | undefined => step.maps;

/** Compiles only if the event nx-step can carry a step of this kind. */
export const steps = (step: LatentStep): NextPixelStepEvent['step'] => step;

/** Compiles only if the library's types allow these calls. */
export async function uses(): Promise<void> {
  const latent = await load<'latent'>('weights/sagan-emoji.gguf');
  const made: LatentRun = latent.generate({ label: 'face', latent: [0, 1] });
  const way: LatentRun = latent.walk(1, 2, { steps: 8, shape: 'circle' });
  void [made, way];
}
