// SPDX-License-Identifier: MIT
// @ts-check

/**
 * A second implementation of the Transformer on the page "The Transformer, opened", for the tests. This implementation computes in double
 * precision from the values in the file, by the equations of the paper, and shares no code with the page. Matrices are arrays of rows. The
 * names of the matrices are those in web/pages/opened/networks.js.
 */

import { readGGUF } from './gguf.js';

/** @typedef {number[][]} Rows */

/** @param {Rows} a @param {Rows} b */
const times = (a, b) => a.map((row) => b[0].map((_, j) => row.reduce((sum, x, c) => sum + x * b[c][j], 0)));
/** @param {Rows} a */
const turned = (a) => a[0].map((_, j) => a.map((row) => row[j]));
/** @param {Rows} a @param {Rows} b */
const plus = (a, b) => a.map((row, i) => row.map((x, j) => x + b[i][j]));
/** @param {Rows} a */
const softmax = (a) =>
  a.map((row) => {
    const powers = row.map((x) => Math.exp(x - Math.max(...row)));
    return powers.map((p) => p / powers.reduce((s, q) => s + q, 0));
  });

/**
 * @param {Uint8Array} bytes the bytes of weights/opened.gguf
 * @param {number[]} source ids of the source, including the end token
 * @param {number[]} written ids that precede each predicted position
 * @returns {Record<string, Rows>}
 */
export function opened(bytes, source, written) {
  const { metadata, tensors } = readGGUF(bytes);
  /** @type {Record<string, Rows>} */
  const found = {};
  const number = (/** @type {string} */ key) => Number(metadata[`transformer.${key}`]);
  const [d, heads] = [number('embedding_length'), number('attention.head_count')];
  /** @param {string} name @returns {Rows} */
  const rows = (name) => {
    const {
      shape: [count, width = count],
      data,
    } = tensors[name];
    const lines = data.length / width;
    return Array.from({ length: lines }, (_, i) => Array.from({ length: width }, (_x, j) => Number(data[i * width + j])));
  };
  const keep = (/** @type {string} */ name, /** @type {Rows} */ value) => (found[name] = value);
  const linear = (/** @type {Rows} */ x, /** @type {string} */ name) => {
    const y = times(x, turned(rows(`${name}.weight`)));
    const bias = tensors[`${name}.bias`];
    return bias ? y.map((row) => row.map((v, j) => v + Number(bias.data[j]))) : y;
  };
  const norm = (/** @type {Rows} */ x, /** @type {string} */ name) =>
    x.map((row) => {
      const mean = row.reduce((s, v) => s + v, 0) / d;
      const spread = Math.sqrt(row.reduce((s, v) => s + (v - mean) ** 2, 0) / d + number('attention.layer_norm_epsilon'));
      return row.map((v, j) => ((v - mean) / spread) * Number(tensors[`${name}.weight`].data[j]) + Number(tensors[`${name}.bias`].data[j]));
    });
  const embed = (/** @type {string} */ name, /** @type {number[]} */ ids) => {
    const table = rows('token_embd.weight');
    keep(
      `${name}.onehot`,
      ids.map((id) => table.map((_, v) => Number(v === id))),
    );
    const embedding = keep(
      `${name}.embedding`,
      ids.map((id) => (id < 0 ? new Array(d).fill(0) : table[id])),
    );
    const scaled = keep(
      `${name}.scaled`,
      embedding.map((row) => row.map((x) => x * Math.sqrt(d))),
    );
    const position = keep(
      `${name}.position`,
      ids.map((_, p) => Array.from({ length: d }, (_x, i) => (i % 2 ? Math.cos : Math.sin)(p / 10000 ** ((i - (i % 2)) / d)))),
    );
    return keep(`${name}.input`, plus(scaled, position));
  };
  const attention = (
    /** @type {string} */ name,
    /** @type {Rows} */ x,
    /** @type {Rows} */ memory,
    /** @type {string} */ weights,
    /** @type {boolean} */ causal,
  ) => {
    const [q, k, v] = ['q', 'k', 'v'].map((part, i) =>
      keep(`${name}.${['query', 'key', 'value'][i]}`, linear(i ? memory : x, `${weights}_${part}`)),
    );
    const width = d / heads;
    const outputs = Array.from({ length: heads }, (_, h) => {
      const of = (/** @type {Rows} */ all) => all.map((row) => row.slice(h * width, (h + 1) * width));
      const at = `${name}.${h}`;
      keep(`${at}.query`, of(q));
      keep(`${at}.key`, of(k));
      keep(`${at}.value`, of(v));
      const scale = keep(
        `${at}.scale`,
        keep(`${at}.compare`, times(of(q), turned(of(k)))).map((row) => row.map((s) => s / Math.sqrt(width))),
      );
      const masked = causal
        ? keep(
            `${at}.mask`,
            scale.map((row, i) => row.map((s, j) => (j > i ? -Infinity : s))),
          )
        : scale;
      return keep(`${at}.output`, times(keep(`${at}.weights`, softmax(masked)), of(v)));
    });
    const concat = keep(
      `${name}.concat`,
      x.map((_, i) => outputs.flatMap((one) => one[i])),
    );
    return keep(
      `${name}.norm`,
      norm(keep(`${name}.sum`, plus(x, keep(`${name}.project`, linear(concat, `${weights}_output`)))), `${weights}_norm`),
    );
  };
  const feed = (/** @type {string} */ name, /** @type {Rows} */ x, /** @type {string} */ weights) => {
    const active = keep(
      `${name}.active`,
      keep(`${name}.up`, linear(x, `${weights}.ffn_up`)).map((row) => row.map((v) => Math.max(0, v))),
    );
    return keep(
      `${name}.norm`,
      norm(keep(`${name}.sum`, plus(x, keep(`${name}.down`, linear(active, `${weights}.ffn_down`)))), `${weights}.ffn_norm`),
    );
  };
  let memory = embed('enc', source);
  for (let i = 0; i < number('encoder.block_count'); i++)
    memory = feed(`enc.${i}.ffn`, attention(`enc.${i}.self`, memory, memory, `enc.blk.${i}.attn`, false), `enc.blk.${i}`);
  let x = embed('dec', [-1, ...written]);
  for (let i = 0; i < number('block_count'); i++) {
    x = attention(`dec.${i}.cross`, attention(`dec.${i}.self`, x, x, `blk.${i}.attn`, true), memory, `blk.${i}.cross_attn`, false);
    x = feed(`dec.${i}.ffn`, x, `blk.${i}`);
  }
  keep('odds', softmax(keep('logits', times(x, turned(rows('token_embd.weight'))))));
  return found;
}
