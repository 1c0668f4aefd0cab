// SPDX-License-Identifier: MIT

/** Every kind: its run, step, score, options and saved state are exported, and the model that load<kind>() returns has the verbs of that
 * kind. package.test.js compiles this file; it never runs. */

import { load } from 'nextpixel';
import type {
  Alternative,
  AttentionMap,
  BasicInfo,
  CaptionInfo,
  CaptionModel,
  CaptionOptions,
  CaptionRun,
  CaptionScore,
  CaptionSheetOptions,
  CaptionStep,
  ChatOptions,
  Classification,
  ClassifyOptions,
  CodeInfo,
  CodeLevel,
  CodeModel,
  CodeOptions,
  CodeRun,
  CodeStep,
  Codes,
  Constraint,
  Encoded,
  HeadInfo,
  HeadModel,
  Heard,
  Hypothesis,
  ImageSource,
  Kind,
  LatentInfo,
  LatentModel,
  LatentOptions,
  LatentRun,
  LatentStep,
  Message,
  ModelInfo,
  ModelOf,
  MusicSource,
  Note,
  NoteInfo,
  NoteModel,
  NoteOptions,
  NoteRun,
  NoteScore,
  NoteStep,
  Parse,
  ParseOptions,
  PictureInfo,
  PictureModel,
  PictureOptions,
  PictureRun,
  PictureScore,
  PictureStep,
  PlayOptions,
  Played,
  SavedCaption,
  SavedCode,
  SavedNote,
  SavedPicture,
  SavedSound,
  SavedText,
  SavedTranslation,
  SearchStep,
  SignInfo,
  SignModel,
  SoundInfo,
  SoundModel,
  SoundOptions,
  SoundRun,
  SoundScore,
  SoundSource,
  SoundStep,
  TagInfo,
  TagModel,
  TagOptions,
  Tagging,
  TextInfo,
  TextModel,
  TextOptions,
  TextRun,
  TextScore,
  TextStep,
  TranslationOptions,
  TranslationRun,
  TranslationStep,
  WalkOptions,
} from 'nextpixel';
import type { NextPixelEndEvent, NextPixelStepEvent } from 'nextpixel/element';

/** True if two types are equal. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** The type of the steps of a run. */
type StepsOf<R> = R extends AsyncIterable<infer S> ? S : never;

/** Compiles only if all type arguments are true. */
function holds<_ extends true[]>(): void {}

export async function everyKind(image: ImageData, sound: SoundSource, music: MusicSource): Promise<void> {
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
  // @ts-expect-error: nor a prompt
  picture.generate('a');

  const latent = await load<'latent'>('a.gguf');
  const [latents, walk] = [latent.generate({} as LatentOptions), latent.walk(1, 2, {} as WalkOptions)];
  holds<[Same<typeof latents, LatentRun>, Same<typeof walk, LatentRun>, Same<StepsOf<LatentRun>, LatentStep>]>();
  // @ts-expect-error: a walk has no samples
  latent.walk(1, 2, { samples: 64 });
  // @ts-expect-error: it draws no rest of a picture
  latent.complete(image);

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

  const notes = await load<'note'>('a.gguf');
  const [composed, harmonised] = [notes.generate({} as NoteOptions), notes.complete(music, { voices: ['soprano'] })];
  const [savedNote, noteScore, midi] = [composed.save(), await notes.score(music), await composed.midi()];
  const resumedNotes = notes.resume(savedNote, { at: 1 });
  holds<
    [
      Same<typeof composed, NoteRun>,
      Same<typeof harmonised, NoteRun>,
      Same<StepsOf<NoteRun>, NoteStep>,
      Same<typeof savedNote, SavedNote>,
      Same<typeof noteScore, NoteScore>,
      Same<typeof resumedNotes, NoteRun>,
    ]
  >();
  // @ts-expect-error: music is one sample
  notes.generate({ samples: 3 });

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
  // @ts-expect-error: it is asked with a prompt
  texts.generate({ seed: 1 });

  const signs = await load<'sign'>('a.gguf');
  const [named, many] = [await signs.classify(image, {} as ClassifyOptions), await signs.classify([image], {} as ClassifyOptions)];
  holds<[Same<typeof named, Classification>, Same<typeof many, Classification[]>]>();

  const tags = await load<'tag'>('a.gguf');
  const tagging = await tags.tag('a', {} as TagOptions);
  const heads = await load<'head'>('a.gguf');
  const parse = await heads.parse('a', {} as ParseOptions);
  holds<[Same<typeof tagging, Tagging>, Same<typeof parse, Parse>]>();
  // @ts-expect-error: what tags does not draw
  tags.resume({});

  const tokens = texts.tokenizer.encode('a');
  const any: { [K in Kind]: ModelOf<K> } = {
    picture,
    latent,
    sound: sounds,
    code: codes,
    note: notes,
    caption: captions,
    text: texts,
    sign: signs,
    tag: tags,
    head: heads,
  };
  for (const model of Object.values(any)) model.close();
  void [again, midi, tokens];
}

/** Maps have the same form in every kind that has them. */
export const maps = (
  step: PictureStep | LatentStep | TextStep | TranslationStep | CaptionStep | NoteStep | Classification,
): AttentionMap[] | undefined => step.maps;

/** The description of a model has exactly the fields of its kind. */
export async function descriptions(): Promise<unknown> {
  const { info } = await load('a.gguf');
  // @ts-expect-error: a model of any kind may have none
  void info.width;
  holds<[Same<typeof info, ModelInfo>, Same<ModelInfo['kind'], Kind>]>();
  if (info.kind === 'text') {
    holds<[Same<typeof info.vocabulary, number>, Same<typeof info.languages, string[]>, Same<typeof info.chatTemplate, string>]>();
    // @ts-expect-error: a text has no width
    return info.width;
  }
  if (info.kind === 'picture' || info.kind === 'latent') return info.width * info.height * info.channels;
  if (info.kind === 'sound' || info.kind === 'code') return info.sampleRate;
  const notes = (await load<'note'>('a.gguf')).info;
  holds<[Same<typeof notes.voices, string[]>, Same<typeof notes.kind, 'note'>]>();
  const own: [PictureInfo, LatentInfo, TextInfo, CaptionInfo, SoundInfo, CodeInfo, NoteInfo, SignInfo, BasicInfo] | undefined = undefined;
  // @ts-expect-error: music has no vocabulary
  return [notes.vocabulary, own];
}

/** The element's event has the step type of every kind. */
export const steps = (
  step:
    | CaptionStep
    | CodeStep
    | LatentStep
    | NoteStep
    | PictureStep
    | SoundStep
    | TextStep
    | TranslationStep
    | Tagging
    | Parse
    | Classification,
): NextPixelStepEvent['step'] => step;

/** The end of a run has the result type of its kind. */
export const ends = ({
  text,
  samples,
  sampleRate,
  notes,
  tagging,
  parse,
  classification,
}: NextPixelEndEvent): [string?, Float32Array?, number?, Note[]?, Tagging?, Parse?, Classification?] => [
  text,
  samples,
  sampleRate,
  notes,
  tagging,
  parse,
  classification,
];
