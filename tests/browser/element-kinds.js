// SPDX-License-Identifier: MIT
// @ts-check

/** The attributes of an element for a model of each kind. @type {Record<string, Record<string, string>>} */
export const KINDS = {
  digits: { task: 'generate' },
  'sagan-emoji': { task: 'generate' },
  wavenet: { task: 'generate', seconds: '0.05' },
  'jukebox-small': { task: 'generate', seconds: '0.05' },
  chorales: { task: 'generate', bars: '1' },
  captions: { src: '/web/pictures/seven.png' },
  'crf-en': { prompt: 'The old man.' },
  'parents-en': { prompt: 'I saw her.' },
  'de-en': { prompt: 'Ein Hund.' },
  stories260K: { prompt: 'Once', 'max-tokens': '5' },
};
