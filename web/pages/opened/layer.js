// SPDX-License-Identifier: MIT
// Shows equations (1) and (2) of the Image Transformer paper. Block 1 of the encoder computes these equations, so the figure shows the
// numbers of this block. Pressing a term of an equation shows its matrix.
// @ts-check
import { byId, make, phrase } from '../../shell/index.js';
import { shortOf } from './boxes.js';
import { createSheet } from './sheet.js';

/** @import { Group, Line } from './boxes.js' */
/** @import { Matrix } from './graph.js' */
/** @import { WeightFile } from './file.js' */
/** @import { Shape, Trace } from './networks.js' */

/**
 * A part of an equation: plain text, or text that stands for a matrix. `name` is the name of this matrix; NAME<i means operand i of the
 * operation that computes the matrix NAME.
 * @typedef {string | { text: string, name: string }} Part
 */

/** @param {string} text @param {string} name @returns {Part} */
const part = (text, name) => ({ text, name });
const W = (/** @type {string} */ below) => `<i>W</i><sub>${below}</sub>`;
const AT = 'enc.0.self';

/** The equations in the paper's notation, for head 1. @type {Part[][]} */
const EQUATIONS = [
  [
    part('<i>q</i><sub>a</sub>', `${AT}.norm`),
    ' = layernorm( ',
    part('<i>q</i>', `${AT}.sum<0`),
    ' + dropout( ',
    part('softmax', `${AT}.0.weights`),
    '( ',
    part(`<i>q</i>${W('q')}`, `${AT}.0.query`),
    ' (',
    part(`<i>M</i>${W('k')}`, `${AT}.0.key`),
    ')<sup>T</sup> ',
    part('/ √<i>d</i>', `${AT}.0.scale`),
    ' ) ',
    part(`<i>M</i>${W('v')}`, `${AT}.0.value`),
    ' ) )',
  ],
  [
    part('<i>q</i>′', 'enc.0.ffn.norm'),
    ' = layernorm( ',
    part('<i>q</i><sub>a</sub>', `${AT}.norm`),
    ' + dropout( ',
    part(W('1'), 'enc.0.ffn.down<1'),
    ' ',
    part('ReLU', 'enc.0.ffn.active'),
    '( ',
    part(W('2'), 'enc.0.ffn.up<1'),
    ' ',
    part('<i>q</i><sub>a</sub>', `${AT}.norm`),
    ' ) ) )',
  ],
];

/** The symbol of a matrix in the equations, by its name. @type {Map<string, string>} */
const SYMBOLS = new Map(
  EQUATIONS.flatMap((parts) =>
    parts.flatMap((one) => (typeof one === 'string' ? [] : [/** @type {[string, string]} */ ([one.name, one.text])])),
  ),
);

/** Returns whether the pass is through a network that has the layer that this figure shows. @param {{ trace: Trace }} pass */
export const isLayer = ({ trace: { matrices } }) => matrices.has(`${AT}.norm`);

export function createLayer() {
  const sheet = createSheet(byId('layer-sheet'), byId('layer-sum'), {});
  /** @type {{ trace: Trace, file: WeightFile, shape: Shape } | undefined} */
  let now;
  let chosen = `${AT}.0.weights`;
  /** @type {Map<string, HTMLButtonElement[]>} */
  const buttons = new Map();
  byId('layer-equations').replaceChildren(
    ...EQUATIONS.map((parts, i) =>
      make(
        'p',
        { class: 'layer-equation' },
        make('span', { class: 'equation-number' }, `(${i + 1})`),
        ...parts.map((one) => {
          if (typeof one === 'string') {
            const text = make('span');
            text.innerHTML = one; // safe, because the HTML comes from our own translated strings
            return text;
          }
          const button = make('button', { type: 'button', class: 'term', 'aria-pressed': 'false' });
          button.innerHTML = one.text;
          button.addEventListener('click', () => {
            chosen = one.name;
            show();
          });
          buttons.set(one.name, [...(buttons.get(one.name) ?? []), button]);
          return button;
        }),
      ),
    ),
  );

  /** @param {string} name @returns {Matrix} */
  const matrixOf = (name) => {
    const [own, operand] = name.split('<');
    const matrix = /** @type {Matrix} */ (now?.trace.matrices.get(own));
    return operand === undefined ? matrix : matrix.made.of[Number(operand)];
  };

  /** Returns the selected matrix and its operands. @returns {Group[]} */
  function groups() {
    const matrix = matrixOf(chosen);
    const symbol = (/** @type {Matrix} */ one) => {
      const [, text] = [...SYMBOLS].find(([name]) => matrixOf(name) === one) ?? [];
      return text ?? shortOf(one);
    };
    const { op, of } = matrix.made;
    const operands =
      op === 'file'
        ? []
        : of.map((one, i) => ({
            name: one.name,
            matrix: one,
            symbol: symbol(one),
            transposed: (op === 'product' || op === 'compare') && i === 1,
          }));
    const sign = /** @type {Record<string, string>} */ ({ add: '+', product: '×', compare: '×', aggregate: '×' })[op] ?? ',';
    /** @type {Line} */
    const line = [
      ...operands.flatMap((one, i) => (i ? [i === 1 ? sign : op === 'product' ? '+' : ',', one] : [one])),
      ...(operands.length
        ? [
            op === 'norm'
              ? '→ layernorm →'
              : op === 'softmax'
                ? '→ softmax →'
                : op === 'relu'
                  ? '→ ReLU →'
                  : op === 'columns'
                    ? phrase`→ head 1 →`
                    : '=',
          ]
        : []),
      { name: matrix.name, matrix, symbol: symbol(matrix) },
    ];
    return [{ says: '', line }];
  }

  function show() {
    if (!now) return;
    for (const [name, all] of buttons) for (const button of all) button.setAttribute('aria-pressed', String(name === chosen));
    sheet.show({ ...now, groups: groups() });
    const matrix = matrixOf(chosen);
    sheet.keep(matrix, 0, 0);
  }
  return {
    /** Replaces the shown numbers with those of another pass. @param {{ trace: Trace, file: WeightFile, shape: Shape }} next */
    use(next) {
      now = next;
      show();
    },
  };
}
