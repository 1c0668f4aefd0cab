// SPDX-License-Identifier: MIT
// Shows the contents of an open box: its matrices, line by line in the order of computation, and the computation of the selected number.
// @ts-check
import { announce, make, phrase } from '../../shell/index.js';
import { explain, number } from './explain.js';
import { labelsOf, shortOf } from './boxes.js';
import { createMatrixView } from './matrix-view.js';

/** @import { Matrix } from './graph.js' */
/** @import { Group } from './boxes.js' */
/** @import { MatrixView } from './matrix-view.js' */
/** @import { WeightFile } from './file.js' */
/** @import { Shape, Trace } from './networks.js' */

/**
 * @typedef {{ groups: Group[], trace: Trace, file: WeightFile, shape: Shape, followed?: number }} Open  followed: index of the row that the
 *   figure follows through all layers of the decoder; in the encoder, the figure follows the first row
 */

/**
 * @param {HTMLElement} root container for the matrices
 * @param {HTMLElement} said container for the computation of the selected number
 * @param {Object} hooks
 * @param {(matrix: Matrix, i: number, j: number) => void} [hooks.onGo] called to show where a number was computed
 * @param {(matrix: Matrix, i: number, j: number, by: number) => void} [hooks.onChange] called to change a weight by an amount; 0 restores
 *   the original weight
 */
export function createSheet(root, said, { onGo, onChange }) {
  /** @type {MatrixView[]} */
  let views = [];
  /** @type {Open | undefined} */
  let open;
  /**
   * The selected number. After the visitor has pressed the number, it stays selected when the pointer leaves.
   * @type {{ matrix: Matrix, i: number, j: number } | null}
   */
  let pointed = null;
  /** @type {{ matrix: Matrix, i: number, j: number } | null} */
  let kept = null;
  const room = () => root.clientWidth;
  new ResizeObserver(() => {
    for (const { draw } of views) draw();
  }).observe(root);

  /**
   * Returns the index of the row to mark in a matrix: the row that the figure follows through all layers.
   *
   * @param {Matrix} matrix
   * @param {Open} next
   */
  const followedIn = ({ name, made: { op } }, { followed }) =>
    op === 'file' ? undefined : name.startsWith('enc.') || /\.cross\..*(key|value)$/.test(name) ? 0 : followed;

  /**
   * Returns the view that shows a matrix as a result; this is the last view of a line. Other views show the same matrix as an operand.
   * @param {Matrix} matrix
   */
  function maker(matrix) {
    const all = views.filter((view) => view.matrix === matrix);
    return all.find(({ root: view }) => !view.nextElementSibling) ?? all[0];
  }

  /** @param {Matrix} matrix @param {number} i @param {number} j */
  function wordsOf(matrix, i, j) {
    if (!open) return '';
    const { rows, columns } = labelsOf(matrix, open.trace, open.shape);
    return phrase`${shortOf(matrix)} at ${[rows[i], columns[j]].filter(Boolean).join(', ')}`;
  }

  function tell(aloud = false) {
    const now = pointed ?? kept;
    const sources = now ? explain(now.matrix, now.i, now.j).sources : [];
    for (const view of views) {
      const lit = sources
        .filter(({ matrix }) => matrix === view.matrix)
        .flatMap(({ matrix, cells }) => cells.map(([r, c]) => r * matrix.cols + c));
      view.mark(now?.matrix === view.matrix ? [now.i, now.j] : null, new Set(lit));
    }
    if (!now) {
      said.replaceChildren(make('p', {}, phrase`Point at a number, or move to one with the arrow keys, to see how it is computed.`));
      return;
    }
    const { matrix, i, j } = now;
    const { rule, sum } = explain(matrix, i, j);
    const value = make(
      'output',
      { class: 'sum-value', 'data-name': matrix.name, 'data-cell': `${i},${j}`, 'data-value': String(matrix.at(i, j)) },
      number(matrix.at(i, j), 4),
    );
    said.replaceChildren(
      make('p', { class: 'sum-rule' }, make('b', {}, wordsOf(matrix, i, j)), `: ${rule}.`),
      make('p', { class: 'sum-line' }, value, ...(sum ? [` = ${sum}`] : [])),
      tools(
        now,
        sources.map(({ matrix: source }) => source),
      ),
    );
    // keeps the height; otherwise a shorter text would move the selected number away from the pointer, and then back again
    said.style.minHeight = `${said.offsetHeight}px`;
    if (aloud) announce(`${wordsOf(matrix, i, j)}: ${number(matrix.at(i, j))}, ${rule}`);
  }

  /**
   * Shows links from a number to its operands. If the number is a weight, also shows buttons that change it.
   * @param {{ matrix: Matrix, i: number, j: number }} now
   * @param {Matrix[]} sources
   */
  function tools({ matrix, i, j }, sources) {
    const box = make('p', { class: 'sum-tools' });
    const add = (/** @type {string} */ text, /** @type {() => void} */ act) => {
      const button = make('button', { type: 'button', class: 'example' }, text);
      button.addEventListener('click', act);
      box.append(button);
    };
    if (matrix.made.op === 'file') {
      if (!onChange) return box;
      for (const [text, by] of /** @type {[string, number][]} */ ([
        ['− 0.5', -0.5],
        ['+ 0.5', 0.5],
        [phrase`as trained`, 0],
      ]))
        add(text, () => onChange(matrix, i, j, by));
      return box;
    }
    for (const source of new Set(sources)) {
      if (source.made.op === 'file' || !onGo) continue;
      const { cells } = /** @type {import('./explain.js').Source} */ (explain(matrix, i, j).sources.find((one) => one.matrix === source));
      const largest = cells.reduce((best, cell) => (Math.abs(source.at(...cell)) > Math.abs(source.at(...best)) ? cell : best));
      add(`← ${shortOf(source)}`, () => onGo(source, ...largest));
    }
    return box;
  }

  return {
    /** @param {Open} next */
    show(next) {
      const before = kept;
      open = next;
      views = [];
      // A group without a heading cannot be collapsed.
      const lid = (/** @type {import('./boxes.js').Group} */ { says, closed }, /** @type {HTMLElement} */ line) =>
        says
          ? make('details', { class: 'group', ...(closed ? {} : { open: '' }) }, make('summary', {}, says), line)
          : make('div', { class: 'group' }, line);
      root.replaceChildren(
        ...next.groups.map((group) =>
          lid(
            group,
            make(
              'div',
              { class: 'group-line' },
              ...group.line.map((part) => {
                if (typeof part === 'string') {
                  const sign = make('span', { class: 'sign' });
                  sign.innerHTML = part; // safe, because the HTML comes from our own translated strings
                  return sign;
                }
                const view = createMatrixView(
                  part,
                  { ...labelsOf(part.matrix, next.trace, next.shape), followed: followedIn(part.matrix, next) },
                  {
                    room,
                    onPoint: point,
                    onLeave: () => {
                      pointed = null;
                      tell();
                    },
                  },
                );
                views.push(view);
                return view.root;
              }),
            ),
          ),
        ),
      );
      // the number that was selected before is selected again in the new pass
      const again = before && (next.trace.matrices.get(before.matrix.name) ?? next.file.tensors.get(before.matrix.name));
      kept =
        again && before.i < again.rows && before.j < again.cols && views.some(({ matrix }) => matrix === again)
          ? { matrix: again, i: before.i, j: before.j }
          : null;
      pointed = null;
      tell();
    },
    /**
     * Selects a number, which then stays selected when the pointer leaves.
     * @param {Matrix} matrix
     * @param {number} i
     * @param {number} j
     * @param {boolean} [focus]
     */
    keep(matrix, i, j, focus = false) {
      kept = { matrix, i, j };
      pointed = null;
      const made = maker(matrix);
      const lid = made?.root.closest('details');
      if (lid) lid.open = true;
      tell();
      if (focus) made?.canvas.focus();
    },
    /** Opens the line in which a matrix is computed, and closes all other lines. @param {Matrix} matrix */
    only(matrix) {
      const lid = maker(matrix)?.root.closest('details');
      for (const details of root.querySelectorAll('details')) details.open = details === lid;
    },
    forget() {
      kept = pointed = null;
      tell();
    },
  };

  /** @param {Matrix} matrix @param {number} i @param {number} j @param {boolean} aloud */
  function point(matrix, i, j, aloud) {
    const now = { matrix, i, j };
    if (aloud) kept = now;
    pointed = aloud ? null : now;
    tell(aloud);
  }
}
