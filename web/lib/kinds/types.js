// SPDX-License-Identifier: MIT
// Generated from web/lib/kinds/*/kind.js by node web/tools/options.js: edit those files.
// @ts-check

/** The types of the kinds. */

/** @import { BasicInfo } from '../engine/protocol.js' */

/** @typedef {import('./caption/captions.js').CaptionModel} CaptionModel */
/** @typedef {import('./caption/captions.js').CaptionInfo} CaptionInfo */
/** @typedef {import('./caption/caption-run.js').CaptionStep} CaptionStep */
/** @typedef {import('./caption/caption-run.js').CaptionRun} CaptionRun */
/** @typedef {import('./caption/caption-run.js').SavedCaption} SavedCaption */
/** @typedef {import('./caption/caption-sheet.js').CaptionSheetOptions} CaptionSheetOptions */
/** @typedef {import('./caption/captions.js').CaptionScore} CaptionScore */
/** @typedef {import('../options.js').CaptionOptions} CaptionOptions */
/** @typedef {import('./code/codebooks.js').CodeModel} CodeModel */
/** @typedef {import('./code/codebooks.js').CodeInfo} CodeInfo */
/** @typedef {import('./code/code-run.js').CodeStep} CodeStep */
/** @typedef {import('./code/code-run.js').CodeRun} CodeRun */
/** @typedef {import('./code/code-run.js').SavedCode} SavedCode */
/** @typedef {import('./code/codebooks.js').Codes} Codes */
/** @typedef {import('./code/codebooks.js').Encoded} Encoded */
/** @typedef {import('./code/codebooks.js').CodeLevel} CodeLevel */
/** @typedef {import('../options.js').CodeOptions} CodeOptions */
/** @typedef {import('./head/heads.js').HeadModel} HeadModel */
/** @typedef {import('./head/heads.js').HeadInfo} HeadInfo */
/** @typedef {import('./head/parse.js').Parse} Parse */
/** @typedef {import('./head/parse.js').ParseOptions} ParseOptions */
/** @typedef {import('./latent/latents.js').LatentModel} LatentModel */
/** @typedef {import('./latent/latents.js').LatentInfo} LatentInfo */
/** @typedef {import('./latent/latent-run.js').LatentStep} LatentStep */
/** @typedef {import('./latent/latent-run.js').LatentRun} LatentRun */
/** @typedef {import('./latent/latents.js').WalkOptions} WalkOptions */
/** @typedef {import('../options.js').LatentOptions} LatentOptions */
/** @typedef {import('./note/notes.js').NoteModel} NoteModel */
/** @typedef {import('./note/notes.js').NoteInfo} NoteInfo */
/** @typedef {import('./note/note-run.js').NoteStep} NoteStep */
/** @typedef {import('./note/note-run.js').NoteRun} NoteRun */
/** @typedef {import('./note/note-run.js').SavedNote} SavedNote */
/** @typedef {import('./note/notes.js').NoteScore} NoteScore */
/** @typedef {import('./note/given.js').MusicSource} MusicSource */
/** @typedef {import('./note/codec.js').Note} Note */
/** @typedef {import('../options.js').NoteOptions} NoteOptions */
/** @typedef {import('./picture/pictures.js').PictureModel} PictureModel */
/** @typedef {import('../media/codec.js').PictureInfo} PictureInfo */
/** @typedef {import('./picture/picture-run.js').PictureStep} PictureStep */
/** @typedef {import('./picture/picture-run.js').PictureRun} PictureRun */
/** @typedef {import('./picture/picture-run.js').SavedPicture} SavedPicture */
/** @typedef {import('./picture/questions.js').PictureScore} PictureScore */
/** @typedef {import('../media/image.js').ImageSource} ImageSource */
/** @typedef {import('../options.js').PictureOptions} PictureOptions */
/** @typedef {import('./sign/signs.js').SignModel} SignModel */
/** @typedef {import('./sign/signs.js').SignInfo} SignInfo */
/** @typedef {import('./sign/classification.js').Classification} Classification */
/** @typedef {import('./sign/classification.js').ClassifyOptions} ClassifyOptions */
/** @typedef {import('./sound/sounds.js').SoundModel} SoundModel */
/** @typedef {import('./sound/sounds.js').SoundInfo} SoundInfo */
/** @typedef {import('./sound/sound-run.js').SoundStep} SoundStep */
/** @typedef {import('./sound/sound-run.js').SoundRun} SoundRun */
/** @typedef {import('./sound/sound-run.js').SavedSound} SavedSound */
/** @typedef {import('./sound/sounds.js').SoundScore} SoundScore */
/** @typedef {import('../media/heard.js').SoundSource} SoundSource */
/** @typedef {import('../media/heard.js').Heard} Heard */
/** @typedef {import('../media/play.js').Played} Played */
/** @typedef {import('../media/play.js').PlayOptions} PlayOptions */
/** @typedef {import('../options.js').SoundOptions} SoundOptions */
/** @typedef {import('./tag/tags.js').TagModel} TagModel */
/** @typedef {import('./tag/tags.js').TagInfo} TagInfo */
/** @typedef {import('./tag/tagging.js').Tagging} Tagging */
/** @typedef {import('./tag/tagging.js').TagOptions} TagOptions */
/** @typedef {import('./text/text-model.js').TextModel} TextModel */
/** @typedef {import('./text/text-model.js').TextInfo} TextInfo */
/** @typedef {import('./text/text-run.js').TextStep} TextStep */
/** @typedef {import('./text/translation-run.js').TranslationStep} TranslationStep */
/** @typedef {import('./text/text-run.js').TextRun} TextRun */
/** @typedef {import('./text/text-run.js').Alternative} Alternative */
/** @typedef {import('./text/text-run.js').SavedText} SavedText */
/** @typedef {import('./text/text-score.js').TextScore} TextScore */
/** @typedef {import('./text/translation-run.js').TranslationRun} TranslationRun */
/** @typedef {import('./text/translation-run.js').SavedTranslation} SavedTranslation */
/** @typedef {import('./text/translation-run.js').SearchStep} SearchStep */
/** @typedef {import('./text/translation-run.js').Hypothesis} Hypothesis */
/** @typedef {import('./text/chat.js').Message} Message */
/** @typedef {import('./text/chat.js').ChatOptions} ChatOptions */
/** @typedef {import('./text/constraint.js').Constraint} Constraint */
/** @typedef {import('../options.js').TextOptions} TextOptions */
/** @typedef {import('../options.js').TranslationOptions} TranslationOptions */

/**
 * The class of the models of each kind.
 *
 * @typedef {object} ModelsOfKinds
 * @property {CaptionModel} caption
 * @property {CodeModel} code
 * @property {HeadModel} head
 * @property {LatentModel} latent
 * @property {NoteModel} note
 * @property {PictureModel} picture
 * @property {SignModel} sign
 * @property {SoundModel} sound
 * @property {TagModel} tag
 * @property {TextModel} text
 */

/**
 * The type of `info` for a model of each kind.
 *
 * @typedef {object} InfosOfKinds
 * @property {BasicInfo & { kind: 'caption' } & CaptionInfo} caption
 * @property {BasicInfo & { kind: 'code' } & CodeInfo} code
 * @property {BasicInfo & { kind: 'head' } & HeadInfo} head
 * @property {BasicInfo & { kind: 'latent' } & LatentInfo} latent
 * @property {BasicInfo & { kind: 'note' } & NoteInfo} note
 * @property {BasicInfo & { kind: 'picture' } & PictureInfo} picture
 * @property {BasicInfo & { kind: 'sign' } & SignInfo} sign
 * @property {BasicInfo & { kind: 'sound' } & SoundInfo} sound
 * @property {BasicInfo & { kind: 'tag' } & TagInfo} tag
 * @property {BasicInfo & { kind: 'text' } & TextInfo} text
 */

/**
 * The type of `info` for a model of any kind; `if (info.kind === 'text')` narrows this type to the type for a text model.
 *
 * @typedef {InfosOfKinds[keyof InfosOfKinds]} ModelInfo
 */

/**
 * The properties that info has for any kind of model, for code that already knows the kind.
 *
 * @typedef {BasicInfo & { kind: keyof InfosOfKinds } & CaptionInfo & CodeInfo & HeadInfo & LatentInfo & NoteInfo & PictureInfo & SignInfo & SoundInfo & TagInfo & TextInfo} AnyInfo
 */

/**
 * The names of the methods that models of each kind have.
 *
 * @typedef {object} VerbsOfKinds
 * @property {'caption' | 'resume' | 'score'} caption
 * @property {'complete' | 'decode' | 'encode' | 'generate' | 'resume'} code
 * @property {'parse'} head
 * @property {'generate' | 'walk'} latent
 * @property {'complete' | 'generate' | 'resume' | 'score'} note
 * @property {'attention' | 'complete' | 'generate' | 'resume' | 'score' | 'superResolve'} picture
 * @property {'classify'} sign
 * @property {'complete' | 'generate' | 'resume' | 'score'} sound
 * @property {'tag'} tag
 * @property {'attention' | 'chat' | 'generate' | 'resume' | 'score' | 'tokenizer' | 'translate'} text
 */

/**
 * The methods of all kinds, for a model whose kind is unknown. If several kinds have the same method, the arguments select the kind.
 *
 * @typedef {Pick<TextModel, VerbsOfKinds['text']> & Pick<PictureModel, VerbsOfKinds['picture']> & Pick<SoundModel, VerbsOfKinds['sound']> & Pick<CaptionModel, VerbsOfKinds['caption']> & Pick<CodeModel, VerbsOfKinds['code']> & Pick<HeadModel, VerbsOfKinds['head']> & Pick<LatentModel, VerbsOfKinds['latent']> & Pick<NoteModel, VerbsOfKinds['note']> & Pick<SignModel, VerbsOfKinds['sign']> & Pick<TagModel, VerbsOfKinds['tag']>} AllVerbs
 */

/**
 * The result of a run in an nx-end event. It has the properties of the model's kind; all others are undefined.
 *
 * @typedef {object} EndOfKinds
 * @property {string} [text]  the text that the model wrote, without the prompt; with several samples, the first text
 * @property {Float32Array} [samples]  for audio or music: the samples, between -1 and 1
 * @property {number} [sampleRate]  for audio or music: samples per second
 * @property {Parse} [parse]  the heads of the words
 * @property {Note[]} [notes]  for music: the notes, including the given ones
 * @property {Classification} [classification]  the probabilities of the labels
 * @property {Tagging} [tagging]  the tags of the words
 */

/** A step of any kind of run, or a complete result. @typedef {CaptionStep | CodeStep | Parse | LatentStep | NoteStep | PictureStep | Classification | SoundStep | Tagging | TextStep | TranslationStep} AnyStep */

export {};
