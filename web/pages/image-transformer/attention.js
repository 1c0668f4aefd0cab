// SPDX-License-Identifier: MIT
// What one pixel attended to. A large picture with the chosen head's shares, and a grid of all heads.
// @ts-check
import { PIXELS, SIDE, announce, askable, createLegend, describe, make, onTheme, paint, paintSmall, palette, percent, perFrame, toImage } from '../../shell/index.js';
import { heatOf, windowOf } from './heads.js';
/** @import { Attention, Ending, Place, State, Store } from '../../shell/index.js' */

/**
 * @typedef {Object} Look
 * @property {number} head index of the chosen head, block * heads + head; -1: the average of all
 * @property {Attention & { place: Place } | null} attention what the model answered last, and for which place
 */

/**
 * Asks the model about the latest place only: while one question is under way, newer ones replace each other.
 * @param {Store<State>} store
 * @param {Store<Look>} look
 * @param {() => Ending[]} pictures
 */
export function createAsker(store, look, pictures) {
  let busy = false;
  async function ask() {
    const { model, place, label } = store.now;
    if (!place) look.set({ attention: null });
    if (busy || !model || !place || look.now.attention?.place === place) return;
    busy = true;
    try {
      const { values } = pictures()[place.sample];
      const answer = await model.attention(toImage(values), { row: place.row, column: place.column, ...(label && { label }) });
      if (store.now.model === model && store.now.place) look.set({ attention: { ...answer, place } });
    } catch {
      look.set({ attention: null }); // the run itself reports what is wrong with the model
    } finally {
      busy = false;
    }
    if (store.now.place !== place) ask();
  }
  store.on(['place', 'model'], ask);
}

/**
 * @param {Store<State>} store
 * @param {Store<Look>} look
 * @param {HTMLElement} root
 * @param {() => Ending[]} pictures
 */
export function createAttentionView(store, look, root, pictures) {
  const canvas = make('canvas', { role: 'img', 'aria-label': 'Nothing is asked yet' });
  const note = make('p', { class: 'panel-note' });
  const scale = make('div', { class: 'legend' });
  const legend = createLegend(scale, []);
  /** Which ending is shown. */
  let shown = 0;
  const choice = make('div', { class: 'attention-choice', role: 'radiogroup', 'aria-label': 'Which ending' });
  const endings = ['First ending', 'Second', 'Third'].map((name, sample) => {
    const input = make('input', { type: 'radio', name: 'attention-ending', value: String(sample) });
    input.checked = sample === shown;
    input.addEventListener('change', () => {
      shown = sample;
      if (store.now.place) store.set({ place: { ...store.now.place, sample } });
      else redraw();
    });
    choice.append(make('label', {}, input, name));
    return input;
  });
  const explorer = askable(canvas, {
    label: 'The ending, large. Arrow keys choose the pixel to explain.',
    grid: () => ({ rows: SIDE, cols: SIDE }),
    from: () => store.now.place && { row: store.now.place.row, col: store.now.place.column },
    limit: () => pictures()[shown].filled,
    onPlace: ({ row, col }) => store.set({ place: { sample: shown, row, column: col } }),
  });
  const stage = make('div', { class: 'stage' }, explorer);
  const grid = make('fieldset', { class: 'heads' });
  root.append(make('div', { class: 'attention-main' }, choice, stage, note, scale), grid);

  /** @type {{ input: HTMLInputElement, canvas: HTMLCanvasElement | null, head: number }[]} */
  let choices = [];

  /** The grid, once the model says how many layers and heads it has. */
  function build() {
    const { info } = store.now;
    if (!info) return;
    /** @param {number} head @param {string} name @param {HTMLCanvasElement | null} thumb */
    const option = (head, name, thumb) => {
      const input = make('input', { type: 'radio', name: 'head', value: String(head), 'aria-label': name });
      input.checked = head === look.now.head;
      input.addEventListener('change', () => look.set({ head }));
      choices.push({ input, canvas: thumb, head });
      return input;
    };
    choices = [];
    const cells = make('div', { class: 'heads-grid' });
    cells.style.setProperty('--heads', String(info.heads));
    cells.append(make('span'), ...Array.from({ length: info.heads }, (_, h) => make('span', { class: 'column' }, `head ${h + 1}`)));
    const average = make('label', { class: 'average' }, option(-1, 'Average of all heads', null), 'Average of all heads, or one of them:');
    for (let b = 0; b < info.blocks; b++) {
      cells.append(make('span', {}, `layer ${b + 1}`));
      for (let h = 0; h < info.heads; h++) {
        const thumb = make('canvas', { 'aria-hidden': 'true' });
        cells.append(make('label', {}, option(b * info.heads + h, `Layer ${b + 1}, head ${h + 1}`, thumb), thumb));
      }
    }
    grid.replaceChildren(make('legend', {}, 'Layers and heads'), average, cells);
  }

  function draw() {
    const { place, info, rows } = store.now;
    const { attention, head } = look.now;
    if (!info) return;
    if (place) shown = place.sample;
    endings[shown].checked = true;
    const picture = pictures()[shown];
    const known = rows * SIDE;
    const at = place ? place.row * SIDE + place.column : -1;
    const current = place && attention?.place === place ? attention : null;
    const heat = current && heatOf(current, head);
    const seen = current && windowOf(current, info.queryBlock);
    paint(canvas, {
      values: picture.values, filled: picture.filled, known, heat: heat?.share, cursor: at, ranges: seen ? [seen.memory, seen.own] : [],
    });
    if (!place) note.replaceChildren('Point at a pixel.');
    if (!place || !current || !heat) return;
    const who = head < 0 ? 'All heads on average' : `Layer ${Math.floor(head / info.heads) + 1}, head ${head % info.heads + 1}`;
    const words = describe({ picture, place, known, info });
    const shares = at === 0 ? ' There is nothing before the first pixel to look at.'
      : ` ${who}: at most ${percent(heat.most)} on one pixel${current.elements[0] < 0 ? `, ${percent(heat.start)} on the mark that stands before the first pixel` : ''}.`;
    note.replaceChildren(...words, '.', shares);
    legend.label(['0', percent(heat.most / 16), percent(heat.most / 4), percent(heat.most * 9 / 16), percent(heat.most)]);
    canvas.setAttribute('aria-label', note.textContent ?? '');
    // Whoever walks over a picture with the keyboard hears what is under the cursor.
    if (document.activeElement?.classList.contains('picture')) announce(note.textContent ?? '', 400);
  }

  function drawThumbs() {
    const { attention } = look.now;
    if (!attention) return;
    const { paper, wash, heat, accent } = palette();
    const at = attention.place.row * SIDE + attention.place.column;
    for (const { canvas: thumb, head } of choices) {
      if (!thumb) continue;
      const { share } = heatOf(attention, head);
      paintSmall(thumb, (i) => {
        if (i === at) return accent;
        const t = share(i);
        return Number.isNaN(t) ? (i < at ? wash : paper) : heat(t);
      });
    }
  }

  const redraw = perFrame(draw);
  const redrawThumbs = perFrame(drawThumbs);
  store.on(['info'], () => { build(); redraw(); });
  store.on(['place', 'rows'], redraw);
  look.on(['attention', 'head'], redraw);
  look.on(['attention'], redrawThumbs);
  onTheme(() => { redraw(); redrawThumbs(); });
  new ResizeObserver(redraw).observe(stage);

  /** Chooses the drawn pixel that surprised the model most, for a first look. @param {number} known */
  function suggest(known) {
    const { nats } = pictures()[shown];
    let at = known;
    for (let i = known; i < PIXELS; i++) if (nats[i] > nats[at]) at = i;
    store.set({ place: { sample: shown, row: Math.floor(at / SIDE), column: at % SIDE } });
  }
  return { suggest, redraw };
}
