// SPDX-License-Identifier: MIT
// @ts-check

/**
 * nextpixel: generative models that run inside a web page, on the CPU, and return their output element by element: pixels, tokens, tags.
 *
 *     import { load } from 'nextpixel';
 *
 *     const model = await load('weights/digits.gguf');
 *     await model.complete(image, { rows: 14 }).drawTo(canvas);
 *     for await (const { sample, from, to, values, nats } of model.generate({ label: '7', seed: 1 })) { ... }
 *     model.close();
 *
 * A super-resolution model has superResolve(image) instead of complete() and generate(). A text model has generate(prompt):
 *
 *     for await (const { text, nats } of model.generate('Once upon a time', { temperature: 0.8 })) { ... }
 *
 * and a translation model has translate(sentence):
 *
 *     await model.translate('Ein Hund schläft.', { beams: 4 }).text();
 *
 * The same module runs in browsers and in Node 20 or later. The work is done in a worker.
 */

import { abortable } from './base/abort.js';
import { heardBy } from './base/heard-by.js';
import { NextPixelError, argumentError } from './base/error.js';
import { again, part, recovering, recovery } from './base/part.js';
import { Link } from './workers/link.js';
import { openModel } from './model/model.js';
import { parallelism } from './base/platform.js';
import { checkOptions, flag, show, wholeNumber } from './base/checks.js';
import { classOf } from './base/realm.js';
import { isAddress, isLasting, readSource } from './load/source.js';
import { compile, compileBest } from './workers/wasm.js';

/**
 * Delay in milliseconds before the file of a loaded model is cached. Caching takes tens of milliseconds on the page's thread, and must not
 * delay the first element of the first run.
 */
const KEEP_MS = 500;

export { NextPixelError } from './base/error.js';
export { cache } from './load/cache.js';
export { supported } from './workers/simd.js';
/** @typedef {import('./kinds/text/tokenizer.js').Tokenizer} Tokenizer */
/** @import { VocabularySource } from './kinds/text/vocabulary-file.js' */
/** @typedef {import('./engine/protocol.js').ErrorCode} ErrorCode */
/** @typedef {import('./engine/protocol.js').BasicInfo} BasicInfo */

/** @typedef {import('./load/source.js').Progress} Progress */
/** @typedef {import('./load/source.js').Source} Source */
/** @typedef {import('./load/source.js').Phase} Phase */
/** @typedef {import('./load/cache.js').KeptFile} KeptFile */
/** @typedef {import('./engine/protocol.js').WorkerUrl} WorkerUrl */

const MAX_WORKERS = 16;
const MAX_THREADS = 16;
/** The names of the options of load(). */
const LOADING = ['onProgress', 'signal', 'integrity', 'cache', 'patience', 'workers', 'threads', 'wasmUrl', 'workerUrl', 'worker'];

/**
 * @typedef {object} LoadOptions
 * @property {(progress: Progress) => void} [onProgress]  called as the weight file arrives, and between the phases of loading
 * @property {AbortSignal} [signal]   aborts the loading
 * @property {string} [integrity]     'sha256-' followed by the base64 digest that the weight file must have. With a digest, even a large
 *   file (32 MB or more) is held in memory as a whole before it is opened; without a digest, a large file goes to the engine as it arrives
 * @property {boolean} [cache]       whether a browser stores the weight file for the next visit and for offline use, in the cache
 *   'nextpixel' of its Cache API. A file that has changed on the server is downloaded again. Default true
 * @property {number} [patience]      maximum time without data from the server, in milliseconds. After this time, the rest of the file is
 *   requested again if the server supports ranges. After a few attempts, loading fails. Default 30000
 * @property {number | 'auto'} [workers]  number of workers, 1 to 16, that share the samples of a run. Each worker has its own copy of the
 *   model in memory. The images do not depend on this number. More workers than physical cores are of no use
 *   (`navigator.hardwareConcurrency` often counts two per core). 'auto': the number of workers, 1 to 4, that run in parallel at nearly full
 *   speed; this number is measured while the file arrives (see `model.workers`). Default 1
 * @property {number} [threads]      number of threads, 1 to 16, that share the matrix products of each step of a text model. All threads
 *   share one copy of the weights. The tokens do not depend on this number. Threads need shared memory; in a browser, the page must
 *   therefore be cross-origin isolated. Without shared memory, one thread is used; see `model.threads`. Threads are useful for large
 *   models, up to the number of physical cores. Default 1
 * @property {string | URL} [wasmUrl] address of nextpixel.wasm, or of nextpixel-relaxed.wasm or nextpixel-pairs.wasm if relaxed SIMD is
 *   known to work; by default the fastest build for this machine, from the library's folder
 * @property {WorkerUrl} [workerUrl]  address of worker.js of the same version; by default worker.js in the library's folder
 * @property {import('./base/dom.js').Dom<'Worker'>} [worker]  a module worker, running worker.js, that the page started before it loaded
 *   the library; the model owns the worker from now on
 */

/**
 * Validates options of load() before anything is fetched.
 *
 * @param {{ cache?: unknown, wasmUrl?: unknown, workerUrl?: unknown, integrity?: unknown, worker?: any }} options
 */
function checkSource({ cache, wasmUrl, workerUrl, integrity, worker }) {
  flag('cache', cache);
  const texts = { wasmUrl, workerUrl, integrity };
  for (const [name, value] of Object.entries(texts)) {
    if (value !== undefined && !isAddress(/** @type {any} */ (value)) && classOf(value) !== 'TrustedScriptURL')
      throw argumentError(`${name} must be a string, not ${show(value)}`);
  }
  if (worker !== undefined && typeof worker?.postMessage !== 'function')
    throw argumentError(`worker must be a Worker, not ${show(worker)}`);
}

/** Fetches the recovery code in advance; retries if an earlier attempt failed. */
function prepare() {
  recovery.code ??= part(() => import('./recovery.js'));
  recovery.code.catch(() => {
    recovery.code = undefined;
  });
}

/**
 * Loads a model. In TypeScript, the model from `load<'sound'>(address)` has only the methods of audio models, and its generate() returns a
 * SoundRun.
 *
 * @template {Kind} [K=Kind]
 * @param {Source | Source[]} source  the address of a weight file (in Node also a path), or hf:owner/name/file.gguf for a file on the
 *   Hugging Face Hub; a Blob or File; the bytes of the file; or a Response or ReadableStream of these bytes. For a model in several files,
 *   a list of all files, or the address of the first one, ...-00001-of-00003.gguf
 * @param {LoadOptions} [options]
 * @returns {Promise<ModelOf<K>>} rejects with a NextPixelError, or with the signal's reason
 */
export async function load(source, options = {}) {
  checkOptions(options, 'load()', LOADING);
  checkSource(options);
  prepare();
  /** @type {string | undefined} */
  let said;
  if (Array.isArray(source) || (isAddress(source) && /-00001-of-\d{5}\.gguf/.test(String(source))))
    ({ bytes: source, warning: said } = await (await part(() => import('./kinds/text/texts.js'))).readParts(source, options));
  if (isAddress(source) && /^hf:|^https:\/\/huggingface.co\/.*\/blob\//i.test(String(source)))
    source = (await part(() => import('./load/hub.js'))).hubAddress(String(source));
  const { onProgress, signal, patience, workers = 1, threads = 1, wasmUrl, workerUrl, worker } = options;
  signal?.throwIfAborted();
  if (workers !== 'auto') wholeNumber('workers', workers, 1, MAX_WORKERS);
  wholeNumber('threads', threads, 1, MAX_THREADS);
  const sharing = threads > 1 ? await part(() => import('./workers/threads.js')) : undefined;
  // The workers, the module and the weights load in parallel; if one of them fails, the others are aborted.
  const giveUp = new AbortController();
  const abort = () => giveUp.abort(signal?.reason);
  signal?.addEventListener('abort', abort);
  const auto = workers === 'auto';
  const trying = auto ? await part(() => import('./workers/concurrency.js')) : undefined;
  const most = trying ? Math.min(trying.MOST_TRIED, await parallelism()) : Number(workers);
  const starting = Array.from({ length: auto ? 1 : most }, (_, i) => Link.start(workerUrl, i === 0 ? worker : undefined));
  /** @type {Progress} */
  let progress = { phase: 'connect', loaded: 0, total: undefined };
  let over = false;
  /** The error thrown by the caller's onProgress: any value, even undefined. @type {{ reason: unknown } | undefined} */
  let failed;
  const fail = (/** @type {unknown} */ reason) => {
    if (over) throw reason;
    failed ??= { reason };
    giveUp.abort();
  };
  const heard = heardBy(onProgress, fail);
  const tell = (/** @type {Partial<Progress>} */ news) => {
    try {
      heard((progress = { ...progress, ...news }));
    } catch (reason) {
      fail(reason);
      throw reason;
    }
  };
  const reading = { ...options, signal: giveUp.signal, onProgress: (/** @type {object} */ news) => tell({ phase: 'download', ...news }) };
  /** Downloads a file again if its cached copy is damaged. @param {unknown} error */
  const afresh = async (error) => {
    if (giveUp.signal.aborted || !isAddress(source)) throw error;
    return (await recovering(error)).refetch(String(source), error, () => readSource(source, { ...reading, fresh: true }));
  };
  try {
    tell({});
    const compiled = again(
      () => (wasmUrl === undefined ? (sharing?.compileThreads ?? compileBest)(patience) : compile(wasmUrl, patience)),
      // no retry if the cause has a code: in this case the server sent nothing
      ({ code, cause }) => code === 'network' && cause && !cause.code && !giveUp.signal.aborted,
    );
    const loaded = Promise.all([compiled, readSource(source, reading).catch(afresh)]);
    const links = trying && most > 1 ? trying.addWorthwhile(starting, () => Link.start(workerUrl), most, loaded) : Promise.all(starting);
    let [kept, [module, contents]] = await abortable(Promise.all([links, loaded]), giveUp.signal);
    tell({ phase: 'compile' });
    const model = await openModel(kept, module, contents, reading).catch(async (error) => {
      contents = await afresh(error);
      return openModel(kept, module, contents, reading);
    });
    const { keep, large, warning = large?.warning ?? said } = contents;
    if (warning) model.info.warnings.push(warning);
    if (keep) setTimeout(keep, KEEP_MS);
    const addThreads = (/** @type {Link} */ link) => sharing?.addThreads(model, link, module, threads - 1, () => Link.start(workerUrl));
    await addThreads(kept[0]);
    tell({ phase: 'ready' });
    await heard.turn();
    giveUp.signal.throwIfAborted();
    // If a worker ends unexpectedly, its replacement reads the file again.
    if (isLasting(source)) {
      for (const link of kept) {
        link.restore = async () =>
          (await recovering(link.ended)).restore(source, options, module, model.info, (to) => to === kept[0] && addThreads(to));
      }
    }
    return /** @type {any} */ (model);
  } catch (error) {
    giveUp.abort();
    for (const start of starting)
      start.then(
        (link) => link.end(new NextPixelError('closed', 'Loading failed')),
        () => {},
      );
    if (failed) throw failed.reason;
    throw error instanceof NextPixelError && error.status
      ? await part(() => import('./gguf/sniff.js'), []).then(
          (sniff) => sniff.advised(error),
          () => error,
        )
      : error;
  } finally {
    over = true;
    signal?.removeEventListener('abort', abort);
  }
}

/**
 * The options of acquire(), with the same meaning as for load(). If several callers share a model, the first caller's `workers`, `threads`
 * and `worker` apply.
 *
 * @typedef {Pick<LoadOptions, 'onProgress' | 'signal' | 'workers' | 'threads' | 'cache' | 'integrity' | 'worker'>} AcquireOptions
 */

/**
 * Loads a model, or shares a model that is already loaded, for example by an element of the page: one download, one worker, one copy in
 * memory.
 *
 * @template {Kind} [K=Kind]
 * @param {string | URL} url
 * @param {AcquireOptions} [options]
 * @returns {Promise<Hold & { model: ModelOf<K> }>} the caller must release the model, not close it
 */
export async function acquire(url, options = {}) {
  return /** @type {any} */ ((await part(() => import('./load/holders.js'))).acquire(url, options));
}

/**
 * Reads the tokenizer of a weight file, or of a file with a vocabulary but no weights. Only the beginning of a large file is read.
 *
 * @param {VocabularySource} source  an address (in Node also a path), a response, bytes or a File
 * @param {{ signal?: AbortSignal }} [options]
 * @returns {Promise<Tokenizer>} rejects with a NextPixelError: 'unsupported' if the file has no vocabulary or an unsupported one, 'format'
 *   or 'limit' if the vocabulary is damaged
 */
export async function tokenizer(source, options = {}) {
  checkOptions(options, 'tokenizer()', ['signal']);
  prepare();
  const { signal } = options;
  return (await part(() => import('./kinds/text/texts.js'))).tokenizerOf(source, signal);
}

// The types of everything that load() returns.
export * from './kinds/types.js';
/** @typedef {import('./model/model.js').Model} Model */
/** @typedef {import('./model/of-kind.js').Kind} Kind */
/**
 * @template {Kind} K
 * @typedef {import('./model/of-kind.js').ModelOf<K>} ModelOf
 */
/** @typedef {import('./load/holders.js').Hold} Hold */
/** @typedef {import('./sinks/pixels.js').Picture} Picture */
/** @typedef {import('./base/checks.js').Label} Label */
/** @typedef {import('./runs/attention-map.js').AttentionMap} AttentionMap */
/** @typedef {import('./kinds/hidden-states.js').HiddenState} HiddenState */
