// SPDX-License-Identifier: MIT
// Lists the boxes in the diagram of a network, and the matrices inside each box. The boxes and the matrices depend on the network's weight
// file. This file does not use the DOM.
// @ts-check
import { phrase } from '../../shell/page/phrase.js';

/** @import { Matrix } from './graph.js' */
/** @import { WeightFile } from './file.js' */
/** @import { Shape, Trace } from './networks.js' */

/**
 * @typedef {'embed' | 'place' | 'attend' | 'norm' | 'feed' | 'linear' | 'odds'} Kind
 * @typedef {{ id: string, title: string, kind: Kind, side: 'enc' | 'dec', block: number, adds?: boolean }} Box  id: prefix of the names of
 *   the box's matrices; block: index of the block, -1 for none; adds: whether the box adds its input to its output
 * @typedef {{ name: string, matrix: Matrix, symbol: string, transposed?: boolean, wide?: boolean }} Shown  symbol: HTML
 * @typedef {(Shown | string)[]} Line  matrices with the operators between them
 * @typedef {{ says: string, line: Line, closed?: boolean }} Group  closed: whether the group is initially collapsed
 */

/** Returns the boxes in the order of computation, starting with the encoder. @param {Shape} shape @returns {Box[]} */
export function boxesOf({ kind, blocks, encoderBlocks }) {
  /** @type {Box[]} */
  const boxes = [];
  const alone = kind === 'gpt2';
  /** @param {'enc' | 'dec'} side @param {number} count */
  const stack = (side, count) => {
    const put = (/** @type {string} */ id, /** @type {string} */ title, /** @type {Kind} */ what, block = -1, adds = false) =>
      boxes.push({ id: `${side}.${id}`, title, kind: what, side, block, adds });
    put('embedding', 'Embedding', 'embed');
    put('input', '+ Positions', 'place');
    for (let i = 0; i < count; i++) {
      const self = side === 'dec' ? 'Masked attention' : 'Attention';
      if (alone) {
        put(`${i}.self.norm`, 'Norm', 'norm', i);
        put(`${i}.self`, self, 'attend', i, true);
        put(`${i}.ffn.norm`, 'Norm', 'norm', i);
        put(`${i}.ffn`, 'Feed-forward', 'feed', i, true);
        continue;
      }
      put(`${i}.self`, self, 'attend', i);
      put(`${i}.self.norm`, 'Add & norm', 'norm', i);
      if (side === 'dec') {
        put(`${i}.cross`, 'Attention to the word', 'attend', i);
        put(`${i}.cross.norm`, 'Add & norm', 'norm', i);
      }
      put(`${i}.ffn`, 'Feed-forward', 'feed', i);
      put(`${i}.ffn.norm`, 'Add & norm', 'norm', i);
    }
    if (side === 'dec' && alone) put('norm', 'Norm', 'norm');
  };
  if (encoderBlocks > 0) stack('enc', encoderBlocks);
  stack('dec', blocks);
  boxes.push(
    { id: 'logits', title: 'Linear', kind: 'linear', side: 'dec', block: -1 },
    { id: 'odds', title: 'Softmax', kind: 'odds', side: 'dec', block: -1 },
  );
  return boxes;
}

/** Returns the name to display for a box. @param {Box} box @param {Shape} shape */
export const nameOf = ({ title, side, block }, { kind }) =>
  [
    ...(kind === 'gpt2' ? [] : [side === 'enc' ? phrase`Encoder` : phrase`Decoder`]),
    ...(block < 0 ? [] : [kind === 'gpt2' ? phrase`Block ${block + 1}` : phrase`block ${block + 1}`]),
    phrase(title),
  ].join(', ');

/** Returns the name to display for a head of a box. @param {Box} box @param {Shape} shape @param {number} head */
export const headOf = (box, shape, head) => phrase`${nameOf(box, shape)}, head ${head + 1}`;

/**
 * Returns the box that computes a matrix. This is the box with the longest id that is a prefix of the matrix's name.
 *
 * @param {Box[]} boxes
 * @param {string} name
 */
export function boxOf(boxes, name) {
  const alias = /^(enc|dec)\.(onehot|scaled)$/.test(name)
    ? name.replace(/onehot|scaled/, 'embedding')
    : /^(enc|dec)\.position$/.test(name)
      ? name.replace('position', 'input')
      : /\.sum$/.test(name) && boxes.some(({ id }) => id === name.replace(/sum$/, 'norm')) && !boxes.some(({ adds }) => adds)
        ? name.replace(/sum$/, 'norm')
        : name;
  return boxes.filter(({ id }) => alias === id || alias.startsWith(`${id}.`)).sort((a, b) => b.id.length - a.id.length)[0];
}

/** @param {string} symbol @param {string} below */
const sub = (symbol, below) => `<i>${symbol}</i><sub>${below}</sub>`;

/**
 * Returns the contents of an open box: its matrices in groups.
 *
 * @param {Box} box
 * @param {number} head
 * @param {Trace} trace
 * @param {WeightFile} file
 * @returns {Group[]}
 */
export function groupsOf({ id, kind, side }, head, { matrices }, file) {
  const get = (/** @type {string} */ name) => /** @type {Matrix} */ (matrices.get(name));
  /** @param {string} name @param {string} symbol @param {Partial<Shown>} [more] @returns {Shown} */
  const shown = (name, symbol, more = {}) => ({ name, matrix: get(name), symbol, ...more });
  /** @param {Matrix} matrix @param {string} symbol @param {Partial<Shown>} [more] @returns {Shown} */
  const made = (matrix, symbol, more = {}) => ({ name: matrix.name, matrix, symbol, ...more });
  /** Returns the operands of a product. @param {string} name @param {string} x @param {string} w @param {string} y @returns {Line} */
  const product = (name, x, w, y) => {
    const {
      made: {
        of: [input, weights, bias],
      },
    } = get(name);
    return [
      made(input, x),
      '×',
      made(weights, w, { transposed: true }),
      ...(bias ? ['+', made(bias, '<i>b</i>')] : []),
      '=',
      shown(name, y),
    ];
  };
  const stream = '<i>x</i>';
  switch (kind) {
    case 'embed': {
      const scaled = matrices.has(`${side}.scaled`);
      return [
        {
          says: phrase`A letter is a row of zeros with a single one. Multiplied by the table, it selects a row of the table.`,
          line: [
            shown(`${side}.onehot`, 'one-hot', { wide: true }),
            '×',
            made(get(`${side}.embedding`).made.of[1], '<i>E</i>'),
            '=',
            shown(`${side}.embedding`, 'embedding'),
          ],
        },
        ...(scaled
          ? [
              {
                says: phrase`The row is scaled up, so that the positions do not drown it out.`,
                line: /** @type {Line} */ (['√<i>d</i> ×', shown(`${side}.embedding`, 'embedding'), '=', shown(`${side}.scaled`, stream)]),
              },
            ]
          : []),
      ];
    }
    case 'place': {
      const {
        made: {
          of: [x, p],
        },
      } = get(`${side}.input`);
      const learned = p.made.of.map((table) => ({
        says: phrase`The position vectors are the first rows of a learned table.`,
        line: /** @type {Line} */ ([made(table, 'places'), '→', made(p, 'positions')]),
      }));
      return [
        {
          says: phrase`Each position has its own numbers, which are added.`,
          line: [made(x, stream), '+', made(p, 'positions'), '=', shown(id, stream)],
        },
        ...learned,
      ];
    }
    case 'norm': {
      const {
        made: {
          of: [x, gain, bias],
        },
      } = get(id);
      const added =
        x.made.op === 'add' && x.name.endsWith('.sum') && get(x.name).name.startsWith(id.replace(/\.norm$/, '')) ? x.made.of : [];
      return [
        ...(added.length
          ? [
              {
                says: phrase`The input is added to the output: the residual connection.`,
                line: /** @type {Line} */ ([made(added[0], stream), '+', made(added[1], '<i>y</i>'), '=', made(x, `${stream} + <i>y</i>`)]),
              },
            ]
          : []),
        {
          says: phrase`Each row minus its mean, divided by its standard deviation; then a gain and a bias for every channel.`,
          line: [
            'LN',
            made(x, added.length ? `${stream} + <i>y</i>` : stream),
            made(gain, 'gain'),
            made(bias, 'bias'),
            '=',
            shown(id, stream),
          ],
        },
      ];
    }
    case 'attend': {
      const name = `${id}.${head}`;
      const [q, k] = ['query', 'key'].map((part) => `${name}.${part}`);
      const qkv = matrices.has(`${id}.qkv`)
        ? [
            {
              says: phrase`Queries, keys and values of both heads, from one matrix of weights.`,
              line: product(`${id}.qkv`, stream, sub('W', 'QKV'), '<i>Q K V</i>'),
              closed: true,
            },
          ]
        : [
            { says: phrase`Every row has a query …`, line: product(`${id}.query`, stream, sub('W', 'Q'), '<i>Q</i>'), closed: true },
            {
              says: id.endsWith('cross') ? phrase`Every letter of the word has a key …` : phrase`Every row has a key …`,
              line: product(`${id}.key`, id.endsWith('cross') ? 'encoder’s <i>x</i>' : stream, sub('W', 'K'), '<i>K</i>'),
              closed: true,
            },
            {
              says: phrase`… and a value: the content that other positions can read.`,
              line: product(`${id}.value`, id.endsWith('cross') ? 'encoder’s <i>x</i>' : stream, sub('W', 'V'), '<i>V</i>'),
              closed: true,
            },
          ];
      const masked = matrices.has(`${name}.mask`);
      const residual = matrices.has(`${id}.sum`) && get(`${id}.sum`).made.of.length === 2 && qkv.length === 1;
      return [
        ...qkv,
        {
          says: phrase`Head ${head + 1} compares each query with each key.`,
          line: [
            shown(q, `${sub('Q', String(head + 1))}`),
            '×',
            shown(k, `${sub('K', String(head + 1))}<sup>T</sup>`, { transposed: true }),
            '=',
            shown(`${name}.compare`, '<i>QK</i><sup>T</sup>'),
          ],
        },
        {
          says: masked
            ? phrase`The scores are scaled, later positions are hidden, and a softmax makes each row add up to one.`
            : phrase`The scores are scaled, and a softmax makes each row add up to one.`,
          line: [
            shown(`${name}.scale`, '<i>QK</i><sup>T</sup>/√<i>k</i>'),
            ...(masked ? ['→', shown(`${name}.mask`, 'mask')] : []),
            '→',
            shown(`${name}.weights`, 'softmax'),
          ],
        },
        {
          says: phrase`The sum of the values, each times its weight.`,
          line: [
            shown(`${name}.weights`, 'softmax'),
            '×',
            shown(`${name}.value`, sub('V', String(head + 1))),
            '=',
            shown(`${name}.output`, phrase`head ${head + 1}`),
          ],
        },
        {
          says: phrase`The heads are placed side by side and mixed by one more matrix.`,
          line: product(`${id}.project`, 'heads', sub('W', 'O'), '<i>y</i>'),
          closed: true,
        },
        ...(residual
          ? [
              {
                says: phrase`The result is added to the input: the residual connection.`,
                line: /** @type {Line} */ ([
                  made(get(`${id}.sum`).made.of[0], stream),
                  '+',
                  shown(`${id}.project`, '<i>y</i>'),
                  '=',
                  shown(`${id}.sum`, stream),
                ]),
              },
            ]
          : []),
      ];
    }
    case 'feed': {
      const { kind: activation } = { kind: get(`${id}.active`).made.op };
      const sum = file.facts.get('general.architecture') === 'gpt2' ? get(`${id}.sum`) : undefined;
      return [
        { says: phrase`Each row is made wider …`, line: product(`${id}.up`, stream, sub('W', '1'), 'wide') },
        {
          says: activation === 'relu' ? phrase`… negative numbers become zero …` : phrase`… negative numbers become nearly zero …`,
          line: [activation === 'relu' ? 'ReLU' : 'GELU', shown(`${id}.up`, 'wide'), '=', shown(`${id}.active`, 'active')],
        },
        { says: phrase`… and each row becomes narrow again.`, line: product(`${id}.down`, 'active', sub('W', '2'), '<i>y</i>') },
        ...(sum?.made.of.length === 2
          ? [
              {
                says: phrase`The result is added to the input: the residual connection.`,
                line: /** @type {Line} */ ([made(sum.made.of[0], stream), '+', shown(`${id}.down`, '<i>y</i>'), '=', made(sum, stream)]),
              },
            ]
          : []),
      ];
    }
    case 'linear':
      return [
        {
          says: phrase`Each position is compared with every row of the embedding table, which is also at the bottom of the diagram.`,
          line: [
            made(get(id).made.of[0], stream),
            '×',
            made(get(id).made.of[1], '<i>E</i><sup>T</sup>', { transposed: true, wide: true }),
            '=',
            shown(id, 'logits', { wide: true }),
          ],
        },
      ];
    default:
      return [
        {
          says: phrase`A softmax turns each row into the probabilities of the next letter.`,
          line: [shown('logits', 'logits', { wide: true }), '→', shown('odds', 'odds', { wide: true })],
        },
      ];
  }
}

/** Maps the last part of a matrix's name to a label. @type {Record<string, string>} */
const SHORT = {
  onehot: 'one-hot',
  embedding: 'embedding',
  scaled: 'x',
  position: 'positions',
  input: 'x',
  qkv: 'Q K V',
  query: 'Q',
  key: 'K',
  value: 'V',
  compare: 'Q Kᵀ',
  scale: 'Q Kᵀ / √dₖ',
  mask: 'mask',
  weights: 'softmax',
  output: 'head',
  concat: 'heads',
  project: 'y',
  sum: 'x + y',
  norm: 'norm',
  up: 'wide',
  active: 'active',
  down: 'y',
  logits: 'logits',
  odds: 'odds',
};

/** Returns a short label for a matrix. The label of a weight is its name in the file. @param {Matrix} matrix */
export function shortOf({ name, made: { op } }) {
  if (op === 'file') return name;
  const last = SHORT[name.slice(name.lastIndexOf('.') + 1)] ?? name;
  const [, head] = /\.(\d)\.\w+$/.exec(name.replace(/^\w+\.\d/, '')) ?? [];
  return head === undefined
    ? phrase(last)
    : last === 'head'
      ? phrase`head ${Number(head) + 1}`
      : phrase`${phrase(last)} of head ${Number(head) + 1}`;
}

/** Returns a token as the page shows it. @param {string} token */
export const letter = (token) => (token === '<end>' ? '⏎' : token);

/**
 * Returns the labels of a matrix's rows and columns.
 *
 * @param {Matrix} matrix
 * @param {Trace} trace
 * @param {Shape} shape
 * @returns {{ rows: string[], columns: string[] }}
 */
export function labelsOf({ name, rows, cols, made: { op } }, { source, written }, { tokens, kind }) {
  const read = source.map((id) => letter(tokens[id]));
  const wrote = written.slice(0, -1).map((id) => letter(tokens[id]));
  const decoded = kind === 'gpt2' ? [...read, ...wrote] : ['⇥', ...wrote];
  const count = (/** @type {number} */ n) => Array.from({ length: n }, (_, i) => String(i + 1));
  if (op === 'file') {
    return {
      rows: name === 'token_embd.weight' ? tokens.map(letter) : name.startsWith('position') ? count(rows) : rows === 1 ? [''] : count(rows),
      columns: count(cols),
    };
  }
  const words = name.startsWith('enc.') || /\.cross\..*(key|value)$/.test(name) ? read : decoded;
  const columns = /onehot$|^logits$|^odds$/.test(name)
    ? tokens.map(letter)
    : /\.(compare|scale|mask|weights)$/.test(name)
      ? name.startsWith('enc.') || name.includes('.cross.')
        ? read
        : decoded
      : count(cols);
  return { rows: words.slice(0, rows), columns };
}
