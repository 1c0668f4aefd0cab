// SPDX-License-Identifier: MIT
// Starts the Transformer page. Its figures are a translation that updates while the visitor types, a walk through the network, the
// attention maps, the position encodings, and the beam search.
// @ts-check
import { byId, integer, make, onTheme, paintCells, perFrame, phrase, startPage, texts, whenNear } from '../../shell/index.js';
import { createMatrix, createTranslation, mapsOf, visible } from '../../shell/text/index.js';
import { EXAMPLES } from './examples.js';
import { relation } from './relation.js';
import { createSearch } from './search.js';
import { createSentenceWalk } from './sentence-walk.js';
import { createShuffling } from './shuffling.js';
import { createWaves } from './waves.js';
/** @import { AlignedSheet, AttentionMap, ModelInfo } from '../../shell/index.js' */

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

/** @param {AlignedSheet} Sheet library class that draws a translation above its sentence */
function createFigures(Sheet) {
  const matrix = createMatrix(byId('map'), byId('map-note'));
  const translation = createTranslation(Sheet, {
    name: 'de-en',
    examples: Object.keys(EXAMPLES),
    grid: byId('map-heads'),
    first: { layer: 2, head: 2 }, // this head attends to the word being translated; the mean of all heads is harder to read
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
    const { shown, mean, cells } = translation;
    if (!shown) return;
    const { run, steps } = shown;
    const kind = /** @type {HTMLInputElement} */ (document.querySelector('input[name=map]:checked')).value;
    const sentence = run.sourceTexts.map((text) => visible(text, '⏎'));
    const written = steps.map(({ text }) => visible(text, '⏎'));
    const [rows, columns] =
      kind === 'encoder' ? [sentence, sentence] : kind === 'source' ? [written, sentence] : [written, ['⇥', ...written.slice(0, -1)]];
    /** Returns one row of weights per query, for the maps that `of` selects. @param {(maps: AttentionMap[]) => ArrayLike<number>} of */
    const lines = (of) => {
      if (kind !== 'encoder') return steps.map((step) => of(mapsOf(step, kind === 'source' ? 'source' : 'attention')));
      const all = Array.from(run.encoder.length > 0 ? of(run.encoder) : []);
      return all.length > 0 ? sentence.map((_, i) => all.slice(i * rows.length, (i + 1) * rows.length)) : [];
    };
    matrix.show({ rows, columns, weights: lines(mean) });
    drawHeads = perFrame(() =>
      cells?.paint((canvas, n) => {
        const weights = lines((maps) => maps[n]?.weights ?? []);
        paintCells(canvas, {
          rows: Math.max(1, rows.length),
          cols: Math.max(1, columns.length),
          colour: (i, j, { heat, wash }) => (weights[i]?.[j] === undefined ? wash : heat(Math.sqrt(weights[i][j]))),
        });
        return relation(weights, kind);
      }),
    );
    drawHeads();
  }
  let drawHeads = () => {};
  onTheme(() => drawHeads());
  new ResizeObserver(() => drawHeads()).observe(byId('map-heads'));
  for (const radio of document.querySelectorAll('input[name=map]')) radio.addEventListener('change', showMap);
  const shuffling = createShuffling(() => translation.sentence);
  const search = createSearch(() => translation.sentence);
  const walk = createSentenceWalk(() => translation.sentence);
  return translation.load();
}

whenNear(byId('figure-waves'), createWaves);
startPage(texts().then(({ AlignedSheet }) => createFigures(AlignedSheet)));
