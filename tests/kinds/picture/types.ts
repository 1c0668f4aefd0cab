// SPDX-License-Identifier: MIT

/** Checks the types for models of the `picture` kind. package.test.js compiles this file, but never runs it. */

import { load } from 'nextpixel';
import type {
  AttentionMap,
  ImageSource,
  ModelOf,
  PictureInfo,
  PictureModel,
  PictureOptions,
  PictureRun,
  PictureScore,
  PictureStep,
  SavedPicture,
} from 'nextpixel';
import type { NextPixelStepEvent } from 'nextpixel/element';
import { type Same, type StepsOf, holds } from './same.js';

export async function verbs(image: ImageData): Promise<void> {
  const picture = await load<'picture'>('a.gguf');
  const [pictures, completed, enlarged] = [
    picture.generate({} as PictureOptions),
    picture.complete(image, { rows: 3 }),
    picture.superResolve(image),
  ];
  const [savedPicture, pictureScore, attention] = [
    pictures.save(),
    await picture.score(image),
    await picture.attention(image, { row: 0, column: 0 }),
  ];
  const resumedPictures = picture.resume(savedPicture);
  holds<
    [
      Same<typeof pictures, PictureRun>,
      Same<typeof completed, PictureRun>,
      Same<typeof enlarged, PictureRun>,
      Same<StepsOf<PictureRun>, PictureStep>,
      Same<typeof savedPicture, SavedPicture>,
      Same<typeof pictureScore, PictureScore>,
      Same<typeof attention, AttentionMap[]>,
      Same<typeof resumedPictures, PictureRun>,
    ]
  >();
  // @ts-expect-error: pictures have no seconds
  picture.generate({ seconds: 1 });
  const manyScores: PictureScore[] = await picture.score([image, image], { label: [0, 1] });
  picture.generate({ probabilities: true });
  // @ts-expect-error: a picture has no prompt
  picture.generate('a');
  const model: ModelOf<'picture'> = picture;
  model.close();
}

/** Compiles only if the type of `model.info` has the fields of this kind. */
export async function description(): Promise<unknown> {
  const { info } = await load('a.gguf');
  if (info.kind === 'picture') return info.width * info.height * info.channels;
  const own: PictureInfo | undefined = undefined;
  return own;
}

export const maps = (step: PictureStep): AttentionMap[] | undefined => step.maps;

/** Compiles only if the event nx-step can carry a step of this kind. */
export const steps = (step: PictureStep): NextPixelStepEvent['step'] => step;

/** Compiles only if the library's types allow these calls. */
export async function uses(canvas: HTMLCanvasElement): Promise<void> {
  const picture = await load<'picture'>('weights/digits.gguf');
  const drawn: PictureRun = picture.generate({ label: '7' });
  void [
    drawn.seed,
    picture.complete(canvas, { rows: 3 }),
    picture.superResolve(canvas),
    (await picture.attention(canvas, { row: 0, column: 0 }))[0].weights,
    (await picture.score(canvas)).nats,
  ];
  // @ts-expect-error: a picture model cannot walk between latents
  picture.walk(1, 2);
}
