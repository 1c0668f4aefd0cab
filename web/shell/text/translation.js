// SPDX-License-Identifier: MIT
// Builds a figure in which a model translates a sentence while the visitor types the sentence. The figure shows the translation above the
// sentence. The visitor chooses the number of beams and the heads whose attention is drawn.
// @ts-check
import { acquireFirst, announce, byId, createHeadGrid, createTake, fault, integer, phrase, time } from '../index.js';
import { createHeads } from './heads.js';
import { meanOf, mapsOf } from './maps.js';
import { createSentence } from './sentence.js';
import { shotOf } from './shot.js';
/** @import { Choice } from './maps.js' */
/** @import { Reading } from './sentence.js' */
/** @import { AlignedSheet, AttentionMap, Model, TranslationRun, TranslationStep } from '../index.js' */

/** Tokens per second of a slow run; while the visitor types, there is no limit. */
const SPEED = 9;

/**
 * @typedef {{ run: TranslationRun, steps: TranslationStep[], beams: number, over: boolean }} Translated a translation, possibly unfinished
 */

/**
 * Builds the figure #figure-translation (translation.html) for the model that the page's <head> names.
 *
 * @param {AlignedSheet} Sheet library class that draws a translation above its sentence
 * @param {Object} options
 * @param {string} options.name name of the model, used in the address
 * @param {string[]} options.examples example sentences; the first one is translated immediately
 * @param {HTMLElement} [options.grid] element for a grid of all heads, which also lets the visitor select a head
 * @param {Choice} [options.first] layer and head that are shown first (default: all)
 * @param {(model: Model | null) => void} [options.onModel] called after the model was loaded, or with null after it was released
 * @param {(translated: Translated | null) => void} [options.onChange] called when a translation grows or another head is selected; null
 *   when a new translation starts
 */
export function createTranslation(Sheet, { name, examples, grid, first, onModel = () => {}, onChange = () => {} }) {
  /** @type {HTMLSelectElement} */
  const beams = byId('beams');
  /** @type {HTMLCanvasElement} */
  const canvas = byId('aligned');
  const result = byId('translation');
  const said = byId('sentence-said');
  /** The translation that is shown. @type {Translated | null} */
  let shown = null;
  /** @type {InstanceType<AlignedSheet> | null} */
  let sheet = null;

  /** Number of heads in each layer. */
  let across = 1;
  const heads = createHeads(
    [byId('layer')],
    [byId('head')],
    () => {
      figure.changed();
      showHeads();
    },
    first,
  );
  const cells =
    grid &&
    createHeadGrid(grid, {
      name: 'heads-of-translation',
      notes: true,
      onChoose(n) {
        heads.choice = n < 0 ? { layer: -1, head: -1 } : { layer: Math.floor(n / across), head: n % across };
        figure.changed();
        showHeads();
      },
    });
  /**
   * Marks the selected head in the grid. If the mean of a layer is selected, no cell is marked, because the grid has no cell for this mean.
   */
  function markHead() {
    const { layer, head } = heads.choice;
    cells?.choose(layer < 0 && head < 0 ? -1 : layer < 0 || head < 0 ? -2 : layer * across + head);
  }

  /** Draws the translation above its sentence with the attention of the selected heads. @param {Translated} translated */
  function setSheet({ run, steps }) {
    const { choice } = heads;
    sheet = new Sheet(canvas, run.sourceTexts, { weights: (step) => meanOf(mapsOf(step, 'source'), choice) });
    for (const step of steps) sheet.add(step);
    sheet.paint();
  }

  function showHeads() {
    markHead();
    if (!shown) return;
    setSheet(shown);
    onChange(shown);
  }

  /** @param {Reading} reading */
  async function read({ models: [reader], text: sentence, slowly, signal, next }) {
    const options = { beams: Number(beams.value), signal };
    /** @type {Translated} */
    let now;
    try {
      now = {
        run: reader.translate(sentence, { ...options, maps: true, onSearch: () => onChange(now) }),
        steps: [],
        beams: options.beams,
        over: false,
      };
    } catch (error) {
      said.textContent = fault(error); // for example, the sentence is too long
      return 'ready';
    }
    const { run, steps } = now;
    said.textContent = '';
    onChange(null);
    shown = now;
    setSheet(now);
    let text = '';
    for await (const step of run) {
      await next();
      steps.push(step);
      sheet?.add(step);
      result.textContent = text += step.text;
      onChange(now);
    }
    result.textContent = text;
    sheet?.end();
    now.over = true;
    onChange(now);
    const nats = steps.reduce((sum, step) => sum + step.nats, 0);
    // translates again without drawing, to measure only the model's time
    const started = performance.now();
    await reader.translate(sentence, options).text();
    const ms = performance.now() - started;
    const cost = phrase`${integer(steps.length)} tokens, ${nats.toFixed(1)} nats; computed without maps in ${time(ms)}`;
    figure.say(text === '' ? '' : run.finish === 'length' ? phrase`${cost}. The context is full` : cost);
    if (slowly) announce(text);
  }

  const settings = (text = figure.text) => ({ model: name, text, beams: beams.value, ...heads.settings() });
  const figure = createSentence({
    figure: 'figure-translation',
    field: 'sentence',
    examples,
    lang: 'de',
    speed: SPEED,
    read,
    settings,
    acquire: async (how) => [await acquireFirst(how)],
    onModels([loaded]) {
      heads.have(loaded.info.blocks, loaded.info.heads);
      across = loaded.info.heads;
      cells?.build(loaded.info.blocks, across);
      markHead();
      onModel(loaded);
    },
    onLost() {
      onModel(null);
    },
    onEmpty(empty) {
      beams.disabled = empty;
    },
    apply(given) {
      beams.value = [...beams.options].map(({ value }) => value).find((n) => n === given.get('beams')) ?? '1';
      heads.apply(given);
      markHead();
    },
  });
  beams.addEventListener('change', figure.again);
  createTake(byId('take'), {
    id: 'figure-translation',
    films: false,
    shots: () => (shown ? shotOf(canvas, phrase`The translation`, 'translation') : []),
    settings: () => settings(),
  });
  return {
    load: figure.load,
    /** Returns the translation that is shown. */
    get shown() {
      return shown;
    },
    /** Returns the sentence to translate. */
    get sentence() {
      return figure.text;
    },
    /** The grid of all heads, if there is one. */
    cells,
    /** Returns the mean attention weights of the selected heads. @param {AttentionMap[]} maps */
    mean: (maps) => meanOf(maps, heads.choice),
  };
}
