// SPDX-License-Identifier: MIT
// Draws the patterns as matrices and on a picture. Shows the keys of the selected row, and the positions that this row reaches through two
// layers.
// @ts-check
import { announce, askable, byId, integer, make, onTheme, palette, perFrame, percent, phrase } from '../../shell/index.js';
import { FAR, NEAR, PARTS, cells, keysOf, reached, sees } from './patterns.js';
/** @import { Combine, Pattern } from './patterns.js' */

/** Number of summary positions per block in the fixed pattern: 1, or 4 for blocks of 28 positions. @param {number} side */
const summaryOf = (side) => (side > 10 ? 4 : 1);

/** @type {{ pattern: Pattern['kind'], combine: Combine, side: string }} */
const CHOICES = { pattern: 'strided', combine: 'interleaved', side: '6' };
const WORDS = {
  pattern: { strided: phrase`Strided`, fixed: phrase`Fixed` },
  combine: { interleaved: phrase`In turn`, merged: phrase`Merged`, heads: phrase`By head` },
  side: { 6: '6 × 6', 28: '28 × 28' },
};
const LEGENDS = { pattern: phrase`Pattern`, combine: phrase`Combined`, side: phrase`Picture` };

/** @param {HTMLElement} root */
export function createPatternFigure(root) {
  const now = { ...CHOICES };
  /** The selected query. */
  let at = 21;
  /** @returns {Pattern} */
  const pattern = () => {
    const side = Number(now.side);
    return { kind: now.pattern, n: side * side, stride: side, summary: summaryOf(side) };
  };
  const choices = make('div', { class: 'choices' });
  for (const key of /** @type {('pattern' | 'combine' | 'side')[]} */ (Object.keys(WORDS))) {
    const set = make('fieldset', { class: 'model-switch' }, make('legend', {}, LEGENDS[key]));
    for (const [value, text] of Object.entries(WORDS[key])) {
      const input = make('input', { type: 'radio', name: `sparse-${key}`, value });
      input.checked = now[key] === value;
      input.addEventListener('change', () => {
        const before = Number(now.side);
        Object.assign(now, { [key]: value });
        const side = Number(now.side);
        if (side !== before)
          at =
            Math.min(side - 1, Math.floor((Math.floor(at / before) * side) / before)) * side + Math.floor(((at % before) * side) / before);
        redraw();
      });
      set.append(make('label', {}, input, make('span', {}, text)));
    }
    choices.append(set);
  }

  /** @param {string} label @param {() => { rows: number, cols: number }} grid @param {(cell: { row: number, col: number }) => number} query */
  function view(label, grid, query) {
    const name = make('b');
    const canvas = make('canvas', { role: 'img' });
    const note = make('p', { class: 'panel-note' });
    const frame = askable(canvas, {
      label,
      grid,
      from: () => (grid().rows === pattern().n ? { row: at, col: at } : { row: Math.floor(at / grid().cols), col: at % grid().cols }),
      onPixel(cell) {
        at = query(cell);
        redraw();
      },
    });
    const panel = make('div', { class: 'panel' }, make('p', { class: 'panel-name' }, name), make('div', { class: 'stage' }, frame), note);
    return { panel, name, canvas, note, frame };
  }
  const matrixGrid = () => ({ rows: pattern().n, cols: pattern().n });
  const pictureGrid = () => ({ rows: Number(now.side), cols: Number(now.side) });
  const matrices = [1, 2].map((k) =>
    view(phrase`Matrix ${k}: each row is a query. The up and down arrow keys choose a row.`, matrixGrid, ({ row }) => row),
  );
  const pictures = [phrase`Keys of this pixel`, phrase`What two layers reach`].map((label) =>
    view(phrase`${label}, on the picture. Arrow keys choose the pixel.`, pictureGrid, ({ row, col }) => row * Number(now.side) + col),
  );
  const said = make('p', { class: 'pattern-said', 'data-result': '' });
  root.append(choices, make('div', { class: 'patterns' }, ...[...matrices, ...pictures].map(({ panel }) => panel)), said);

  /** Resizes a canvas to the size of its element; returns null if the element has no size yet. @param {HTMLCanvasElement} canvas */
  function fitted(canvas) {
    const context = canvas.getContext('2d');
    const side = Math.round(canvas.clientWidth * devicePixelRatio);
    if (!context || side === 0) return null;
    if (canvas.width !== side) canvas.width = canvas.height = side;
    context.fillStyle = palette().paper;
    context.fillRect(0, 0, side, side);
    return { context, side };
  }
  /** Returns the colour of a key that is in A1, in A2 or in both. @param {boolean} near @param {boolean} far */
  function inkOf(near, far) {
    const { heat, predicted } = palette();
    return near && far ? palette().known[200] : near ? heat(0.5) : predicted[170];
  }

  /** @param {HTMLCanvasElement} canvas @param {Pattern} p @param {number} sets */
  function drawMatrix(canvas, p, sets) {
    const fit = fitted(canvas);
    if (!fit) return;
    const { context, side } = fit;
    const { wash, accent } = palette();
    const edge = (/** @type {number} */ k) => Math.round((k * side) / p.n);
    // At least one screen pixel per cell, so that large matrices stay visible.
    const size = Math.max(1, Math.ceil(side / p.n) - (p.n < 50 ? 1 : 0));
    context.fillStyle = wash;
    for (let i = 0; i < p.n; i++) context.fillRect(edge(i + 1), edge(i), side - edge(i + 1), edge(i + 1) - edge(i));
    for (let i = 0; i < p.n; i++) {
      for (const j of keysOf(p, sets, i)) {
        context.fillStyle = inkOf((sets & NEAR) > 0 && sees(p, NEAR, i, j), (sets & FAR) > 0 && sees(p, FAR, i, j));
        context.fillRect(edge(j), edge(i), size, size);
      }
    }
    context.strokeStyle = accent;
    context.lineWidth = Math.max(2, Math.round(2 * devicePixelRatio));
    context.strokeRect(0, edge(at), Math.max(edge(at + 1), 4), Math.max(edge(at + 1) - edge(at), 2));
  }

  /** @param {HTMLCanvasElement} canvas @param {Pattern} p @param {(j: number) => string} colour */
  function drawPicture(canvas, p, colour) {
    const fit = fitted(canvas);
    if (!fit) return;
    const { context, side } = fit;
    const { wash, paper, accent, edge: line } = palette();
    const edge = (/** @type {number} */ k) => Math.round((k * side) / p.stride);
    for (let j = 0; j < p.n; j++) {
      const [x, y] = [edge(j % p.stride), edge(Math.floor(j / p.stride))];
      const [w, h] = [edge((j % p.stride) + 1) - x, edge(Math.floor(j / p.stride) + 1) - y];
      context.fillStyle = j > at ? wash : colour(j) || paper;
      context.fillRect(x, y, w, h);
      if (p.stride > 10) continue;
      context.strokeStyle = line;
      context.lineWidth = 1;
      context.strokeRect(x + 0.5, y + 0.5, w, h);
    }
    context.strokeStyle = accent;
    context.lineWidth = Math.max(2, Math.round(2.5 * devicePixelRatio));
    const [x, y] = [edge(at % p.stride), edge(Math.floor(at / p.stride))];
    context.strokeRect(x, y, edge((at % p.stride) + 1) - x, edge(Math.floor(at / p.stride) + 1) - y);
  }

  const redraw = perFrame(() => {
    const p = pattern();
    at = Math.min(at, p.n - 1);
    const parts = PARTS[now.combine];
    const counts = parts.map(({ sets }) => keysOf(p, sets, at).length);
    matrices.forEach(({ panel, name, canvas, note }, k) => {
      panel.hidden = k >= parts.length;
      if (panel.hidden) return;
      const { name: of, sets } = parts[k];
      name.textContent = of;
      const which = sets === NEAR ? 'A1' : sets === FAR ? 'A2' : phrase`A1 and A2`;
      const share = percent(cells(p, sets) / ((p.n * (p.n + 1)) / 2));
      note.textContent =
        counts[k] === 1
          ? phrase`${which}: 1 key in this row; ${share} of all cells.`
          : phrase`${which}: ${integer(counts[k])} keys in this row; ${share} of all cells.`;
      canvas.setAttribute('aria-label', `${of}. ${note.textContent}`);
      drawMatrix(canvas, p, sets);
    });
    const place = phrase`Row ${Math.floor(at / p.stride) + 1}, column ${(at % p.stride) + 1}`;
    const reach = reached(p, now.combine, at);
    const count = reach.reduce((sum, one) => sum + one, 0);
    const [seen, two] = pictures;
    seen.name.textContent = phrase`Keys of this pixel`;
    const union = keysOf(p, NEAR | FAR, at).length;
    seen.note.textContent = sees(p, NEAR | FAR, at, at)
      ? phrase`${place}: ${integer(union)} of ${integer(at + 1)}, including itself.`
      : phrase`${place}: ${integer(union)} of ${integer(at + 1)}.`;
    drawPicture(seen.canvas, p, (j) => {
      const [near, far] = [sees(p, NEAR, at, j), sees(p, FAR, at, j)];
      return near || far ? inkOf(near, far) : '';
    });
    two.name.textContent = phrase`What two layers reach`;
    two.note.textContent =
      count === at + 1 ? phrase`All ${integer(count)} positions up to this one.` : phrase`${integer(count)} of ${integer(at + 1)}.`;
    drawPicture(two.canvas, p, (j) => (reach[j] ? palette().heat(0.3) : ''));
    for (const { canvas, note, name } of pictures) canvas.setAttribute('aria-label', `${name.textContent}. ${note.textContent}`);
    const steps =
      parts.length === 1
        ? phrase`a step looks at ${integer(counts[0])} keys`
        : now.combine === 'heads'
          ? phrase`half of the heads look at ${integer(counts[0])} keys, the others at ${integer(counts[1])}`
          : phrase`a step looks at ${integer(counts[0])} keys in one layer and ${integer(counts[1])} in the next`;
    said.textContent = phrase`${place} is position ${integer(at + 1)} of ${integer(p.n)}. Dense attention looks at ${integer(at + 1)} keys in each layer; here ${steps}.`;
    if (document.activeElement?.closest('.patterns')) announce(said.textContent, 400);
  });
  redraw();
  onTheme(redraw);
  new ResizeObserver(redraw).observe(root);
  byId('figure-patterns').dataset.ready = '';
}
