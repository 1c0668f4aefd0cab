// SPDX-License-Identifier: MIT

/** Checks the types for models of the `code` kind. package.test.js compiles this file, but never runs it. */

import { load } from 'nextpixel';
import type {
  CodeInfo,
  CodeLevel,
  CodeModel,
  CodeOptions,
  CodeRun,
  CodeStep,
  Codes,
  Encoded,
  ModelOf,
  SavedCode,
  SoundSource,
} from 'nextpixel';
import type { NextPixelStepEvent } from 'nextpixel/element';
import { type Same, type StepsOf, holds } from './same.js';

export async function verbs(sound: SoundSource): Promise<void> {
  const codes = await load<'code'>('a.gguf');
  const [coded, further] = [codes.generate({} as CodeOptions), codes.complete(sound)];
  const [savedCode, encoded] = [coded.save(), await codes.encode(sound)];
  const again: Encoded = await codes.encode(await codes.decode(encoded satisfies Codes));
  const resumedCode = codes.resume(savedCode);
  holds<
    [
      Same<typeof coded, CodeRun>,
      Same<typeof further, CodeRun>,
      Same<StepsOf<CodeRun>, CodeStep>,
      Same<typeof savedCode, SavedCode>,
      Same<typeof encoded, Encoded>,
      Same<typeof resumedCode, CodeRun>,
    ]
  >();
  // @ts-expect-error: a sound has no bars
  codes.generate({ bars: 4 });
  const model: ModelOf<'code'> = codes;
  model.close();
  void again;
}

/** Compiles only if the type of `model.info` has the fields of this kind. */
export async function description(): Promise<unknown> {
  const { info } = await load('a.gguf');
  if (info.kind === 'code') return info.sampleRate;
  const own: CodeInfo | undefined = undefined;
  return own;
}

/** Compiles only if the event nx-step can carry a step of this kind. */
export const steps = (step: CodeStep): NextPixelStepEvent['step'] => step;
