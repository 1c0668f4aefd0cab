// SPDX-License-Identifier: MIT

/** Checks the types for models of the `text` kind. package.test.js compiles this file, but never runs it. */

import { load } from 'nextpixel';
import type {
  Alternative,
  AttentionMap,
  ChatOptions,
  Constraint,
  Hypothesis,
  Message,
  ModelOf,
  SavedText,
  SavedTranslation,
  SearchStep,
  TextInfo,
  TextModel,
  TextOptions,
  TextRun,
  TextScore,
  TextStep,
  TranslationOptions,
  TranslationRun,
  TranslationStep,
} from 'nextpixel';
import { chatModels, suggestedModel } from 'nextpixel/chat-models';
import type { ChatModel } from 'nextpixel/chat-models';
import type { NextPixelEndEvent, NextPixelStepEvent } from 'nextpixel/element';
import { type Same, type StepsOf, holds } from './same.js';

export async function verbs(): Promise<void> {
  const texts = await load<'text'>('a.gguf');
  const [text, answer, translation] = [
    texts.generate('a', {} as TextOptions),
    texts.chat([] as Message[], {} as TextOptions & ChatOptions),
    texts.translate('a', {} as TranslationOptions),
  ];
  const [savedText, savedTranslation, textScore, looked] = [
    text.save(),
    translation.save(),
    await texts.score('a'),
    await texts.attention('a'),
  ];
  const [resumedText, resumedTranslation] = [texts.resume(savedText, { at: 2 }), texts.resume(savedTranslation)];
  holds<
    [
      Same<typeof text, TextRun>,
      Same<typeof answer, TextRun>,
      Same<StepsOf<TextRun>, TextStep>,
      Same<typeof savedText, SavedText>,
      Same<typeof textScore, TextScore>,
      Same<typeof looked, AttentionMap[]>,
      Same<typeof resumedText, TextRun>,
      Same<typeof translation, TranslationRun>,
      Same<StepsOf<TranslationRun>, TranslationStep>,
      Same<typeof savedTranslation, SavedTranslation>,
      Same<typeof resumedTranslation, TranslationRun>,
    ]
  >();
  // @ts-expect-error: a text model needs a prompt
  texts.generate({ seed: 1 });
  const model: ModelOf<'text'> = texts;
  model.close();
  const tokens = texts.tokenizer.encode('a');
  void tokens;
}

/** Compiles only if the type of `model.info` has the fields of this kind. */
export async function description(): Promise<unknown> {
  const { info } = await load('a.gguf');
  if (info.kind === 'text') {
    holds<[Same<typeof info.vocabulary, number>, Same<typeof info.languages, string[]>, Same<typeof info.chatTemplate, string>]>();
    // @ts-expect-error: a text has no width
    return info.width;
  }
  const own: TextInfo | undefined = undefined;
  return own;
}

export const maps = (step: TextStep | TranslationStep): AttentionMap[] | undefined => step.maps;

/** Compiles only if the event nx-step can carry a step of this kind. */
export const steps = (step: TextStep | TranslationStep): NextPixelStepEvent['step'] => step;

/** Compiles only if the event nx-end has these fields. */
export const ends = ({ text }: NextPixelEndEvent): [string?] => [text];

/** Compiles only if the library's types allow these calls. */
export async function uses(): Promise<void> {
  const text = await load<'text'>('weights/stories.gguf');
  void [
    text.generate('Once').finish,
    text.translate('Ein Hund').finish,
    text.chat([{ role: 'user', content: 'Hello' }]),
    (await text.score('Once')).natsPerByte,
  ];
  const suggested: ChatModel = suggestedModel({ deviceMemory: 8, language: 'ko' });
  (await load<'text'>(suggested.url, { onProgress: ({ loaded }) => console.log(loaded / chatModels[0].bytes) })).close();
}
