// SPDX-License-Identifier: MIT

/** Checks the types for models of the `sound` kind. package.test.js compiles this file, but never runs it. */

import { load } from 'nextpixel';
import type {
  Heard,
  ModelOf,
  PlayOptions,
  Played,
  SavedSound,
  SoundInfo,
  SoundModel,
  SoundOptions,
  SoundRun,
  SoundScore,
  SoundSource,
  SoundStep,
} from 'nextpixel';
import type { NextPixelEndEvent, NextPixelStepEvent } from 'nextpixel/element';
import { type Same, type StepsOf, holds } from './same.js';

export async function verbs(sound: SoundSource): Promise<void> {
  const sounds = await load<'sound'>('a.gguf');
  const [spoken, longer] = [sounds.generate({} as SoundOptions), sounds.complete(sound)];
  const [savedSound, soundScore] = [spoken.save(), await sounds.score(sound, { speaker: 'a' })];
  const resumedSound = sounds.resume(savedSound);
  holds<
    [
      Same<typeof spoken, SoundRun>,
      Same<typeof longer, SoundRun>,
      Same<StepsOf<SoundRun>, SoundStep>,
      Same<typeof savedSound, SavedSound>,
      Same<typeof soundScore, SoundScore>,
      Same<typeof resumedSound, SoundRun>,
    ]
  >();
  // @ts-expect-error: a sound has no bars
  sounds.generate({ bars: 4 });
  const model: ModelOf<'sound'> = sounds;
  model.close();
}

/** Compiles only if the type of `model.info` has the fields of this kind. */
export async function description(): Promise<unknown> {
  const { info } = await load('a.gguf');
  if (info.kind === 'sound') return info.sampleRate;
  const own: SoundInfo | undefined = undefined;
  return own;
}

/** Compiles only if the event nx-step can carry a step of this kind. */
export const steps = (step: SoundStep): NextPixelStepEvent['step'] => step;

/** Compiles only if the event nx-end has these fields. */
export const ends = ({ samples, sampleRate }: NextPixelEndEvent): [Float32Array?, number?] => [samples, sampleRate];

/** Compiles only if the library's types allow these calls. */
export async function uses(audio: AudioContext): Promise<void> {
  const sound = await load<'sound'>('weights/wavenet.gguf');
  const spoken: SoundRun = sound.generate({ label: '7' });
  const longer: SoundRun = sound.complete(await spoken.wav(), { seconds: 1 });
  const heard: SoundScore = await sound.score({ samples: await longer.samples(), sampleRate: 8000 });
  void [(await spoken.playTo(audio)).gaps, heard.bitsPerDim];
  // @ts-expect-error: a model of sounds has no translations
  sound.translate('Ein Hund');
  const any: ModelOf<'sound'>[] = [sound];
  for (const { model } of [{ model: any[0] }]) model.close();
}
