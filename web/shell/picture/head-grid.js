// SPDX-License-Identifier: MIT
// Shows all heads of a model as a grid of small pictures. The visitor selects one head or the average of all heads.
// @ts-check
import { make } from '../page/dom.js';
import { phrase } from '../page/phrase.js';

/**
 * @param {HTMLElement} root a fieldset with the class "heads"
 * @param {{ name: string, onChoose: (head: number) => void, notes?: boolean }} options  name: name attribute of the radio buttons; notes:
 *   whether each picture has a line of text below it. A head's number is layer * heads + head, or -1 for the average of all heads
 */
export function createHeadGrid(root, { name, onChoose, notes = false }) {
  /** @type {{ input: HTMLInputElement, canvas?: HTMLCanvasElement, note?: HTMLElement, head: number }[]} */
  let cells = [];
  let shape = '';
  let chosen = -1;

  /** @param {number} head @param {string} label */
  function radio(head, label) {
    const input = /** @type {HTMLInputElement} */ (make('input', { type: 'radio', name, value: String(head), 'aria-label': label }));
    input.checked = head === chosen;
    input.addEventListener('change', () => {
      chosen = head;
      onChoose(head);
    });
    return input;
  }

  return {
    /** Builds the grid once the model is known. @param {number} layers @param {number} heads number in each layer */
    build(layers, heads) {
      const wanted = `${layers} ${heads}`;
      if (shape === wanted) return;
      shape = wanted;
      const average = radio(-1, phrase`Average of all heads`);
      cells = [{ input: average, head: -1 }];
      const grid = make('div', { class: 'heads-grid' });
      grid.style.setProperty('--heads', String(heads));
      grid.append(make('span'), ...Array.from({ length: heads }, (_, h) => make('span', { class: 'column' }, phrase`head ${h + 1}`)));
      for (let layer = 0; layer < layers; layer++) {
        grid.append(make('span', {}, phrase`layer ${layer + 1}`));
        for (let h = 0; h < heads; h++) {
          const head = layer * heads + h;
          const input = radio(head, phrase`Layer ${layer + 1}, head ${h + 1}`);
          const canvas = /** @type {HTMLCanvasElement} */ (make('canvas', { 'aria-hidden': 'true' }));
          const note = notes ? make('span', { class: 'head-note' }) : undefined;
          grid.append(make('label', {}, input, canvas, ...(note ? [note] : [])));
          cells.push({ input, canvas, note, head });
        }
      }
      root.replaceChildren(
        make('legend', {}, phrase`Layers and heads`),
        make('label', { class: 'average' }, average, phrase`Average of all heads, or one of them:`),
        grid,
      );
    },
    /** Marks a head that was selected elsewhere. If no cell has this number, none is marked. @param {number} head */
    choose(head) {
      chosen = head;
      for (const cell of cells) cell.input.checked = cell.head === head;
    },
    /**
     * Paints the picture of each head.
     *
     * @param {(canvas: HTMLCanvasElement, head: number) => string | void} picture  paints one head and returns the text below its picture
     */
    paint(picture) {
      for (const { canvas, note, head, input } of cells) {
        if (!canvas) continue;
        const said = picture(canvas, head) ?? '';
        if (!note || note.textContent === said) continue;
        note.textContent = said;
        note.id ||= `${name}-note-${head}`;
        input.setAttribute('aria-describedby', note.id);
      }
    },
  };
}
