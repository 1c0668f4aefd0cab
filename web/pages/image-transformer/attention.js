// SPDX-License-Identifier: MIT
// Shows the attention of one pixel in two ways: as a large picture with the weights of the chosen head, and as a grid of all heads.
// @ts-check
import {
  PIXELS,
  SIDE,
  announce,
  askable,
  createHeadGrid,
  createLegend,
  make,
  onTheme,
  paint,
  paintSmall,
  palette,
  perFrame,
  percent,
  phrase,
  toImage,
} from '../../shell/index.js';
import { describe } from '../../shell/completion/index.js';
import { heatOf, windowOf } from './heads.js';
/** @import { AttentionMap } from '../../shell/index.js' */
/** @import { Ending, Pixel, State, Store } from '../../shell/completion/index.js' */

/**
 * @typedef {Object} Attended
 * @property {number} head the chosen head: layer * heads + head, or -1 for the mean of all heads
 * @property {{ maps: AttentionMap[], asked: Pixel } | null} attention the attention maps that the model returned last, and the pixel to
 *   which they belong
 */

/** Returns the maps to average for a chosen head. @param {AttentionMap[]} maps @param {number} head index of the head, as in Attended */
export const chosen = (maps, head) => (head < 0 ? maps : [maps[head]]);

/**
 * Requests the attention of the pixel that the visitor selected last. If the visitor selects several other pixels while the model computes,
 * only the last of them is requested afterwards.
 * @param {Store<State>} store
 * @param {Store<Attended>} attended
 * @param {() => Ending[]} pictures
 */
export function createAsker(store, attended, pictures) {
  let busy = false;
  async function ask() {
    const { model, asked, label } = store.now;
    if (!asked) attended.set({ attention: null });
    if (busy || !model || !asked || attended.now.attention?.asked === asked) return;
    busy = true;
    try {
      const { values } = pictures()[asked.sample];
      const maps = await model.attention(toImage(values), { row: asked.row, column: asked.column, ...(label && { label }) });
      if (store.now.model === model && store.now.asked) attended.set({ attention: { maps, asked } });
    } catch {
      attended.set({ attention: null }); // the run itself reports errors of the model
    } finally {
      busy = false;
    }
    if (store.now.asked !== asked) ask();
  }
  store.on(['asked', 'model'], ask);
}

/**
 * @param {Store<State>} store
 * @param {Store<Attended>} attended
 * @param {HTMLElement} root
 * @param {() => Ending[]} pictures
 */
export function createAttentionView(store, attended, root, pictures) {
  const canvas = make('canvas', { role: 'img', 'aria-label': phrase`Nothing chosen yet` });
  const note = make('p', { class: 'panel-note' });
  const scale = make('div', { class: 'legend' });
  const legend = createLegend(scale, []);
  /** Index of the completion that is shown. */
  let shown = 0;
  const choice = make('div', { class: 'attention-choice', role: 'radiogroup', 'aria-label': phrase`Which ending` });
  const endings = [phrase`First ending`, phrase`Second`, phrase`Third`].map((name, sample) => {
    const input = make('input', { type: 'radio', name: 'attention-ending', value: String(sample) });
    input.checked = sample === shown;
    input.addEventListener('change', () => {
      shown = sample;
      if (store.now.asked) store.set({ asked: { ...store.now.asked, sample } });
      else redraw();
    });
    choice.append(make('label', {}, input, name));
    return input;
  });
  const explorer = askable(canvas, {
    label: phrase`The completion, enlarged. Arrow keys choose the pixel to explain.`,
    grid: () => ({ rows: SIDE, cols: SIDE }),
    from: () => store.now.asked && { row: store.now.asked.row, col: store.now.asked.column },
    limit: () => pictures()[shown].filled,
    onPixel: ({ row, col }) => store.set({ asked: { sample: shown, row, column: col } }),
  });
  const stage = make('div', { class: 'stage' }, explorer);
  const fields = make('fieldset', { class: 'heads' });
  root.append(make('div', { class: 'attention-main' }, choice, stage, note, scale), fields);
  const grid = createHeadGrid(fields, { name: 'head', onChoose: (head) => attended.set({ head }) });

  function draw() {
    const { asked, info, rows } = store.now;
    const { attention, head } = attended.now;
    if (!info) return;
    if (asked) shown = asked.sample;
    endings[shown].checked = true;
    const picture = pictures()[shown];
    const known = rows * SIDE;
    const at = asked ? asked.row * SIDE + asked.column : -1;
    const current = asked && attention?.asked === asked ? attention : null;
    const heat = current && heatOf(chosen(current.maps, head));
    const seen = current && windowOf(current.maps[0], info.queryBlock);
    paint(canvas, {
      values: picture.values,
      filled: picture.filled,
      known,
      heat: heat?.share,
      cursor: at,
      ranges: seen ? [seen.memory, seen.own] : [],
    });
    if (!asked) note.replaceChildren(phrase`Point at a pixel.`);
    if (!asked || !current || !heat) return;
    const who =
      head < 0 ? phrase`All heads on average` : phrase`Layer ${Math.floor(head / info.heads) + 1}, head ${(head % info.heads) + 1}`;
    const words = describe({ picture, pixel: asked, known, info });
    const shares =
      at === 0
        ? phrase` The first pixel has nothing to attend to.`
        : phrase` ${who}: at most ${percent(heat.most)} on one pixel${current.maps[0].keys[0] < 0 ? phrase`, ${percent(heat.start)} on the start symbol before the first pixel` : ''}.`;
    note.replaceChildren(...words, '.', shares);
    legend.label(['0', percent(heat.most / 16), percent(heat.most / 4), percent((heat.most * 9) / 16), percent(heat.most)]);
    canvas.setAttribute('aria-label', note.textContent ?? '');
    // Announces the selected pixel while the visitor moves through the picture with the keyboard.
    if (document.activeElement?.classList.contains('picture')) announce(note.textContent ?? '', 400);
  }

  function drawThumbs() {
    const { attention } = attended.now;
    if (!attention) return;
    const { paper, wash, heat, accent } = palette();
    const at = attention.asked.row * SIDE + attention.asked.column;
    grid.paint((thumb, head) => {
      const { share } = heatOf(chosen(attention.maps, head));
      paintSmall(thumb, (i) => {
        if (i === at) return accent;
        const t = share(i);
        return Number.isNaN(t) ? (i < at ? wash : paper) : heat(t);
      });
    });
  }

  const redraw = perFrame(draw);
  const redrawThumbs = perFrame(drawThumbs);
  store.on(['info'], () => {
    const { info } = store.now;
    if (info) grid.build(info.blocks, info.heads);
    redraw();
  });
  store.on(['asked', 'rows'], redraw);
  attended.on(['attention', 'head'], redraw);
  attended.on(['attention'], redrawThumbs);
  onTheme(() => {
    redraw();
    redrawThumbs();
  });
  new ResizeObserver(redraw).observe(stage);

  /** Selects, as the initial pixel, the generated pixel with the highest surprisal. @param {number} known */
  function suggest(known) {
    const { nats } = pictures()[shown];
    let at = known;
    for (let i = known; i < PIXELS; i++) if (nats[i] > nats[at]) at = i;
    store.set({ asked: { sample: shown, row: Math.floor(at / SIDE), column: at % SIDE } });
  }
  return { suggest, redraw };
}
