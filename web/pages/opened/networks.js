// SPDX-License-Identifier: MIT
// Performs the same computations as src/models/transformer.c and src/models/gpt2.c. The code is simple and slow; it is meant for networks
// with a few thousand weights. Every intermediate matrix is stored under its name:
//
//   enc.onehot  enc.embedding  enc.scaled  enc.position  enc.input        input of the encoder; the names of the decoder start with dec.
//   enc.0.self.query .key .value                                          block 0, all heads; dec.0.cross. attends to the encoder's output
//   enc.0.self.1.query .key .value .compare .scale .mask .weights .output head 1
//   enc.0.self.concat .project .sum .norm                                 sum: with the residual connection
//   enc.0.ffn.up .active .down .sum .norm
//   logits  odds
// @ts-check
import { Graph } from './graph.js';

/** @import { Matrix } from './graph.js' */
/** @import { WeightFile } from './file.js' */

/**
 * @typedef {Object} Switches the parts of the network that are switched on; the network was trained with all parts on
 * @property {boolean} scale
 * @property {boolean} mask
 * @property {boolean} positions
 * @property {boolean} residual
 * @property {string} off head that is switched off, such as 'enc.0.self.1'; '' for none
 */
/** @type {Switches} */
export const ALL_ON = { scale: true, mask: true, positions: true, residual: true, off: '' };

/**
 * @typedef {{ kind: 'transformer' | 'gpt2', d: number, blocks: number, encoderBlocks: number, heads: number, inner: number, values: number, context: number, epsilon: number, tokens: string[], end: number }} Shape
 * the sizes and tokens of a network
 */

/** @param {WeightFile} file @returns {Shape} */
export function shapeOf({ facts }) {
  const kind = facts.get('general.architecture');
  const number = (/** @type {string} */ key) => Number(facts.get(`${kind}.${key}`));
  const tokens = facts.get('tokenizer.ggml.tokens');
  return {
    kind,
    d: number('embedding_length'),
    blocks: number('block_count'),
    encoderBlocks: kind === 'gpt2' ? 0 : number('encoder.block_count'),
    heads: number('attention.head_count'),
    inner: number('feed_forward_length'),
    values: tokens.length,
    context: number('context_length'),
    epsilon: number('attention.layer_norm_epsilon'),
    tokens,
    end: facts.get('tokenizer.ggml.eos_token_id'),
  };
}

/** A forward pass through a network. */
class Pass {
  /** @param {WeightFile} file @param {Switches} on */
  constructor(file, on) {
    this.g = new Graph();
    this.file = file;
    this.on = on;
    this.shape = shapeOf(file);
  }

  /** @param {string} name name of the tensor */
  tensor(name) {
    const tensor = this.file.tensors.get(name);
    if (!tensor) throw new Error(`The file has no tensor ${name}.`);
    return tensor;
  }

  /** x W^T + b @param {string} name @param {Matrix} x @param {string} weights */
  linear(name, x, weights) {
    return this.g.product(name, x, this.tensor(`${weights}.weight`), this.file.tensors.get(`${weights}.bias`));
  }

  /** @param {string} name @param {Matrix} x @param {string} weights */
  norm(name, x, weights) {
    return this.g.norm(name, x, this.tensor(`${weights}.weight`), this.tensor(`${weights}.bias`), this.shape.epsilon);
  }

  /** Computes x + y, or only y if residual connections are switched off. @param {string} name @param {Matrix} x @param {Matrix} y */
  residual(name, x, y) {
    return this.on.residual ? this.g.add(name, x, y) : this.g.copy(name, y);
  }

  /**
   * Computes softmax(Q K^T / sqrt(k) + mask) V for one head.
   *
   * @param {string} name
   * @param {Matrix[]} qkv
   * @param {number} head
   * @param {boolean} causal
   */
  head(name, qkv, head, causal) {
    const {
      g,
      on,
      shape: { d, heads },
    } = this;
    const width = d / heads;
    const [q, k, v] = qkv.map((all, i) => g.columns(`${name}.${['query', 'key', 'value'][i]}`, all, head * width, width));
    const compared = g.compare(`${name}.compare`, q, k);
    const scaled = on.scale ? g.scale(`${name}.scale`, compared, width) : g.copy(`${name}.scale`, compared);
    const masked = !causal ? scaled : on.mask ? g.mask(`${name}.mask`, scaled) : g.copy(`${name}.mask`, scaled);
    const weights = g.softmax(`${name}.weights`, masked);
    return on.off === name ? g.zero(`${name}.output`, q.rows, width) : g.aggregate(`${name}.output`, weights, v);
  }

  /**
   * Computes all heads, concatenates their outputs, and multiplies the result by W_O.
   *
   * @param {string} name
   * @param {Matrix[]} qkv
   * @param {string} output
   * @param {boolean} causal
   */
  heads(name, qkv, output, causal) {
    const heads = Array.from({ length: this.shape.heads }, (_, h) => this.head(`${name}.${h}`, qkv, h, causal));
    return this.linear(`${name}.project`, this.g.join(`${name}.concat`, heads), output);
  }

  /** @param {string} name @param {Matrix} x @param {string} weights @param {'relu' | 'gelu'} kind */
  feed(name, x, weights, kind) {
    return this.linear(
      `${name}.down`,
      this.g.active(`${name}.active`, this.linear(`${name}.up`, x, `${weights}.ffn_up`), kind),
      `${weights}.ffn_down`,
    );
  }

  /**
   * Computes the embeddings of tokens and adds the encodings of their positions.
   * @param {string} name
   * @param {number[]} ids token ids; -1 for no token
   * @param {Matrix} [learned] table of learned position embeddings
   */
  embed(name, ids, learned) {
    const {
      g,
      on,
      shape: { d, values },
    } = this;
    const rows = g.lookup(`${name}.embedding`, g.onehot(`${name}.onehot`, ids, values), this.tensor('token_embd.weight'));
    const scaled = learned ? rows : g.times(`${name}.scaled`, rows, Math.fround(Math.sqrt(d)));
    const places = !on.positions
      ? g.zero(`${name}.position`, ids.length, d)
      : learned
        ? g.columns(`${name}.position`, learned, 0, d, ids.length)
        : g.wave(`${name}.position`, ids.length, d);
    return g.add(`${name}.input`, scaled, places);
  }

  /** x = LN(x + attention(x, memory)) @param {string} name @param {Matrix} x @param {Matrix} memory @param {string} weights @param {boolean} causal */
  attentionThenNorm(name, x, memory, weights, causal) {
    const qkv = ['q', 'k', 'v'].map((one, i) =>
      this.linear(`${name}.${['query', 'key', 'value'][i]}`, i ? memory : x, `${weights}_${one}`),
    );
    return this.norm(
      `${name}.norm`,
      this.residual(`${name}.sum`, x, this.heads(name, qkv, `${weights}_output`, causal)),
      `${weights}_norm`,
    );
  }

  /** x = LN(x + feed-forward(x)) @param {string} name @param {Matrix} x @param {string} weights */
  feedThenNorm(name, x, weights) {
    return this.norm(`${name}.norm`, this.residual(`${name}.sum`, x, this.feed(name, x, weights, 'relu')), `${weights}.ffn_norm`);
  }

  /** @param {Matrix} x */
  end(x) {
    this.g.softmax('odds', this.g.product('logits', x, this.tensor('token_embd.weight')));
    return this.g.matrices;
  }
}

/**
 * Runs a network with an encoder and a decoder. The encoder reads a word and its end token. The decoder predicts the token at each
 * position of another word.
 *
 * @param {WeightFile} file
 * @param {number[]} source ids
 * @param {number[]} written ids that the decoder reads, shifted by one: each position reads the token before it, and position 0 reads
 *   nothing
 * @param {Switches} on
 */
function transformer(file, source, written, on) {
  const pass = new Pass(file, on);
  let memory = pass.embed('enc', source);
  for (let i = 0; i < pass.shape.encoderBlocks; i++) {
    memory = pass.attentionThenNorm(`enc.${i}.self`, memory, memory, `enc.blk.${i}.attn`, false);
    memory = pass.feedThenNorm(`enc.${i}.ffn`, memory, `enc.blk.${i}`);
  }
  let x = pass.embed('dec', [-1, ...written]);
  for (let i = 0; i < pass.shape.blocks; i++) {
    x = pass.attentionThenNorm(`dec.${i}.self`, x, x, `blk.${i}.attn`, true);
    x = pass.attentionThenNorm(`dec.${i}.cross`, x, memory, `blk.${i}.cross_attn`, false);
    x = pass.feedThenNorm(`dec.${i}.ffn`, x, `blk.${i}`);
  }
  return pass.end(x);
}

/**
 * Runs a network that has no encoder. In each sublayer, a layer norm comes first.
 *
 * @param {WeightFile} file
 * @param {number[]} ids
 * @param {Switches} on
 */
function gpt2(file, ids, on) {
  const pass = new Pass(file, on);
  const {
    g,
    shape: { d, blocks },
  } = pass;
  let x = pass.embed('dec', ids, pass.tensor('position_embd.weight'));
  for (let i = 0; i < blocks; i++) {
    const [name, weights] = [`dec.${i}.self`, `blk.${i}`];
    const all = pass.linear(`${name}.qkv`, pass.norm(`${name}.norm`, x, `${weights}.attn_norm`), `${weights}.attn_qkv`);
    const qkv = ['query', 'key', 'value'].map((part, at) => g.columns(`${name}.${part}`, all, at * d, d));
    x = pass.residual(`${name}.sum`, x, pass.heads(name, qkv, `${weights}.attn_output`, true));
    const feed = `dec.${i}.ffn`;
    x = pass.residual(`${feed}.sum`, x, pass.feed(feed, pass.norm(`${feed}.norm`, x, `${weights}.ffn_norm`), weights, 'gelu'));
  }
  return pass.end(pass.norm('dec.norm', x, 'output_norm'));
}

/**
 * @typedef {{ matrices: Map<string, Matrix>, source: number[], written: number[], first: number }} Trace  written: the output ids,
 *   including the end token if the network produced it; first: index of the row with the probabilities of the first output id
 */

/**
 * Computes the network's output for a word by choosing the most probable letter at every position. Returns all matrices of the last pass,
 * which predicts every letter of the output.
 *
 * With the mask, no position sees later positions, so a single pass can check a complete draft of the output. Another pass is needed only
 * if the draft is wrong. Without the mask, each position also sees later positions, so the output is generated letter by letter, and later
 * positions must be empty.
 *
 * @param {WeightFile} file
 * @param {number[]} word ids
 * @param {Switches} [on]
 * @param {number[]} [guess] ids of a draft, which affects only the speed
 * @returns {Trace}
 */
export function trace(file, word, on = ALL_ON, guess = [...word].reverse()) {
  const { kind, end, context, tokens } = shapeOf(file);
  const alone = kind === 'gpt2';
  const source = [...word, alone ? tokens.indexOf('=') : end];
  const first = alone ? source.length - 1 : 0;
  const most = alone ? Math.min(source.length, context + 1 - source.length) : context;
  /** Appends the end token to a draft, unless the draft already ends with this token or has the maximum length. @param {number[]} ids */
  const ended = (ids) => (ids.length < most && ids[ids.length - 1] !== end ? [...ids, end] : ids);
  let written = ended(on.mask ? guess.slice(0, most) : []);
  for (;;) {
    const read = written.slice(0, -1);
    const matrices = alone ? gpt2(file, [...source, ...read], on) : transformer(file, source, read, on);
    const logits = /** @type {Matrix} */ (matrices.get('logits'));
    const told = (/** @type {number} */ i) => logits.row(first + i).indexOf(Math.max(...logits.row(first + i)));
    // Without the mask, the prediction of letters that are already written may change; these letters stay as they are.
    const from = on.mask ? 0 : written.length - 1;
    const wrong = written.findIndex((id, i) => i >= from && told(i) !== id);
    if (wrong < 0) return { matrices, source, written, first };
    written = ended([...written.slice(0, wrong), told(wrong)]);
  }
}
