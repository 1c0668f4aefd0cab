// SPDX-License-Identifier: MIT
// @ts-check

import { KINDS } from '../kinds/index.js';
import { describe, fittingOf } from './describe.js';
import { Engine, setEngine } from './engine.js';
import { NextPixelError } from '../base/error.js';
import { part } from '../base/part.js';
import { Methods } from '../verbs/methods.js';
import { verbsOf } from '../verbs/table.js';

/** @import { Link } from '../workers/link.js' */
/** @import { ModelInfo, OpenedMessage } from '../engine/protocol.js' */
/** @import { Contents, Count } from '../load/source.js' */

/**
 * The result of load(): a model that is ready to run. Several runs, scores and attention calls may be active at the same time; they are
 * interleaved. `info.verbs` lists the methods of this model.
 *
 * A value out of range causes a NextPixelError with code 'argument'. Methods that return a run throw this error immediately; methods that
 * return a promise reject with it.
 */
export class Model extends Methods {
  #links;

  /** The model's kind, verbs, sizes and card. @type {ModelInfo} */
  info;

  /**
   * The raster index of each position, in generation order. If a position is a pixel, the indices count the pixels row by row. If a
   * position is one channel (`info.positions` is `width * height * channels`), the indices count the channels pixel by pixel. The indices
   * are 0, 1, 2, ... unless the model draws blocks of rows and columns.
   *
   * @type {Uint32Array}
   */
  order;

  /**
   * @param {Engine} engine
   * @internal
   */
  constructor(engine) {
    super();
    setEngine(this, engine);
    this.#links = engine.links;
    this.info = engine.info;
    this.order = engine.kind.codec?.order ?? new Uint32Array(0);
  }

  /** The number of threads that share the work of a step: the number given to load(), or 1 if the page cannot share memory. */
  threads = 1;

  /** Returns the number of workers that share the samples of a run: the number given to load(), or the number that load() found for
   * `workers: 'auto'`. */
  get workers() {
    return this.#links.length;
  }

  /** Ends the workers and frees all memory. Pending calls reject with code 'closed'. A second call does nothing. */
  close() {
    for (const link of this.#links) link.end(new NextPixelError('closed', 'The model was closed: load it again'));
  }
}

/**
 * Supports `using model = await load(address)`. The type declarations omit this method, because older versions of TypeScript and of its
 * libraries do not know Symbol.dispose.
 */
if (Symbol.dispose)
  Object.defineProperty(Model.prototype, Symbol.dispose, { value: Model.prototype.close, writable: true, configurable: true });

/** The number of bytes, from the beginning of a file, that each kind's `early` function receives. */
const HEAD_BYTES = 2 ** 19;

/**
 * Makes every worker read the weight file.
 *
 * @param {Link[]} links
 * @param {WebAssembly.Module} module
 * @param {Contents} contents  the weight file, whose bytes are transferred
 * @param {{ signal?: AbortSignal, onProgress?: (progress: Count) => void, patience?: number }} how  patience: the longest time without
 *   data, in milliseconds
 * @returns {Promise<Model>}
 * @internal
 */
export async function openModel(links, module, contents, how) {
  const jobs = links.map((link) => link.job(how.signal));
  try {
    // Every worker except the last gets a copy.
    const { bytes, large } = contents;
    const head = bytes.slice(0, HEAD_BYTES); // copied before the bytes are transferred
    const open = () =>
      Promise.all(jobs.map((job, i) => job.ask({ type: 'open', module, bytes }, i === jobs.length - 1 ? [bytes.buffer] : [])));
    const opening = large ? (await part(() => import('../load/large.js'))).openLarge(jobs, module, large, how) : open();
    opening.catch(() => {}); // errors are handled below
    const early = await Promise.all(KINDS.map((kind) => part(async () => kind.early?.(head, how.signal))));
    /** @type {OpenedMessage[]} */
    const [facts] = await opening;
    const fitting = fittingOf(facts);
    const info = describe(fitting);
    const engine = new Engine(
      links,
      info,
      verbsOf(fitting).map(([name]) => name),
      facts.parts,
    );
    engine.kind = await part(async () => fitting.kind.open(engine, facts, early[KINDS.indexOf(fitting.kind)], how.signal));
    return new Model(engine);
  } finally {
    for (const job of jobs) job.end();
  }
}
