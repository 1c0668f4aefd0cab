// SPDX-License-Identifier: MIT

/** Checks the types for models of the `note` kind. package.test.js compiles this file, but never runs it. */

import { load } from 'nextpixel';
import type {
  AttentionMap,
  ModelOf,
  MusicSource,
  Note,
  NoteInfo,
  NoteModel,
  NoteOptions,
  NoteRun,
  NoteScore,
  NoteStep,
  SavedNote,
} from 'nextpixel';
import type { NextPixelEndEvent, NextPixelStepEvent } from 'nextpixel/element';
import { type Same, type StepsOf, holds } from './same.js';

export async function verbs(music: MusicSource): Promise<void> {
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
  // @ts-expect-error: a run of music has only one sample
  notes.generate({ samples: 3 });
  const model: ModelOf<'note'> = notes;
  model.close();
  void midi;
}

/** Compiles only if the type of `model.info` has the fields of this kind. */
export async function description(): Promise<unknown> {
  const notes = (await load<'note'>('a.gguf')).info;
  holds<[Same<typeof notes.voices, string[]>, Same<typeof notes.kind, 'note'>]>();
  // @ts-expect-error: music has no vocabulary
  void notes.vocabulary;
  const own: NoteInfo | undefined = undefined;
  return own;
}

export const maps = (step: NoteStep): AttentionMap[] | undefined => step.maps;

/** Compiles only if the event nx-step can carry a step of this kind. */
export const steps = (step: NoteStep): NextPixelStepEvent['step'] => step;

/** Compiles only if the event nx-end has these fields. */
export const ends = ({ notes }: NextPixelEndEvent): [Note[]?] => [notes];
