// SPDX-License-Identifier: MIT
// The page of the Transformer: a sentence that is translated while it is typed, its way through the network step by step, its maps, its positions, and its beams.
// @ts-check
import { byId, integer, make, phrase, startPage, texts, whenNear } from '../../shell/index.js';
import { createMatrix, createTranslation, mapsOf, visible } from '../../shell/text/index.js';
import { EXAMPLES } from './examples.js';
import { createSearch } from './search.js';
import { createSentenceWalk } from './sentence-walk.js';
import { createShuffling } from './shuffling.js';
import { createWaves } from './waves.js';
/** @import { AlignedSheet, ModelInfo } from '../../shell/index.js' */

/** @param {ModelInfo} info */
function showNumbers({ parameters, vocabulary, positions, blocks, heads, embedding, card }) {
  const rows = [
    [phrase`Parameters`, integer(parameters)],
    [phrase`Vocabulary`, phrase`${integer(vocabulary)} tokens`],
    [phrase`Longest sentence`, phrase`${integer(positions)} tokens`],
    [phrase`Layers, heads`, `${blocks}, ${heads}`],
    [phrase`Width`, integer(embedding)],
    [phrase`Data`, card.dataset ?? '', 'en'],
  ];
  byId('numbers').replaceChildren(
    ...rows
      .filter(([, value]) => value)
      .map(([name, value, lang]) => make('div', {}, make('dt', {}, name), make('dd', lang ? { lang } : {}, value))),
  );
}

/** @param {AlignedSheet} Sheet what sets a translation above its sentence */
function createFigures(Sheet) {
  const matrix = createMatrix(byId('map'), byId('map-note'));
  const translation = createTranslation(Sheet, {
    name: 'de-en',
    examples: Object.keys(EXAMPLES),
    choices: [{ layer: 'map-layer', head: 'map-head' }],
    first: { layer: 2, head: 2 }, // it looks at the word that is translated; the mean of all heads is a tangle
    onModel(model) {
      if (model) showNumbers(model.info);
      shuffling.use(model);
      search.use(model);
      walk.use(model);
    },
    onChange(translated) {
      if (!translated) return;
      showMap();
      if (!translated.over) return;
      search.follow(translated.beams);
      search.show();
      shuffling.show();
      walk.show();
    },
  });

  function showMap() {
    const { shown, mean } = translation;
    if (!shown) return;
    const { run, steps } = shown;
    const kind = /** @type {HTMLInputElement} */ (document.querySelector('input[name=map]:checked')).value;
    const sentence = run.sourceTexts.map((text) => visible(text, '⏎'));
    const written = steps.map(({ text }) => visible(text, '⏎'));
    if (kind === 'encoder') {
      const all = mean(run.encoder);
      const n = sentence.length;
      matrix.show({
        rows: sentence,
        columns: sentence,
        weights: run.encoder.length > 0 ? sentence.map((_, i) => all.subarray(i * n, i * n + n)) : [],
      });
    } else if (kind === 'source') {
      matrix.show({ rows: written, columns: sentence, weights: steps.map((step) => mean(mapsOf(step, 'source'))) });
    } else {
      matrix.show({
        rows: written,
        columns: ['⇥', ...written.slice(0, -1)],
        weights: steps.map((step) => mean(mapsOf(step, 'attention'))),
      });
    }
  }
  for (const radio of document.querySelectorAll('input[name=map]')) radio.addEventListener('change', showMap);
  const shuffling = createShuffling(() => translation.sentence);
  const search = createSearch(() => translation.sentence);
  const walk = createSentenceWalk(() => translation.sentence);
  return translation.load();
}

whenNear(byId('figure-waves'), createWaves);
startPage(texts().then(({ AlignedSheet }) => createFigures(AlignedSheet)));
