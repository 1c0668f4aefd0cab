// SPDX-License-Identifier: MIT
// The page of the Transformer: a sentence that is translated while it is typed, its maps, its positions, and its beams.
// @ts-check
import {
  Pace, acquireFirst, announce, byId, createLoading, createTransport, integer, make, onAddress, reducedMotion, startPage, texts, time, whenNear, whileSeen,
} from '../../shell/index.js';
import { createHeads } from './heads.js';
import { createMatrix } from './matrix.js';
import { createShuffling } from './shuffling.js';
import { createTree } from './tree.js';
import { createWaves } from './waves.js';
import { meanOf, rowsOf, visible } from './words.js';
/** @import { AlignedSheet, Model, Phase, Translation, TranslateStep } from '../../shell/index.js' */

/** Sentences to begin with. In each something moves. */
const EXAMPLES = [
  'Ein kleines Mädchen hat gestern im Garten einen Hund gesehen.',
  'Ein Mann, der einen roten Hut trägt, spielt auf der Straße Gitarre.',
  'Zwei Kinder wollen im Park Fußball spielen.',
  'Im Hintergrund sitzt eine Frau auf einer Bank und liest ein Buch.',
];
/** Tokens a second, for whoever watches; who types does not wait. */
const SPEED = 9;
/** Wait for a typist to rest. */
const REST_MS = 120;

/** @param {AlignedSheet} Sheet what sets a translation above its sentence */
function createTranslation(Sheet) {
  /** @type {HTMLInputElement} */
  const input = byId('sentence');
  /** @type {HTMLSelectElement} */
  const beams = byId('beams');
  /** @type {HTMLCanvasElement} */
  const canvas = byId('aligned');
  const result = byId('translation');
  const said = byId('sentence-said');
  /** @type {Model | null} */
  let model = null;
  /** @type {Phase} */
  let phase = 'empty';
  let stopper = new AbortController();
  const pace = new Pace(SPEED);
  /** What is shown. @type {{ run: Translation, steps: TranslateStep[] } | null} */
  let shown = null;
  /** @type {InstanceType<AlignedSheet> | null} */
  let page = null;

  const heads = createHeads([byId('layer'), byId('map-layer')], [byId('head'), byId('map-head')], () => {
    if (shown) setPage(shown.run, shown.steps);
    showMap();
  });
  const matrix = createMatrix(byId('map'), byId('map-note'));
  const tree = createTree(byId('tree'), byId('tree-said'));
  for (const radio of document.querySelectorAll('input[name=map]')) radio.addEventListener('change', () => showMap());

  /** @param {Phase} next */
  function enter(next) {
    phase = next;
    transport.show(phase);
    input.disabled = beams.disabled = phase === 'empty';
  }

  /** The translation above its sentence, as the chosen heads see it. @param {Translation} run @param {TranslateStep[]} steps */
  function setPage(run, steps) {
    const choice = heads.choice;
    page = new Sheet(canvas, run.sourceTexts, { weights: (step) => meanOf(rowsOf(step, 'source'), model?.info.heads ?? 1, choice) });
    for (const step of steps) page.add(step);
    page.paint();
  }

  function showMap() {
    if (!shown || !model) return;
    const { run, steps } = shown;
    const kind = /** @type {HTMLInputElement} */ (document.querySelector('input[name=map]:checked')).value;
    const { info: { heads: count } } = model;
    const sentence = run.sourceTexts.map(visible);
    const written = steps.map(({ text }) => visible(text));
    const mean = (/** @type {Float32Array[]} */ rows) => meanOf(rows, count, heads.choice);
    if (kind === 'encoder') {
      const all = mean(run.encoder);
      const n = sentence.length;
      matrix.show({ rows: sentence, columns: sentence, weights: run.encoder.length > 0 ? sentence.map((_, i) => all.subarray(i * n, i * n + n)) : [] });
    } else if (kind === 'source') {
      matrix.show({ rows: written, columns: sentence, weights: steps.map((step) => mean(rowsOf(step, 'source'))) });
    } else {
      matrix.show({ rows: written, columns: ['⇥', ...written.slice(0, -1)], weights: steps.map((step) => mean(rowsOf(step, 'attention'))) });
    }
  }

  /** @param {boolean} slowly for whoever watches */
  async function start(slowly) {
    stopper.abort();
    stopper = new AbortController();
    const { signal } = stopper;
    if (!model) return;
    /** @type {Translation} */
    let run;
    try {
      run = model.translate(input.value, { beams: Number(beams.value), maps: true, signal, onSearch: () => tree.show(run.search, false) });
    } catch (error) {
      said.textContent = /** @type {Error} */ (error).message;
      return;
    }
    said.textContent = '';
    loading.clear();
    tree.clear();
    enter('running');
    pace.resume();
    const steps = /** @type {TranslateStep[]} */ ([]);
    shown = { run, steps };
    setPage(run, steps);
    let text = '';
    try {
      for await (const value of run) {
        if (slowly && !reducedMotion()) await pace.take(1, signal);
        signal.throwIfAborted();
        steps.push(value);
        page?.add(value);
        result.textContent = text += value.text;
        showMap();
      }
      result.textContent = text;
      page?.end();
      showMap();
      if (run.search.length > 0) tree.show(run.search, true);
      byId('tree-hint').hidden = run.search.length > 0;
      const nats = steps.reduce((sum, step) => sum + step.nats, 0);
      // How long it takes when nobody looks.
      const started = performance.now();
      await model.translate(input.value, { beams: Number(beams.value), signal }).text();
      const ms = performance.now() - started;
      transport.say(text === '' ? '' : `${integer(steps.length)} tokens, ${nats.toFixed(1)} nats; without maps, in ${time(ms)}${run.finish === 'length' ? '. There was no room for more' : ''}`);
      enter('done');
      if (slowly) announce(text);
    } catch (error) {
      if (signal.aborted) return;
      enter('ready');
      loading.failed(error);
    }
  }

  const loading = createLoading(byId('load'), {
    acquire: async (how) => [await acquireFirst(how)],
    onModels([loaded]) {
      model = loaded;
      const { heads: count } = loaded.info;
      heads.have(loaded.info.blocks, count);
      byId('numbers').replaceChildren(...Object.entries({
        Parameters: integer(loaded.info.parameters), Vocabulary: `${integer(loaded.info.vocabulary)} tokens`, 'Longest sentence': `${integer(loaded.info.positions)} tokens`,
        'Layers, heads': `${loaded.info.blocks}, ${count}`, Width: integer(loaded.info.embedding), Data: loaded.info.card.dataset ?? '',
      }).filter(([, value]) => value).map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value))));
      shuffling.use(loaded);
      enter('ready');
      sight.renew();
      sight.proceed();
    },
    onLost() {
      model = null;
      shuffling.use(null);
      enter('empty');
    },
  });
  const transport = createTransport(byId('transport'), { name: '', onRun: () => start(true), pace: true });
  const sight = whileSeen(byId('figure-translation'), {
    start() {
      if (phase === 'running') pace.resume();
      if (phase !== 'ready') return false;
      start(true);
      return true;
    },
    stop() {
      if (phase === 'running') pace.pause();
      return phase === 'running';
    },
  });
  transport.onPress(sight.decide);

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let resting;
  input.addEventListener('input', () => {
    sight.decide();
    clearTimeout(resting);
    resting = setTimeout(() => start(false), REST_MS);
  });
  beams.addEventListener('change', () => {
    sight.decide();
    start(false);
  });
  byId('examples').append(...EXAMPLES.map((text) => {
    const button = make('button', { type: 'button', class: 'textual example', lang: 'de' }, text);
    button.addEventListener('click', () => {
      sight.decide();
      input.value = text;
      start(true);
    });
    return make('li', {}, button);
  }));
  input.value = EXAMPLES[0];
  const shuffling = createShuffling(() => input.value);
  onAddress('figure-translation', (settings) => {
    input.value = settings.get('text') ?? input.value;
    beams.value = ['2', '4', '8'].find((n) => n === settings.get('beams')) ?? '1';
    if (phase === 'empty') return;
    sight.decide();
    start(true);
  });
  return loading.load();
}

whenNear(byId('figure-waves'), createWaves);
startPage(texts().then(({ AlignedPage }) => createTranslation(AlignedPage)));
