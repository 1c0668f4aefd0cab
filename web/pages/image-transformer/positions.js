// SPDX-License-Identifier: MIT
// Draws the figure of the learned positions. The figure shows the model's embeddings of rows and columns, and the resulting similarities
// between positions.
// @ts-check
import {
  announce,
  askable,
  byId,
  fault,
  make,
  onTheme,
  paintCells,
  perFrame,
  phrase,
  signed,
  weights,
  whenNear,
} from '../../shell/index.js';
import { fileBytes } from '../../shell/model/gguf.js';
import { apart, likeness, likenessOfPixels, placesOf, waves } from './places.js';
/** @import { Cell } from '../../shell/index.js' */
/** @import { Places, Table } from './places.js' */

/** Maximum number of similar rows, and of similar columns, that the text names. */
const NEAREST = 3;

/** Creates the figure, and reads the file when the visitor scrolls to it. */
export function createPositions() {
  const [said, vectors] = [byId('places-said'), byId('places-vectors')];
  /** @type {HTMLSelectElement} */
  const file = byId('places-file');
  /** @type {HTMLInputElement} */
  const learned = byId('places-learned');
  /** @type {HTMLInputElement} */
  const begun = byId('places-begun');
  /** The tables in the current file. @type {Places | undefined} */
  let read;
  /** The data that the figure shows. @type {{ places: Places, rows: Float32Array[], cols: Float32Array[] } | undefined} */
  let shown;
  /** @type {Cell} */
  let at = { row: 14, col: 14 };

  /**
   * @param {string} id
   * @param {string} label
   * @param {(cell: Cell) => Cell} chosen returns the cell to select, given the cell that the visitor pressed
   */
  function view(id, label, chosen) {
    const canvas = make('canvas', { role: 'img', 'aria-label': phrase`Nothing is read yet` });
    const frame = askable(canvas, {
      label,
      grid: () => ({ rows: count(id === 'places-columns' ? 'cols' : 'rows'), cols: count(id === 'places-rows' ? 'rows' : 'cols') }),
      from: () => (id === 'places-rows' ? { row: at.row, col: at.row } : id === 'places-columns' ? { row: at.col, col: at.col } : at),
      onPixel: (cell) => choose(chosen(cell)),
    });
    byId(id).append(frame);
    return canvas;
  }
  const count = (/** @type {'rows' | 'cols'} */ axis) => shown?.places[axis].length ?? 1;
  const picture = view('places-picture', phrase`Positions of pixels. Arrow keys choose one.`, (cell) => cell);
  const rows = view('places-rows', phrase`Similarity of rows to rows. Arrow keys choose one.`, ({ row }) => ({ ...at, row }));
  const columns = view('places-columns', phrase`Similarity of columns to columns. Arrow keys choose one.`, ({ row }) => ({
    ...at,
    col: row,
  }));
  const strips = [make('canvas', { role: 'img' }), make('canvas', { role: 'img' })];
  vectors.append(...strips.map((strip) => make('div', {}, make('p', { class: 'panel-note' }), strip)));

  /** @param {Cell} cell */
  function choose(cell) {
    at = { row: Math.min(cell.row, count('rows') - 1), col: Math.min(cell.col, count('cols') - 1) };
    redraw();
  }

  /**
   * Returns the rows or columns that are most similar to a given row or column, each with its similarity.
   *
   * @param {Float32Array} alike
   * @param {number} own
   */
  const nearest = (alike, own) =>
    Array.from(alike, (x, i) => ({ x, i }))
      .filter(({ i }) => i !== own)
      .sort((a, b) => b.x - a.x)
      .slice(0, NEAREST)
      .map(({ x, i }) => `${i + 1} (${x.toFixed(2).replace('-', '−')})`)
      .join(', ');

  const redraw = perFrame(() => {
    if (!shown) return;
    const { places, rows: ofRows, cols: ofCols } = shown;
    const alike = likenessOfPixels(places, at);
    const painted = paintCells(picture, {
      rows: count('rows'),
      cols: count('cols'),
      framed: [at],
      colour: (row, col, colours) => signed(alike[row][col], colours),
    });
    if (!painted) return;
    const whole = (/** @type {Float32Array[]} */ all, /** @type {number} */ i) => ({
      rows: all.length,
      cols: all.length,
      framed: [{ row: i, col: 0, cols: all.length }],
      colour: (
        /** @type {number} */ row,
        /** @type {number} */ col,
        /** @type {import('../../shell/picture/palette.js').Palette} */ colours,
      ) => signed(all[row][col], colours),
    });
    paintCells(rows, whole(ofRows, at.row));
    paintCells(columns, whole(ofCols, at.col));
    const lists = [
      { list: places.rows[at.row], name: phrase`Row ${at.row + 1}: ${places.rows[0].length} numbers` },
      { list: places.cols[at.col], name: phrase`Column ${at.col + 1}: ${places.cols[0].length} numbers` },
    ];
    lists.forEach(({ list, name }, k) => {
      const most = Math.max(...list.map(Math.abs)) || 1;
      paintCells(strips[k], { rows: 1, cols: list.length, colour: (_, col, colours) => signed(list[col] / most, colours) });
      strips[k].setAttribute('aria-label', name);
      /** @type {Element} */ (strips[k].previousElementSibling).textContent = name;
    });
    said.replaceChildren(
      make('b', {}, phrase`Row ${at.row + 1}, column ${at.col + 1}.`),
      ' ',
      phrase`Most like this row: ${nearest(ofRows[at.row], at.row)}. Most like this column: ${nearest(ofCols[at.col], at.col)}.`,
    );
    picture.setAttribute('aria-label', said.textContent ?? '');
    rows.setAttribute('aria-label', phrase`Similarity of the rows`);
    columns.setAttribute('aria-label', phrase`Similarity of the columns`);
    if (document.activeElement?.contains(picture) || document.activeElement?.contains(rows) || document.activeElement?.contains(columns))
      announce(said.textContent ?? '', 400);
  });

  function show() {
    if (!read) return;
    const asBegun = (/** @type {Table} */ table) => waves(table.length, table[0].length);
    const whole = begun.checked ? { rows: asBegun(read.rows), cols: asBegun(read.cols) } : read;
    const places = { rows: apart(whole.rows), cols: apart(whole.cols) };
    shown = { places, rows: likeness(places.rows), cols: likeness(places.cols) };
    choose(at);
  }

  async function load() {
    const wanted = file.value;
    try {
      const bytes = await fileBytes(weights(wanted));
      if (file.value !== wanted) return; // another file was chosen in the meantime
      read = placesOf(bytes);
      show();
    } catch (error) {
      if (file.value === wanted) said.textContent = fault(error);
    }
  }
  file.addEventListener('change', load);
  for (const radio of [learned, begun]) radio.addEventListener('change', show);
  onTheme(redraw);
  new ResizeObserver(redraw).observe(byId('places-picture'));
  whenNear(byId('figure-positions'), load);
}
